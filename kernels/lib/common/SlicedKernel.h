//===- SlicedKernel.h - Kernels of independent slices ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_COMMON_SLICEDKERNEL_H
#define AVOCET_KERNELS_LIB_COMMON_SLICEDKERNEL_H

#include "common/FeatureMapView.h"
#include "common/MapParts.h"

namespace avocet::kernels {

/// A kernel of which all operands are dense and have `kCount` equal slices, one for each box, row or image. Parts are
/// slices.
template <typename Parameters, uint32_t Parameters::*kCount> class SlicedKernel : public DspKernel {
protected:
  /// Whether each slice of the results needs all of the input.
  virtual bool isShared(size_t) const { return false; }

  uint32_t partsOf(const firmware::DspCommand &command) const override {
    return parametersOf<Parameters>(command).*kCount;
  }

  firmware::DspCommand partOf(const firmware::DspCommand &command, uint32_t first, uint32_t count) const override {
    auto parameters = parametersOf<Parameters>(command);
    const uint32_t all = parameters.*kCount;
    const auto slice = [&](firmware::FeatureMap &map) {
      map = denseSlices(map, elementCount(map) / all, first, count);
    };
    firmware::DspCommand part = command;
    for (size_t input = 0; input < part.inputs.size(); ++input)
      if (!isShared(input))
        slice(part.inputs[input]);
    for (firmware::FeatureMap &output : part.outputs)
      slice(output);
    parameters.*kCount = count;
    part.parameters = packParameters(parameters);
    return part;
  }
};

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_COMMON_SLICEDKERNEL_H
