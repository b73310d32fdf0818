//===- Inspection.h - Value checks and memory cost of messages ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// flatc describes each table by lists that are slow to traverse. This form serves the inspection of every message: it
// is made once for each type, without the fields whose values are all allowed (most numbers).
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_WIRE_LIB_INSPECTION_H
#define AVOCET_HAL_WIRE_LIB_INSPECTION_H

#include "avocet/hal/types/Result.h"
#include "messages_generated.h"

#include <cstddef>
#include <cstdint>
#include <flatbuffers/minireflect.h>
#include <map>
#include <string>
#include <vector>

namespace avocet::hal::ipc {

/// Overhead of an allocated block: the allocator's header and the pointer to the block.
inline constexpr uint64_t kBlockBytes = 16 + sizeof(void *);

struct TablePlan;

struct FieldPlan {
  /// Of the field, or of the elements of a vector.
  enum class Kind : uint8_t { Number, Signed, Enum, Text, Struct, Table, Union };

  Kind kind = Kind::Number;
  bool isVector = false;
  flatbuffers::voffset_t offset = 0; ///< of its vtable entry; for a union, of its tag, whose body has the next entry
  const char *name = nullptr;
  size_t size = 0;                      ///< of the value or of one element, in the message
  size_t alignment = 1;                 ///< of an element; a power of two
  size_t numKnown = 0;                  ///< values of an enumeration, kinds of a union
  const TablePlan *table = nullptr;     ///< of a table
  std::vector<const TablePlan *> kinds; ///< of a union, by tag; null: none
};

struct TablePlan {
  uint64_t bytes = 0; ///< of an unpacked table, without the blocks of its fields
  std::vector<FieldPlan> fields;
};

/// The plans of a table and of all tables reachable from it.
class InspectionPlan {
public:
  explicit InspectionPlan(const flatbuffers::TypeTable &root) : root_(planOf(root)) {}
  InspectionPlan(const InspectionPlan &) = delete;
  InspectionPlan &operator=(const InspectionPlan &) = delete;

  const TablePlan &root() const { return root_; }

private:
  const TablePlan &planOf(const flatbuffers::TypeTable &type);
  FieldPlan fieldOf(const flatbuffers::TypeTable &type, size_t index);
  void addReferenced(FieldPlan &field, const flatbuffers::TypeTable &type);

  std::map<const flatbuffers::TypeTable *, TablePlan> plans_; ///< its nodes do not move
  const TablePlan &root_;
};

/// The verifier checks offsets and lengths only. This checks the values, for all tables of the schema: it follows the
/// type tables that flatc generates, so new tables are covered automatically.
struct Inspection {
  /// Empty, or the first value that is not allowed: an unknown tag of a union or an enumeration, a tag without a body,
  /// a 64-bit number below -1 (times and identifiers; -1: none), a vector whose elements are not aligned. A vector
  /// without elements may lie anywhere.
  std::string problem;
  /// Upper bound of the memory of one form of the message: unpacked, in canonical types, or as the driver's copy. A
  /// vector that several tables share counts for each of them.
  uint64_t bytes = 0;
};

/// `envelope` has passed the verifier.
Inspection inspect(const fb::Envelope &envelope);

} // namespace avocet::hal::ipc

#endif // AVOCET_HAL_WIRE_LIB_INSPECTION_H
