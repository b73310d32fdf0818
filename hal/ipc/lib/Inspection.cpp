//===- Inspection.cpp - What a verified message says and costs -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Inspection.h"

#include <algorithm>
#include <flatbuffers/minireflect.h>
#include <fmt/format.h>

namespace avocet::hal::ipc {
namespace {

using namespace flatbuffers;

/// What the allocator adds to a block, and the pointer that leads to it.
constexpr uint64_t kBlockBytes = 16 + sizeof(void *);

/// Bytes of a field of an unpacked table.
uint64_t fieldBytes(const TypeCode &code) {
  if (code.is_repeating)
    return sizeof(std::vector<uint8_t>);
  return code.base_type == ET_STRING ? sizeof(std::string) : sizeof(uint64_t);
}

/// Alignment that the largest scalar of a struct needs.
size_t alignmentOf(const TypeTable &type) {
  size_t alignment = 1;
  for (size_t i = 0; i < type.num_elems; ++i) {
    const TypeCode &code = type.type_codes[i];
    const TypeTable *inner = code.sequence_ref >= 0 ? type.type_refs[code.sequence_ref]() : nullptr;
    bool isStruct = code.base_type == ET_SEQUENCE;
    alignment = std::max(alignment, isStruct ? alignmentOf(*inner)
                                             : InlineSize(static_cast<ElementaryType>(code.base_type), inner));
  }
  return alignment;
}

class Inspector {
public:
  void addTable(const Table &table, const TypeTable &type) {
    uint64_t bytes = kBlockBytes;
    for (size_t i = 0; i < type.num_elems; ++i) {
      bytes += fieldBytes(type.type_codes[i]);
      addField(table, type, i);
    }
    result_.bytes += bytes;
  }
  Inspection take() { return std::move(result_); }

private:
  static const TypeTable *referenced(const TypeTable &type, size_t index) {
    int reference = type.type_codes[index].sequence_ref;
    return reference >= 0 ? type.type_refs[reference]() : nullptr;
  }
  static const uint8_t *valueOf(const Table &table, size_t index) {
    return table.GetAddressOf(FieldIndexToOffset(static_cast<voffset_t>(index)));
  }

  void addField(const Table &table, const TypeTable &type, size_t index) {
    const TypeCode &code = type.type_codes[index];
    const TypeTable *inner = referenced(type, index);
    const uint8_t *value = valueOf(table, index);
    if (code.base_type == ET_UTYPE)
      return checkUnion(table, type, index, value != nullptr ? *value : 0);
    if (value == nullptr)
      return;
    auto base = static_cast<ElementaryType>(code.base_type);
    if (code.is_repeating)
      return addVector(type, index, base, inner, value + ReadScalar<uoffset_t>(value));
    if (base == ET_SEQUENCE && inner->st == ST_UNION)
      return addUnion(table, index, *inner, value + ReadScalar<uoffset_t>(value));
    addValue(type, index, base, inner, value);
  }

  void addValue(const TypeTable &type, size_t index, ElementaryType base, const TypeTable *inner,
                const uint8_t *value) {
    if (base == ET_STRING)
      result_.bytes += kBlockBytes + reinterpret_cast<const String *>(value + ReadScalar<uoffset_t>(value))->size();
    else if (base == ET_SEQUENCE && inner->st == ST_TABLE)
      addTable(*reinterpret_cast<const Table *>(value + ReadScalar<uoffset_t>(value)), *inner);
    else if (base == ET_SEQUENCE)
      result_.bytes += kBlockBytes + InlineSize(base, inner);
    else if (base == ET_LONG)
      checkSigned(type, index, ReadScalar<int64_t>(value));
    else if (inner != nullptr && inner->st == ST_ENUM)
      checkEnum(type, index, *inner, *value);
  }

  /// Elements are tables, texts, structs or scalars; the length lies before them.
  void addVector(const TypeTable &type, size_t index, ElementaryType base, const TypeTable *inner,
                 const uint8_t *vector) {
    const auto count = ReadScalar<uoffset_t>(vector);
    const uint8_t *elements = vector + sizeof(uoffset_t);
    const size_t size = InlineSize(base, inner);
    result_.bytes += kBlockBytes + uint64_t(count) * size;
    if (count == 0)
      return;
    bool isStruct = base == ET_SEQUENCE && inner->st == ST_STRUCT;
    if (reinterpret_cast<uintptr_t>(elements) % (isStruct ? alignmentOf(*inner) : size) != 0)
      return report(fmt::format("{}: its elements are not aligned", type.names[index]));
    if (base != ET_STRING && base != ET_LONG && (base != ET_SEQUENCE || isStruct))
      return;
    for (uoffset_t i = 0; i < count; ++i)
      addValue(type, index, base, inner, elements + i * size);
  }

  /// A tag and its body are two fields, the tag first.
  void checkUnion(const Table &table, const TypeTable &type, size_t index, uint8_t tag) {
    const TypeTable &kinds = *referenced(type, index);
    if (tag >= kinds.num_elems)
      report(fmt::format("{}: kind {} is not known, 0 to {} are", type.names[index], tag, kinds.num_elems - 1));
    else if (tag != 0 && valueOf(table, index + 1) == nullptr)
      report(fmt::format("{}: kind {} has no body", type.names[index], tag));
  }

  void addUnion(const Table &table, size_t index, const TypeTable &kinds, const uint8_t *body) {
    const uint8_t *tag = valueOf(table, index - 1);
    if (tag != nullptr && *tag > 0 && *tag < kinds.num_elems)
      addTable(*reinterpret_cast<const Table *>(body), *referenced(kinds, *tag));
  }

  void checkEnum(const TypeTable &type, size_t index, const TypeTable &kinds, uint8_t value) {
    if (value >= kinds.num_elems)
      report(fmt::format("{}: {} is not known, 0 to {} are", type.names[index], value, kinds.num_elems - 1));
  }

  void checkSigned(const TypeTable &type, size_t index, int64_t value) {
    if (value < -1)
      report(fmt::format("{}: {}, must be at least -1", type.names[index], value));
  }

  void report(std::string problem) {
    if (result_.problem.empty())
      result_.problem = std::move(problem);
  }

  Inspection result_;
};

} // namespace

Inspection inspect(const fb::Envelope &envelope) {
  Inspector inspector;
  inspector.addTable(reinterpret_cast<const Table &>(envelope), *fb::EnvelopeTypeTable());
  return inspector.take();
}

} // namespace avocet::hal::ipc
