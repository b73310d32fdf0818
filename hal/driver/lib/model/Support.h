//===- Support.h - The operations that the device supports ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_MODEL_SUPPORT_H
#define AVOCET_HAL_DRIVER_LIB_MODEL_SUPPORT_H

#include "client/Client.h"

namespace avocet::hal {

/// "Supported" is binding: a model of such operations can be prepared, and every execution with admissible extents and
/// values runs. If the model leaves extents or values open, this holds for tensors of up to compiler::kMaxOpenElements
/// elements. Operations that use an unreadable pool are not supported. Nothing is compiled. InvalidArgument: the model
/// breaks a rule or contradicts itself.
Result<SupportedOperations> supportedOperations(ClientState &client, const Model &model);

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_MODEL_SUPPORT_H
