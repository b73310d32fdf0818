//===- Isolation.h - One operation alone in SRAM ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_CORE_ISOLATION_H
#define AVOCET_COMPILER_LIB_SCHEDULE_CORE_ISOLATION_H

#include "Pieces/Piece.h"

#include <map>
#include <optional>

namespace avocet::compiler::schedule {

/// The problem of one operation of another problem. Its operands are inputs and outputs of the network.
class Isolation {
public:
  Isolation(const Problem &problem, uint32_t operation);

  const Problem &problem() const { return alone_; }

  /// Whether the operation fits whole, in stripes, or in pieces without a state.
  bool fitsWithoutState() const;

private:
  uint64_t wholeBytes() const;
  bool fitsInStripes(uint64_t budget) const;
  uint32_t tensor(uint32_t id);
  uint32_t constant(uint32_t id);

  const Problem &from_;
  Problem alone_;
  std::map<uint32_t, uint32_t> tensors_, constants_; ///< by number in the original problem
  uint32_t outputs_ = 0;
};

/// As splitOperation() into independent pieces. Into pieces with a state if the operation does not fit otherwise, with
/// all of SRAM for itself, or if independent pieces take much longer to load.
std::optional<Pieces> splitOperation(const Problem &problem, uint32_t operation, uint64_t budget);

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_LIB_SCHEDULE_CORE_ISOLATION_H
