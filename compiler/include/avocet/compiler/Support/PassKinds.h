//===- PassKinds.h - Optional and required passes ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C++ side of PassKinds.td, which says what an optional pass is.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_SUPPORT_PASSKINDS_H
#define AVOCET_COMPILER_SUPPORT_PASSKINDS_H

#include "mlir/Pass/Pass.h"

namespace avocet::compiler {

/// Marks the optional passes.
class OptionalPassBase {
protected:
  OptionalPassBase() = default;
  OptionalPassBase(const OptionalPassBase &) = default;
  ~OptionalPassBase() = default;
};

/// An optional pass whose base in MLIR is `Base`. The class OptionalPass of PassKinds.td names it.
template <typename Base> class OptionalPass : public Base, public OptionalPassBase {
protected:
  explicit OptionalPass(mlir::TypeID id) : Base(id) {}
};

inline bool isOptional(const mlir::Pass &pass) { return dynamic_cast<const OptionalPassBase *>(&pass) != nullptr; }

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_SUPPORT_PASSKINDS_H
