//===- Signatures.h - Operands of every operation ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One row for each of the operations 0 to 105: which operands it takes, in which types, since which version. The rows
// are in lib/signatures/SignatureTable.cpp; a new operation is a new row. Rows use one letter for each operand, so that
// the forms of an operation are easy to compare.
//
// Types. "f1 u1 h3 s4": the leading tensor may be float32 and QUANT8_ASYMM since feature level 1, ... Letters:
//   f TENSOR_FLOAT32, h TENSOR_FLOAT16, i TENSOR_INT32, b TENSOR_BOOL8, u TENSOR_QUANT8_ASYMM,
//   s TENSOR_QUANT8_ASYMM_SIGNED, p TENSOR_QUANT8_SYMM_PER_CHANNEL, y TENSOR_QUANT8_SYMM, q TENSOR_QUANT16_SYMM,
//   Q TENSOR_QUANT16_ASYMM
//
// Operands of a form, in order. "twcI4" is t w c I I I I; "t+" one or more, "a*" any number. The letters above, and:
//   t the leading type                            I INT32, B BOOL, G SUBGRAPH
//   F FLOAT16 if the leading type is float16, else FLOAT32
//   V the scalar of one element: FLOAT32, FLOAT16, else INT32
//   w filter: the leading type; with 8 bits per channel too
//   c bias: TENSOR_INT32 for 8 bits, else the leading type
//   r regions: QUANT16_ASYMM for 8 bits, else the leading type     z the same with QUANT16_SYMM
//   d box deltas: 8 bits for QUANT16_ASYMM, else the leading type
//   n numbers to hash: f h i u                    a any type at all
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_TYPES_SIGNATURES_H
#define AVOCET_HAL_TYPES_SIGNATURES_H

#include "avocet/hal/types/Result.h"
#include "avocet/hal/types/Types.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace avocet::hal {

/// An operation with access to its operands. The indices of the operation must be in range of the subgraph's operands,
/// and the operands valid.
class OperationView {
public:
  OperationView(const Model &model, const Subgraph &subgraph, const Operation &operation)
      : model_(&model), subgraph_(&subgraph), operation_(&operation) {}

  const Model &model() const { return *model_; }
  OperationType type() const { return operation_->type; }
  size_t numInputs() const { return operation_->inputs.size(); }
  size_t numOutputs() const { return operation_->outputs.size(); }
  const Operand &input(size_t position) const { return subgraph_->operands[operation_->inputs[position]]; }
  const Operand &output(size_t position) const { return subgraph_->operands[operation_->outputs[position]]; }

private:
  const Model *model_;
  const Subgraph *subgraph_;
  const Operation *operation_;
};

/// A rule that the letters cannot express: refuses, or returns the version that the operation needs for it.
using SignatureRule = Result<Version> (*)(const OperationView &operation);

/// One list of operands that an operation takes.
struct Form {
  std::string_view inputs;
  std::string_view outputs;
  Version since;
};

/// OperationSignature::leading of operations whose leading tensor is the output.
inline constexpr int kLeadingOutput = -1;

struct OperationSignature {
  OperationType type = OperationType::Add;
  std::string_view types;      ///< of the leading tensor; empty: any
  std::span<const Form> forms; ///< no two fit the same operands
  int leading = 0;             ///< input that is the leading tensor, or kLeadingOutput
  SignatureRule rule = nullptr;

  std::string_view name() const { return nnapi::nameOf(type); }
};

/// All operations, indexed by code.
std::span<const OperationSignature> allSignatures();
/// Null if the code is none of the standard operations.
const OperationSignature *findSignature(OperationType type);

/// Counts of operands as text: "7,8,10", "2+".
std::string allowedInputCounts(const OperationSignature &signature);
std::string allowedOutputCounts(const OperationSignature &signature);

/// The version that the operation needs in this form and these types; versions required by its operands alone are not
/// included. InvalidArgument: a wrong count, type, rank or a broken rule, with positions and values.
Result<Version> checkSignature(const OperationSignature &signature, const OperationView &operation);

} // namespace avocet::hal

#endif // AVOCET_HAL_TYPES_SIGNATURES_H
