//===- OperandChecks.h - Rules of a single operand type ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_NNAPI_LIB_MODEL_OPERANDCHECKS_H
#define AVOCET_HAL_NNAPI_LIB_MODEL_OPERANDCHECKS_H

#include "api/ApiResult.h"
#include "avocet/hal/types/Types.h"

#include <cstdint>
#include <optional>
#include <span>

namespace avocet::nnapi {

/// As hal::getNonExtensionSize(), and also for types of extensions, by the facts that the devices state. Empty too for
/// a type that no device has. Thread-safe.
std::optional<uint64_t> valueSize(hal::OperandType type, std::span<const uint32_t> dimensions);

/// The operand of a type of the C interface, a temporary. BAD_DATA: it breaks a rule of operand types.
ApiResult<hal::Operand> operandOf(const ANeuralNetworksOperandType &type);

/// BAD_DATA unless the parameters fit the operand.
ApiResult<hal::SymmPerChannelQuantParams> channelParametersOf(const hal::Operand &operand,
                                                              const ANeuralNetworksSymmPerChannelQuantParams &given);

} // namespace avocet::nnapi

#endif // AVOCET_HAL_NNAPI_LIB_MODEL_OPERANDCHECKS_H
