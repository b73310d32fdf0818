//===- Tree.h - FlatBuffers of any schema as a tree -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tree is a buffer read with the reflection data of its schema. Code can change and write it without knowledge of the
// format. Unlike generated code the tree also holds invalid content: union tags and enumeration values that the schema
// does not have, and required fields that are absent.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_FUZZ_STRUCTURE_TREE_H
#define AVOCET_TESTS_FUZZ_STRUCTURE_TREE_H

#include <cstdint>
#include <flatbuffers/reflection.h>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace avocet::fuzz {

struct Table;
using TablePointer = std::unique_ptr<Table>;
/// A struct, a string, or a vector of scalars or structs; little-endian as in the buffer.
using Bytes = std::vector<uint8_t>;
using Tables = std::vector<TablePointer>;
using Strings = std::vector<std::string>;
/// uint64_t: the bits of a scalar of any type.
using Value = std::variant<uint64_t, Bytes, TablePointer, Tables, Strings>;

struct Table {
  /// Null: the body of a union whose tag the schema does not have.
  const reflection::Object *type = nullptr;
  /// By the field's offset in the vtable, which is unique in its table. A field without an entry is absent.
  std::map<uint16_t, Value> fields;
};

/// Reads the table of type `root` that `buffer` starts with. Never fails: fields outside of the buffer are absent, and
/// only the first 4000 tables are read, since a small buffer can share tables many times.
TablePointer readTree(std::span<const uint8_t> buffer, const reflection::Schema &schema,
                      const reflection::Object &root);

/// The inverse of readTree(): the bytes of a buffer. `identifier`: four characters, or null.
Bytes writeTree(const Table &root, const reflection::Schema &schema, const char *identifier);

/// A deep copy.
TablePointer copyOf(const Table &table);

/// The table type of a union's tag; null if the schema has no such tag.
const reflection::Object *unionMember(const reflection::Schema &schema, const reflection::Field &field, uint64_t tag);

/// The offset of a union's tag: FlatBuffers puts it directly before the union.
inline uint16_t tagOffset(const reflection::Field &field) {
  return static_cast<uint16_t>(field.offset() - sizeof(flatbuffers::voffset_t));
}

/// The bytes of one element of a vector of scalars or structs, or of a field of these types.
size_t elementBytes(const reflection::Schema &schema, reflection::BaseType type, int32_t index);

} // namespace avocet::fuzz

#endif // AVOCET_TESTS_FUZZ_STRUCTURE_TREE_H
