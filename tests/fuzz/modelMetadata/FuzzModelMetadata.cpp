//===- FuzzModelMetadata.cpp - Metadata of .tflite files --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/session/ModelMetadata.h"

#include <cmath>
#include <cstdlib>

/// A normalization that is read has finite numbers.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const auto metadata = avocet::session::readModelMetadata(std::span(data, size));
  if (metadata && metadata->normalization)
    for (size_t i = 0; i < 3; ++i)
      if (!std::isfinite(metadata->normalization->mean[i]) || !std::isfinite(metadata->normalization->scale[i]))
        std::abort();
  return 0;
}
