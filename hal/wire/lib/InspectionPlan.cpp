//===- InspectionPlan.cpp - The fields to check in each table ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InspectionPlan.h"

#include <algorithm>
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

} // namespace avocet::hal::ipc
