//===- AddressFields.h - Address fields of device commands ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The address fields of a command in a fixed order: that of visitFields, without fields that hold kNoAddress and
// without the source of a fill.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_SUPPORT_ADDRESSFIELDS_H
#define AVOCET_COMPILER_SUPPORT_ADDRESSFIELDS_H

#include "avocet/firmware_iface/Command.h"
#include "avocet/firmware_iface/Reflection.h"

#include <string_view>
#include <type_traits>

namespace avocet::compiler {

namespace detail {

inline bool isAddressName(std::string_view name) {
  return name == "address" || name == "weights" || name == "channelRecords" || name == "dynamicScale" ||
         name == "lookupTable" || name == "table";
}

template <typename T, typename Visit> void visitAddressField(const char *name, T &field, Visit &visit) {
  using Field = std::remove_const_t<T>;
  if constexpr (std::is_same_v<Field, firmware::DmaEnd>) {
    visit(name, field);
  } else if constexpr (firmware::Reflected<Field>) {
    Field::visitFields(field, [&](const char *inner, auto &value) { visitAddressField(inner, value, visit); });
  } else if constexpr (firmware::WireList<Field>) {
    for (auto &element : field)
      visitAddressField("", element, visit);
  } else if constexpr (std::is_same_v<Field, uint32_t>) {
    if (isAddressName(name) && field != firmware::kNoAddress)
      visit(name, field);
  }
}

} // namespace detail

/// Calls visit(name, field) for each address field; the field is a uint32_t (an SRAM address) or a firmware::DmaEnd.
template <typename Command, typename Visit> void visitAddresses(Command &command, Visit &&visit) {
  using Plain = std::remove_const_t<Command>;
  if constexpr (std::is_same_v<Plain, firmware::DmaCommand>) {
    if (command.kind != firmware::DmaKind::Fill)
      visit("source", command.source);
    visit("destination", command.destination);
  } else {
    Plain::visitFields(command, [&](const char *name, auto &field) { detail::visitAddressField(name, field, visit); });
  }
}

template <typename Command> unsigned countAddresses(const Command &command) {
  unsigned count = 0;
  visitAddresses(command, [&](const char *, const auto &) { ++count; });
  return count;
}

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_SUPPORT_ADDRESSFIELDS_H
