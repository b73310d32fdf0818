//===- Attributes.h - Attributes of compilations and executions -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From the hints of the HAL, tokens with prefixes, to the attributes of this device's extensions. The hints and names
// have been validated (Validation.h). Unknown extensions and attributes are ignored. InvalidArgument: an extension
// refuses a value, or a compilation gets an attribute of executions, or the reverse.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_EXTENSIONS_ATTRIBUTES_H
#define AVOCET_HAL_EXTENSIONS_ATTRIBUTES_H

#include "avocet/hal/types/Interfaces.h"
#include "avocet/hal/types/Result.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace avocet::hal {

struct AttributeValue {
  std::string_view extension;
  uint16_t number;
  std::span<const uint8_t> value; ///< of the options
};

/// Those of a compilation, by extension and number: options that mean the same give the same list.
Result<std::vector<AttributeValue>> compilationAttributes(const PrepareOptions &options);

/// Whether applyExecutionAttributes() will accept the options.
Outcome checkExecutionAttributes(const ExecutionOptions &options);

/// Has all attributes of the options applied to them by their extensions.
Outcome applyExecutionAttributes(ExecutionOptions &options);

} // namespace avocet::hal

#endif // AVOCET_HAL_EXTENSIONS_ATTRIBUTES_H
