//===- MacTask.cpp - A MAC command as work for the array --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MacTask.h"

#include "avocet/base/Rounding.h"

#include <algorithm>
#include <tuple>

namespace avocet::kernels {

using namespace firmware;

namespace {

constexpr uint64_t kTableBytes = 256;

/// Int8 rate over the rate of `type`. Kernel::check() refuses types with 0; 1 keeps the arithmetic defined.
uint64_t slowdownOf(const Target &target, DataType type) {
  uint32_t slowdown = target.mac().slowdown[static_cast<uint32_t>(type)];
  return slowdown == 0 ? 1 : slowdown;
}

bool isPacked(const FeatureMap &map) {
  return map.pixelStride == static_cast<uint64_t>(map.channels) * sizeOf(map.type);
}

/// With a zero stride all rows or pixels are the same one, which is read once.
MacInput inputOf(const FeatureMap &map, bool followsChannels) {
  MacInput input;
  input.elementBytes = sizeOf(map.type);
  input.height = map.rowStride == 0 ? 1 : map.height;
  input.width = map.pixelStride == 0 ? 1 : map.width;
  input.channels = map.channels;
  input.followsChannels = followsChannels;
  input.packed = isPacked(map);
  return input;
}

MacTask taskFor(const FeatureMap &output) {
  MacTask task;
  task.outHeight = output.height;
  task.outWidth = output.width;
  task.outChannels = output.channels;
  task.outBytes = sizeOf(output.type);
  task.outPacked = isPacked(output);
  return task;
}

auto fieldsOf(const ArrayStep &s) { return std::tuple(s.height, s.width, s.channels, s.products, s.cycles); }
auto fieldsOf(const Rate &r) { return std::tuple(r.count, r.cycles); }

/// Element-wise work: the rate of the operation holds for 8-bit elements; wider types are slower by their slowdown.
void setElementWork(const Target &target, MacTask &task, Rate rate, DataType type) {
  task.elementRate = {rate.count, rate.cycles * slowdownOf(target, type)};
  task.outputRate = target.mac().outputStage;
  task.step = target.mac().depthwise;
}

/// The rate of two steps that each element takes one after the other.
Rate inSequence(Rate a, Rate b) { return {a.count * b.count, a.cycles * b.count + b.cycles * a.count}; }

Rate rateOf(const MacArrayModel &mac, EltwiseKind kind) {
  return kind == EltwiseKind::Add || kind == EltwiseKind::Sub ? mac.add : mac.mul;
}

} // namespace

bool MacTask::operator==(const MacTask &o) const {
  return std::tie(outHeight, outWidth, outChannels, outBytes, outPacked, accumulatorBytes, inputs[0], inputs[1], addend,
                  window, stepCycles, weightsPerChannel, bytesPerChannel, tableBytes, decodeRate, macsPerOutput) ==
             std::tie(o.outHeight, o.outWidth, o.outChannels, o.outBytes, o.outPacked, o.accumulatorBytes, o.inputs[0],
                      o.inputs[1], o.addend, o.window, o.stepCycles, o.weightsPerChannel, o.bytesPerChannel,
                      o.tableBytes, o.decodeRate, o.macsPerOutput) &&
         fieldsOf(step) == fieldsOf(o.step) && fieldsOf(elementRate) == fieldsOf(o.elementRate) &&
         fieldsOf(outputRate) == fieldsOf(o.outputRate);
}

/// Products of two 16-bit numbers take the steps of both.
static uint64_t slowdownOf(const Target &target, const ConvCommand &command) {
  const bool areWide = command.input.type == DataType::Int16 && command.weightType == DataType::Int16;
  return slowdownOf(target, command.input.type) * (areWide ? slowdownOf(target, command.weightType) : 1);
}

/// The port moves weights as they are stored. Each channel of a slice counts its share.
static uint64_t storedBytesPerChannel(const ConvCommand &command, uint64_t weights) {
  if (command.weightFormat == WeightFormat::Compressed)
    return divideUp(command.weightBytes, command.sliceChannels);
  return weights * sizeOf(command.weightType);
}

static uint64_t decodeRateOf(const MacArrayModel &mac, const ConvCommand &command) {
  const uint32_t rate = command.kind == ConvKind::Dense ? mac.denseDecodeRate : mac.depthwiseDecodeRate;
  const bool isScaled = command.weightFormat == WeightFormat::Compressed && isFloat(command.weightType);
  return isScaled && mac.scaledDecodeRate ? std::min(rate, mac.scaledDecodeRate) : rate;
}

MacTask macTaskOf(const Target &target, const ConvCommand &command) {
  const MacArrayModel &mac = target.mac();
  const bool dense = command.kind == ConvKind::Dense;
  MacTask task = taskFor(command.output);
  task.inputs[0] = inputOf(command.input, !dense);
  task.window = command.window;
  task.accumulatorBytes = hasWideSums(command.scaling) ? 8 : 4;

  const uint64_t taps = static_cast<uint64_t>(command.window.kernelHeight) * command.window.kernelWidth;
  task.weightsPerChannel = dense ? taps * command.input.channels : taps;
  task.macsPerOutput = task.weightsPerChannel;
  task.step = dense ? mac.dense : mac.depthwise;
  task.stepCycles =
      divideUp(task.weightsPerChannel, task.step.products) * task.step.cycles * slowdownOf(target, command);
  task.decodeRate = decodeRateOf(mac, command);
  task.bytesPerChannel = storedBytesPerChannel(command, task.weightsPerChannel) + channelRecordBytes(command.scaling);
  task.tableBytes = command.lookupTable == kNoAddress ? 0 : kTableBytes;
  task.outputRate = task.tableBytes == 0 ? mac.outputStage : inSequence(mac.outputStage, mac.lookup);
  if (command.residual.isPresent()) {
    task.addend = inputOf(command.residual.addend, true);
    const Rate add = {mac.add.count, mac.add.cycles * slowdownOf(target, command.output.type)};
    task.outputRate = inSequence(mac.outputStage, add);
  }
  return task;
}

MacTask macTaskOf(const Target &target, const PoolCommand &command) {
  const MacArrayModel &mac = target.mac();
  MacTask task = taskFor(command.output);
  task.inputs[0] = inputOf(command.input, true);
  task.window = command.window;
  const uint64_t taps = static_cast<uint64_t>(command.window.kernelHeight) * command.window.kernelWidth;
  task.step = mac.depthwise;
  task.stepCycles = divideUp(taps, task.step.products) * task.step.cycles * slowdownOf(target, command.input.type);
  task.macsPerOutput = command.kind == PoolKind::Average ? taps : 0;
  task.outputRate = command.kind == PoolKind::Max ? mac.maxPool : mac.outputStage;
  return task;
}

MacTask macTaskOf(const Target &target, const EltwiseCommand &command) {
  MacTask task = taskFor(command.output);
  task.inputs[0] = inputOf(command.inputA, true);
  task.inputs[1] = inputOf(command.inputB, true);
  setElementWork(target, task, rateOf(target.mac(), command.kind), command.inputA.type);
  return task;
}

MacTask macTaskOf(const Target &target, const LookupCommand &command) {
  MacTask task = taskFor(command.output);
  task.inputs[0] = inputOf(command.input, true);
  task.tableBytes = kTableBytes;
  setElementWork(target, task, target.mac().lookup, command.input.type);
  return task;
}

std::optional<MacWork> macWorkOf(const Target &target, const CommandBody &command) {
  return std::visit(
      [&](const auto &body) -> std::optional<MacWork> {
        if constexpr (requires { macTaskOf(target, body); })
          return MacWork{macTaskOf(target, body), body.block};
        else
          return std::nullopt;
      },
      command);
}

} // namespace avocet::kernels
