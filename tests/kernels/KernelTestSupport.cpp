//===- KernelTestSupport.cpp - Windows in a test's SRAM -------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTestSupport.h"

#include "RescaleFormula.h"
#include "avocet/base/Rounding.h"
#include "avocet/kernels/Quantization.h"
#include "common/Elements.h"

namespace avocet::kernels {

using namespace firmware;

uint32_t TestSram::allocate(size_t size) {
  size_t address = top_;
  top_ += roundUp(size, 16);
  EXPECT_LE(top_, words_.size() * 8) << "the test's SRAM is too small";
  return static_cast<uint32_t>(address);
}

FeatureMap TestSram::map(DataType type, uint32_t height, uint32_t width, uint32_t channels, Placement placement,
                         Random &random) {
  bool scattered = placement == Placement::Scattered;
  auto extra = [&](int32_t most) { return scattered ? static_cast<uint32_t>(pick(random, 0, most)) : 0u; };
  uint32_t size = sizeOf(type);
  FeatureMap map;
  map.type = type;
  map.height = height;
  map.width = width;
  map.channels = channels;
  map.ringRows = height + extra(3);
  map.firstRow = extra(static_cast<int32_t>(map.ringRows) - 1);
  map.pixelStride = (channels + extra(5)) * size;
  map.rowStride = width * map.pixelStride + extra(7) * size;
  map.address = allocate(size_t(map.ringRows) * map.rowStride);
  return map;
}

uint8_t *TestSram::element(const FeatureMap &map, uint32_t y, uint32_t x, uint32_t c) {
  size_t row = (map.firstRow + y) % map.ringRows;
  return bytes().data() + map.address.offset + row * map.rowStride + size_t(x) * map.pixelStride + c * sizeOf(map.type);
}

double TestSram::get(const FeatureMap &map, uint32_t y, uint32_t x, uint32_t c) {
  uint8_t *e = element(map, y, x, c);
  if (map.type == DataType::Int64)
    return static_cast<double>(*reinterpret_cast<int64_t *>(e));
  return isFloat(map.type) ? double(loadFloat(map.type, e)) : double(loadInteger(map.type, e));
}

void TestSram::set(const FeatureMap &map, uint32_t y, uint32_t x, uint32_t c, double value) {
  uint8_t *e = element(map, y, x, c);
  if (map.type == DataType::Int64)
    *reinterpret_cast<int64_t *>(e) = static_cast<int64_t>(value);
  else if (isFloat(map.type))
    storeFloat(map.type, e, static_cast<float>(value));
  else
    storeInteger(map.type, e, static_cast<int32_t>(value));
}

void TestSram::fill(const FeatureMap &map, Random &random) {
  for (uint32_t y = 0; y < map.height; ++y)
    for (uint32_t x = 0; x < map.width; ++x)
      for (uint32_t c = 0; c < map.channels; ++c)
        set(map, y, x, c,
            isFloat(map.type) ? pickReal(random, -2, 2) : pick(random, minValue(map.type), maxValue(map.type)));
}

std::vector<double> TestSram::values(const FeatureMap &map) {
  std::vector<double> values;
  for (uint32_t y = 0; y < map.height; ++y)
    for (uint32_t x = 0; x < map.width; ++x)
      for (uint32_t c = 0; c < map.channels; ++c)
        values.push_back(get(map, y, x, c));
  return values;
}

void TestSram::setValues(const FeatureMap &map, const std::vector<double> &values) {
  size_t i = 0;
  for (uint32_t y = 0; y < map.height; ++y)
    for (uint32_t x = 0; x < map.width; ++x)
      for (uint32_t c = 0; c < map.channels; ++c)
        set(map, y, x, c, values.at(i++));
}

std::shared_ptr<const Target> testTarget(const std::string &name) {
  Result<std::shared_ptr<const Target>> target = Target::load(name);
  EXPECT_TRUE(target.isOk()) << target.status().toString();
  return target.isOk() ? *target : nullptr;
}

DspCommand dspCommand(std::string_view kernel, std::vector<uint32_t> parameters) {
  DspCommand command;
  Result<uint32_t> number = dspKernelNumber(kernel);
  EXPECT_TRUE(number.isOk()) << number.status().toString();
  command.kernel = number.isOk() ? *number : 0;
  command.parameters = std::move(parameters);
  return command;
}

/// Shares run last to first, so that one that needs the results of another shows.
static void runShares(const Target &target, const std::vector<CommandBody> &shares, std::span<uint8_t> sram) {
  for (auto share = shares.rbegin(); share != shares.rend(); ++share)
    findKernel(*share)->run(target, *share, sram);
}

void checkAndRun(const Target &target, const CommandBody &command, TestSram &sram) {
  const Kernel *kernel = findKernel(command);
  ASSERT_NE(kernel, nullptr);
  Status status = kernel->check(target, command);
  ASSERT_TRUE(status.isOk()) << status.toString();
  const std::vector<uint8_t> before(sram.used().begin(), sram.used().end());
  kernel->run(target, command, sram.bytes());
  static TestSram divided;
  for (const uint32_t most : {2u, 64u}) {
    const std::vector<CommandBody> shares = kernel->shares(target, command, most);
    ASSERT_LE(shares.size(), most);
    ASSERT_NE(shares.size(), 1u);
    if (shares.empty() || divided.bytes().size() < sram.bytes().size())
      continue;
    std::ranges::copy(before, divided.bytes().begin());
    runShares(target, shares, divided.bytes());
    ASSERT_TRUE(std::ranges::equal(sram.used(), divided.bytes().first(before.size())))
        << shares.size() << " shares give other bits";
  }
}

int64_t rescaledByDefinition(int64_t x, int32_t multiplier, int32_t shift, Rounding rounding) {
  using Wide = __int128;
  if (rounding == Rounding::Even)
    return tests::rescaledToEven(x, multiplier, 31 - shift);
  if (rounding == Rounding::Single)
    return static_cast<int64_t>((Wide(x) * multiplier + (Wide(1) << (30 - shift))) >> (31 - shift));
  Wide product = Wide(x) * (int64_t(1) << std::max(shift, 0)) * multiplier;
  // First rounding: nearest, ties upwards.
  Wide high = (product + (Wide(1) << 30)) >> 31;
  // Second rounding: nearest, ties away from zero.
  int right = std::max(-shift, 0);
  if (right == 0)
    return static_cast<int64_t>(high);
  Wide magnitude = high < 0 ? -high : high;
  Wide rounded = (magnitude + (Wide(1) << (right - 1))) >> right;
  return static_cast<int64_t>(high < 0 ? -rounded : rounded);
}

} // namespace avocet::kernels
