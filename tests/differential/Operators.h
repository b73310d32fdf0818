//===- Operators.h - The table of operators under test ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One row for each operator of TensorFlow Lite, in the files of operators/ by family. A row without a generator is an
// operator that the importer must refuse by name.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_DIFFERENTIAL_OPERATORS_H
#define AVOCET_TESTS_DIFFERENTIAL_OPERATORS_H

#include "Draft.h"

#include <algorithm>
#include <optional>
#include <span>

namespace avocet::differential {

/// Floats y pass if |y - expected| <= tolerance * max(1, max|expected|) over the tensor.
inline constexpr float kTolerance = 1e-5f;
/// Of 8-bit weights beside floats: the scale of the activations is found at run time.
inline constexpr float kHybridTolerance = 0.05f;

/// How results differ from the library's. Either the library's optimized kernels differ from the reference kernels,
/// which define the results, or the compiler has a fault that is still to be corrected.
struct KnownDifference {
  int32_t steps = 0;             ///< of integer results, at most
  const char *why = nullptr;     ///< null: none
  bool isFault = false;          ///< of the compiler
  std::optional<Kind> only = {}; ///< the type that differs; none: all
};

struct Row {
  BuiltinOperator code;
  std::vector<Kind> kinds;              ///< that TensorFlow Lite's kernels accept
  void (*draw)(Draft &draft) = nullptr; ///< a random model with one such operator
  float tolerance = kTolerance;         ///< 0: floats are equal bit for bit
  KnownDifference difference = {};
  bool isInLibrary = true; ///< false: later versions have the operator; the generator's formula says what is expected
  std::vector<Kind> newerKinds = {}; ///< that only later versions accept; likewise

  float toleranceOf(Kind kind) const { return kind == Kind::Hybrid ? kHybridTolerance : tolerance; }
  bool libraryHas(Kind kind) const { return isInLibrary && std::ranges::find(newerKinds, kind) == newerKinds.end(); }
  int32_t stepsOf(Kind kind) const { return difference.only.value_or(kind) == kind ? difference.steps : 0; }
};

/// Sets of kinds that many operators share.
inline const std::vector<Kind> kFloatKinds = {Kind::F32};
inline const std::vector<Kind> kByteKinds = {Kind::F32, Kind::I8, Kind::U8};
inline const std::vector<Kind> kRealKinds = {Kind::F32, Kind::I8, Kind::U8, Kind::I16};

/// The rows of each family.
std::span<const Row> convRows();
std::span<const Row> poolRows();
std::span<const Row> elementwiseRows();
std::span<const Row> activationRows();
std::span<const Row> functionRows();
std::span<const Row> lookupRows();
std::span<const Row> moveRows();
std::span<const Row> cellRows();
std::span<const Row> complexRows();
std::span<const Row> controlRows();
std::span<const Row> indexRows();
std::span<const Row> newerRows();
std::span<const Row> normalizeRows();
std::span<const Row> reduceRows();
std::span<const Row> shapeRows();
std::span<const Row> sliceRows();
std::span<const Row> spaceRows();
std::span<const Row> unaryRows();
std::span<const Row> recurrentRows();
std::span<const Row> variableRows();

/// All operators, by name; those of no family follow without a generator.
const std::vector<Row> &allRows();

/// The model of a case. A row without a generator gives an operator without operands.
TestModel draw(const Row &row, Kind kind, uint64_t seed);

} // namespace avocet::differential

#endif // AVOCET_TESTS_DIFFERENTIAL_OPERATORS_H
