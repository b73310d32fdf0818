//===- PartCases.cpp - A command of every DSP kernel ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PartCases.h"

#include "avocet/kernels/Quantization.h"
#include "avocet/kernels/dsp/Binary.h"
#include "avocet/kernels/dsp/Cells.h"
#include "avocet/kernels/dsp/Gather.h"
#include "avocet/kernels/dsp/LshProjection.h"
#include "avocet/kernels/dsp/Lstm.h"
#include "avocet/kernels/dsp/Mean.h"
#include "avocet/kernels/dsp/Normalize.h"
#include "avocet/kernels/dsp/Quantize.h"
#include "avocet/kernels/dsp/Rearrange.h"
#include "avocet/kernels/dsp/Reduce.h"
#include "avocet/kernels/dsp/Resize.h"
#include "avocet/kernels/dsp/Softmax.h"
#include "avocet/kernels/dsp/Unary.h"
#include "avocet/kernels/dsp/Window.h"

#include <algorithm>
#include <cmath>

namespace avocet::compiler {

using namespace firmware;
using namespace kernels;

namespace {

constexpr DataType kF32 = DataType::Float32, kF16 = DataType::Float16, kI8 = DataType::Int8, kI32 = DataType::Int32;

using Maps = std::vector<FeatureMap>;

DspCommand commandOf(const char *kernel, Maps inputs, Maps outputs, std::vector<uint32_t> parameters = {}) {
  DspCommand command;
  Result<uint32_t> number = dspKernelNumber(kernel);
  EXPECT_TRUE(number.isOk());
  command.kernel = *number;
  command.inputs = std::move(inputs);
  command.outputs = std::move(outputs);
  command.parameters = std::move(parameters);
  return command;
}

template <typename Parameters>
DspCommand commandOf(const char *kernel, Maps inputs, Maps outputs, const Parameters &parameters) {
  return commandOf(kernel, std::move(inputs), std::move(outputs), packParameters(parameters));
}

/// Rows of a map such that `perRow` bytes for each make up the operands.
uint32_t rows(const Operands &o, uint32_t perRow) { return std::max(3u, o.bytes / perRow); }

// Element by element

DspCommand unaryRows(Operands &o) {
  const uint32_t n = rows(o, 2 * 4 * 35);
  return commandOf("unary", {o.any(kF32, n, 5, 7)}, {o.any(kF32, n, 5, 7)}, UnaryParameters{});
}

DspCommand unaryOneRow(Operands &o) {
  const uint32_t n = rows(o, 2 * 2);
  return commandOf("unary", {o.any(kF16, 1, 1, n)}, {o.any(kF16, 1, 1, n)}, UnaryParameters{});
}

DspCommand castColumns(Operands &o) {
  const uint32_t n = rows(o, 6 * 11);
  return commandOf("cast", {o.any(kF32, 1, n, 11)}, {o.any(DataType::Int16, 1, n, 11)});
}

DspCommand selectMap(Operands &o) {
  const uint32_t n = rows(o, 13 * 9);
  return commandOf("select", {o.any(DataType::Bool8, n, 1, 9), o.any(kF32, n, 1, 9), o.any(kF32, n, 1, 9)},
                   {o.any(kF32, n, 1, 9)});
}

DspCommand quantizeMap(Operands &o) {
  const uint32_t n = rows(o, 5 * 24);
  return commandOf("quantize", {o.any(kF32, n, 8, 3)}, {o.any(kI8, n, 8, 3)}, QuantizeParameters{0.25f});
}

DspCommand dequantizeMap(Operands &o) {
  const uint32_t n = rows(o, 5 * 64);
  return commandOf("dequantize", {o.any(kI8, 2, n, 32)}, {o.any(kF32, 2, n, 32)}, QuantizeParameters{0.5f});
}

DspCommand requantizeMap(Operands &o) {
  const uint32_t n = rows(o, 2 * 64);
  return commandOf("requantize", {o.any(kI8, n, 1, 64)}, {o.any(kI8, n, 1, 64)}, RequantizeParameters{1 << 30, 1});
}

DspCommand dynamicQuantize(Operands &o) {
  const uint32_t n = rows(o, 5 * 16);
  return commandOf("dynamicQuantize", {o.any(kF32, n, 1, 16)}, {o.any(kI8, n, 1, 16), o.dense(kI8, 1, 1, 8)},
                   DynamicQuantizeParameters{});
}

DspCommand powWithBroadcast(Operands &o) {
  const uint32_t n = rows(o, 2 * 4 * 30);
  BinaryParameters p;
  p.kind = BinaryKind::Pow;
  return commandOf("binary", {o.any(kF32, n, 5, 6), o.any(kF32, 1, 5, 1)}, {o.any(kF32, n, 5, 6)}, p);
}

DspCommand binaryInOneRow(Operands &o) {
  const uint32_t n = rows(o, 2 * 4 * 12);
  BinaryParameters p;
  p.kind = BinaryKind::Maximum;
  p.shape.rank = 4;
  p.shape.extents = {1, n, 3, 4};
  p.shape.stridesA = {0, 12, 4, 1};
  p.shape.stridesB = {0, 1, 0, 0};
  return commandOf("binary", {o.any(kF32, 1, 1, 12 * n), o.any(kF32, 1, 1, n)}, {o.any(kF32, 1, 1, 12 * n)}, p);
}

// Lines

DspCommand softmaxRows(Operands &o) {
  const uint32_t n = rows(o, 2 * 4 * 100);
  return commandOf("softmax", {o.any(kF32, n, 2, 50)}, {o.any(kF32, n, 2, 50)}, SoftmaxParameters{});
}

DspCommand softmaxPixels(Operands &o) {
  const uint32_t n = rows(o, 2 * 40);
  FeatureMap output = o.any(kI8, 1, n, 40);
  output.zeroPoint = -128;
  return commandOf("softmax", {o.any(kI8, 1, n, 40)}, {output}, prepareSoftmax(1.0f, 0.1f));
}

DspCommand softmaxOneLine(Operands &o) {
  const uint32_t n = rows(o, 2 * 4);
  return commandOf("softmax", {o.any(kF32, 1, 1, n)}, {o.any(kF32, 1, 1, n)}, SoftmaxParameters{});
}

template <typename Parameters> DspCommand lines(const char *kernel, Maps maps, AxisExtents extents) {
  Parameters p;
  p.extents = extents;
  return commandOf(kernel, {maps[0]}, {maps[1]}, p);
}

DspCommand softmaxAcrossRows(Operands &o) {
  const uint32_t n = rows(o, 2 * 4 * 17);
  return lines<SoftmaxNdParameters>("softmaxNd", {o.dense(kF32, 1, 17, n), o.dense(kF32, 1, 17, n)}, {1, 17, n});
}

DspCommand logSoftmaxOuter(Operands &o) {
  const uint32_t n = rows(o, 2 * 4 * 60);
  return lines<LogSoftmaxParameters>("logSoftmax", {o.dense(kF32, n, 10, 6), o.dense(kF32, n, 10, 6)}, {n, 10, 6});
}

DspCommand l2NormalizePixels(Operands &o) {
  const uint32_t n = rows(o, 2 * 2 * 33);
  return lines<L2NormalizeParameters>("l2Normalize", {o.any(kF16, 1, n, 33), o.any(kF16, 1, n, 33)}, {0, 33, 1});
}

DspCommand localResponse(Operands &o) {
  const uint32_t n = rows(o, 2 * 4 * 64);
  return lines<LocalResponseParameters>("localResponse", {o.any(kF32, n, 2, 32), o.any(kF32, n, 2, 32)}, {0, 32, 1});
}

DspCommand instanceNormalize(Operands &o) {
  const uint32_t n = rows(o, 2 * 4 * 49);
  return lines<InstanceNormalizeParameters>("instanceNormalize", {o.dense(kF32, 7, 7, n), o.dense(kF32, 7, 7, n)},
                                            {1, 49, n});
}

DspCommand instanceNormalizeLargeImage(Operands &o) {
  const uint32_t n = rows(o, 2 * 4 * 16);
  return lines<InstanceNormalizeParameters>("instanceNormalize", {o.dense(kF32, n, 1, 16), o.dense(kF32, n, 1, 16)},
                                            {1, n, 16});
}

// Reductions

DspCommand meanOfImage(Operands &o) {
  const uint32_t n = rows(o, 64);
  return commandOf("mean", {o.any(kI8, 8, 8, n)}, {o.any(kI8, 1, 1, n)}, prepareMean(1.0f, 1.0f, 64));
}

DspCommand meanOfLargeImage(Operands &o) {
  const uint32_t n = rows(o, 4 * 8);
  return commandOf("mean", {o.any(kF32, n, 1, 8)}, {o.any(kF32, 1, 1, 8)}, MeanParameters{});
}

DspCommand meanOfColumns(Operands &o) {
  const uint32_t n = rows(o, 4 * 55);
  return commandOf("mean", {o.any(kF32, n, 10, 5)}, {o.any(kF32, n, 1, 5)}, MeanParameters{});
}

DspCommand reduceRows(Operands &o) {
  const uint32_t n = rows(o, 4 * 55);
  ReduceParameters p;
  p.rank = 2;
  p.extents = {10, 5};
  p.reducedAxes = 1;
  return commandOf("reduce", {o.any(kF32, n, 1, 50)}, {o.any(kF32, n, 1, 5)}, p);
}

DspCommand reduceOneRow(Operands &o) {
  const uint32_t n = rows(o, 4 * 50);
  ReduceParameters p;
  p.rank = 2;
  p.extents = {n, 50};
  p.reducedAxes = 1;
  return commandOf("reduce", {o.any(kF32, 1, 1, n * 50)}, {o.any(kF32, 1, 1, 50)}, p);
}

DspCommand reduceInnerOfOneRow(Operands &o) {
  const uint32_t n = rows(o, 35);
  ReduceParameters p;
  p.kind = ReduceKind::Max;
  p.rank = 3;
  p.extents = {1, n, 30};
  p.reducedAxes = 4;
  return commandOf("reduce", {o.any(kI8, 1, 1, n * 30)}, {o.any(kI8, 1, 1, n)}, p);
}

DspCommand reduceMeanOfOneRow(Operands &o) {
  const uint32_t n = rows(o, 30);
  ReduceParameters p;
  p.kind = ReduceKind::Mean;
  const MeanParameters mean = prepareMean(0.5f, 0.25f, 29);
  p.multiplier = mean.multiplier;
  p.shift = mean.shift;
  p.rank = 3;
  p.extents = {29, 1, n};
  p.reducedAxes = 3;
  return commandOf("reduce", {o.any(kI8, 1, 1, 29 * n)}, {o.any(kI8, 1, 1, n)}, p);
}

DspCommand argReduceInnerOfOneRow(Operands &o) {
  const uint32_t n = rows(o, 20 + 8);
  return commandOf("argReduce", {o.any(kI8, 1, 1, 20 * n)}, {o.any(kI32, 1, 1, 2 * n)}, ArgReduceParameters{1, 10, 2});
}

DspCommand argReduceRows(Operands &o) {
  const uint32_t n = rows(o, 40 + 16);
  return commandOf("argReduce", {o.any(kI8, n, 1, 40)}, {o.any(kI32, n, 1, 4)}, ArgReduceParameters{0, 10, 4});
}

DspCommand argReduceOneRow(Operands &o) {
  const uint32_t n = rows(o, 40);
  return commandOf("argReduce", {o.any(kI8, 1, 1, 40 * n)}, {o.any(kI32, 1, 1, 40)}, ArgReduceParameters{0, n, 40});
}

// Moves

DspCommand transpose(Operands &o) {
  const uint32_t n = rows(o, 2 * 30);
  RearrangeParameters p;
  p.moves = {{0, 0, 0, {{5, int32_t(6 * n), 6}, {n, 6, 30}, {6, 1, 1}}}};
  return commandOf("rearrange", {o.dense(kI8, 5, n, 6)}, {o.dense(kI8, n, 5, 6)}, packRearrange(p));
}

/// Pads, then writes the input forwards and backwards.
DspCommand padAndMirror(Operands &o) {
  const uint32_t n = rows(o, 3 * 2 * 12);
  RearrangeParameters p;
  p.fill = true;
  p.fillBits = 0x1234;
  p.moves = {{0, 0, 3, {{n, 12, 24}, {9, 1, 1}}}, {0, 12 * n - 1, 14, {{n, -12, 24}, {9, -1, 1}}}};
  return commandOf("rearrange", {o.dense(DataType::Int16, n, 1, 12)}, {o.dense(DataType::Int16, n, 1, 24)},
                   packRearrange(p));
}

DspCommand gatherOuter(Operands &o) {
  const uint32_t n = rows(o, 4 * 4 * (6 + 3));
  return commandOf("gather", {o.dense(kF32, n, 6, 4), o.dense(kI32, 1, 1, 3)}, {o.dense(kF32, n, 3, 4)},
                   GatherParameters{n, 6, 4});
}

DspCommand gatherIndices(Operands &o) {
  const uint32_t n = rows(o, 4 + 4 * 8);
  return commandOf("gather", {o.dense(kF32, 1, 11, 8), o.dense(kI32, 1, 1, n)}, {o.dense(kF32, 1, n, 8)},
                   GatherParameters{1, 11, 8});
}

DspCommand gatherOneSlice(Operands &o) {
  const uint32_t n = rows(o, 4 * 3);
  return commandOf("gather", {o.dense(kF32, 1, 2, n), o.dense(kI32, 1, 1, 1)}, {o.dense(kF32, 1, 1, n)},
                   GatherParameters{1, 2, n});
}

DspCommand hashtableLookup(Operands &o) {
  const uint32_t n = rows(o, 4 + 4 * 3 + 1);
  return commandOf("hashtableLookup", {o.dense(kI32, 1, 1, n), o.dense(kI32, 1, 1, 20), o.dense(kF32, 1, 20, 3)},
                   {o.dense(kF32, 1, n, 3), o.dense(DataType::UInt8, 1, 1, n)});
}

DspCommand lshDense(Operands &o) {
  const uint32_t n = rows(o, 16);
  return commandOf("lshProjection", {o.dense(kF32, 1, 6, 4), o.dense(kI32, n, 1, 4)}, {o.dense(kI32, 1, 1, 24)},
                   LshProjectionParameters{LshKind::Dense, 4, n});
}

DspCommand lshSparse(Operands &o) {
  const uint32_t n = rows(o, 16);
  return commandOf("lshProjection", {o.dense(kF32, 1, 6, 4), o.dense(kI32, n, 1, 4)}, {o.dense(kI32, 1, 1, 6)},
                   LshProjectionParameters{LshKind::SparseDeprecated, 4, n});
}

// Images

DspCommand resizeBilinear(Operands &o) {
  const uint32_t n = rows(o, 3 * 4 * 21);
  ResizeParameters p{ResizeKind::Bilinear, 0, 1, 1, n, 7, 2 * n, 7, 3};
  return commandOf("resize", {o.dense(kF32, n, 7, 3)}, {o.dense(kF32, 2 * n, 7, 3)}, p);
}

DspCommand resizeNearest(Operands &o) {
  const uint32_t n = rows(o, 3 * (10 + 25) * 3);
  ResizeParameters p{ResizeKind::Nearest, 1, 0, 3, n, 10, n, 25, 3};
  return commandOf("resize", {o.dense(kI8, 3 * n, 10, 3)}, {o.dense(kI8, 3 * n, 25, 3)}, p);
}

WindowConvParameters convParameters(WindowConvForm form, DataType type) {
  WindowConvParameters p;
  p.form = form;
  p.window.kernelHeight = p.window.kernelWidth = 3;
  p.window.padTop = p.window.padLeft = 1;
  p.hasBias = 1;
  p.clamp = isFloat(type) ? floatActivationClamp(Activation::None) : Clamp{minValue(type), maxValue(type)};
  return p;
}

DspCommand convOfFloats(Operands &o) {
  const uint32_t n = rows(o, 4 * 9 * (6 + 8));
  return commandOf("windowConv", {o.any(kF32, n, 9, 6), o.dense(kF32, 3 * 8, 3, 6), o.any(kF32, 1, 1, 8)},
                   {o.any(kF32, n, 9, 8)}, convParameters(WindowConvForm::Dense, kF32));
}

/// Few pixels and a large filter.
DspCommand convWithManyChannels(Operands &o) {
  const auto n = static_cast<uint32_t>(std::max(5.0, std::sqrt(o.bytes / 12)));
  WindowConvParameters p = convParameters(WindowConvForm::Dense, kI8);
  return commandOf("windowConv",
                   {o.any(kI8, 3, 3, n), o.dense(kI8, 3 * n, 3, n), o.any(kI32, 1, 1, n), o.any(kI32, 1, 1, 2)},
                   {o.any(kI8, 3, 3, n)}, p);
}

/// One pixel, whose channels cannot be apart.
DspCommand convWithGroups(Operands &o) {
  const auto half = static_cast<uint32_t>(std::max(2.0, std::sqrt(o.bytes / 8 / 2.2)));
  WindowConvParameters p = convParameters(WindowConvForm::Dense, kF32);
  p.window = Window();
  p.groups = 2;
  return commandOf("windowConv",
                   {o.any(kF32, 1, 1, 2 * half), o.dense(kF32, 2 * half, 1, half), o.any(kF32, 1, 1, 2 * half)},
                   {o.any(kF32, 1, 1, 2 * half)}, p);
}

DspCommand convDepthwise(Operands &o) {
  const uint32_t n = rows(o, 6 * 4 * 5 * 4);
  WindowConvParameters p = convParameters(WindowConvForm::Depthwise, kF32);
  p.batch = 2;
  p.window.strideHeight = 2;
  return commandOf("windowConv", {o.any(kF32, 4 * n, 5, 4), o.dense(kF32, 3, 3, 4), o.any(kF32, 1, 1, 4)},
                   {o.any(kF32, 2 * n, 5, 4)}, p);
}

DspCommand convTransposed(Operands &o) {
  const uint32_t n = rows(o, 4 * (4 + 32));
  WindowConvParameters p = convParameters(WindowConvForm::Transposed, kF32);
  p.window.strideHeight = 4; // longer than the kernel: rows without an input
  p.window.strideWidth = 2;
  return commandOf("windowConv", {o.any(kF32, n, 2, 2), o.dense(kF32, 3 * 2, 3, 2), o.any(kF32, 1, 1, 2)},
                   {o.any(kF32, 4 * n, 4, 2)}, p);
}

DspCommand pool(Operands &o) {
  const uint32_t n = rows(o, 2 * 4 * 40);
  WindowPoolParameters p;
  p.kind = WindowPoolKind::L2;
  p.window = convParameters(WindowConvForm::Dense, kF32).window;
  p.clamp = floatActivationClamp(Activation::None);
  return commandOf("windowPool", {o.any(kF32, n, 8, 5)}, {o.any(kF32, n, 8, 5)}, p);
}

// Recurrent layers

DspCommand floatLstm(Operands &o) {
  const uint32_t n = rows(o, 4 * (3 + 5)), cells = 5;
  Maps inputs = {o.any(kF32, n, 1, 3)};
  for (int gate = 0; gate < 4; ++gate)
    inputs.push_back(o.any(kF32, cells, 1, 3));
  for (int gate = 0; gate < 4; ++gate)
    inputs.push_back(o.any(kF32, cells, 1, cells));
  for (int gate = 0; gate < 4; ++gate)
    inputs.push_back(o.any(kF32, 1, 1, cells));
  return commandOf("floatLstm", inputs, {o.any(kF32, n, 1, cells), o.any(kF32, 1, 1, cells), o.any(kF32, 1, 1, cells)},
                   FloatLstmParameters{});
}

DspCommand lstmCell(Operands &o, uint32_t steps, uint32_t batch, uint32_t cells) {
  LstmCellParameters p;
  p.parts = kLstmInputGate;
  const uint32_t features = 4;
  Maps inputs = {o.any(kF32, steps, batch, features), o.matrix(batch, cells), o.matrix(batch, cells)};
  for (uint32_t columns : {features, cells})
    for (int gate = 0; gate < 4; ++gate)
      inputs.push_back(o.matrix(cells, columns));
  for (int gate = 0; gate < 4; ++gate)
    inputs.push_back(o.matrix(1, cells));
  return commandOf(
      "lstmCell", inputs,
      {o.matrix(batch, 4 * cells), o.matrix(batch, cells), o.matrix(batch, cells), o.any(kF32, steps, batch, cells)},
      p);
}

DspCommand lstmCellSteps(Operands &o) { return lstmCell(o, rows(o, 4 * (4 + 6)), 1, 6); }
DspCommand lstmCellBatch(Operands &o) { return lstmCell(o, 2, rows(o, 4 * (2 * 10 + 8 * 6)), 6); }

/// One step with as many weights as fit.
DspCommand lstmCellLarge(Operands &o) {
  return lstmCell(o, 1, 1, static_cast<uint32_t>(std::max(5.0, std::sqrt(o.bytes / 16) - 4)));
}

DspCommand rnnCell(Operands &o) {
  const uint32_t n = rows(o, 2 * 4 * (5 + 7));
  RnnCellParameters p{CellActivation::Tanh, StepOrder::BatchMajor};
  return commandOf("rnnCell", {o.any(kF32, 2, n, 5), o.matrix(7, 5), o.matrix(7, 7), o.matrix(1, 7), o.matrix(2, 7)},
                   {o.matrix(2, 7), o.any(kF32, 2, n, 7)}, p);
}

DspCommand svdf(Operands &o) {
  const uint32_t n = rows(o, 4 * (5 + 2 * 4 * 6 + 2));
  return commandOf("svdf", {o.matrix(n, 5), o.matrix(4, 5), o.matrix(4, 6), o.matrix(1, 2), o.matrix(n, 24)},
                   {o.matrix(n, 24), o.matrix(n, 2)}, SvdfParameters{2, CellActivation::Relu});
}

} // namespace

FeatureMap Operands::any(DataType type, uint32_t height, uint32_t width, uint32_t channels) {
  return make(type, height, width, channels, isFilled_ ? Placement::Scattered : Placement::Dense);
}

FeatureMap Operands::dense(DataType type, uint32_t height, uint32_t width, uint32_t channels) {
  return make(type, height, width, channels, Placement::Dense);
}

FeatureMap Operands::make(DataType type, uint32_t height, uint32_t width, uint32_t channels, Placement placement) {
  const FeatureMap map = sram_.map(type, height, width, channels, placement, random_);
  if (isFilled_)
    sram_.fill(map, random_);
  return map;
}

std::vector<PartCase> partCases() {
  return {{"unaryRows", unaryRows},
          {"unaryOneRow", unaryOneRow},
          {"castColumns", castColumns},
          {"select", selectMap},
          {"quantize", quantizeMap},
          {"dequantize", dequantizeMap},
          {"requantize", requantizeMap},
          {"dynamicQuantize", dynamicQuantize, 43},
          {"powWithBroadcast", powWithBroadcast},
          {"binaryInOneRow", binaryInOneRow},
          {"softmaxRows", softmaxRows},
          {"softmaxPixels", softmaxPixels},
          {"softmaxOneLine", softmaxOneLine, 2989},
          {"softmaxAcrossRows", softmaxAcrossRows},
          {"logSoftmaxOuter", logSoftmaxOuter},
          {"l2NormalizePixels", l2NormalizePixels},
          {"localResponse", localResponse},
          {"instanceNormalize", instanceNormalize},
          {"instanceNormalizeLargeImage", instanceNormalizeLargeImage, 345},
          {"meanOfImage", meanOfImage},
          {"meanOfLargeImage", meanOfLargeImage, 1246},
          {"meanOfColumns", meanOfColumns},
          {"reduceRows", reduceRows},
          {"reduceOneRow", reduceOneRow, 319},
          {"reduceInnerOfOneRow", reduceInnerOfOneRow},
          {"reduceMeanOfOneRow", reduceMeanOfOneRow},
          {"argReduceRows", argReduceRows},
          {"argReduceOneRow", argReduceOneRow, 1794},
          {"argReduceInnerOfOneRow", argReduceInnerOfOneRow},
          {"transpose", transpose},
          {"padAndMirror", padAndMirror},
          {"gatherOuter", gatherOuter},
          {"gatherIndices", gatherIndices},
          {"gatherOneSlice", gatherOneSlice, 416},
          {"hashtableLookup", hashtableLookup},
          {"lshDense", lshDense, 6475},
          {"lshSparse", lshSparse, 25900},
          {"resizeBilinear", resizeBilinear},
          {"resizeNearest", resizeNearest},
          {"convOfFloats", convOfFloats},
          {"convWithManyChannels", convWithManyChannels},
          {"convWithGroups", convWithGroups, 341},
          {"convDepthwise", convDepthwise},
          {"convTransposed", convTransposed},
          {"pool", pool},
          {"floatLstm", floatLstm},
          {"lstmCellSteps", lstmCellSteps},
          {"lstmCellBatch", lstmCellBatch},
          {"lstmCellLarge", lstmCellLarge, 1028},
          {"rnnCell", rnnCell},
          {"svdf", svdf}};
}

} // namespace avocet::compiler
