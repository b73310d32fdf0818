//===- CompressWeights.h - Lossless compression of filters ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_CONVERSION_COMPRESSWEIGHTS_H
#define AVOCET_COMPILER_CONVERSION_COMPRESSWEIGHTS_H

#include "avocet/firmware_iface/Target.h"

#include "mlir/IR/BuiltinOps.h"

namespace avocet::compiler {

/// Replaces the packed weights of the module's convolutions by compressed ones (WeightStream.h) where these are
/// smaller, and lowers bytes and bounds of the layers accordingly. A filter becomes one slice, which the scheduler
/// cuts. Floats, weights that other operations compute and those without contents stay as they are. Uses up to
/// `threads` threads; the result does not depend on them.
void compressWeights(mlir::ModuleOp module, const firmware::Target &target, uint32_t threads = 1);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_CONVERSION_COMPRESSWEIGHTS_H
