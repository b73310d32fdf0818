//===- Lookup.cpp - Operators that look up or replace rows and boxes ------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Operators.h"

namespace avocet::differential {
namespace {

const Element kInt32 = Draft::plain(TensorType::INT32);

void drawEmbeddingLookup(Draft &draft) {
  const Shape table = draft.shape(2, 3);
  Element element = draft.element();
  if (draft.kind() == Kind::Hybrid)
    element = {TensorType::INT8, {0.02f}, {0}};
  Shape result = table;
  result[0] = draft.pick(1, 5);
  const int32_t indices = draft.input({result[0]}, kInt32, {0, static_cast<double>(table[0] - 1)});
  draft.op(BuiltinOperator::EMBEDDING_LOOKUP, {indices, draft.constant(table, element)},
           {draft.output(result, draft.kind() == Kind::Hybrid ? Draft::plain(TensorType::FLOAT32) : element)});
}

/// Some keys are not in the table.
void drawHashtableLookup(Draft &draft) {
  const int32_t rows = draft.pick(1, 6), lookups = draft.pick(1, 5), columns = draft.pick(1, 4);
  std::vector<int64_t> keys;
  for (int32_t i = 0; i < rows; ++i)
    keys.push_back(2 * i);
  const Element element = draft.element();
  const int32_t wanted = draft.input({lookups}, kInt32, {0, static_cast<double>(2 * rows)});
  draft.op(BuiltinOperator::HASHTABLE_LOOKUP, {wanted, draft.integers(keys), draft.constant({rows, columns}, element)},
           {draft.output({lookups, columns}, element), draft.output({lookups}, Draft::plain(TensorType::UINT8))});
}

/// Starts beyond the last possible place are moved back.
void drawUpdateSlice(Draft &draft) {
  const Shape shape = draft.shape(1, 4);
  Shape update = shape;
  for (int32_t &extent : update)
    extent = draft.pick(1, extent);
  const Element element = draft.element();
  const int32_t input = draft.input(shape, element), part = draft.input(update, element);
  const int32_t starts = draft.operand({static_cast<int32_t>(shape.size())}, kInt32, {0, 6});
  draft.op(BuiltinOperator::DYNAMIC_UPDATE_SLICE, {input, part, starts}, {draft.output(shape, element)});
}

const Row kRows[] = {
    {BuiltinOperator::EMBEDDING_LOOKUP, {Kind::F32, Kind::I8, Kind::U8, Kind::Hybrid}, drawEmbeddingLookup},
    {BuiltinOperator::HASHTABLE_LOOKUP, {Kind::F32, Kind::I8, Kind::U8, Kind::I32}, drawHashtableLookup, 0},
    {BuiltinOperator::DYNAMIC_UPDATE_SLICE, {Kind::F32, Kind::I8, Kind::I32, Kind::I64}, drawUpdateSlice, 0},
};

} // namespace

std::span<const Row> lookupRows() { return kRows; }

} // namespace avocet::differential
