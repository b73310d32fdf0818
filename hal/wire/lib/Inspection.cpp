//===- Inspection.cpp - Value checks and memory cost of messages ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Inspection.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>

namespace avocet::hal::ipc {
namespace {

using namespace flatbuffers;
using Kind = FieldPlan::Kind;

const TypeTable *referenced(const TypeTable &type, size_t index) {
  const int reference = type.type_codes[index].sequence_ref;
  return reference >= 0 ? type.type_refs[reference]() : nullptr;
}

/// Bytes of a field of an unpacked table.
uint64_t unpackedBytes(const TypeCode &code) {
  if (code.is_repeating)
    return sizeof(std::vector<uint8_t>);
  return code.base_type == ET_STRING ? sizeof(std::string) : sizeof(uint64_t);
}

/// Alignment that the largest scalar of a struct needs.
size_t alignmentOf(const TypeTable &type) {
  size_t alignment = 1;
  for (size_t i = 0; i < type.num_elems; ++i) {
    const auto base = static_cast<ElementaryType>(type.type_codes[i].base_type);
    const TypeTable *inner = referenced(type, i);
    alignment = std::max(alignment, base == ET_SEQUENCE ? alignmentOf(*inner) : InlineSize(base, inner));
  }
  return alignment;
}

Kind kindOf(ElementaryType base, const TypeTable *inner) {
  if (base == ET_UTYPE)
    return Kind::Union;
  if (base == ET_STRING)
    return Kind::Text;
  if (base == ET_LONG)
    return Kind::Signed;
  if (base == ET_SEQUENCE)
    return inner->st == ST_STRUCT ? Kind::Struct : Kind::Table;
  return inner != nullptr ? Kind::Enum : Kind::Number;
}

/// The body of a union is inspected with its tag, which is the field before it.
bool isBody(const TypeTable &type, size_t index) {
  return type.type_codes[index].base_type == ET_SEQUENCE && referenced(type, index)->st == ST_UNION;
}

} // namespace

const TablePlan &InspectionPlan::planOf(const TypeTable &type) {
  const auto [entry, isNew] = plans_.try_emplace(&type);
  TablePlan &plan = entry->second;
  if (!isNew)
    return plan;
  plan.bytes = kBlockBytes;
  for (size_t i = 0; i < type.num_elems; ++i) {
    plan.bytes += unpackedBytes(type.type_codes[i]);
    if (isBody(type, i))
      continue;
    FieldPlan field = fieldOf(type, i);
    if (field.isVector || field.kind != Kind::Number)
      plan.fields.push_back(std::move(field));
  }
  return plan;
}

FieldPlan InspectionPlan::fieldOf(const TypeTable &type, size_t index) {
  const TypeCode &code = type.type_codes[index];
  const auto base = static_cast<ElementaryType>(code.base_type);
  const TypeTable *inner = referenced(type, index);
  FieldPlan field;
  field.kind = kindOf(base, inner);
  field.isVector = code.is_repeating;
  field.offset = FieldIndexToOffset(static_cast<voffset_t>(index));
  field.name = type.names[index];
  field.size = field.alignment = InlineSize(base, inner);
  if (inner != nullptr)
    addReferenced(field, *inner);
  return field;
}

void InspectionPlan::addReferenced(FieldPlan &field, const TypeTable &type) {
  field.numKnown = type.num_elems;
  if (field.kind == Kind::Struct)
    field.alignment = alignmentOf(type);
  if (field.kind == Kind::Table)
    field.table = &planOf(type);
  if (field.kind != Kind::Union)
    return;
  for (size_t i = 0; i < type.num_elems; ++i) {
    const TypeTable *kind = referenced(type, i);
    field.kinds.push_back(kind != nullptr ? &planOf(*kind) : nullptr);
  }
}

namespace {

using Kind = FieldPlan::Kind;

class Inspector {
public:
  void addTable(const Table &table, const TablePlan &plan) {
    result_.bytes += plan.bytes;
    const uint8_t *entries = table.GetVTable();
    const auto entriesBytes = ReadScalar<voffset_t>(entries);
    for (const FieldPlan &field : plan.fields) {
      const voffset_t place = field.offset < entriesBytes ? ReadScalar<voffset_t>(entries + field.offset) : 0;
      if (place != 0)
        addField(table, field, reinterpret_cast<const uint8_t *>(&table) + place);
    }
  }
  Inspection take() { return std::move(result_); }

private:
  void addField(const Table &table, const FieldPlan &field, const uint8_t *value) {
    if (field.isVector)
      addVector(field, value + ReadScalar<uoffset_t>(value));
    else if (field.kind == Kind::Union)
      addUnion(table, field, *value);
    else
      addValue(field, value);
  }

