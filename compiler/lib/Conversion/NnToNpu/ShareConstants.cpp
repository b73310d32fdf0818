//===- ShareConstants.cpp - Equal constants become one --------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShareConstants.h"

#include "avocet/compiler/Dialect/Npu/NpuDialect.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/xxhash.h"

#include <map>

using namespace mlir;

namespace avocet::compiler {

/// Empty: the contents are omitted, or shared by MLIR itself.
static ArrayRef<char> contentsOf(npu::ConstantOp constant) {
  const auto resource = dyn_cast<DenseResourceElementsAttr>(constant.getValue());
  const AsmResourceBlob *blob = resource ? resource.getRawHandle().getBlob() : nullptr;
  return blob ? blob->getData() : ArrayRef<char>();
}

static uint64_t hashOf(ArrayRef<char> contents) {
  return llvm::xxh3_64bits({reinterpret_cast<const uint8_t *>(contents.data()), contents.size()});
}

void shareConstants(func::FuncOp placed) {
  std::map<std::pair<const void *, uint64_t>, npu::ConstantOp> first; // by type and hash
  for (npu::ConstantOp constant : llvm::make_early_inc_range(placed.front().getOps<npu::ConstantOp>())) {
    const ArrayRef<char> contents = contentsOf(constant);
    if (contents.empty())
      continue;
    const auto key = std::pair(constant.getType().getAsOpaquePointer(), hashOf(contents));
    const auto [other, isNew] = first.try_emplace(key, constant);
    if (isNew || contentsOf(other->second) != contents)
      continue;
    constant.replaceAllUsesWith(other->second.getResult());
    constant.erase();
  }
}

} // namespace avocet::compiler
