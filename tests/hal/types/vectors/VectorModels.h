//===- VectorModels.h - Models of the conformance vectors -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_HAL_TYPES_VECTORMODELS_H
#define AVOCET_TESTS_HAL_TYPES_VECTORMODELS_H

#include "avocet/hal/Types.h"
#include "nnapi_test_generated.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace avocet::hal::test {

/// A file of vectors, loaded and verified.
class VectorFile {
public:
  /// Fails the test if the file is no valid file of vectors.
  explicit VectorFile(const std::filesystem::path &path);
  const nnapi_test::SpecFile &spec() const { return *nnapi_test::GetSpecFile(bytes_.data()); }

private:
  std::vector<uint8_t> bytes_;
};

/// All *.nntv files below the shared data, sorted; empty if there are none.
std::vector<std::filesystem::path> vectorFiles();

/// The model of one case. Constants of lifetime CONSTANT_REFERENCE get one pool, whose bytes are not written.
Model modelOf(const nnapi_test::Case &vector);

/// The lowest version on which the case must run. Some cases of the bucket V1_2 declare less than the BOOL operands
/// need that they contain, so that the bucket counts too.
Version versionOf(const nnapi_test::SpecFile &spec, const nnapi_test::Case &vector);

} // namespace avocet::hal::test

#endif // AVOCET_TESTS_HAL_TYPES_VECTORMODELS_H
