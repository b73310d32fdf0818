//===- Operators.cpp - The table of operators under test ------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Operators.h"

#include <algorithm>
#include <string_view>

namespace avocet::differential {
namespace {

/// Operators that the format lists and that are no operators of a network.
bool isReserved(BuiltinOperator code) {
  return code == BuiltinOperator::PLACEHOLDER_FOR_GREATER_OP_CODES || code == BuiltinOperator::DELEGATE;
}

std::vector<Row> collectRows() {
  std::vector<Row> rows;
  for (auto family : {convRows(),  poolRows(),      elementwiseRows(), activationRows(), functionRows(),
                      unaryRows(), normalizeRows(), moveRows(),        sliceRows(),      spaceRows(),
                      shapeRows(), indexRows(),     lookupRows(),      reduceRows(),     recurrentRows(),
                      newerRows(), controlRows(),   cellRows(),        complexRows(),    variableRows()})
    rows.insert(rows.end(), family.begin(), family.end());
  for (BuiltinOperator code : tflite::EnumValuesBuiltinOperator())
    if (!isReserved(code) && std::ranges::find(rows, code, &Row::code) == rows.end())
      rows.push_back({code, {Kind::F32}});
  std::ranges::sort(rows, {}, [](const Row &row) { return std::string_view(EnumNameBuiltinOperator(row.code)); });
  return rows;
}

uint64_t mix(uint64_t seed, uint64_t value) { return stress::Random(seed ^ value * 0x9e3779b97f4a7c15u).next(); }

} // namespace

const std::vector<Row> &allRows() {
  static const std::vector<Row> kRows = collectRows();
  return kRows;
}

TestModel draw(const Row &row, Kind kind, uint64_t seed) {
  // Cases of the same seed are different for each operator and kind.
  Draft draft(kind, mix(mix(seed, static_cast<uint64_t>(row.code) + 1), static_cast<uint64_t>(kind) + 1));
  if (row.draw)
    row.draw(draft);
  else
    draft.op(row.code, {draft.input({2, 3}, Draft::plain(TensorType::FLOAT32))},
             {draft.output({2, 3}, Draft::plain(TensorType::FLOAT32))});
  return draft.model().finish();
}

} // namespace avocet::differential
