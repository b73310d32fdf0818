//===- KernelTestSupport.h - Windows in a test's SRAM --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_KERNELS_KERNELTESTSUPPORT_H
#define AVOCET_TESTS_KERNELS_KERNELTESTSUPPORT_H

#include "avocet/firmware_iface/Command.h"
#include "avocet/firmware_iface/Target.h"
#include "avocet/kernels/Kernel.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace avocet::kernels {

using Random = std::mt19937;

/// Uniform in [low, high].
inline int32_t pick(Random &random, int32_t low, int32_t high) {
  return std::uniform_int_distribution<int32_t>(low, high)(random);
}

inline float pickReal(Random &random, float low, float high) {
  return std::uniform_real_distribution<float>(low, high)(random);
}

/// Layout of a window in memory.
enum class Placement {
  Dense,    ///< rows and pixels are contiguous
  Scattered ///< a wrapping ring of rows, a sub-range of wider pixels, gaps between rows
};

/// Memory with a bump allocator, and elements by position.
class TestSram {
public:
  explicit TestSram(size_t bytes = 1 << 20) : words_(bytes / 8) {}

  std::span<uint8_t> bytes() { return {reinterpret_cast<uint8_t *>(words_.data()), words_.size() * 8}; }

  /// The bytes up to the last allocation.
  std::span<uint8_t> used() { return bytes().first(top_); }

  uint32_t allocate(size_t size);

  firmware::FeatureMap map(firmware::DataType type, uint32_t height, uint32_t width, uint32_t channels,
                           Placement placement, Random &random);

  double get(const firmware::FeatureMap &map, uint32_t y, uint32_t x, uint32_t c);
  void set(const firmware::FeatureMap &map, uint32_t y, uint32_t x, uint32_t c, double value);

  /// Random values over the whole range of an integer type, over [-2, 2] for floats.
  void fill(const firmware::FeatureMap &map, Random &random);

  /// All elements in the order y, x, c.
  std::vector<double> values(const firmware::FeatureMap &map);
  void setValues(const firmware::FeatureMap &map, const std::vector<double> &values);

  template <typename T> T *at(firmware::SramAddress address) {
    return reinterpret_cast<T *>(bytes().data() + address.offset);
  }

private:
  uint8_t *element(const firmware::FeatureMap &map, uint32_t y, uint32_t x, uint32_t c);

  std::vector<uint64_t> words_;
  size_t top_ = 64;
};

/// A shipped target; the test fails if it does not load.
std::shared_ptr<const firmware::Target> testTarget(const std::string &name = "e256");

/// A command without operands; the test fails if there is no such kernel.
firmware::DspCommand dspCommand(std::string_view kernel, std::vector<uint32_t> parameters);

/// Checks and runs a command; a failed check fails the test. Also runs the command's shares, on other memory: they must
/// give the same bits.
void checkAndRun(const firmware::Target &target, const firmware::CommandBody &command, TestSram &sram);

/// x * multiplier * 2^(shift - 31) in wide integers: an independent implementation.
int64_t rescaledByDefinition(int64_t x, int32_t multiplier, int32_t shift,
                             firmware::Rounding rounding = firmware::Rounding::Double);

} // namespace avocet::kernels

#endif // AVOCET_TESTS_KERNELS_KERNELTESTSUPPORT_H
