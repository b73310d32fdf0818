//===- WindowInputsTest.cpp - Parts of inputs against all taps ------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/firmware_iface/WindowInputs.h"

#include <gtest/gtest.h>

#include <set>

using namespace avocet::firmware;

namespace {

constexpr uint64_t kExtent = 9;

template <typename F> void forEachWindow(F &&f) {
  for (uint64_t kernel = 1; kernel <= 4; ++kernel)
    for (uint64_t dilation = 1; dilation <= 3; ++dilation)
      for (uint64_t stride = 1; stride <= 5; ++stride)
        for (uint64_t pad = 0; pad < windowReach(kernel, dilation); ++pad)
          f(WindowSteps{kernel, dilation, stride, pad});
}

/// Positions of the input that an output reads, tap by tap.
std::set<uint64_t> readBy(const WindowSteps &window, uint64_t output) {
  std::set<uint64_t> positions;
  for (uint64_t tap = 0; tap < window.kernel; ++tap) {
    const uint64_t at = output * window.stride + tap * window.dilation;
    if (at >= window.pad && at - window.pad < kExtent)
      positions.insert(at - window.pad);
  }
  return positions;
}

TEST(WindowInputsTest, PartHoldsAllTapsOfItsOutputs) {
  forEachWindow([](const WindowSteps &window) {
    const uint64_t outputs = windowsIn(kExtent + window.pad, window.stride, window.reach());
    for (uint64_t first = 0; first < outputs; ++first)
      for (uint64_t end = first + 1; end <= outputs; ++end) {
        const WindowInputs part = window.inputsOf(first, end, kExtent);
        const WindowSteps alone{window.kernel, window.dilation, window.stride, part.pad};
        for (uint64_t output = first; output < end; ++output) {
          std::set<uint64_t> moved;
          for (uint64_t position : readBy(alone, output - first))
            moved.insert(position + part.begin);
          for (uint64_t position : readBy(window, output)) {
            EXPECT_LE(part.begin, position);
            EXPECT_LT(position, part.end);
            EXPECT_TRUE(moved.contains(position));
          }
        }
      }
  });
}

TEST(WindowInputsTest, PaddingAloneReadsNothing) {
  const WindowInputs part = WindowSteps{2, 1, 1, 6}.inputsOf(0, 3, kExtent);
  EXPECT_EQ(part.begin, part.end);
  EXPECT_EQ(part.pad, 6U);
}

TEST(WindowInputsTest, LaterTapsReadLaterPositions) {
  const WindowInputs part = WindowSteps{1, 2, 1, 1}.inputsOf(0, 2, kExtent, 2);
  EXPECT_EQ(part.begin, 3U);
  EXPECT_EQ(part.end, 5U);
  EXPECT_EQ(part.pad, 0U);
}

TEST(WindowInputsTest, TransposedPartHoldsAllContributors) {
  for (uint64_t kernel = 1; kernel <= 4; ++kernel)
    for (uint64_t stride = 1; stride <= 5; ++stride)
      for (uint64_t pad = 0; pad < kernel; ++pad) {
        const WindowSteps window{kernel, 1, stride, pad};
        const uint64_t outputs = windowsSpan(kExtent, stride, kernel) - pad;
        for (uint64_t first = 0; first < outputs; ++first) {
          const WindowInputs part = window.transposedInputsOf(first, outputs, kExtent);
          EXPECT_LT(part.begin, part.end);
          EXPECT_LE(part.end, kExtent);
          EXPECT_EQ(part.pad + part.begin * stride, first + pad);
          for (uint64_t i = 0; i < kExtent; ++i)
            if (i * stride + kernel > first + pad && i * stride <= outputs - 1 + pad) {
              EXPECT_LE(part.begin, i);
              EXPECT_LT(i, part.end);
            }
        }
      }
}

TEST(WindowInputsTest, SamePaddingGivesOneWindowPerStride) {
  for (int64_t extent = 1; extent <= 12; ++extent)
    for (int64_t stride = 1; stride <= 4; ++stride)
      for (int64_t reach = stride; reach <= 6; ++reach) {
        const int64_t padding = samePaddingOf(extent, stride, reach);
        EXPECT_EQ(windowsIn(extent + padding, stride, reach), (extent + stride - 1) / stride);
      }
  EXPECT_EQ(windowsIn<int64_t>(2, 1, 3), 0);
}

} // namespace
