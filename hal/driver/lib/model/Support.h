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

/// A yes is binding: a model of such operations can be prepared, and every execution with admissible
/// extents and values runs, as long as no tensor of a model that leaves some open has more than
/// compiler::kMaxOpenElements elements. Operations that use a pool which cannot be read are not supported. Nothing is
/// compiled. InvalidArgument when the model breaks a rule or contradicts itself.
Result<SupportedOperations> supportedOperations(ClientState &client, const Model &model);

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_MODEL_SUPPORT_H
