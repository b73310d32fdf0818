//===- NormalizeSamples.h - A command of each normalization -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parameters for tests and benchmarks of all kernels of Normalize.h.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_KERNELS_NORMALIZESAMPLES_H
#define AVOCET_TESTS_KERNELS_NORMALIZESAMPLES_H

#include "avocet/firmware_iface/Command.h"
#include "avocet/kernels/dsp/Normalize.h"

#include <iterator>
#include <optional>
#include <vector>

namespace avocet::kernels {

struct NormalizeSample {
  KernelId kernel;
  std::vector<uint32_t> (*parameters)(AxisExtents extents);
  /// Of i8 results; that of u8 results is 128 greater. No value: the kernel takes floats only.
  std::optional<int32_t> byteZeroPoint = std::nullopt;

  int32_t resultZeroPoint(firmware::DataType type) const {
    const int32_t ofSigned = byteZeroPoint.value_or(0);
    return type == firmware::DataType::Int8 ? ofSigned : type == firmware::DataType::UInt8 ? ofSigned + 128 : 0;
  }
};

inline constexpr NormalizeSample kNormalizeSamples[] = {
    {kSoftmaxNdKernel,
     [](AxisExtents extents) { return packParameters(SoftmaxNdParameters{extents, prepareSoftmax(0.7f, 0.1f)}); },
     -128},
    {kLogSoftmaxKernel, [](AxisExtents extents) { return packParameters(LogSoftmaxParameters{extents, 0.7f}); }, 127},
    {kL2NormalizeKernel, [](AxisExtents extents) { return packParameters(L2NormalizeParameters{extents}); }, 0},
    {kLocalResponseKernel,
     [](AxisExtents extents) { return packParameters(LocalResponseParameters{extents, 2, 1, 0.5f, 0.75f}); }},
    {kInstanceNormalizeKernel,
     [](AxisExtents extents) { return packParameters(InstanceNormalizeParameters{extents, 1.5f, 0.25f, 0.01f}); }},
    {kRmsNormalizeKernel, [](AxisExtents extents) { return packParameters(RmsNormalizeParameters{extents, 0.01f}); }},
};
static_assert(std::size(kNormalizeSamples) == std::size(kNormalizeKernels));

} // namespace avocet::kernels

#endif // AVOCET_TESTS_KERNELS_NORMALIZESAMPLES_H
