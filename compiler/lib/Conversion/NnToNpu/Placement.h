//===- Placement.h - Interface of placers to their function -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// State of the placement of one function. A placer reads the operands' storage with operand(), creates operations of
// the npu dialect, and binds their results with finish(). It reports what the target cannot do with refuse().
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_PLACEMENT_H
#define AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_PLACEMENT_H

#include "Attention.h"
#include "Storage.h"

#include "avocet/compiler/Conversion/ConversionPasses.h"
#include "avocet/compiler/Dialect/Npu/Layouts.h"
#include "avocet/firmware_iface/Target.h"
#include "avocet/kernels/DspParameters.h"
#include "avocet/kernels/KernelId.h"
#include "avocet/kernels/Quantization.h"

#include "mlir/IR/Builders.h"

#include "llvm/ADT/StringMap.h"

#include <optional>
#include <string>

namespace avocet::compiler {

class NetworkConstants;

class Placement {
public:
  /// `constants` is null if they are not freed.
  Placement(mlir::OpBuilder &builder, const firmware::Target &target, ConstantContents contents,
            NetworkConstants *constants, mlir::Block &network)
      : builder_(builder), target_(target), contents_(contents), constants_(constants), attentions_(network) {}

  mlir::OpBuilder &builder() { return builder_; }
  const firmware::Target &target() const { return target_; }
  ConstantContents contents() const { return contents_; }

  /// The storage of a value of the network.
  mlir::Value operand(mlir::Value value) const { return values_.at(value); }
  void bind(mlir::Value value, mlir::Value storage) { values_[value] = storage; }
  /// Binds `storage`, of any shape with the same bytes, as the result of the operation.
  mlir::LogicalResult finish(mlir::Operation *op, mlir::Value storage);
  /// The same elements in another shape; `storage` itself if it has that shape. Copied if its rows or pixels would not
  /// be at constant distances.
  mlir::Value view(mlir::Location location, mlir::Value storage, StorageShape shape);
  /// The same with another element type as well.
  mlir::Value view(mlir::Location location, mlir::Value storage, mlir::RankedTensorType type);

  /// The places of the tensors placed so far.
  npu::Layouts &layouts() { return layouts_; }
  /// A map of a storage tensor where it is, at its offset in the tensor that contains it.
  firmware::FeatureMap mapOf(mlir::Value storage, int32_t zeroPoint) const;

  /// The operation's entry in the layer table, made on first use.
  uint32_t layerOf(mlir::Operation *op);
  /// Adds an entry for work without an operation of the network.
  uint32_t addLayer(llvm::StringRef name, llvm::StringRef kind);
  /// The same, with the name of an operation for which the work prepares an operand.
  uint32_t addLayer(mlir::Operation *op, llvm::StringRef kind);
  /// Adds figures to the operation's entry; without figures no entry is made.
  void describeLayer(mlir::Operation *op, const mlir::NamedAttrList &figures);
  mlir::ArrayAttr layers() const { return builder_.getArrayAttr(layers_); }

  /// A constant whose bytes `fill` writes, unless contents are omitted; the layer's number is appended to its name.
  mlir::Value bytes(mlir::Operation *op, llvm::StringRef name, size_t size,
                    llvm::function_ref<void(llvm::MutableArrayRef<uint8_t>)> fill);
  mlir::Value bytes(mlir::Location location, uint32_t layer, llvm::StringRef name, size_t size,
                    llvm::function_ref<void(llvm::MutableArrayRef<uint8_t>)> fill);
  /// The same with elements of another type.
  mlir::Value bytes(mlir::Operation *op, llvm::StringRef name, mlir::RankedTensorType type,
                    llvm::function_ref<void(llvm::MutableArrayRef<uint8_t>)> fill);
  mlir::Value bytes(mlir::Location location, uint32_t layer, llvm::StringRef name, mlir::RankedTensorType type,
                    llvm::function_ref<void(llvm::MutableArrayRef<uint8_t>)> fill);
  /// A constant of the network with another shape or element type; the bytes are shared.
  mlir::Value constant(nn::ConstantOp op, mlir::RankedTensorType type);

