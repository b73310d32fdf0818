//===- Support.h - Which operations the device can do -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_MODEL_SUPPORT_H
#define AVOCET_HAL_DRIVER_LIB_MODEL_SUPPORT_H

#include "client/Client.h"

namespace avocet::hal {

/// For a valid model: compiles it, since a yes is binding and some limits show late only; leaves out what the compiler
/// refuses, and compiles again until it refuses nothing. Of a model that has to wait for its first execution only the
/// kinds of operations can be judged. InvalidArgument when the compiler finds that the model contradicts itself.
/// Constants that cannot be read make every operation unsupported.
Result<SupportedOperations> supportedOperations(ClientState &client, const Model &model);

/// No to every operation, for one reason.
SupportedOperations unsupportedOperations(const Model &model, const std::string &reason);

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_MODEL_SUPPORT_H