  /// Adds and checks the value of a field, or of one element of a vector.
  void addValue(const FieldPlan &field, const uint8_t *value) {
    if (field.kind == Kind::Text)
      result_.bytes += kBlockBytes + reinterpret_cast<const String *>(value + ReadScalar<uoffset_t>(value))->size();
    else if (field.kind == Kind::Table)
      addTable(*reinterpret_cast<const Table *>(value + ReadScalar<uoffset_t>(value)), *field.table);
    else if (field.kind == Kind::Struct)
      result_.bytes += kBlockBytes + field.size;
    else if (field.kind == Kind::Signed)
      checkSigned(field, ReadScalar<int64_t>(value));
    else if (field.kind == Kind::Enum)
      checkEnum(field, *value);
  }

  /// The length lies before the elements.
  void addVector(const FieldPlan &field, const uint8_t *vector) {
    const auto count = ReadScalar<uoffset_t>(vector);
    const uint8_t *elements = vector + sizeof(uoffset_t);
    result_.bytes += kBlockBytes + uint64_t(count) * field.size;
    if (count == 0)
      return;
    if ((reinterpret_cast<uintptr_t>(elements) & (field.alignment - 1)) != 0)
      return report(fmt::format("{}: its elements are not aligned", field.name));
    if (field.kind == Kind::Number || field.kind == Kind::Struct)
      return;
    for (uoffset_t i = 0; i < count; ++i)
      addValue(field, elements + i * field.size);
  }

  /// A tag and its body are two fields, the tag first.
  void addUnion(const Table &table, const FieldPlan &field, uint8_t tag) {
    if (tag >= field.numKnown)
      return report(fmt::format("{}: kind is {}, must be 0 to {}", field.name, tag, field.numKnown - 1));
    if (tag == 0)
      return;
    const uint8_t *body = table.GetAddressOf(static_cast<voffset_t>(field.offset + sizeof(voffset_t)));
    if (body == nullptr)
      return report(fmt::format("{}: kind {} has no body", field.name, tag));
    addTable(*reinterpret_cast<const Table *>(body + ReadScalar<uoffset_t>(body)), *field.kinds[tag]);
  }

  void checkEnum(const FieldPlan &field, uint8_t value) {
    if (value >= field.numKnown)
      report(fmt::format("{}: value is {}, must be 0 to {}", field.name, value, field.numKnown - 1));
  }

  void checkSigned(const FieldPlan &field, int64_t value) {
    if (value < -1)
      report(fmt::format("{}: value is {}, must be at least -1", field.name, value));
  }

  void report(std::string problem) {
    if (result_.problem.empty())
      result_.problem = std::move(problem);
  }

  Inspection result_;
};

} // namespace

Inspection inspect(const fb::Envelope &envelope) {
  // Never destroyed, since a connection may receive until its process has ended.
  static const InspectionPlan &plan = *new InspectionPlan(*fb::EnvelopeTypeTable());
  Inspector inspector;
  inspector.addTable(reinterpret_cast<const Table &>(envelope), plan.root());
  return inspector.take();
}

} // namespace avocet::hal::ipc
