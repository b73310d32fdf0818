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

template <typename List> tflite::SparseIndexVectorUnion listAs(const std::vector<int32_t> &values) {
  List list;
  list.values.assign(values.begin(), values.end());
  tflite::SparseIndexVectorUnion result;
  result.Set(std::move(list));
  return result;
}

/// A list in one of the three widths.
tflite::SparseIndexVectorUnion listOf(Draft &draft, const std::vector<int32_t> &values) {
  const int32_t width = draft.pick(0, 2);
  return width == 0   ? listAs<tflite::Int32VectorT>(values)
         : width == 1 ? listAs<tflite::Uint16VectorT>(values)
                      : listAs<tflite::Uint8VectorT>(values);
}

/// The blocks of a matrix, by rows or by columns, of which some are stored.
void drawDensify(Draft &draft) {
  const Shape block = {draft.pick(1, 2), draft.pick(1, 3)}, blocks = {draft.pick(1, 4), draft.pick(1, 4)};
  const bool byColumns = draft.oneIn(2), hasBlocks = block[0] * block[1] > 1;
  tflite::SparsityT sparsity;
  sparsity.traversal_order = byColumns ? std::vector<int32_t>{1, 0} : std::vector<int32_t>{0, 1};
  const int32_t outer = blocks[byColumns ? 1 : 0], inner = blocks[byColumns ? 0 : 1];
  std::vector<int32_t> segments = {0}, indices;
  for (int32_t i = 0; i < outer; ++i) {
    for (int32_t j = 0; j < inner; ++j)
      if (draft.oneIn(2) || (i == 0 && j == 0))
        indices.push_back(j);
    segments.push_back(static_cast<int32_t>(indices.size()));
  }
  const auto addLevel = [&](int32_t denseSize) -> tflite::DimensionMetadataT & {
    sparsity.dim_metadata.push_back(std::make_unique<tflite::DimensionMetadataT>());
    sparsity.dim_metadata.back()->dense_size = denseSize;
    return *sparsity.dim_metadata.back();
  };
  addLevel(outer);
  tflite::DimensionMetadataT &compressed = addLevel(0);
  compressed.format = tflite::DimensionType::SPARSE_CSR;
  compressed.array_segments = listOf(draft, segments);
  compressed.array_indices = listOf(draft, indices);
  if (hasBlocks) {
    sparsity.traversal_order.insert(sparsity.traversal_order.end(), {2, 3});
    sparsity.block_map = {0, 1};
    addLevel(block[0]);
    addLevel(block[1]);
  }
  const Shape shape = {blocks[0] * block[0], blocks[1] * block[1]};
  const Element element = draft.kind() == Kind::I8 ? Element{TensorType::INT8, {0.5f}, {0}} : draft.element();
  const Bytes stored = draft.values({static_cast<int32_t>(indices.size()), block[0] * block[1]}, element, {-4, 4});
  const int32_t sparse = draft.model().addSparse(shape, element, std::move(sparsity), stored);
  const int32_t dense = draft.model().addTensor(shape, element);
  draft.op(BuiltinOperator::DENSIFY, {sparse}, {dense});
  draft.op(BuiltinOperator::MAXIMUM, {draft.input(shape, element), dense}, {draft.output(shape, element)});
}

const Row kRows[] = {
    {BuiltinOperator::DENSIFY, {Kind::F32, Kind::I8}, drawDensify, 0},
    {BuiltinOperator::EMBEDDING_LOOKUP, {Kind::F32, Kind::I8, Kind::U8, Kind::Hybrid}, drawEmbeddingLookup},
    {BuiltinOperator::HASHTABLE_LOOKUP,
     {Kind::F32, Kind::I8, Kind::U8, Kind::I16, Kind::I32, Kind::I64, Kind::Bool},
     drawHashtableLookup,
     0},
    {BuiltinOperator::DYNAMIC_UPDATE_SLICE, {Kind::F32, Kind::I8, Kind::I32, Kind::I64}, drawUpdateSlice, 0},
};

} // namespace

std::span<const Row> lookupRows() { return kRows; }

} // namespace avocet::differential
