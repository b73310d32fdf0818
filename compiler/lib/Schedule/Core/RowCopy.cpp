//===- RowCopy.cpp - A transfer of rows -------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowCopy.h"

namespace avocet::compiler::schedule {

using namespace firmware;

DmaCommand copyRows(const CopyExtents &extents, const CopyEnd &from, const CopyEnd &to) {
  DmaCommand copy;
  copy.source.offset = from.offset;
  copy.destination.offset = to.offset;
  copy.runBytes = extents.pixelBytes;
  bool isRun = true;
  const auto add = [&](uint32_t count, uint32_t source, uint32_t destination, uint32_t &field, uint32_t &sourceField,
                       uint32_t &destinationField) {
    if (count == 1)
      return;
    isRun = isRun && source == copy.runBytes && destination == copy.runBytes;
    if (isRun) {
      copy.runBytes *= count;
      return;
    }
    field = count;
    sourceField = source;
    destinationField = destination;
  };
  add(extents.pixels, from.pixelStride, to.pixelStride, copy.count0, copy.source.stride0, copy.destination.stride0);
  add(extents.rows, from.rowStride, to.rowStride, copy.count1, copy.source.stride1, copy.destination.stride1);
  return copy;
}

} // namespace avocet::compiler::schedule
