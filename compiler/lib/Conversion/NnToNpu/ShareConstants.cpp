//===- ShareConstants.cpp - Equal constants become one --------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShareConstants.h"

#include "avocet/compiler/Dialect/Nn/NnDialect.h"
#include "avocet/compiler/Dialect/Npu/NpuDialect.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/xxhash.h"

#include <map>

using namespace mlir;

namespace avocet::compiler {

namespace {

/// Empty: the contents are omitted.
ArrayRef<char> contentsOf(ElementsAttr value) {
  const auto resource = dyn_cast<DenseResourceElementsAttr>(value);
  const AsmResourceBlob *blob = resource ? resource.getRawHandle().getBlob() : nullptr;
  return blob ? blob->getData() : ArrayRef<char>();
}

uint64_t hashOf(ElementsAttr value) {
  const ArrayRef<char> contents = contentsOf(value);
  if (contents.empty()) // MLIR has equal ones once
    return reinterpret_cast<uintptr_t>(value.getAsOpaquePointer());
  return llvm::xxh3_64bits({reinterpret_cast<const uint8_t *>(contents.data()), contents.size()});
}

bool areEqual(ElementsAttr a, ElementsAttr b) {
  return a == b || (!contentsOf(a).empty() && contentsOf(a) == contentsOf(b));
}

template <typename ConstantOp> void share(Block &block) {
  std::map<std::pair<const void *, uint64_t>, ConstantOp> first; // by type and hash
  for (ConstantOp constant : llvm::make_early_inc_range(block.getOps<ConstantOp>())) {
    const auto key = std::pair(constant->getResult(0).getType().getAsOpaquePointer(), hashOf(constant.getValue()));
    const auto [other, isNew] = first.try_emplace(key, constant);
    if (isNew || !areEqual(other->second.getValue(), constant.getValue()))
      continue;
    constant->replaceAllUsesWith(other->second);
    constant.erase();
  }
}

} // namespace

void shareConstants(func::FuncOp function) {
  share<nn::ConstantOp>(function.front());
  share<npu::ConstantOp>(function.front());
}

} // namespace avocet::compiler
