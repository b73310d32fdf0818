//===- Volumes.h - Volumes as images ----------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_COMMON_VOLUMES_H
#define AVOCET_COMPILER_LIB_IMPORT_COMMON_VOLUMES_H

#include "ImportedOperation.h"

namespace avocet::compiler {

/// Windows along the depth of volumes [N, D, H, W, C].
struct DepthWindows {
  int64_t kernel, stride, dilation;
  int64_t before, after; ///< padding
  int64_t count;         ///< of results along the depth
};

/// The depth steps that each window reads, side by side as channels: images [N * count, H, W, kernel * C] for a
/// convolution whose filter is that of volumesFilter(). Null after a report: windows reach beyond the padded input.
mlir::Value volumesAsImages(ImportedOperation &op, mlir::Value volumes, const DepthWindows &windows);

/// [O, D, H, W, I] as [O, H, W, D * I].
mlir::Value volumesFilter(ImportedOperation &op, mlir::Value filter);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_COMMON_VOLUMES_H
