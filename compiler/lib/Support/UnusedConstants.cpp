//===- UnusedConstants.cpp - Memory of constants ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Support/UnusedConstants.h"

#include "mlir/IR/BuiltinDialect.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Process.h"

#include <sys/mman.h>

using namespace mlir;

namespace avocet::compiler {

ConstantEntry *entryOf(Attribute elements) {
  auto resource = dyn_cast<DenseResourceElementsAttr>(elements);
  return resource ? resource.getRawHandle().getResource() : nullptr;
}

void returnPages(ArrayRef<char> bytes) {
  static const uintptr_t kPage = llvm::sys::Process::getPageSizeEstimate();
  constexpr uintptr_t kLeastPages = 16;
  const auto address = reinterpret_cast<uintptr_t>(bytes.data());
  const uintptr_t before = llvm::alignTo(address, kPage) - address, after = (address + bytes.size()) % kPage;
  if (before + after + kLeastPages * kPage > bytes.size())
    return;
  const ArrayRef<char> pages = bytes.drop_front(before).drop_back(after);
  (void)::madvise(const_cast<char *>(pages.data()), pages.size(), MADV_DONTNEED); // memory only
}

void freeConstant(ConstantEntry &entry) {
  AsmResourceBlob *blob = entry.getBlob();
  if (!blob)
    return;
  // Large blocks of the heap keep their pages when they are freed (base/MachineMemory.h). Bytes that cannot change may
  // be those of a file, of which others read the same pages.
  if (blob->isMutable())
    returnPages(blob->getData());
  entry.setBlob(AsmResourceBlob());
}

void freeUnusedConstants(ModuleOp module) {
  llvm::DenseSet<const ConstantEntry *> used;
  module->walk([&](Operation *op) {
    op->getAttrDictionary().walk([&](DenseResourceElementsAttr elements) { used.insert(entryOf(elements)); });
  });
  DialectResourceBlobManager &manager =
      DenseResourceElementsHandle::getManagerInterface(module.getContext()).getBlobManager();
  SmallVector<ConstantEntry *> unused;
  manager.getBlobMap([&](const llvm::StringMap<ConstantEntry> &entries) {
    for (const auto &entry : entries)
      if (!used.contains(&entry.second))
        unused.push_back(manager.lookup(entry.first()));
  });
  for (ConstantEntry *entry : unused)
    freeConstant(*entry);
}

} // namespace avocet::compiler
