//===- TfliteModel.h - Models of the TFLite extension -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_MODEL_TFLITEMODEL_H
#define AVOCET_HAL_DRIVER_LIB_MODEL_TFLITEMODEL_H

#include "avocet/cache/ModelCache.h"
#include "avocet/hal/driver/TfliteExtension.h"
#include "avocet/hal/types/Result.h"

#include <optional>

namespace avocet::hal {

/// The operand with the file's bytes if the valid model uses the extension; empty if it does not. GeneralFailure: the
/// model does not satisfy the extension's rules.
Result<std::optional<uint32_t>> tfliteFileOf(const Model &model);

/// InvalidArgument unless the declared inputs and outputs of a model with the extension match those of the network.
Outcome checkTfliteOperands(const Model &model, const cache::ModelCache &network);

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_MODEL_TFLITEMODEL_H
