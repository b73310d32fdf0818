//===- ModelFacts.h - What telemetry says about a model -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_NNAPI_LIB_TELEMETRY_MODELFACTS_H
#define AVOCET_HAL_NNAPI_LIB_TELEMETRY_MODELFACTS_H

#include "avocet/NeuralNetworksDiagnostic.h"

#include "avocet/hal/types/Types.h"

#include <array>
#include <cstdint>

namespace avocet::nnapi {

/// The properties of a model that callbacks may read (NeuralNetworksDiagnostic.h).
struct ModelFacts {
  std::array<uint8_t, 32> architecture{}; ///< a hash of operations, operand types and extents
  ANeuralNetworksDiagnosticDataClass inputs = ANNDIAG_DATA_CLASS_UNKNOWN;
  ANeuralNetworksDiagnosticDataClass outputs = ANNDIAG_DATA_CLASS_UNKNOWN;
  bool usesControlFlow = false;
  bool hasDynamicTensors = false; ///< of unknown extents
};

ModelFacts factsOf(const hal::Model &model);

} // namespace avocet::nnapi

#endif // AVOCET_HAL_NNAPI_LIB_TELEMETRY_MODELFACTS_H
