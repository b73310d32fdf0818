//===- Fields.h - Fields of tables that are read as trees -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fields are named by the offsets of generated code (VT_*). An absent field is 0 or empty.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_FUZZ_SCRIPT_FIELDS_H
#define AVOCET_TESTS_FUZZ_SCRIPT_FIELDS_H

#include "../structure/Tree.h"

namespace avocet::fuzz {

template <typename T> const T *fieldOf(const Table &table, uint16_t offset) {
  auto found = table.fields.find(offset);
  return found == table.fields.end() ? nullptr : std::get_if<T>(&found->second);
}

inline uint64_t numberOf(const Table &table, uint16_t offset) {
  const auto *bits = fieldOf<uint64_t>(table, offset);
  return bits != nullptr ? *bits : 0;
}

inline const Bytes &bytesOf(const Table &table, uint16_t offset) {
  static const Bytes none;
  const auto *bytes = fieldOf<Bytes>(table, offset);
  return bytes != nullptr ? *bytes : none;
}

inline const Tables &tablesOf(const Table &table, uint16_t offset) {
  static const Tables none;
  const auto *tables = fieldOf<Tables>(table, offset);
  return tables != nullptr ? *tables : none;
}

inline const Table &tableOf(const Table &table, uint16_t offset) {
  static const Table none;
  const auto *child = fieldOf<TablePointer>(table, offset);
  return child != nullptr ? **child : none;
}

} // namespace avocet::fuzz

#endif // AVOCET_TESTS_FUZZ_SCRIPT_FIELDS_H
