//===- WindowChecks.h - Rules of windows over batches -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_WINDOW_WINDOWCHECKS_H
#define AVOCET_KERNELS_LIB_WINDOW_WINDOWCHECKS_H

#include "common/NdShape.h"

namespace avocet::kernels {

/// Ok if the rows of the map are those of `batch` images of equal height.
inline Status checkImages(std::string_view name, const firmware::FeatureMap &map, uint32_t batch) {
  if (batch == 0 || map.height % batch != 0)
    return ruleBroken("batch", batch, "a divisor of the rows of " + std::string(name));
  return Status::ok();
}

/// One image of a batch: the map with the rows of the first image.
inline firmware::FeatureMap imageOf(firmware::FeatureMap map, uint32_t batch) {
  map.height /= batch;
  return map;
}

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_WINDOW_WINDOWCHECKS_H
