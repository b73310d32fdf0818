//===- ConvKernel.cpp - Convolution: legality and dispatch ----------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/firmware_iface/WeightLayout.h"
#include "common/Checks.h"
#include "common/Kernels.h"
#include "common/Shares.h"
#include "conv/ConvReference.h"
#include "conv/DecodedSlices.h"
#include "conv/DenseBytes.h"
#include "conv/DenseFloat.h"
#include "conv/DenseInteger.h"
#include "conv/DepthwiseConv.h"
#include "conv/ResidualAddition.h"
#include "cost/Cost.h"

#include "avocet/firmware_iface/WeightStream.h"
#include "avocet/kernels/MacKernels.h"
#include "avocet/kernels/Quantization.h"

namespace avocet::kernels {

using namespace firmware;

static Result<WeightLayout> layoutOf(const Target &target, const ConvCommand &command) {
  WeightDims dims{command.output.channels, command.window.kernelHeight, command.window.kernelWidth,
                  command.input.channels};
  return WeightLayout::create(target.mac(), command.kind, dims, sizeOf(command.weightType));
}

/// Types of inputs and weights with 32-bit sums.
static Status checkNarrowSums(const ConvCommand &c) {
  AVOCET_RETURN_IF_ERROR(checkType("input", c.input.type, {DataType::Int8, DataType::UInt8, DataType::Int16}));
  if (c.input.type == DataType::Int16)
    return checkType("weights", c.weightType, {DataType::Int8});
  return checkType("weights", c.weightType, {DataType::Int8, DataType::UInt8});
}

/// Checks that the types of input, weights and output are a valid combination for the scaling.
static Status checkTypes(const ConvCommand &c) {
  switch (c.scaling) {
  case OutputScaling::Requantize:
    AVOCET_RETURN_IF_ERROR(checkType("output", c.output.type, {DataType::Int8, DataType::UInt8, DataType::Int16}));
    return checkNarrowSums(c);
  case OutputScaling::Sums:
    AVOCET_RETURN_IF_ERROR(checkType("output", c.output.type, {DataType::Int32}));
    return checkNarrowSums(c);
  case OutputScaling::RequantizeWide:
  case OutputScaling::SumsWide:
    AVOCET_RETURN_IF_ERROR(checkType("input", c.input.type, {DataType::Int16}));
    AVOCET_RETURN_IF_ERROR(
        checkType("output", c.output.type, {c.scaling == OutputScaling::SumsWide ? DataType::Int64 : DataType::Int16}));
    return checkType("weights", c.weightType, {DataType::Int8, DataType::Int16});
  case OutputScaling::Float:
    AVOCET_RETURN_IF_ERROR(checkType("input", c.input.type, {DataType::Float32, DataType::Float16}));
    AVOCET_RETURN_IF_ERROR(checkType("weights", c.weightType, {c.input.type}));
    return checkType("output", c.output.type, {c.input.type});
  case OutputScaling::Dynamic:
    AVOCET_RETURN_IF_ERROR(checkType("input", c.input.type, {DataType::Int8}));
    AVOCET_RETURN_IF_ERROR(checkType("weights", c.weightType, {DataType::Int8}));
    return checkType("output", c.output.type, {DataType::Float32});
  }
  return ruleBroken("scaling", static_cast<uint32_t>(c.scaling), "0 to 5");
}

static Status checkChannels(const ConvCommand &c) {
  if (c.kind == ConvKind::Dense)
    return Status::ok();
  if (c.kind != ConvKind::Depthwise)
    return ruleBroken("kind", static_cast<uint32_t>(c.kind), "0 or 1");
  if (c.output.channels % c.input.channels != 0)
    return ruleBroken("output.channels", c.output.channels,
                      "a multiple of input.channels, " + std::to_string(c.input.channels));
  return Status::ok();
}

static Status checkPacked(const ConvCommand &c, const WeightLayout &layout) {
  AVOCET_RETURN_IF_ERROR(checkEqual("weightBytes", c.weightBytes, "the size of the weights", layout.bytes()));
  AVOCET_RETURN_IF_ERROR(checkEqual("sliceChannels", c.sliceChannels, "the value for packed weights", 0));
  AVOCET_RETURN_IF_ERROR(checkEqual("firstSliceChannel", c.firstSliceChannel, "the value for packed weights", 0));
  if (c.weights.offset % sizeOf(c.weightType) != 0)
    return ruleBroken("weights", c.weights.offset, "a multiple of the element size");
  return Status::ok();
}

/// The command's channels are whole granules of the slice.
static Status checkCompressed(const Target &target, const ConvCommand &c, const WeightLayout &layout) {
  if (isFloat(c.weightType) && target.mac().scaledDecodeRate == 0)
    return ruleBroken("weightFormat", static_cast<uint32_t>(c.weightFormat), "0 for floats on this target");
  const uint64_t end = uint64_t{c.firstSliceChannel} + c.output.channels;
  if (end > c.sliceChannels)
    return ruleBroken("sliceChannels", c.sliceChannels, "at least " + std::to_string(end));
  const uint64_t mostChannels = kMostSliceBytes / (layout.bytes() / layout.outputChannels());
  if (c.sliceChannels > mostChannels)
    return ruleBroken("sliceChannels", c.sliceChannels, "at most " + std::to_string(mostChannels));
  if (c.firstSliceChannel % layout.granule() != 0)
    return ruleBroken("firstSliceChannel", c.firstSliceChannel, "a multiple of " + std::to_string(layout.granule()));
  if (end != c.sliceChannels && end % layout.granule() != 0)
    return ruleBroken("output.channels", c.output.channels,
                      "up to the end of the slice or a multiple of " + std::to_string(layout.granule()));
  return Status::ok();
}

static Status checkStorage(const Target &target, const ConvCommand &c, const WeightLayout &layout) {
  switch (c.weightFormat) {
  case WeightFormat::Packed:
    return checkPacked(c, layout);
  case WeightFormat::Compressed:
    return checkCompressed(target, c, layout);
  }
  return ruleBroken("weightFormat", static_cast<uint32_t>(c.weightFormat), "0 or 1");
}

static Status checkWeights(const Target &target, const ConvCommand &c) {
  AVOCET_ASSIGN_OR_RETURN(WeightLayout layout, layoutOf(target, c));
  AVOCET_RETURN_IF_ERROR(checkStorage(target, c, layout));
  if (isFloat(c.weightType))
    return c.weightZeroPoint == 0 ? Status::ok() : ruleBroken("weightZeroPoint", c.weightZeroPoint, "0");
  if (c.weightZeroPoint < minValue(c.weightType) || c.weightZeroPoint > maxValue(c.weightType))
    return ruleBroken("weightZeroPoint", c.weightZeroPoint, "a value of the weight type");
  return Status::ok();
}

static Status checkStage(const ConvCommand &c) {
  if (c.channelRecords.offset % 4 != 0)
    return ruleBroken("channelRecords", c.channelRecords.offset, "a multiple of 4");
  if (c.scaling == OutputScaling::Dynamic) {
    if (c.dynamicScale == kNoAddress || c.dynamicScale.offset % 4 != 0)
      return ruleBroken("dynamicScale", c.dynamicScale.offset, "an address that is a multiple of 4");
    if (c.input.zeroPoint != 0)
      return ruleBroken("input.zeroPoint", c.input.zeroPoint, "0 with a dynamic scale");
  }
  if (c.scaling == OutputScaling::Requantize)
    AVOCET_RETURN_IF_ERROR(checkRounding("rounding", c.rounding));
  else if (c.rounding != Rounding::Double)
    return ruleBroken("rounding", static_cast<uint32_t>(c.rounding), "0 unless scaling is 0");
  if ((c.scaling == OutputScaling::Sums || c.scaling == OutputScaling::SumsWide) && c.output.zeroPoint != 0)
    return ruleBroken("output.zeroPoint", c.output.zeroPoint, "0 for sums");
  if (c.scaling == OutputScaling::SumsWide && c.clamp != Clamp())
    return ruleBroken("clamp.min", c.clamp.min, "no bound for sums of 64 bits");
  if (c.lookupTable != kNoAddress && (sizeOf(c.output.type) != 1 || c.scaling != OutputScaling::Requantize))
    return ruleBroken("lookupTable", c.lookupTable.offset, "absent for outputs that are not 8-bit");
  return checkClamp(c.clamp, c.output.type);
}

static void selectAddend(ConvCommand &share, MapAxis axis, uint32_t first, uint32_t count) {
  if (share.residual.isPresent())
    share.residual.addend = sliceOf(share.residual.addend, axis, first, count);
}

/// Shares of output channels, each with its own weights.
static std::vector<CommandBody> divideChannels(const ConvCommand &command, const WeightLayout &layout, uint32_t most) {
  std::vector<CommandBody> shares;
  forEachShare(command.output.channels, layout.granule(), most, [&](uint32_t first, uint32_t count) {
    const uint32_t weightSize = sizeOf(command.weightType);
    ConvCommand share = command;
    share.output = sliceOf(share.output, MapAxis::Channels, first, count);
    selectAddend(share, MapAxis::Channels, first, count);
    if (command.weightFormat == WeightFormat::Compressed) {
      share.firstSliceChannel += first;
    } else {
      share.weights += static_cast<uint32_t>(layout.indexOf(first, 0) * weightSize);
      share.weightBytes = count * layout.products() * weightSize;
    }
    share.channelRecords += first * channelRecordBytes(command.scaling);
    shares.push_back(share);
  });
  return shares;
}

/// Shares of output rows.
static std::vector<CommandBody> divideRows(const ConvCommand &command, uint32_t most) {
  std::vector<CommandBody> shares = divideWindowRows(command, most);
  uint32_t first = 0;
  for (CommandBody &body : shares) {
    auto &share = std::get<ConvCommand>(body);
    selectAddend(share, MapAxis::Rows, first, share.output.height);
    first += share.output.height;
  }
  return shares;
}

static void runConv(const ConvCommand &command, const WeightLayout &layout, std::span<uint8_t> sram) {
  const uint8_t *weights = packedWeights(command, layout, sram);
  bool done = runDenseBytes(command, layout, weights, sram) || runDenseInteger(command, layout, weights, sram) ||
              runDepthwiseInteger(command, layout, weights, sram) || runDenseFloat(command, layout, weights, sram) ||
              runDepthwiseFloat(command, layout, weights, sram);
  if (!done)
    runConvReference(command, layout, weights, sram);
}

namespace {

class ConvKernel : public Kernel {
public:
  KernelId id() const override { return kConvKernel; }

