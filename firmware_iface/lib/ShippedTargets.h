//===- ShippedTargets.h - Target files embedded in the library --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_FIRMWARE_IFACE_LIB_SHIPPEDTARGETS_H
#define AVOCET_FIRMWARE_IFACE_LIB_SHIPPEDTARGETS_H

#include <span>
#include <string_view>

namespace avocet::firmware {

struct ShippedTarget {
  std::string_view name;
  std::string_view text;
};

/// Generated from targets/*.toml at build time, in the order of the build file's list.
std::span<const ShippedTarget> shippedTargets();

} // namespace avocet::firmware

#endif // AVOCET_FIRMWARE_IFACE_LIB_SHIPPEDTARGETS_H
