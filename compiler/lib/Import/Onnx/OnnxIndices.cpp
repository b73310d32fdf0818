//===- OnnxIndices.cpp - Indices of lookups ---------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OnnxIndices.h"

#include "Import/Common/Constants.h"
#include "Import/Common/Formula.h"
#include "Import/Common/Moves.h"

#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;

namespace avocet::compiler {

std::optional<Integers> integersOf(OnnxOperation &op, Value value) {
  if (const Integers *known = op.knownIntegers(value))
    return *known;
  auto constant = value.getDefiningOp<nn::ConstantOp>();
  auto resource = constant ? dyn_cast<DenseResourceElementsAttr>(constant.getValue()) : DenseResourceElementsAttr();
  const AsmResourceBlob *blob = resource ? resource.getRawHandle().getBlob() : nullptr;
  if (!blob || !(elementOf(value).isInteger(32) || elementOf(value).isInteger(64)))
    return std::nullopt;
  return integersOf(blob->getData(), bytesOf(elementOf(value)));
}

Value indicesOf(OnnxOperation &op, Value indices, ArrayRef<int64_t> extents) {
  if (!indices)
    return {};
  if (std::optional<Integers> known = integersOf(op, indices)) {
    SmallVector<int32_t> numbers;
    for (auto [i, index] : llvm::enumerate(*known)) {
      const int64_t extent = extents[i % extents.size()];
      if (index < -extent || index >= extent)
        return op.malformed("has the index " + Twine(index) + " for an axis of " + Twine(extent));
      numbers.push_back(static_cast<int32_t>(index < 0 ? index + extent : index));
    }
    return int32Constant(op, shapeOf(indices), numbers);
  }
  Formula f(op, op.builder().getI32Type());
  indices = castTo(op, indices, op.builder().getI32Type());
  Value count = extents.size() == 1 ? f.constant(static_cast<double>(extents.front()))
                                    : int32Constant(op, {static_cast<int64_t>(extents.size())},
                                                    SmallVector<int32_t>(extents.begin(), extents.end()));
  return f.select(f.compare(indices, nn::CompareKind::Less, 0), f.add(indices, count), indices);
}

} // namespace avocet::compiler
