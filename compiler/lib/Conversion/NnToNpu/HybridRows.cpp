//===- HybridRows.cpp - Rows that have their own run-time scale -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HybridRows.h"

#include "Rearrange.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// Row `row` of the input, as the only one.
FailureOr<Value> rowOf(Operation *op, Value storage, int64_t row, int64_t depth, Placement &placement) {
  kernels::RearrangeParameters parameters;
  parameters.moves.push_back({0, static_cast<uint32_t>(row * depth), 0, {{static_cast<uint32_t>(depth), 1, 1}}});
  return placeRearrange(op, storage, {1, 1, depth}, parameters, placement);
}

/// Puts up to kMost rows of equal length below each other, as few commands as possible.
FailureOr<Value> joinRows(Operation *op, SmallVector<Value> parts, Placement &placement) {
  constexpr size_t kMost = 24; // a command has limited words
  while (parts.size() > 1) {
    SmallVector<Value> joined;
    for (ArrayRef<Value> rest = parts; !rest.empty(); rest = rest.drop_front(std::min(kMost, rest.size()))) {
      kernels::RearrangeParameters parameters;
      int64_t elements = 0;
      ArrayRef<Value> group = rest.take_front(kMost);
      for (auto [number, part] : llvm::enumerate(group)) {
        int64_t own = tensorOf(part).getNumElements();
        parameters.moves.push_back(
            {static_cast<uint32_t>(number), 0, static_cast<uint32_t>(elements), {{static_cast<uint32_t>(own), 1, 1}}});
        elements += own;
      }
      FailureOr<Value> whole = placeRearrange(op, group, {1, 1, elements}, parameters, placement);
      if (failed(whole))
        return failure();
      joined.push_back(*whole);
    }
    parts = joined;
  }
  return parts.front();
}

} // namespace

LogicalResult placeHybridRows(MacLayer layer, Value storage, int64_t rows, Placement &placement) {
  // A row takes four commands; more rows would make the program too long.
  constexpr int64_t kMostRows = 512;
  if (rows > kMostRows)
    return placement.refuse(layer.op, "input", "rows with a run-time scale", Twine(rows), Twine(kMostRows));
  const int64_t depth = tensorOf(storage).getNumElements() / rows;
  SmallVector<Value> inputs;
  for (int64_t row = 0; row < rows; ++row) {
    FailureOr<Value> input = rowOf(layer.op, storage, row, depth, placement);
    if (failed(input))
      return failure();
    inputs.push_back(*input);
  }
  layer.inputStorage = inputs.front();
  FailureOr<SmallVector<Value>> results = createMacLayers(layer, inputs, placement);
  if (failed(results))
    return failure();
  FailureOr<Value> joined = joinRows(layer.op, std::move(*results), placement);
  return failed(joined) ? failure() : placement.finish(layer.op, *joined);
}

} // namespace avocet::compiler
