//===- Losses.h - Losses of classifiers -------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_COMMON_LOSSES_H
#define AVOCET_COMPILER_LIB_IMPORT_COMMON_LOSSES_H

#include "ImportedOperation.h"

namespace avocet::compiler {

enum class LossKind { Each, Sum, Mean };

/// The losses of logarithms of probabilities [N, C, ...]: for each target, [N, ...], the negative logarithm of its
/// class times the weight of the class, [C] or null for 1. The mean is over weights. A target that is `ignored` or no
/// class has no loss.
mlir::Value likelihoodLoss(ImportedOperation &op, mlir::Value logs, mlir::Value targets, mlir::Value weights,
                           int64_t ignored, LossKind kind);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_COMMON_LOSSES_H
