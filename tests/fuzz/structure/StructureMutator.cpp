//===- StructureMutator.cpp - Changes inputs by their schema ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StructureMutator.h"

#include "Numbers.h"

#include <algorithm>
#include <cstdlib>

namespace avocet::fuzz {

using reflection::BaseType;

/// One change of one tree.
class StructureMutator::Change {
public:
  Change(StructureMutator &mutator, std::minstd_rand &random)
      : schema_(mutator.schema_), pool_(mutator.pool_), random_(random) {}

  void changeField(Table &table, const reflection::Field &field) {
    auto found = table.fields.find(field.offset());
    if (found == table.fields.end())
      return insert(table, field);
    if (oneIn(12))
      return void(table.fields.erase(found));
    Value &value = found->second;
    const reflection::Type &type = *field.type();
    if (auto *bits = std::get_if<uint64_t>(&value))
      changeScalar(table, field, *bits);
    else if (auto *bytes = std::get_if<Bytes>(&value))
      changeBytes(*bytes, type);
    else if (auto *tables = std::get_if<Tables>(&value))
      changeList(
          *tables, [&] { return some(schema_.objects()->Get(type.index())); },
          [](const TablePointer &entry) { return copyOf(*entry); });
    else if (auto *strings = std::get_if<Strings>(&value))
      changeList(
          *strings, [&] { return std::string(random_() % 8, 'x'); }, [](const std::string &text) { return text; });
    else if (const reflection::Object *object = std::get<TablePointer>(value)->type)
      value = some(object);
  }

private:
  /// More elements exceed quotas and message sizes in most cases.
  static constexpr size_t kMaxCopies = 300;

  bool oneIn(uint32_t count) { return random_() % count == 0; }

  /// A table of an earlier input, or an empty one.
  TablePointer some(const reflection::Object *type) {
    auto known = pool_.find(type);
    if (known != pool_.end() && !oneIn(8))
      return copyOf(*known->second[random_() % known->second.size()]);
    return std::make_unique<Table>(Table{type, {}});
  }

  void insert(Table &table, const reflection::Field &field) {
    const reflection::Type &type = *field.type();
    const reflection::Object *object =
        type.index() >= 0 && type.base_type() == BaseType::Obj ? schema_.objects()->Get(type.index()) : nullptr;
    Value &value = table.fields[field.offset()];
    switch (type.base_type()) {
    case BaseType::Obj:
      if (object->is_struct())
        value = Bytes(static_cast<size_t>(object->bytesize()), 0);
      else
        value = some(object);
      break;
    case BaseType::Union:
      value = std::make_unique<Table>();
      changeTag(table, field);
      break;
    case BaseType::Vector:
      if (type.element() == BaseType::String)
        value = Strings{"x"};
      else if (type.element() == BaseType::Obj && !schema_.objects()->Get(type.index())->is_struct())
        value = listOf(some(schema_.objects()->Get(type.index())));
      else
        value = Bytes(elementBytes(schema_, type.element(), type.index()), 0);
      break;
    case BaseType::String:
      value = Bytes{'x'};
      break;
    default:
      value = uint64_t(0);
      changeScalar(table, field, std::get<uint64_t>(value));
    }
  }

  static Tables listOf(TablePointer table) {
    Tables list;
    list.push_back(std::move(table));
    return list;
  }

  void changeScalar(Table &table, const reflection::Field &field, uint64_t &bits) {
    const reflection::Type &type = *field.type();
    if (type.base_type() == BaseType::UType)
      return changeTagField(table, field);
    if (type.index() >= 0 && !oneIn(4)) { // a value of the enumeration, or the one after the last
      const auto &values = *schema_.enums()->Get(type.index())->values();
      const uint32_t choice = random_() % (values.size() + 1);
      bits = static_cast<uint64_t>(choice < values.size() ? values.Get(choice)->value() : values.size());
      return;
    }
    bits = type.base_type() == BaseType::Bool ? !bits : changedNumber(bits, type.base_type(), random_);
  }

  /// The tag is a separate field, directly before its union.
  void changeTagField(Table &table, const reflection::Field &tag) {
    for (const reflection::Field *field : *table.type->fields())
      if (field->type()->base_type() == BaseType::Union && tagOffset(*field) == tag.offset())
        return changeTag(table, *field);
  }

  /// A tag of the schema with a body of its type, a tag outside of the schema, or a tag with a body of another type.
  void changeTag(Table &table, const reflection::Field &field) {
    const auto &choices = *schema_.enums()->Get(field.type()->index())->values();
    const uint64_t last = choices.size() - 1;
    const uint32_t kind = random_() % 8;
    const uint64_t tag = kind < 5   ? 1 + random_() % last
                         : kind < 7 ? last + 1 + random_() % (255 - last)
                                    : random_() % 256;
    table.fields[tagOffset(field)] = tag;
    const reflection::Object *object = unionMember(schema_, field, tag);
    if (object != nullptr && kind < 5)
      table.fields[field.offset()] = some(object);
    else if (!table.fields.contains(field.offset()))
      table.fields[field.offset()] = std::make_unique<Table>();
  }

  void changeBytes(Bytes &bytes, const reflection::Type &type) {
    if (type.base_type() == BaseType::Obj)
      return changeStruct(bytes, 0, *schema_.objects()->Get(type.index()));
    if (type.base_type() == BaseType::String)
      return changeRaw(bytes);
    changeVector(bytes, type);
  }

  void changeRaw(Bytes &bytes) {
    const size_t size = bytes.size();
    bytes.resize(size + 16);
    bytes.resize(LLVMFuzzerMutate(bytes.data(), size, bytes.size()));
  }

