//===- StateValues.cpp - Values that a network keeps ----------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/runtime/StateValues.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace avocet::runtime {

Result<size_t> StateValues::find(std::string_view name) const {
  std::string names;
  for (size_t i = 0; i < count(); ++i) {
    if (description(i).name == name)
      return i;
    names += fmt::format("{}'{}'", i == 0 ? "" : ", ", description(i).name);
  }
  return notFound(fmt::format("the model has no state '{}'; it has {}", name, names.empty() ? "none" : names));
}

void StateValues::reset() {
  for (size_t i = 0; i < count(); ++i) {
    std::ranges::fill(bytes(i), uint8_t{0});
    std::ranges::copy(description(i).initial, bytes(i).begin());
  }
}

} // namespace avocet::runtime
