//===- CarriedModel.h - A TFLite file as a model of the HAL -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_SESSION_CARRIEDMODEL_H
#define AVOCET_SESSION_CARRIEDMODEL_H

#include "avocet/cache/ModelCache.h"
#include "avocet/hal/types/Types.h"

#include <span>

namespace avocet::session {

/// The network of a file in the extension of avocet/hal/driver/TfliteExtension.h, with the inputs and outputs of
/// `compiled`.
hal::Model carriedModel(std::span<const uint8_t> file, const cache::ModelCache &compiled);

} // namespace avocet::session

#endif // AVOCET_SESSION_CARRIEDMODEL_H
