//===- Addresses.h - The addresses in a command -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The addresses of a command: all fields of type SramAddress or DmaEnd, in the order of visitFields. The type alone
// decides; the names of fields do not matter. Left out are kNoAddress and the source of a fill.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_FIRMWARE_IFACE_ADDRESSES_H
#define AVOCET_FIRMWARE_IFACE_ADDRESSES_H

#include "avocet/firmware_iface/Command.h"
#include "avocet/firmware_iface/Reflection.h"

#include <type_traits>

namespace avocet::firmware {

namespace detail {

/// Whether the command accesses the end: a fill has no source.
template <typename Command> bool accesses(const Command &, const DmaEnd &) { return true; }
inline bool accesses(const DmaCommand &command, const DmaEnd &end) {
  return command.kind != DmaKind::Fill || &end != &command.source;
}

template <typename Command, typename Field, typename Visit>
void visitAddressesOf(const Command &command, Field &field, Visit &visit) {
  using Plain = std::remove_const_t<Field>;
  if constexpr (std::is_same_v<Plain, SramAddress>) {
    if (field != kNoAddress)
      visit(field);
  } else if constexpr (std::is_same_v<Plain, DmaEnd>) {
    if (accesses(command, field))
      visit(field);
  } else if constexpr (Reflected<Plain>) {
    Plain::visitFields(field, [&](const char *, auto &inner) { visitAddressesOf(command, inner, visit); });
  } else if constexpr (WireList<Plain>) {
    for (auto &element : field)
      visitAddressesOf(command, element, visit);
  }
}

} // namespace detail

/// Calls visit(field) for each address of the command; the field is an SramAddress or a DmaEnd, const if the command
/// is. The visitor may change the field.
template <typename Command, typename Visit> void visitAddresses(Command &command, Visit &&visit) {
  detail::visitAddressesOf(command, command, visit);
}

template <typename Command> unsigned countAddresses(const Command &command) {
  unsigned count = 0;
  visitAddresses(command, [&](const auto &) { ++count; });
  return count;
}

} // namespace avocet::firmware

#endif // AVOCET_FIRMWARE_IFACE_ADDRESSES_H