  void changeStruct(Bytes &bytes, size_t start, const reflection::Object &object) {
    const reflection::Field &field = *object.fields()->Get(random_() % object.fields()->size());
    const size_t at = start + field.offset();
    if (field.type()->base_type() == BaseType::Obj)
      return changeStruct(bytes, at, *schema_.objects()->Get(field.type()->index()));
    changeNumberAt(bytes, at, field.type()->base_type());
  }

  void changeNumberAt(Bytes &bytes, size_t at, BaseType type) {
    const size_t size = flatbuffers::GetTypeSize(type);
    if (at + size > bytes.size())
      return;
    uint64_t bits = 0;
    std::memcpy(&bits, bytes.data() + at, size);
    bits = changedNumber(bits, type, random_);
    std::memcpy(bytes.data() + at, &bits, size);
  }

  void changeVector(Bytes &bytes, const reflection::Type &type) {
    const size_t size = elementBytes(schema_, type.element(), type.index());
    const size_t count = bytes.size() / size;
    const size_t at = count > 0 ? random_() % count * size : 0;
    const uint32_t kind = count > 0 ? random_() % 8 : 0;
    if (kind == 0) // grow
      return void(bytes.insert(bytes.end(), size, 0));
    if (kind == 1)
      return void(bytes.erase(bytes.end() - static_cast<ptrdiff_t>(size * (oneIn(2) ? 1 : count)), bytes.end()));
    if (kind == 2) {
      const Bytes element(bytes.begin() + static_cast<ptrdiff_t>(at),
                          bytes.begin() + static_cast<ptrdiff_t>(at + size));
      for (size_t copies = numCopies(); copies > 0; --copies)
        bytes.insert(bytes.begin() + static_cast<ptrdiff_t>(at), element.begin(), element.end());
      return;
    }
    if (type.element() == BaseType::Obj)
      return changeStruct(bytes, at, *schema_.objects()->Get(type.index()));
    if (size == 1 && kind < 6)
      return changeRaw(bytes);
    changeNumberAt(bytes, at, type.element());
  }

  size_t numCopies() { return oneIn(16) ? random_() % kMaxCopies : 1 + random_() % 3; }

  template <typename List, typename Make, typename Copy> void changeList(List &list, Make make, Copy copy) {
    const size_t at = list.empty() ? 0 : random_() % list.size();
    const auto place = list.begin() + static_cast<ptrdiff_t>(at);
    switch (list.empty() ? 0 : random_() % 5) {
    case 0:
      list.insert(place, make());
      return;
    case 1:
      list.erase(place);
      return;
    case 2:
      return std::swap(*place, list[random_() % list.size()]);
    case 3:
      *place = make();
      return;
    default: {
      List copies;
      for (size_t count = numCopies(); count > 0; --count)
        copies.push_back(copy(*place));
      list.insert(place, std::make_move_iterator(copies.begin()), std::make_move_iterator(copies.end()));
    }
    }
  }

  const reflection::Schema &schema_;
  const std::map<const reflection::Object *, Tables> &pool_;
  std::minstd_rand &random_;
};

namespace {

/// All tables of known type, parents first.
void collect(const TablePointer &table, std::vector<Table *> &all) {
  if (table->type != nullptr && table->type->fields()->size() > 0)
    all.push_back(table.get());
  for (const auto &[offset, value] : table->fields)
    if (const auto *child = std::get_if<TablePointer>(&value))
      collect(*child, all);
    else if (const auto *children = std::get_if<Tables>(&value))
      for (const TablePointer &entry : *children)
        collect(entry, all);
}

} // namespace

StructureMutator::StructureMutator(const uint8_t *schema, const char *root, const char *identifier)
    : schema_(*reflection::GetSchema(schema)), root_(*schema_.objects()->LookupByKey(root)), identifier_(identifier) {}

void StructureMutator::remember(const std::vector<Table *> &all, std::minstd_rand &random) {
  for (int count = 0; count < 2; ++count) {
    const Table &table = *all[random() % all.size()];
    Tables &known = pool_[table.type];
    if (known.size() < kPoolSize)
      known.push_back(copyOf(table));
    else
      known[random() % kPoolSize] = copyOf(table);
  }
}

void StructureMutator::change(const TablePointer &root, std::minstd_rand &random) {
  std::vector<Table *> all;
  collect(root, all);
  Table &table = *all[random() % all.size()];
  const auto &fields = *table.type->fields();
  const reflection::Field *field = fields.Get(random() % fields.size());
  // Absent fields outnumber the others in most tables.
  for (int attempt = 0; attempt < 2 && !table.fields.contains(field->offset()); ++attempt)
    field = fields.Get(random() % fields.size());
  Change(*this, random).changeField(table, *field);
}

size_t StructureMutator::mutate(uint8_t *data, size_t size, size_t maxSize, uint32_t seed) {
  std::minstd_rand random(seed);
  if (random() % 16 == 0)
    return LLVMFuzzerMutate(data, size, maxSize);
  TablePointer tree = readTree({data, size}, schema_, root_);
  std::vector<Table *> all;
  collect(tree, all);
  remember(all, random);
  // Mostly one: libFuzzer repeats mutations, and after many changes a script fails at its first step.
  for (uint32_t count = random() % 4 == 0 ? 1 + random() % 4 : 1; count > 0; --count)
    change(tree, random);
  const Bytes written = writeTree(*tree, schema_, identifier_);
  if (written.size() > maxSize)
    return LLVMFuzzerMutate(data, size, maxSize);
  std::copy(written.begin(), written.end(), data);
  return written.size();
}

} // namespace avocet::fuzz
