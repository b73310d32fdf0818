//===- NnapiGraph.h - Interface of converters to the import -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// State of one import, the values of one subgraph, and the view of one operation for its converter. A converter reads
// operands, infers the result shapes (declared extents may be unknown), and creates operations of the nn dialect; it
// reports what it cannot express with refuse(). Converters are in tables, one per family of operations; a new operation
// needs one row.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_NNAPI_NNAPIGRAPH_H
#define AVOCET_COMPILER_LIB_IMPORT_NNAPI_NNAPIGRAPH_H

#include "Import/Common/ImportedOperation.h"
#include "Import/Common/KnownIntegers.h"
#include "NnapiFile.h"
#include "OpenRows.h"
#include "avocet/compiler/Compiler.h"
#include "avocet/compiler/Dialect/Nn/NnRank.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include "llvm/ADT/SmallPtrSet.h"

#include <deque>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <vector>

namespace avocet::compiler {

/// State that all subgraphs of one import share.
struct NnapiImport : ImportState {
  const NnapiFile &file;
  mlir::func::FuncOp function = {}; ///< of the main subgraph; regions of subgraphs are detached during the import
  uint32_t operations = 0;          ///< imported so far, in all subgraphs
  /// The module is only used to decide support: known conditions do not remove a branch, and operations that depend on
  /// a refused one are omitted without a refusal of their own.
  bool isQuery = false;
  /// Of a tensor in a model that leaves shapes open; more elements, or a rank above kMaxRank, set `tooLarge`.
  uint64_t maxElements = UINT64_MAX;
  size_t maxRank() const { return maxElements == UINT64_MAX ? nn::kMaxTensorRank : kMaxRank; }
  bool tooLarge = false;
  std::set<const nnapi::Operation *> unrolledLoops = {}; ///< see NnapiOpenOperands
  KnownIntegers integers = {};
  OpenRowMap openRows = OpenRowMap();
  llvm::SmallPtrSet<mlir::Operation *, 16> rowCounters = {}; ///< that rowCount() has created, which mix rows
  std::deque<std::vector<uint8_t>> knownBytes = {}; ///< of computed operands and tried values, for NnapiGraph::data()
  std::map<OpenRows, mlir::Value> rowCounts = {};   ///< that rowCount() has computed
};

struct NnapiConverter;
class NnapiOperation;

/// The values of one subgraph while its operations are imported at the builder's insertion point.
class NnapiGraph {
public:
  /// `topLevel` is the index of the main subgraph's operation that contains this subgraph, -1 in the main subgraph.
  NnapiGraph(NnapiImport &import, uint32_t subgraph, int64_t topLevel = -1);

  const nnapi::Subgraph &subgraph() const { return graph_; }
  const nnapi::Operand &operand(uint32_t index) const { return *graph_.operands()->Get(index); }
  mlir::Value value(uint32_t operand) const { return values_[operand]; }
  void bind(uint32_t operand, mlir::Value value) { values_[operand] = value; }
  /// The bytes of an operand whose elements are known, else empty: of a constant, of a main input whose value is given,
  /// of integers that are computed from such operands, and of a subgraph input to which such an operand is passed.
  std::span<const uint8_t> data(uint32_t operand) const;
  /// Marks an input that an execution omits.
  void omit(uint32_t operand) { omitted_[operand] = true; }
  /// Sets the elements of an input. The bytes are borrowed.
  void give(uint32_t operand, std::span<const uint8_t> bytes) { given_[operand] = bytes; }
  /// The same for an operand of integers or truth values.
  void giveIntegers(uint32_t operand, llvm::ArrayRef<int64_t> elements);

  /// Imports all operations in order. Fails if one is malformed; refusals set NnapiImport::refused.
  mlir::LogicalResult importOperations();
  /// Imports one operation. Succeeds if it was refused, which sets NnapiImport::refused; fails if it is malformed.
  mlir::LogicalResult importOperation(uint32_t index);

private:
  friend class NnapiOperation;
  int64_t topLevelOf(int64_t index) const { return topLevel_ >= 0 ? topLevel_ : index; }
  void loseResults(uint32_t index);
  /// Binds a result, and its elements if they are known.
  void bindResult(uint32_t operand, mlir::Value value);
  mlir::Value constant(uint32_t operand, mlir::RankedTensorType type);

