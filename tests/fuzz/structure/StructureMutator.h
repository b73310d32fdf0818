//===- StructureMutator.h - Changes inputs by their schema ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_FUZZ_STRUCTURE_STRUCTUREMUTATOR_H
#define AVOCET_TESTS_FUZZ_STRUCTURE_STRUCTUREMUTATOR_H

#include "Tree.h"

#include <random>

/// From libFuzzer: changes bytes in place. Returns the new size, at most `maxSize`.
extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

namespace avocet::fuzz {

/// Changes scalars, enumerations and union tags (within the schema and outside), structs, strings, vectors (grow,
/// shrink, duplicate, reorder), and tables (absent, empty, replaced by one of an earlier input). Deterministic: depends
/// on the inputs and seeds of all calls. One thread.
class StructureMutator {
public:
  /// `schema`: the binary form (*.bfbs) with reflection data; must outlive the mutator. `root`: the full name of the
  /// inputs' table; must be in the schema. `identifier`: of the inputs, or null.
  StructureMutator(const uint8_t *schema, const char *root, const char *identifier);

  /// For LLVMFuzzerCustomMutator. libFuzzer mutates one input in sixteen as bytes instead.
  size_t mutate(uint8_t *data, size_t size, size_t maxSize, uint32_t seed);

  /// Changes one place in the tree. For tests, and for formats that wrap a tree.
  void change(const TablePointer &root, std::minstd_rand &random);

private:
  class Change;
  static constexpr size_t kPoolSize = 24; ///< tables of one type

  void remember(const std::vector<Table *> &tables, std::minstd_rand &random);

  const reflection::Schema &schema_;
  const reflection::Object &root_;
  const char *const identifier_;
  std::map<const reflection::Object *, Tables> pool_; ///< tables of earlier inputs by type
};

} // namespace avocet::fuzz

#endif // AVOCET_TESTS_FUZZ_STRUCTURE_STRUCTUREMUTATOR_H
