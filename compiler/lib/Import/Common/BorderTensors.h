//===- BorderTensors.h - Most inputs and outputs ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A job binds a region for each input and output, one for constants, and one for scratch memory.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_COMMON_BORDERTENSORS_H
#define AVOCET_COMPILER_LIB_IMPORT_COMMON_BORDERTENSORS_H

#include "mlir/IR/Location.h"
#include "mlir/Support/LLVM.h"

#include <cstdint>

namespace avocet::compiler {

struct BorderTensors {
  uint64_t inputs, outputs; ///< of the network as its user knows it
  uint64_t variables = 0;   ///< each is an input and an output of a job
  uint64_t counts = 0;      ///< outputs for numbers of rows that depend on data
};

/// Fails after an error at `location` if a job cannot bind them. Importers check it before they read the operators,
/// because the time of a compilation grows faster than the number of tensors.
mlir::LogicalResult checkBorder(mlir::Location location, const BorderTensors &tensors);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_COMMON_BORDERTENSORS_H
