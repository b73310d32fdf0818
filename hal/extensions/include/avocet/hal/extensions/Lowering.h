//===- Lowering.h - Models with extensions as the driver uses them -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_EXTENSIONS_LOWERING_H
#define AVOCET_HAL_EXTENSIONS_LOWERING_H

#include "avocet/hal/types/Result.h"
#include "avocet/hal/types/Types.h"

namespace avocet::hal {

/// Whether the model lists an extension of this device.
bool usesExtensions(const Model &model);

/// The valid model with its operands of this device's extensions in their storage forms (ExtensionType::storage). They
/// keep their extension data, which distinguishes them from standard operands. Codes of operations, and everything of
/// unknown extensions, stay. InvalidArgument: an operand or operation breaks a rule of its extension.
Result<Model> lowerExtensions(const Model &model);

} // namespace avocet::hal

#endif // AVOCET_HAL_EXTENSIONS_LOWERING_H
