//===- Extension.cpp - Vendor extensions of the device --------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/extensions/Extension.h"

#include <algorithm>

namespace avocet::hal {

const ExtensionRules *findExtension(std::string_view name) {
  const auto all = allExtensions();
  const auto found = std::ranges::find(all, name, &ExtensionRules::name);
  return found == all.end() ? nullptr : *found;
}

std::vector<Extension> describeExtensions() {
  std::vector<Extension> described;
  for (const ExtensionRules *rules : allExtensions()) {
    Extension &extension = described.emplace_back(Extension{std::string(rules->name), {}});
    for (const ExtensionType &type : rules->types)
      extension.operandTypes.push_back({type.number, type.isTensor, type.byteSize});
  }
  return described;
}

} // namespace avocet::hal
