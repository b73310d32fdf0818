//===- BufferRules.h - Rules of driver-allocated buffers --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_TYPES_BUFFERRULES_H
#define AVOCET_HAL_TYPES_BUFFERRULES_H

#include "avocet/hal/types/Interfaces.h"

#include <functional>
#include <vector>

namespace avocet::hal {

/// Returns a model whose main subgraph has the inputs and outputs of a prepared model, always the same object for the
/// same prepared model; null for a prepared model that roles must not name.
using ModelInterface = std::function<const Model *(const IPreparedModel &)>;

/// The arguments of IDevice::allocate(): returns the operand that the buffer holds, with the extents known from all
/// roles and `dimensions` together. InvalidArgument names the role and the rule.
Result<Operand> validateBufferRoles(const std::vector<uint32_t> &dimensions, const std::vector<BufferRole> &inputRoles,
                                    const std::vector<BufferRole> &outputRoles, const ModelInterface &interfaceOf);

} // namespace avocet::hal

#endif // AVOCET_HAL_TYPES_BUFFERRULES_H
