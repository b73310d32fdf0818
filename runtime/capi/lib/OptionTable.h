//===- OptionTable.h - The options of the C library -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_CAPI_LIB_OPTIONTABLE_H
#define AVOCET_RUNTIME_CAPI_LIB_OPTIONTABLE_H

#include "Objects.h"

#include <span>
#include <string_view>

namespace avocet::capi {

struct OptionEntry {
  const char *name;
  const char *help;
  Status (*set)(Options &options, const std::string &value);
};

/// In the order of the documentation.
std::span<const OptionEntry> optionTable();

/// The target of options is this text from now on.
Status setTargetText(Options &options, const std::string &value);

/// NotFound lists the names.
Status setOption(Options &options, std::string_view name, const std::string &value);

} // namespace avocet::capi

#endif // AVOCET_RUNTIME_CAPI_LIB_OPTIONTABLE_H
