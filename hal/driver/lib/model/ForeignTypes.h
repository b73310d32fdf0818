//===- ForeignTypes.h - Operands of types that the device lacks -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Types of unknown extensions and OEM types, in models whose known extensions have been lowered. The compiler refuses
// a whole model with such an operand, so the driver takes them out to judge the other operations.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_MODEL_FOREIGNTYPES_H
#define AVOCET_HAL_DRIVER_LIB_MODEL_FOREIGNTYPES_H

#include "avocet/hal/types/Result.h"
#include "avocet/hal/types/Types.h"

#include <map>
#include <string>

namespace avocet::hal {

/// The main operations that use an operand of a foreign type, also in a subgraph that they refer to, each with the name
/// of the type. Linear time.
std::map<size_t, std::string> foreignOperations(const Model &model);

/// Gives all operands of foreign types a standard type, and constants among them no value. No operation that remains to
/// be judged may use them.
void replaceForeignTypes(Model &model);

/// GeneralFailure names the first operand of a foreign type.
Outcome checkNoForeignTypes(const Model &model);

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_MODEL_FOREIGNTYPES_H
