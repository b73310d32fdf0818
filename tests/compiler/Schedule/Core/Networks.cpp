//===- Networks.cpp - Small networks for scheduling tests -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Networks.h"
#include "TileCosts.h"

#include "Schedule/Core/Lowering.h"
#include "avocet/base/Rounding.h"

#include "avocet/firmware_iface/TargetEdit.h"
#include "avocet/firmware_iface/WeightLayout.h"
#include "avocet/firmware_iface/WeightStream.h"
#include "avocet/kernels/DspParameters.h"
#include "avocet/kernels/Kernel.h"
#include "avocet/kernels/dsp/Quantize.h"
#include "avocet/kernels/dsp/Softmax.h"
#include "avocet/kernels/dsp/Window.h"

#include "gtest/gtest.h"

#include <cstring>

namespace avocet::compiler::schedule {

using namespace firmware;

static bool isReal(const MapShape &shape) { return shape.type == DataType::Float32; }

Network::Network(const std::string &target) {
  auto loaded = Target::load(target);
  EXPECT_TRUE(loaded.isOk()) << loaded.status().toString();
  problem_.target = std::move(loaded).value();
}

Bytes Network::randomBytes(uint64_t count) {
  Bytes bytes(count);
  for (uint8_t &byte : bytes)
    byte = uint8_t(random_());
  return bytes;
}

Bytes Network::randomElements(const MapShape &shape) {
  if (!isReal(shape))
    return randomBytes(shape.bytes());
  std::vector<float> elements(shape.bytes() / sizeof(float));
  for (float &element : elements)
    element = float(random_() % 1024) / 128;
  Bytes bytes(shape.bytes());
  std::memcpy(bytes.data(), elements.data(), bytes.size());
  return bytes;
}

uint32_t Network::constant(Bytes bytes) {
  problem_.constants.push_back({bytes.size()});
  constants_.push_back(std::move(bytes));
  return uint32_t(constants_.size() - 1);
}

uint32_t Network::input(MapShape shape) {
  const uint32_t value = addTensor(shape);
  problem_.tensors.back().networkInput = uint32_t(inputs_.size());
  inputs_.push_back(randomElements(shape));
  return value;
}

uint32_t Network::addTensor(MapShape shape) {
  problem_.tensors.push_back({shape, kNone, {}});
  values_.push_back({false, uint32_t(problem_.tensors.size() - 1), shape, 0, -1});
  return uint32_t(values_.size() - 1);
}

Operand Network::read(uint32_t value) const {
  Operand operand = values_[value];
  operand.zeroPoint = isReal(operand.shape) ? 0 : 3;
  return operand;
}

uint32_t Network::addOperation(Operation op, MapShape output) {
  const uint32_t value = addTensor(output);
  op.layer = uint32_t(problem_.operations.size());
  op.outputs = {{false, values_[value].id, output, 3, -1}};
  problem_.operations.push_back(std::move(op));
  return value;
}

namespace {
/// The padding before the input for "same" padding; an odd total has one more after the input.
uint32_t padBefore(uint32_t input, uint32_t kernel, uint32_t stride) {
  uint32_t outputs = divideUp(input, stride), needed = (outputs - 1) * stride + kernel;
  return needed > input ? (needed - input) / 2 : 0;
}
Window sameWindow(MapShape input, uint32_t kernel, uint32_t stride) {
  Window window;
  window.kernelHeight = window.kernelWidth = kernel;
  window.strideHeight = window.strideWidth = stride;
  window.padTop = padBefore(input.height, kernel, stride);
  window.padLeft = padBefore(input.width, kernel, stride);
  return window;
}
MapShape strided(MapShape shape, uint32_t stride, uint32_t channels) {
  return {divideUp(shape.height, stride), divideUp(shape.width, stride), channels, shape.type};
}
} // namespace

/// Half of the filters have few values, so that they can be compressed; but no large ones, since tests of what does not
/// fit in memory count on their size.
void Network::setWeights(Operation &op, const WeightLayout &layout) {
  Bytes packed = randomBytes(layout.bytes());
  if (random_() % 2 && packed.size() < 1 << 18)
    for (uint8_t &weight : packed)
      weight &= 3;
  op.channelGranule = layout.granule();
  const auto encoder = WeightEncoder::create(packed, {1, layout.granuleBytes(), packed.size()});
  if (!encoder->isWorthwhile()) {
    op.storedWeights = StoredWeights::packed(layout.bytes() / layout.outputChannels());
    op.weights = constant(std::move(packed));
    return;
  }
  Bytes slice(encoder->sliceBytes(0, encoder->granules()));
  encoder->encode(0, encoder->granules(), slice);
  auto index = WeightIndex::read(slice, {1, layout.granuleBytes(), layout.bytes()});
  op.storedWeights = StoredWeights::compressed(std::move(*index), layout.granule());
  op.weights = constant(std::move(slice));
}

uint32_t Network::records(uint32_t channels) {
  std::vector<RequantRecord> records(channels);
  for (RequantRecord &record : records)
    record = {int32_t(random_() % 2000) - 1000, int32_t(1 << 30) + int32_t(random_() % 1000), -6};
  Bytes bytes(records.size() * sizeof(RequantRecord));
  std::memcpy(bytes.data(), records.data(), bytes.size());
  return constant(std::move(bytes));
}

uint32_t Network::convolution(ConvKind kind, uint32_t input, MapShape seen, uint32_t channels, uint32_t kernel,
                              uint32_t stride) {
  Operation op;
  ConvCommand command;
  command.kind = kind;
  command.window = sameWindow(seen, kernel, stride);
  command.clamp = {-128, 127};
  op.inputs = {read(input)};
  op.inputs[0].zeroPoint = 3;
  if (seen != shape(input)) // a reshape of a dense value
    op.inputs[0] = {false, values_[input].id, seen, 3, -1, values_[input].offset};
  op.window = {stride, kernel, command.window.padTop};
  auto layout = WeightLayout::create(problem_.target->mac(), kind, {channels, kernel, kernel, seen.channels}, 1);
  EXPECT_TRUE(layout.isOk());
  setWeights(op, *layout);
  op.records = records(channels);
  op.command = command;
  return addOperation(std::move(op), strided(seen, stride, channels));
}

uint32_t Network::product(uint32_t input, uint32_t sets, uint32_t channels) {
  Operation op;
  ConvCommand command;
  command.window = sameWindow(shape(input), 1, 1);
  command.clamp = {-128, 127};
  op.inputs = {read(input), read(sets)};
  auto layout =
      WeightLayout::create(problem_.target->mac(), ConvKind::Dense, {channels, 1, 1, shape(input).channels}, 1);
  EXPECT_TRUE(layout.isOk());
  op.channelGranule = layout->granule();
  op.storedWeights = StoredWeights::packed(layout->bytes() / channels);
  op.records = records(channels);
  op.command = command;
  return addOperation(std::move(op), strided(shape(input), 1, channels));
}

uint32_t Network::conv(uint32_t input, uint32_t channels, uint32_t kernel, uint32_t stride) {
  return convolution(ConvKind::Dense, input, shape(input), channels, kernel, stride);
}

uint32_t Network::convLike(uint32_t input, uint32_t like) {
  const auto made = std::ranges::find_if(
      problem_.operations, [&](const Operation &op) { return isSamePlace(op.outputs[0], values_[like]); });
  Operation op = *made;
  MapShape result = shape(input);
  result.channels = op.outputs[0].shape.channels;
  op.inputs = {read(input)};
  op.inputs[0].zeroPoint = made->inputs[0].zeroPoint;
  op.outputs.clear();
  return addOperation(std::move(op), result);
}

uint32_t Network::depthwise(uint32_t input, uint32_t kernel, uint32_t stride) {
  return convolution(ConvKind::Depthwise, input, shape(input), shape(input).channels, kernel, stride);
}

uint32_t Network::fullyConnected(uint32_t input, uint32_t channels) {
  MapShape seen{1, 1, uint32_t(shape(input).bytes()), shape(input).type};
  return convolution(ConvKind::Dense, input, seen, channels, 1, 1);
}

uint32_t Network::add(uint32_t a, uint32_t b) {
  Operation op;
  EltwiseCommand command;
  command.leftShift = 20;
  command.rescaleA = command.rescaleB = {1 << 30, 0};
  command.rescaleOutput = {1 << 30, -18};
  command.clamp = {-128, 127};
  op.command = command;
  op.inputs = {read(a), read(b)};
  return addOperation(std::move(op), shape(a));
}

uint32_t Network::withAddend(uint32_t result, uint32_t addend) {
  Operation &op = problem_.operations.back();
  EXPECT_EQ(shape(result), shape(addend));
  Residual &residual = std::get<ConvCommand>(op.command).residual;
  residual.zeroPoint = 2;
  residual.leftShift = 20;
  residual.rescaleResult = residual.rescaleAddend = {1 << 30, 0};
  residual.rescaleOutput = {1 << 30, -18};
  residual.clamp = {-128, 127};
  op.inputs.push_back(read(addend));
  return result;
}

uint32_t Network::convAdd(uint32_t input, uint32_t addend, uint32_t kernel, uint32_t stride) {
  return withAddend(conv(input, shape(addend).channels, kernel, stride), addend);
}

uint32_t Network::depthwiseAdd(uint32_t input, uint32_t addend, uint32_t kernel) {
  return withAddend(depthwise(input, kernel), addend);
}

uint32_t Network::maxPool(uint32_t input, uint32_t kernel, uint32_t stride) {
  Operation op;
  PoolCommand command;
  command.window = sameWindow(shape(input), kernel, stride);
  command.clamp = {-128, 127};
  op.command = command;
  op.inputs = {read(input)};
  op.window = {stride, kernel, command.window.padTop};
  return addOperation(std::move(op), strided(shape(input), stride, shape(input).channels));
}

static DspCommand dspCommand(kernels::KernelId kernel, std::vector<uint32_t> parameters) {
  DspCommand command;
  command.kernel = kernel.number;
  command.parameters = std::move(parameters);
  return command;
}

uint32_t Network::dspPool(uint32_t input, uint32_t kernel, uint32_t stride) {
  Operation op;
  const Window window = sameWindow(shape(input), kernel, stride);
  op.command =
      dspCommand(kernels::kWindowPoolKernel,
                 kernels::packParameters(kernels::WindowPoolParameters{.window = window, .clamp = {-128, 127}}));
  op.inputs = {read(input)};
  op.window = {stride, kernel, window.padTop};
  return addOperation(std::move(op), strided(shape(input), stride, shape(input).channels));
}

uint32_t Network::requantize(uint32_t input) {
  Operation op;
  op.command =
      dspCommand(kernels::kRequantizeKernel, kernels::packParameters(kernels::RequantizeParameters{1 << 30, 1}));
  op.inputs = {read(input)};
  return addOperation(std::move(op), shape(input));
}

uint32_t Network::softmax(uint32_t input) {
  Operation op;
  op.command = dspCommand(kernels::kSoftmaxKernel, kernels::packParameters(kernels::prepareSoftmax(1.0f, 0.05f)));
  op.inputs = {read(input)};
  op.rowWise = false;
  uint32_t result = addOperation(std::move(op), shape(input));
  problem_.operations.back().outputs[0].zeroPoint = isReal(shape(input)) ? 0 : -128;
  return result;
}

void Network::output(uint32_t value) {
  EXPECT_EQ(shape(value), problem_.tensors[values_[value].id].shape);
  problem_.tensors[values_[value].id].networkOutputs.push_back(outputs_++);
}

bool Network::isResult(uint32_t value) const {
  const Operand &operand = values_[value];
  const Tensor &tensor = problem_.tensors[operand.id];
  return tensor.networkInput == kNone && operand.offset == 0 && operand.shape == tensor.shape;
}

template <typename Move> void Network::moveOperands(uint32_t tensor, Move move) {
  for (Operand &value : values_)
    if (value.id == tensor)
      move(value);
  for (Operation &op : problem_.operations)
    for (std::vector<Operand> *operands : {&op.inputs, &op.outputs})
      for (Operand &operand : *operands)
        if (!operand.isConstant && operand.id == tensor)
          move(operand);
}

uint32_t Network::addJoined(const std::vector<uint32_t> &values, uint32_t axis) {
  MapShape whole = shape(values[0]);
  uint32_t &extent = axis == 0 ? whole.height : axis == 1 ? whole.width : whole.channels;
  extent = 0;
  for (uint32_t value : values)
    extent += axis == 0 ? shape(value).height : axis == 1 ? shape(value).width : shape(value).channels;
  return addTensor(whole);
}

/// Moves what uses a value to a place in another one, where its rows and pixels are at these distances.
void Network::moveInto(uint32_t joined, uint32_t value, uint64_t offset, uint32_t rowStep, uint32_t pixelStep) {
  EXPECT_TRUE(isResult(value) && problem_.tensors[values_[value].id].networkOutputs.empty());
  const MapShape part = shape(value);
  moveOperands(values_[value].id, [&](Operand &operand) {
    const uint64_t row = operand.offset / part.rowBytes(), inRow = operand.offset % part.rowBytes();
    operand.rowStride = operand.rowStep() / part.rowBytes() * rowStep;
    operand.pixelStride = operand.pixelStep() / part.pixelBytes() * pixelStep;
    operand.id = values_[joined].id;
    operand.offset = offset + row * rowStep + inRow / part.pixelBytes() * pixelStep + inRow % part.pixelBytes();
  });
}

uint32_t Network::concatenate(const std::vector<uint32_t> &values, uint32_t axis) {
  const uint32_t joined = addJoined(values, axis);
  const MapShape whole = shape(joined);
  uint64_t offset = 0;
  for (uint32_t value : values) {
    const MapShape part = shape(value);
    moveInto(joined, value, offset, whole.rowBytes(), whole.pixelBytes());
    offset += axis == 0 ? part.bytes() : axis == 1 ? part.rowBytes() : part.pixelBytes();
  }
  return joined;
}

uint32_t Network::interleave(const std::vector<uint32_t> &values, uint32_t axis) {
  const uint32_t joined = addJoined(values, axis), count = uint32_t(values.size());
  const uint32_t row = shape(joined).rowBytes(), pixel = shape(joined).pixelBytes();
  for (uint32_t i = 0; i < count; ++i)
    axis == 0 ? moveInto(joined, values[i], i * row, count * row, pixel)
              : moveInto(joined, values[i], i * pixel, row, count * pixel);
  return joined;
}

uint32_t Network::every(uint32_t value, uint32_t axis, uint32_t first, uint32_t step) {
  const uint32_t extent = axis == 0 ? shape(value).height : shape(value).width;
  const uint32_t part = slice(value, axis, first, first + divideUp(extent - first, step));
  (axis == 0 ? values_[part].rowStride : values_[part].pixelStride) *= step;
  return part;
}

uint32_t Network::chain(const std::vector<uint32_t> &values) {
  uint64_t bytes = 0;
  for (uint32_t value : values)
    bytes += shape(value).bytes();
  const uint32_t joined = addTensor({1, 1, uint32_t(bytes), DataType::Int8});
  uint64_t offset = 0;
  for (uint32_t value : values) {
    EXPECT_TRUE(isResult(value) && problem_.tensors[values_[value].id].networkOutputs.empty());
    const uint64_t size = shape(value).bytes();
    moveOperands(values_[value].id, [&](Operand &operand) {
      operand.rowStride = operand.rowStep();
      operand.pixelStride = operand.pixelStep();
      operand.id = values_[joined].id;
      operand.offset += offset;
    });
    offset += size;
  }
  return joined;
}

uint32_t Network::slice(uint32_t value, uint32_t axis, uint32_t begin, uint32_t end) {
  Operand part = values_[value];
  part.rowStride = part.rowStep();
  part.pixelStride = part.pixelStep();
  (axis == 0 ? part.shape.height : axis == 1 ? part.shape.width : part.shape.channels) = end - begin;
  part.offset += uint64_t(begin) * (axis == 0   ? part.rowStride
                                    : axis == 1 ? part.pixelStride
                                                : sizeOf(part.shape.type));
  values_.push_back(part);
  return uint32_t(values_.size() - 1);
}

Plan layerByLayer(const Problem &problem) {
  Plan plan;
  for (uint32_t i = 0; i < problem.operations.size(); ++i)
    plan.cascades.push_back({i, i + 1, problem.operations[i].outputs[0].shape.height});
  plan.residencies = residenciesOf(problem, plan.cascades);
  return plan;
}

std::shared_ptr<const Target> targetWith(const std::string &target, const std::string &key, const std::string &value) {
  const TargetChange change{key, value};
  auto text = changedTargetText(**Target::load(target), {&change, 1}, target, "changed");
  auto changed = text.isOk() ? Target::parse(*text, target) : std::move(text).status();
  EXPECT_TRUE(changed.isOk()) << changed.status().toString();
  return *changed;
}

Sequence lowered(const Problem &problem, const Plan &plan) {
  kernels::BlockChooser chooser(problem.target);
  TileCutter cutter(*problem.target);
  return lowerPlan(problem, plan, chooser, cutter);
}

std::map<uint32_t, Bytes> outputsLayerByLayer(const Network &net) {
  const Sequence sequence = lowered(net.problem(), layerByLayer(net.problem()));
  return runSequence(net.problem(), sequence, net.inputs(), net.constants());
}

} // namespace avocet::compiler::schedule
