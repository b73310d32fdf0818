//===- PlaceLstm.cpp - LSTM on the vector DSP -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Placement.h"

#include "avocet/kernels/dsp/Lstm.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

float scaleOf(Type element) { return cast<quant::UniformQuantizedType>(element).getScale(); }
float scaleOf(Value value) { return scaleOf(tensorOf(value).getElementType()); }

kernels::IntegerLstmScales scalesOf(nn::LstmOp op) {
  kernels::IntegerLstmScales scales;
  scales.input = scaleOf(op.getInput());
  scales.hiddenState = scales.hiddenIntermediate = scaleOf(*op.getHiddenType());
  scales.cellState = scaleOf(*op.getCellType());
  scales.cellClip = op.getCellClip().convertToFloat();
  for (uint32_t gate = 0; gate < kernels::kNumLstmGates; ++gate) {
    scales.inputWeights[gate] = scaleOf(op.getInputWeights()[gate]);
    scales.recurrentWeights[gate] = scaleOf(op.getRecurrentWeights()[gate]);
  }
  return scales;
}

/// Matrices are stored as [rows, 1, columns], vectors as [1, 1, elements].
LogicalResult appendConstants(nn::LstmOp op, ValueRange values, StringRef operand, Placement &placement,
                              Placement::Dsp &dsp) {
  for (Value value : values) {
    auto constant = value.getDefiningOp<nn::ConstantOp>();
    if (!constant)
      return placement.refuse(op, operand, "is constant", "a computed tensor");
    auto type = tensorOf(value);
    StorageShape shape{type.getRank() == 2 ? type.getDimSize(0) : 1, 1, type.getShape().back()};
    dsp.inputs.push_back(placement.constant(constant, storageType(shape, storageElement(type.getElementType()))));
    dsp.inputZeroPoints.push_back(0);
  }
  return success();
}

/// Sets kernel, parameters and the result types of sequence, hidden state and cell state.
LogicalResult describeCell(nn::LstmOp op, int64_t steps, int64_t cells, Placement &placement, Placement::Dsp &dsp) {
  Quantization result = quantizationOf(op.getOutput());
  Builder &builder = placement.builder();
  Type element = storageElement(tensorOf(op.getOutput()).getElementType());
  Type cellElement = result.isFloat() ? element : builder.getIntegerType(16);
  dsp.results = {storageType({steps, 1, cells}, element), storageType({1, 1, cells}, element),
                 storageType({1, 1, cells}, cellElement)};
  dsp.resultZeroPoints = {result.zeroPoint, result.zeroPoint, 0};
  if (result.isFloat()) {
    dsp.kernel = kernels::kFloatLstmKernel;
    dsp.parameters = kernels::packParameters(kernels::FloatLstmParameters{op.getCellClip().convertToFloat()});
    dsp.resultFills = {-1, 0, 0};
    return success();
  }
  if (*op.getHiddenType() != tensorOf(op.getOutput()).getElementType())
    return placement.refuse(op, "result", "has the type of the hidden state", "another scale or zero point");
  Result<kernels::IntegerLstmParameters> parameters = kernels::prepareIntegerLstm(scalesOf(op));
  if (!parameters)
    return placement.refuse(op, "scales", parameters.status().message(), "");
  dsp.kernel = kernels::kIntegerLstmKernel;
  dsp.parameters = kernels::packParameters(*parameters);
  // The states start at the real number zero, which for the hidden state is its zero point.
  dsp.resultFills = {-1, static_cast<uint8_t>(result.zeroPoint), 0};
  return success();
}

LogicalResult placeLstm(nn::LstmOp op, Placement &placement) {
  auto input = tensorOf(op.getInput()), output = tensorOf(op.getOutput());
  int64_t batch = input.getDimSize(op.getTimeMajor() ? 1 : 0), steps = input.getDimSize(op.getTimeMajor() ? 0 : 1);
  if (batch != 1)
    return placement.refuse(op, "input", "batch", Twine(batch), "1");
  Placement::Dsp dsp;
  dsp.inputs = {placement.view(op.getLoc(), placement.operand(op.getInput()), {steps, 1, input.getDimSize(2)})};
  dsp.inputZeroPoints = {quantizationOf(op.getInput()).zeroPoint};
  if (failed(appendConstants(op, op.getInputWeights(), "input weights", placement, dsp)) ||
      failed(appendConstants(op, op.getRecurrentWeights(), "recurrent weights", placement, dsp)) ||
      failed(appendConstants(op, op.getBiases(), "biases", placement, dsp)) ||
      failed(describeCell(op, steps, output.getDimSize(2), placement, dsp)))
    return failure();
  FailureOr<npu::DspOp> lstm = placement.dsp(op, dsp);
  return failed(lstm) ? failure() : placement.finish(op, lstm->getResult(0));
}

} // namespace

void addLstmPlacers(PlacerTable &table) { table.add(placeLstm); }

} // namespace avocet::compiler
