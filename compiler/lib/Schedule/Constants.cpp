//===- Constants.cpp - Bytes of constant attributes -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Schedule/Constants.h"

#include "mlir/IR/DialectResourceBlobManager.h"

#include <cstring>

using namespace mlir;

namespace avocet::compiler::schedule {

LogicalResult copyConstant(ElementsAttr data, uint64_t source, std::span<uint8_t> target) {
  ArrayRef<char> raw;
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(data)) {
    const AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob)
      return failure();
    raw = blob->getData();
  } else if (auto dense = dyn_cast<DenseElementsAttr>(data)) {
    raw = dense.getRawData();
    if (dense.isSplat() && !raw.empty()) { // stored as one element
      for (size_t i = 0; i < target.size(); ++i)
        target[i] = uint8_t(raw[(source + i) % raw.size()]);
      return success();
    }
  }
  if (source > raw.size() || target.size() > raw.size() - source)
    return failure();
  std::memcpy(target.data(), raw.data() + source, target.size());
  return success();
}

} // namespace avocet::compiler::schedule