  NnapiImport &import_;
  const nnapi::Subgraph &graph_;
  int64_t topLevel_;
  std::vector<mlir::Value> values_; ///< by operand; null where nothing is defined yet
  std::vector<std::span<const uint8_t>> given_;
  std::vector<bool> lost_;    ///< results of refused operations
  std::vector<bool> omitted_; ///< inputs
};

/// One operation.
class NnapiOperation : public ImportedOperation {
public:
  NnapiOperation(NnapiGraph &graph, uint32_t index);

  NnapiImport &import() { return graph_.import_; }
  NnapiGraph &graph() { return graph_; }
  const nnapi::Operation &operation() const { return operation_; }
  OperationType type() const { return typeOf(operation_); }
  /// Index of the main subgraph's operation that is or contains this one.
  int64_t topLevel() const { return graph_.topLevelOf(index_); }

  bool isInMain() const { return graph_.topLevel_ < 0; }

  /// Whether this is a WHILE of NnapiImport::unrolledLoops.
  bool isUnrolledLoop() const { return graph_.import_.unrolledLoops.contains(&operation_); }

  uint32_t numInputs() const override { return operation_.inputs() ? operation_.inputs()->size() : 0; }
  uint32_t numOutputs() const override { return operation_.outputs()->size(); }

  bool hasInput(uint32_t position) const override;
  const nnapi::Operand &inputOperand(uint32_t position) const;
  /// Number of the operand at the position, in its subgraph.
  uint32_t inputIndex(uint32_t position) const { return operation_.inputs()->Get(position); }
  OperandType inputType(uint32_t position) const { return typeOf(inputOperand(position)); }
  const nnapi::Operand &outputOperand(uint32_t position) const;
  OperandType outputType(uint32_t position) const { return typeOf(outputOperand(position)); }

  /// The bytes of an operand of an extension's type; empty for others.
  static std::span<const uint8_t> extensionData(const nnapi::Operand &operand);
  /// Of an operation of an extension: what the client gave for an attribute of the extension; nullopt: nothing.
  std::optional<std::span<const uint8_t>> attribute(uint16_t code) const;

  /// A tensor or scalar (a tensor of rank 0): f32, f16, i32, i1, !quant.uniform of 8 or 16 bits.
  mlir::Value value(uint32_t position, llvm::StringRef operand) override;
  bool dependsOnData(uint32_t position) override {
    return hasInput(position) && graph_.data(inputIndex(position)).empty();
  }

  /// Elements of an INT32 tensor or scalar that determines the program: a constant, or a main input whose value is
  /// given. The converter's valueOperands must contain every position that is read with this.
  mlir::FailureOr<mlir::SmallVector<int64_t>> integers(uint32_t position, llvm::StringRef operand) override;
  using ImportedOperation::integers;
  /// The same for exactly one element, of type INT32; for one of FLOAT32 or FLOAT16; for one of BOOL.
  mlir::FailureOr<int64_t> integer(uint32_t position, llvm::StringRef operand);
  mlir::FailureOr<double> real(uint32_t position, llvm::StringRef operand);
  mlir::FailureOr<bool> boolean(uint32_t position, llvm::StringRef operand);
  /// A fused activation (INT32 scalar 0 to 3).
  mlir::FailureOr<nn::Activation> activation(uint32_t position);

  mlir::Type resultElement(uint32_t position) override;
  /// More elements than the import allows are a refusal.
  mlir::RankedTensorType resultType(uint32_t position, llvm::ArrayRef<int64_t> shape) override;

  Reported breaksRule(const std::string &rule) override { return malformed("breaks a rule: " + rule); }
  /// Refuses an operand or "result" whose rank is above NnapiImport::maxRank().
  Reported refuseRank(llvm::StringRef operand, size_t rank);
  /// Fails unless the operation has as many inputs as its converter reads.
  mlir::LogicalResult checkArity(const NnapiConverter &converter);

