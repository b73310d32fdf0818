//===- NnRank.h - Numbers of axes ------------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_DIALECT_NN_NNRANK_H
#define AVOCET_COMPILER_DIALECT_NN_NNRANK_H

#include <cstdint>

namespace avocet::compiler::nn {

/// Highest rank of a tensor in the dialect.
inline constexpr int64_t kMaxTensorRank = 32;

/// Highest rank of a tensor that the device computes with. nn-merge-axes lowers higher ranks where it can; reshapes and
/// constants, which compute nothing, may keep them.
inline constexpr int64_t kMaxDeviceRank = 8;

} // namespace avocet::compiler::nn

#endif // AVOCET_COMPILER_DIALECT_NN_NNRANK_H
