//===- Checks.cpp - Rules that many kernels share -------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/Checks.h"

#include "avocet/firmware_iface/WindowInputs.h"
#include "avocet/kernels/BlockChoice.h"
#include "avocet/kernels/Quantization.h"

#include <algorithm>
#include <bit>

namespace avocet::kernels {

using namespace firmware;

Status ruleBroken(std::string_view name, int64_t value, std::string_view rule) {
  return invalidArgument(std::string(name) + " is " + std::to_string(value) + ", must be " + std::string(rule));
}

static std::string join(std::string_view name, std::string_view field) {
  return std::string(name) + "." + std::string(field);
}

static Status checkExtents(std::string_view name, const FeatureMap &map) {
  if (static_cast<uint32_t>(map.type) >= kNumDataTypes)
    return ruleBroken(join(name, "type"), static_cast<uint32_t>(map.type), "a known type");
  if (map.height == 0)
    return ruleBroken(join(name, "height"), 0, "1 or more");
  if (map.width == 0)
    return ruleBroken(join(name, "width"), 0, "1 or more");
  if (map.channels == 0)
    return ruleBroken(join(name, "channels"), 0, "1 or more");
  if (map.height > map.ringRows)
    return ruleBroken(join(name, "height"), map.height, "at most ringRows, " + std::to_string(map.ringRows));
  if (map.firstRow >= map.ringRows)
    return ruleBroken(join(name, "firstRow"), map.firstRow, "less than ringRows, " + std::to_string(map.ringRows));
  return Status::ok();
}

static Status checkStrides(std::string_view name, const FeatureMap &map, Broadcast broadcast) {
  uint64_t pixelBytes = uint64_t(map.channels) * sizeOf(map.type);
  bool freePixels = broadcast == Broadcast::Yes && map.pixelStride == 0;
  if (map.width > 1 && !freePixels && map.pixelStride < pixelBytes)
    return ruleBroken(join(name, "pixelStride"), map.pixelStride, std::to_string(pixelBytes) + " or more");
  uint64_t rowBytes = uint64_t(map.width - 1) * map.pixelStride + pixelBytes;
  bool freeRows = broadcast == Broadcast::Yes && map.rowStride == 0;
  if (map.height > 1 && !freeRows && map.rowStride < rowBytes)
    return ruleBroken(join(name, "rowStride"), map.rowStride, std::to_string(rowBytes) + " or more");
  return Status::ok();
}

static Status checkAlignment(std::string_view name, const FeatureMap &map) {
  uint32_t size = sizeOf(map.type);
  std::string rule = "a multiple of " + std::to_string(size);
  if (map.address.offset % size != 0)
    return ruleBroken(join(name, "address"), map.address.offset, rule);
  // The row stride matters for a single row too: firstRow may be any row of the ring.
  if (map.ringRows > 1 && map.rowStride % size != 0)
    return ruleBroken(join(name, "rowStride"), map.rowStride, rule);
  if (map.width > 1 && map.pixelStride % size != 0)
    return ruleBroken(join(name, "pixelStride"), map.pixelStride, rule);
  return Status::ok();
}

static Status checkZeroPoint(std::string_view name, const FeatureMap &map) {
  if (isFloat(map.type) || map.type == DataType::Int64)
    return map.zeroPoint == 0 ? Status::ok() : ruleBroken(join(name, "zeroPoint"), map.zeroPoint, "0");
  if (map.zeroPoint < minValue(map.type) || map.zeroPoint > maxValue(map.type))
    return ruleBroken(join(name, "zeroPoint"), map.zeroPoint, "a value of the type");
  return Status::ok();
}

Status checkMap(std::string_view name, const FeatureMap &map, Broadcast broadcast) {
  AVOCET_RETURN_IF_ERROR(checkExtents(name, map));
  AVOCET_RETURN_IF_ERROR(checkStrides(name, map, broadcast));
  AVOCET_RETURN_IF_ERROR(checkAlignment(name, map));
  return checkZeroPoint(name, map);
}

Status checkType(std::string_view name, DataType type, std::initializer_list<DataType> allowed) {
  if (std::find(allowed.begin(), allowed.end(), type) != allowed.end())
    return Status::ok();
  std::string message = std::string(name) + ".type is " + std::string(toString(type)) + ", must be one of";
  for (DataType candidate : allowed)
    message += " " + std::string(toString(candidate));
  return unsupported(message);
}

Status checkEqual(std::string_view name, uint64_t value, std::string_view otherName, uint64_t other) {
  if (value == other)
    return Status::ok();
  return invalidArgument(std::string(name) + " is " + std::to_string(value) + ", must equal " + std::string(otherName) +
                         ", " + std::to_string(other));
}

Status checkSameShape(std::string_view name, const FeatureMap &map, std::string_view otherName,
                      const FeatureMap &other) {
  // The compiler checks thousands of pieces of an operation: names are made only for a message.
  const auto checkField = [&](std::string_view field, uint32_t value, uint32_t otherValue) {
    return value == otherValue ? Status::ok()
                               : checkEqual(join(name, field), value, join(otherName, field), otherValue);
  };
  AVOCET_RETURN_IF_ERROR(checkField("height", map.height, other.height));
  AVOCET_RETURN_IF_ERROR(checkField("width", map.width, other.width));
  return checkField("channels", map.channels, other.channels);
}

/// One axis of a window.
static Status checkAxis(std::string_view axis, uint32_t kernel, uint32_t stride, uint32_t dilation, uint32_t pad,
                        uint32_t input, uint32_t output) {
  constexpr uint32_t kLargest = 65535;
  std::string suffix(axis);
  if (kernel == 0 || kernel > kLargest)
    return ruleBroken("window.kernel" + suffix, kernel, "1 to 65535");
  if (stride == 0 || stride > kLargest)
    return ruleBroken("window.stride" + suffix, stride, "1 to 65535");
  if (dilation == 0 || dilation > kLargest)
    return ruleBroken("window.dilation" + suffix, dilation, "1 to 65535");
  const auto reach = windowReach<uint64_t>(kernel, dilation);
  if (pad >= reach)
    return ruleBroken("window padding before " + suffix, pad, "less than the dilated kernel, " + std::to_string(reach));
  uint64_t lastStart = uint64_t(output - 1) * stride;
  if (lastStart >= uint64_t(input) + pad)
    return ruleBroken("output " + suffix, output, "such that every window starts before the input's end");
  return Status::ok();
}

Status checkWindow(const Window &window, const FeatureMap &input, const FeatureMap &output) {
  AVOCET_RETURN_IF_ERROR(checkAxis("Height", window.kernelHeight, window.strideHeight, window.dilationHeight,
                                   window.padTop, input.height, output.height));
  return checkAxis("Width", window.kernelWidth, window.strideWidth, window.dilationWidth, window.padLeft, input.width,
                   output.width);
}

Status checkClamp(const Clamp &clamp, DataType outputType) {
  if (isFloat(outputType)) {
    // Written so that NaN bounds fail.
    if (!(std::bit_cast<float>(clamp.min) <= std::bit_cast<float>(clamp.max)))
      return invalidArgument("clamp: min and max must be float32 numbers with min <= max");
    return Status::ok();
  }
  Clamp effective = integerClamp(clamp, outputType);
  if (effective.min > effective.max)
    return ruleBroken("clamp.min", clamp.min, "at most clamp.max, inside the type");
  return Status::ok();
}

Status checkBlock(const Target &target, const Block &block, const CommandBody &command) {
  const Extent3 &largest = target.mac().largestBlock;
  if (block.height == 0 || block.height > largest.height)
    return ruleBroken("block.height", block.height, "1 to " + std::to_string(largest.height));
  if (block.width == 0 || block.width > largest.width)
    return ruleBroken("block.width", block.width, "1 to " + std::to_string(largest.width));
  if (block.channels == 0 || block.channels > largest.channels)
    return ruleBroken("block.channels", block.channels, "1 to " + std::to_string(largest.channels));
  if (!blockFits(target, command))
    return unsupported("block: its input window and accumulators exceed the array's buffer of " +
                       std::to_string(target.mac().bufferBytes) + " bytes");
  return Status::ok();
}

Status checkArrayType(const Target &target, DataType type) {
  if (target.macsPerCycle(type) == 0)
    return unsupported("target " + target.name() + ": the MAC array does not compute with " +
                       std::string(toString(type)));
  return Status::ok();
}

Status checkRescale(std::string_view name, const Rescale &rescale, int leastShift) {
  if (rescale.multiplier < 0)
    return ruleBroken(join(name, "multiplier"), rescale.multiplier, "0 or more");
  if (rescale.shift < leastShift || rescale.shift > kSaturatingShift)
    return ruleBroken(join(name, "shift"), rescale.shift,
                      std::to_string(leastShift) + " to " + std::to_string(kSaturatingShift));
  return Status::ok();
}

Status checkRounding(std::string_view name, Rounding rounding) {
  return rounding <= Rounding::Even ? Status::ok() : ruleBroken(name, static_cast<uint32_t>(rounding), "0 to 2");
}

Clamp integerClamp(const Clamp &clamp, DataType type) {
  return {std::max(clamp.min, minValue(type)), std::min(clamp.max, maxValue(type))};
}

} // namespace avocet::kernels
