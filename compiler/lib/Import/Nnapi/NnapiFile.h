//===- NnapiFile.h - A verified NNAPI model ---------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_NNAPI_NNAPIFILE_H
#define AVOCET_COMPILER_LIB_IMPORT_NNAPI_NNAPIFILE_H

#include "avocet/nnapi/Codes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Support/LLVM.h"
#include "nnapiModel_generated.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <optional>
#include <span>
#include <string>

namespace avocet::compiler {

using nnapi::OperandType;
using nnapi::OperationType;

/// Guarantees after open(): all indices are in range; scalars have no dimensions, tensors at most 8; the product of the
/// extents above 0 is below 2^31; constants are fully specified and have exactly the bytes of their type; per-channel
/// scales match their dimension; operations are in executable order; referenced subgraphs do not refer to themselves;
/// the inputs and outputs of a subgraph are unique and agree with the lifetimes; the prefixes of extensions are unique.
class NnapiFile {
public:
  /// Emits an error at `location` and fails if the bytes are not a valid model.
  static mlir::FailureOr<NnapiFile> open(mlir::Location location, llvm::MemoryBufferRef bytes,
                                         std::span<const std::span<const uint8_t>> pools);

  /// Subgraph 0 is the main one, 1 + n is referenced subgraph n.
  uint32_t numSubgraphs() const { return model_->referenced() ? model_->referenced()->size() + 1 : 1; }
  const nnapi::Subgraph &subgraph(uint32_t index) const {
    return index == 0 ? *model_->main() : *model_->referenced()->Get(index - 1);
  }
  bool relaxed() const { return model_->relaxed(); }

  /// The name of the extension to which codes with this prefix belong; empty: the model lists none.
  llvm::StringRef extension(uint16_t prefix) const;
  /// What the client gave for an attribute of an extension; nullopt: nothing.
  std::optional<std::span<const uint8_t>> attribute(llvm::StringRef extension, uint16_t code) const;

  /// The bytes of a constant, or of a main input whose value is given; empty for all other operands.
  std::span<const uint8_t> data(const nnapi::Operand &operand) const;

private:
  NnapiFile(const nnapi::Model *model, std::span<const std::span<const uint8_t>> pools)
      : model_(model), pools_(pools) {}

  const nnapi::Model *model_;
  std::span<const std::span<const uint8_t>> pools_;
};

/// Codes of the file, which may be any number.
inline OperandType typeOf(const nnapi::Operand &operand) { return static_cast<OperandType>(operand.type()); }
inline OperationType typeOf(const nnapi::Operation &operation) { return static_cast<OperationType>(operation.type()); }
/// The extension's prefix, 0 for standard codes; the number within the extension.
inline uint16_t prefixOf(OperationType type) { return static_cast<uint16_t>(static_cast<uint32_t>(type) >> 16); }
inline uint16_t numberOf(OperationType type) { return static_cast<uint16_t>(static_cast<uint32_t>(type)); }
/// Whether the rank or an extent is unknown.
bool isDynamic(const nnapi::Operand &operand);

/// "CONV_2D", or "operation 12345".
std::string operationNameOf(OperationType type);
/// "TENSOR_FLOAT32", or "type 12345".
std::string typeNameOf(OperandType type);

/// An element type, or the rule that the operand breaks.
struct NnapiElement {
  mlir::Type type;
  std::string rule;
};

/// f32, f16, i32, i1, or !quant.uniform with the operand's scale and zero point. INT32 tensors are i32 even with a
/// scale, because the scale of a bias follows from its operation.
NnapiElement elementTypeOf(mlir::MLIRContext *context, const nnapi::Operand &operand);

/// Declared extents, 0 where unknown; empty for scalars and unknown ranks.
mlir::SmallVector<int64_t> dimensionsOf(const nnapi::Operand &operand);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_NNAPI_NNAPIFILE_H
