//===- VectorBuilder.h - Small vector files for tests -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds .nntv bytes in memory.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_CONFORMANCE_VECTORBUILDER_H
#define AVOCET_TESTS_CONFORMANCE_VECTORBUILDER_H

#include "avocet/hal/conformance/VectorFile.h"

#include "nnapiTest_generated.h"

#include <cstring>

namespace avocet::hal::conformance {

template <typename T> Bytes bytesOf(const std::vector<T> &values) {
  Bytes bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

inline constexpr OperationType kFloor = 8;
inline constexpr OperationType kRelu = 19;

/// A case of one RELU from operand 0 to operand 1, both of `type` and of shape [count], whose expected output is its
/// input. Tolerance 0.
vectors::CaseT identityCase(const std::string &name, OperandType type, const Bytes &values, vectors::Kind kinds);

/// The kinds that a float case has.
vectors::Kind usualKinds();

/// The file of these cases.
Bytes pack(std::vector<vectors::CaseT> cases, vectors::Suite suite = vectors::Suite::CtsAndVts);
std::shared_ptr<const VectorFile> fileOf(std::vector<vectors::CaseT> cases,
                                         vectors::Suite suite = vectors::Suite::CtsAndVts);

} // namespace avocet::hal::conformance

#endif // AVOCET_TESTS_CONFORMANCE_VECTORBUILDER_H
