//===- TargetText.cpp - Target files as text -----------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/firmware_iface/TargetText.h"

#include "ShippedTargets.h"

#include "avocet/base/File.h"

namespace avocet::firmware {

Result<std::string> targetText(std::string_view nameOrPath) {
  for (const ShippedTarget &target : shippedTargets())
    if (target.name == nameOrPath)
      return std::string(target.text);
  AVOCET_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes, readFile(std::string(nameOrPath)));
  return std::string(bytes.begin(), bytes.end());
}

} // namespace avocet::firmware
