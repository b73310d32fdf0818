//===- TfliteCells.h - What converters of cells share -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_TFLITE_TFLITECELLS_H
#define AVOCET_COMPILER_LIB_IMPORT_TFLITE_TFLITECELLS_H

#include "TfliteGraph.h"

#include "Import/Common/Cells.h"

namespace avocet::compiler {

mlir::FailureOr<nn::CellActivation> cellActivation(TfliteOperator &op, tflite::ActivationFunction function);

/// States are variables, which keep their values between runs.
inline auto variableStates(TfliteOperator &op) {
  return [&op](uint32_t position, llvm::StringRef operand) { return op.state(position, operand); };
}

/// Replaces the states at these positions, after the operator has its result: a refused one leaves them as they are.
mlir::LogicalResult setStates(TfliteOperator &op, mlir::ArrayRef<uint32_t> positions, mlir::ValueRange next);

/// The activation and the clips, which options of all LSTMs have.
template <typename Options> mlir::FailureOr<CellForm> lstmForm(TfliteOperator &op, const Options &options) {
  mlir::FailureOr<nn::CellActivation> activation = cellActivation(op, options.activation());
  if (failed(activation))
    return mlir::failure();
  if (!(options.cell_clip() >= 0) || !(options.proj_clip() >= 0))
    return op.malformed("has a clip that is less than 0");
  CellForm form;
  form.activation = *activation;
  form.cellClip = options.cell_clip();
  form.projectionClip = options.proj_clip();
  form.asymmetric = options.asymmetric_quantize_inputs();
  return form;
}

/// LSTM of one step, or of a sequence with `rank` 3; the operands are those of both operators.
mlir::LogicalResult convertCell(TfliteOperator &op, CellForm form, size_t rank);

/// LSTM of one step whose gates have one matrix, in the order of the rows input, cell, forget, output.
mlir::LogicalResult convertBasicLstm(TfliteOperator &op, tflite::ActivationFunction activation);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_TFLITE_TFLITECELLS_H