  mlir::LogicalResult finish(mlir::Value value, uint32_t position = 0) override;

private:
  NnapiOperation(NnapiGraph &graph, uint32_t index, const nnapi::Operation &operation, const std::string &name);
  mlir::FailureOr<std::span<const uint8_t>> scalarBytes(uint32_t position, llvm::StringRef operand, OperandType type,
                                                        OperandType alternative);
  mlir::Type elementType(const nnapi::Operand &operand, llvm::StringRef name);

  NnapiGraph &graph_;
  const nnapi::Operation &operation_;
  int64_t index_;
};

/// Values of operands by position.
using NnapiValues = llvm::SmallVector<std::pair<uint32_t, llvm::SmallVector<int64_t>>>;
using NnapiValueChoices = llvm::SmallVector<NnapiValues>;

/// Operands that an execution may omit, by position, with their extents if present.
using NnapiPresent = llvm::SmallVector<std::pair<uint32_t, llvm::SmallVector<int64_t>>>;

/// A row of a converter table: operation, number of inputs, positions (bit n: position n) of operands whose values
/// determine the program, and the function. maxInputs UINT32_MAX means any number. `choices` are extreme values of
/// operands known only at execution: if the target can run them, it can run all admissible ones whose tensors have at
/// most `elements` elements. Null: the operation needs these values at compile time. `presences` are the sets of
/// optional operands that an execution may provide, where their extents follow from other operands. Null: there are
/// none.
struct NnapiConverter {
  OperationType type;
  uint32_t minInputs;
  uint32_t maxInputs;
  uint64_t valueOperands;
  mlir::LogicalResult (*convert)(NnapiOperation &op);
  NnapiValueChoices (*choices)(NnapiOperation &op, int64_t elements) = nullptr;
  llvm::SmallVector<NnapiPresent> (*presences)(NnapiOperation &op) = nullptr;
  uint64_t optionalOperands = 0; ///< the positions that `presences` covers
};

/// The converter of an operation of the file, which may be one of an extension, or null if there is none.
const NnapiConverter *findNnapiConverter(const NnapiFile &file, OperationType type);

/// The tables of the individual files.
llvm::ArrayRef<NnapiConverter> nnapiBidirectionalConverters();
llvm::ArrayRef<NnapiConverter> nnapiConvConverters();
llvm::ArrayRef<NnapiConverter> nnapiControlFlowConverters();
llvm::ArrayRef<NnapiConverter> nnapiDetectionConverters();
llvm::ArrayRef<NnapiConverter> nnapiElementwiseConverters();
llvm::ArrayRef<NnapiConverter> nnapiLookupConverters();
llvm::ArrayRef<NnapiConverter> nnapiMoveConverters();
llvm::ArrayRef<NnapiConverter> nnapiShapeConverters();
llvm::ArrayRef<NnapiConverter> nnapiNormalizeConverters();
llvm::ArrayRef<NnapiConverter> nnapiRecurrentConverters();

struct NnapiExtensionOperation {
  llvm::StringLiteral name; ///< "HARD_SIGMOID"
  NnapiConverter converter; ///< its `type` is the operation's number within the extension
};

/// Each folder of Import/Extensions whose name is that of an extension defines one object of NnapiExtension, with a
/// converter for each operation. Operands of the extension's types have arrived in their storage forms, with
/// NnapiOperation::extensionData(). The rules that clients must follow are in hal/extensions, whose README.md has the
/// recipe.
struct NnapiExtension {
  std::string_view name; ///< that of the folder
  llvm::ArrayRef<NnapiExtensionOperation> operations;
};

/// All extensions of Import/Extensions, by name.
std::span<const NnapiExtension *const> allNnapiExtensions();

/// Null: the code is a standard one, or no extension of this compiler has the operation.
const NnapiExtensionOperation *findExtensionOperation(const NnapiFile &file, OperationType type);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_NNAPI_NNAPIGRAPH_H
