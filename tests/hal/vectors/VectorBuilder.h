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

#ifndef AVOCET_TESTS_HAL_VECTORS_VECTORBUILDER_H
#define AVOCET_TESTS_HAL_VECTORS_VECTORBUILDER_H

#include "avocet/hal/vectors/VectorFile.h"

#include "nnapiTest_generated.h"

#include <cstring>

namespace avocet::hal::conformance {

template <typename T> Bytes bytesOf(const std::vector<T> &values) {
  Bytes bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// A case of one RELU from operand 0 to operand 1, both of `type` and of shape [count]. Input and expected output are
/// `values`, the raw bytes of `count` elements. Tolerance 0.
vectors::CaseT identityCase(const std::string &name, OperandType type, const Bytes &values, vectors::Kind kinds);

/// General and DynamicShape, the kinds of a float case.
vectors::Kind usualKinds();

/// The bytes of a .nntv file with these cases, and the file itself. fileOf() fails the test if the reader refuses it.
Bytes pack(std::vector<vectors::CaseT> cases, vectors::Suite suite = vectors::Suite::CtsAndVts);
std::shared_ptr<const VectorFile> fileOf(std::vector<vectors::CaseT> cases,
                                         vectors::Suite suite = vectors::Suite::CtsAndVts);

} // namespace avocet::hal::conformance

#endif // AVOCET_TESTS_HAL_VECTORS_VECTORBUILDER_H