  Status check(const Target &target, const CommandBody &body) const override {
    const auto &command = std::get<ConvCommand>(body);
    return checkCommand(target, command).withContext(kConvKernel.name);
  }

  void run(const Target &target, const CommandBody &body, std::span<uint8_t> sram) const override {
    const auto &command = std::get<ConvCommand>(body);
    Result<WeightLayout> layout = layoutOf(target, command);
    if (!command.residual.isPresent())
      return runConv(command, *layout, sram);
    ResidualAddition addition(command, sram);
    runConv(withoutResidual(command), *layout, sram);
    addition.run();
  }

  TileCost cost(const Target &target, const CommandBody &body) const override {
    return convCost(target, std::get<ConvCommand>(body));
  }

protected:
  /// Each share of rows repacks all weights, and each share of channels converts all windows to rows of products.
  std::vector<CommandBody> divide(const Target &target, const CommandBody &body, uint32_t most) const override {
    const auto &command = std::get<ConvCommand>(body);
    Result<WeightLayout> layout = layoutOf(target, command);
    const uint64_t pixels = uint64_t(command.output.height) * command.output.width;
    const bool byChannels = command.kind == ConvKind::Dense && pixels < command.output.channels;
    std::vector<CommandBody> shares = byChannels ? divideChannels(command, *layout, most) : divideRows(command, most);
    if (shares.empty() && command.kind == ConvKind::Dense)
      shares = byChannels ? divideRows(command, most) : divideChannels(command, *layout, most);
    return shares;
  }

private:
  static Status checkCommand(const Target &target, const ConvCommand &c) {
    AVOCET_RETURN_IF_ERROR(checkMap("input", c.input));
    AVOCET_RETURN_IF_ERROR(checkMap("output", c.output));
    AVOCET_RETURN_IF_ERROR(checkTypes(c));
    AVOCET_RETURN_IF_ERROR(checkArrayType(target, c.input.type));
    AVOCET_RETURN_IF_ERROR(checkChannels(c));
    AVOCET_RETURN_IF_ERROR(checkWindow(c.window, c.input, c.output));
    AVOCET_RETURN_IF_ERROR(checkWeights(target, c));
    AVOCET_RETURN_IF_ERROR(checkStage(c));
    AVOCET_RETURN_IF_ERROR(checkResidual(c));
    return checkBlock(target, c.block, c);
  }
};

} // namespace

const Kernel &convKernel() {
  static const ConvKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels
