//===- WriteTree.cpp - A tree becomes a buffer ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tree.h"

#include <algorithm>

namespace avocet::fuzz {
namespace {

using reflection::BaseType;
using Offset = flatbuffers::Offset<void>;

class Writer {
public:
  explicit Writer(const reflection::Schema &schema) : schema_(schema) {}

  Bytes finish(const Table &root, const char *identifier) {
    builder_.Finish(table(root), identifier);
    return {builder_.GetBufferPointer(), builder_.GetBufferPointer() + builder_.GetSize()};
  }

private:
  /// Children first: the builder writes one table at a time.
  Offset table(const Table &table) {
    std::map<uint16_t, Offset> children;
    for (const auto &[offset, value] : table.fields)
      if (const reflection::Field *field = fieldAt(table, offset); field != nullptr && isReferred(*field))
        children[offset] = child(value, *field);
    flatbuffers::uoffset_t start = builder_.StartTable();
    for (const auto &[offset, value] : table.fields)
      if (auto found = children.find(offset); found != children.end())
        builder_.AddOffset(offset, found->second);
      else if (const reflection::Field *field = fieldAt(table, offset))
        addInline(offset, value, *field);
    return builder_.EndTable(start);
  }

  static const reflection::Field *fieldAt(const Table &table, uint16_t offset) {
    if (table.type == nullptr)
      return nullptr;
    auto found = std::find_if(table.type->fields()->begin(), table.type->fields()->end(),
                              [&](const reflection::Field *field) { return field->offset() == offset; });
    return found == table.type->fields()->end() ? nullptr : *found;
  }

  bool isReferred(const reflection::Field &field) const {
    const BaseType type = field.type()->base_type();
    return type == BaseType::String || type == BaseType::Vector || type == BaseType::Union ||
           (type == BaseType::Obj && !schema_.objects()->Get(field.type()->index())->is_struct());
  }

  Offset child(const Value &value, const reflection::Field &field) {
    if (const auto *table = std::get_if<TablePointer>(&value))
      return this->table(**table);
    if (const auto *tables = std::get_if<Tables>(&value))
      return each(*tables, [this](const TablePointer &table) { return this->table(*table); });
    if (const auto *strings = std::get_if<Strings>(&value))
      return each(*strings, [this](const std::string &text) { return Offset(builder_.CreateString(text).o); });
    const Bytes &bytes = std::get<Bytes>(value);
    if (field.type()->base_type() == BaseType::String)
      return builder_.CreateString(reinterpret_cast<const char *>(bytes.data()), bytes.size()).o;
    return vector(bytes, field);
  }

  template <typename Entries, typename Write> Offset each(const Entries &entries, Write write) {
    std::vector<Offset> offsets;
    for (const auto &entry : entries)
      offsets.push_back(write(entry));
    return builder_.CreateVector(offsets).o;
  }

  Offset vector(const Bytes &bytes, const reflection::Field &field) {
    const reflection::Type &type = *field.type();
    const size_t size = elementBytes(schema_, type.element(), type.index());
    const auto *attribute = field.attributes() ? field.attributes()->LookupByKey("force_align") : nullptr;
    const size_t forced = attribute != nullptr ? std::stoul(attribute->value()->str()) : 1;
    const size_t own = type.element() == BaseType::Obj ? schema_.objects()->Get(type.index())->minalign() : size;
    const size_t count = bytes.size() / size;
    builder_.ForceVectorAlignment(count, size, std::max(forced, own));
    builder_.StartVector(count * size, 1); // the length in bytes, since StartVector aligns to the element size
    builder_.PushBytes(bytes.data(), count * size);
    return builder_.EndVector(count);
  }

  void addInline(uint16_t offset, const Value &value, const reflection::Field &field) {
    if (const auto *bytes = std::get_if<Bytes>(&value)) {
      builder_.Align(schema_.objects()->Get(field.type()->index())->minalign());
      builder_.PushBytes(bytes->data(), bytes->size());
      return builder_.AddStructOffset(offset, builder_.GetSize());
    }
    const uint64_t bits = std::get<uint64_t>(value);
    switch (flatbuffers::GetTypeSize(field.type()->base_type())) {
    case 1:
      return builder_.AddElement(offset, static_cast<uint8_t>(bits));
    case 2:
      return builder_.AddElement(offset, static_cast<uint16_t>(bits));
    case 4:
      return builder_.AddElement(offset, static_cast<uint32_t>(bits));
    default:
      return builder_.AddElement(offset, bits);
    }
  }

  const reflection::Schema &schema_;
  flatbuffers::FlatBufferBuilder builder_;
};

} // namespace

Bytes writeTree(const Table &root, const reflection::Schema &schema, const char *identifier) {
  return Writer(schema).finish(root, identifier);
}

TablePointer copyOf(const Table &table) {
  auto copy = std::make_unique<Table>();
  copy->type = table.type;
  for (const auto &[offset, value] : table.fields)
    if (const auto *child = std::get_if<TablePointer>(&value)) {
      copy->fields[offset] = copyOf(**child);
    } else if (const auto *children = std::get_if<Tables>(&value)) {
      Tables list;
      for (const TablePointer &entry : *children)
        list.push_back(copyOf(*entry));
      copy->fields[offset] = std::move(list);
    } else if (const auto *bits = std::get_if<uint64_t>(&value)) {
      copy->fields[offset] = *bits;
    } else if (const auto *bytes = std::get_if<Bytes>(&value)) {
      copy->fields[offset] = *bytes;
    } else {
      copy->fields[offset] = std::get<Strings>(value);
    }
  return copy;
}

} // namespace avocet::fuzz
