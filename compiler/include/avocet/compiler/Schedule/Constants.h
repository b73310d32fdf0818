//===- Constants.h - Bytes of constant attributes ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_SCHEDULE_CONSTANTS_H
#define AVOCET_COMPILER_SCHEDULE_CONSTANTS_H

#include "mlir/IR/BuiltinAttributes.h"

#include <cstdint>
#include <span>

namespace avocet::compiler::schedule {

/// Copies bytes [source, source + target.size()) of a constant; fails if it has fewer bytes.
llvm::LogicalResult copyConstant(mlir::ElementsAttr data, uint64_t source, std::span<uint8_t> target);

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_SCHEDULE_CONSTANTS_H