  /// Creates an npu.dsp operation; parameters is one of the kernels' structs.
  struct Dsp {
    kernels::KernelId kernel;
    std::vector<uint32_t> parameters;
    llvm::SmallVector<mlir::Value> inputs;
    llvm::SmallVector<int32_t> inputZeroPoints;
    llvm::SmallVector<mlir::Type> results;
    llvm::SmallVector<int32_t> resultZeroPoints;
    llvm::SmallVector<int32_t> resultFills; ///< byte with which a result is filled first, -1: none; may be empty
    bool rowWise = false;
    std::optional<uint32_t> layer; ///< an entry of the layer table; nullopt: the operation's
  };
  mlir::FailureOr<npu::DspOp> dsp(mlir::Operation *op, const Dsp &dsp);

  /// Checks the command with its kernel; refuses if the target cannot run it.
  mlir::LogicalResult check(mlir::Operation *op, const firmware::CommandBody &command);
  /// Reports a rule that the operation breaks; always fails.
  mlir::LogicalResult refuse(mlir::Operation *op, llvm::StringRef operand, const llvm::Twine &rule,
                             const llvm::Twine &value, const llvm::Twine &limit = "");
  /// Refuses if a ratio of scales cannot be a fixed-point multiplier.
  mlir::LogicalResult checkMultiplier(mlir::Operation *op, llvm::StringRef operand, double real);

private:
  void set(uint32_t layer, mlir::ArrayRef<mlir::NamedAttribute> figures);
  mlir::ElementsAttr omittedBytes(mlir::RankedTensorType type);
  mlir::FailureOr<mlir::Value> dense(mlir::Operation *op, mlir::Value storage);
  mlir::FailureOr<Dsp> withDenseInputs(mlir::Operation *op, Dsp dsp);

  mlir::OpBuilder &builder_;
  const firmware::Target &target_;
  const ConstantContents contents_;
  NetworkConstants *const constants_;
  const Attentions attentions_;
  mlir::DenseResourceElementsAttr omitted_; ///< the first constant whose bytes were omitted
  llvm::DenseMap<mlir::Value, mlir::Value> values_;
  llvm::DenseMap<mlir::Value, mlir::Value> copies_; ///< dense ones of tensors with gaps
  npu::Layouts layouts_;
  llvm::DenseMap<mlir::Operation *, uint32_t> layerNumbers_;
  llvm::SmallVector<mlir::Attribute> layers_;
};

/// Whether a kernel computes with stored values; otherwise it only moves or compares them, and zero points are 0.
enum class StoredValues { Moved, Computed };

/// Places one kernel over all operands and results of the operation.
mlir::LogicalResult placeWhole(mlir::Operation *op, kernels::KernelId kernel, std::vector<uint32_t> parameters,
                               StoredValues values, Placement &placement);

/// Name of an operation in layer tables and refusals: as the file has it ("CONV_2D", Support/Origin.h). Operations that
/// were read from no file have the name of the dialect.
std::string operationName(mlir::Operation *op);

/// Placers by operation name.
using Placer = std::function<mlir::LogicalResult(mlir::Operation *, Placement &)>;
class PlacerTable {
public:
  template <typename Op> void add(mlir::LogicalResult (*place)(Op, Placement &)) {
    placers_[Op::getOperationName()] = [place](mlir::Operation *op, Placement &placement) {
      return place(mlir::cast<Op>(op), placement);
    };
  }
  const Placer *find(llvm::StringRef name) const {
    auto found = placers_.find(name);
    return found == placers_.end() ? nullptr : &found->second;
  }

private:
  llvm::StringMap<Placer> placers_;
};

/// The placers of all families.
const PlacerTable &placerTable();

/// Ends the placed function. An output that is only an input, a constant or a part of another tensor, possibly
/// reshaped, is copied on the device, because outputs have their own memory.
mlir::LogicalResult placeReturn(mlir::func::FuncOp network, mlir::func::ReturnOp end, Placement &placement);

/// One function per file.
void addCellPlacers(PlacerTable &table);
void addConvPlacers(PlacerTable &table);
void addDetectionPlacers(PlacerTable &table);
void addElementwisePlacers(PlacerTable &table);
void addLookupPlacers(PlacerTable &table);
void addLstmPlacers(PlacerTable &table);
void addMatrixProductPlacers(PlacerTable &table);
void addMovePlacers(PlacerTable &table);
void addNormalizePlacers(PlacerTable &table);
void addPadPlacers(PlacerTable &table);
void addPoolPlacers(PlacerTable &table);
void addQuantizePlacers(PlacerTable &table);
void addReducePlacers(PlacerTable &table);
void addSignalPlacers(PlacerTable &table);
void addUnaryPlacers(PlacerTable &table);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_PLACEMENT_H
