//===- CarriedNetwork.h - A network inside the TFLite extension -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_GOLDEN_CARRIEDNETWORK_H
#define AVOCET_TESTS_GOLDEN_CARRIEDNETWORK_H

#include "avocet/cache/ModelCache.h"
#include "avocet/hal/types/Types.h"

#include <span>

namespace avocet::golden {

/// A HAL model that holds a .tflite file as TfliteExtension.h describes; `network` is the compiled file.
hal::Model carriedNetwork(std::span<const uint8_t> file, const cache::ModelCache &network);

} // namespace avocet::golden

#endif // AVOCET_TESTS_GOLDEN_CARRIEDNETWORK_H
