//===- ReadTree.cpp - A buffer becomes a tree -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Does not use the FlatBuffers verifier, because it rejects a buffer as a whole. Most inputs of a fuzzer are invalid in
// one place only.
//
//===----------------------------------------------------------------------===//

#include "Tree.h"

#include <cstring>
#include <optional>

namespace avocet::fuzz {
namespace {

using reflection::BaseType;

class Reader {
public:
  Reader(std::span<const uint8_t> buffer, const reflection::Schema &schema) : buffer_(buffer), schema_(schema) {}

  TablePointer root(const reflection::Object &type) {
    TablePointer table = this->table(target(0), &type, 0);
    return table ? std::move(table) : std::make_unique<Table>(Table{&type, {}});
  }

private:
  static constexpr int kMaxDepth = 24;
  static constexpr size_t kMaxTables = 4000;

  /// The span [position, position + size); none if it exceeds the buffer.
  std::optional<std::span<const uint8_t>> at(uint64_t position, uint64_t size) const {
    if (position > buffer_.size() || size > buffer_.size() - position)
      return std::nullopt;
    return buffer_.subspan(position, size);
  }
  template <typename T> std::optional<T> number(uint64_t position) const {
    auto bytes = at(position, sizeof(T));
    if (!bytes)
      return std::nullopt;
    T value;
    std::memcpy(&value, bytes->data(), sizeof(T));
    return value;
  }
  /// The target of the offset at `position`; UINT64_MAX if there is no offset.
  uint64_t target(uint64_t position) const {
    auto offset = number<uint32_t>(position);
    return offset && *offset != 0 ? position + *offset : UINT64_MAX;
  }

  TablePointer table(uint64_t position, const reflection::Object *type, int depth) {
    auto toVtable = number<int32_t>(position);
    if (!toVtable || depth > kMaxDepth || ++numTables_ > kMaxTables)
      return nullptr;
    uint64_t vtable = static_cast<uint64_t>(static_cast<int64_t>(position) - *toVtable);
    auto vtableBytes = number<uint16_t>(vtable);
    if (!vtableBytes)
      return nullptr;
    auto table = std::make_unique<Table>();
    table->type = type;
    for (size_t i = 0; type != nullptr && i < type->fields()->size(); ++i) {
      const reflection::Field &field = *type->fields()->Get(static_cast<uint32_t>(i));
      auto offset = field.offset() + 2u <= *vtableBytes ? number<uint16_t>(vtable + field.offset()) : std::nullopt;
      if (offset.value_or(0) == 0)
        continue;
      if (std::optional<Value> value = this->value(position, *offset, vtable, field, depth))
        table->fields[field.offset()] = std::move(*value);
    }
    return table;
  }

  std::optional<Value> value(uint64_t table, uint16_t offset, uint64_t vtable, const reflection::Field &field,
                             int depth) {
    const uint64_t position = table + offset;
    const reflection::Type &type = *field.type();
    switch (type.base_type()) {
    case BaseType::String:
      return bytesOf(target(position), 1);
    case BaseType::Vector:
      return vector(target(position), type, depth);
    case BaseType::Union: {
      auto tagAt = number<uint16_t>(vtable + tagOffset(field));
      auto tag = tagAt.value_or(0) == 0 ? std::nullopt : number<uint8_t>(table + *tagAt);
      return tableValue(target(position), unionMember(schema_, field, tag.value_or(0)), depth);
    }
    case BaseType::Obj:
      if (!schema_.objects()->Get(type.index())->is_struct())
        return tableValue(target(position), schema_.objects()->Get(type.index()), depth);
      [[fallthrough]];
    default:
      return inlineValue(position, type);
    }
  }

  std::optional<Value> tableValue(uint64_t position, const reflection::Object *type, int depth) {
    TablePointer table = this->table(position, type, depth + 1);
    return table ? std::optional<Value>(std::move(table)) : std::nullopt;
  }

  std::optional<Value> inlineValue(uint64_t position, const reflection::Type &type) const {
    auto bytes = at(position, elementBytes(schema_, type.base_type(), type.index()));
    if (!bytes)
      return std::nullopt;
    if (type.base_type() == BaseType::Obj)
      return Bytes(bytes->begin(), bytes->end());
    uint64_t bits = 0;
    std::memcpy(&bits, bytes->data(), bytes->size());
    return bits;
  }

  std::optional<Value> bytesOf(uint64_t position, size_t elementSize) const {
    auto count = number<uint32_t>(position);
    auto bytes = count ? at(position + 4, uint64_t(*count) * elementSize) : std::nullopt;
    return bytes ? std::optional<Value>(Bytes(bytes->begin(), bytes->end())) : std::nullopt;
  }

  std::optional<Value> vector(uint64_t position, const reflection::Type &type, int depth) {
    const reflection::Object *object = type.element() == BaseType::Obj ? schema_.objects()->Get(type.index()) : nullptr;
    const bool isOfTables = object != nullptr && !object->is_struct();
    if (!isOfTables && type.element() != BaseType::String)
      return bytesOf(position, elementBytes(schema_, type.element(), type.index()));
    auto count = number<uint32_t>(position);
    if (!count || !at(position + 4, uint64_t(*count) * 4))
      return std::nullopt;
    Tables tables;
    Strings strings;
    for (uint64_t entry = position + 4; entry < position + 4 + uint64_t(*count) * 4; entry += 4)
      if (isOfTables) {
        if (TablePointer table = this->table(target(entry), object, depth + 1))
          tables.push_back(std::move(table));
      } else if (std::optional<Value> text = bytesOf(target(entry), 1)) {
        const Bytes &bytes = std::get<Bytes>(*text);
        strings.emplace_back(bytes.begin(), bytes.end());
      }
    return isOfTables ? Value(std::move(tables)) : Value(std::move(strings));
  }

  const std::span<const uint8_t> buffer_;
  const reflection::Schema &schema_;
  size_t numTables_ = 0;
};

} // namespace

TablePointer readTree(std::span<const uint8_t> buffer, const reflection::Schema &schema,
                      const reflection::Object &root) {
  return Reader(buffer, schema).root(root);
}

const reflection::Object *unionMember(const reflection::Schema &schema, const reflection::Field &field, uint64_t tag) {
  const reflection::Enum &choices = *schema.enums()->Get(field.type()->index());
  const reflection::EnumVal *choice = choices.values()->LookupByKey(static_cast<int64_t>(tag));
  if (choice == nullptr || choice->union_type() == nullptr || choice->union_type()->index() < 0)
    return nullptr;
  return schema.objects()->Get(choice->union_type()->index());
}

size_t elementBytes(const reflection::Schema &schema, reflection::BaseType type, int32_t index) {
  return flatbuffers::GetTypeSizeInline(type, index, schema);
}

} // namespace avocet::fuzz
