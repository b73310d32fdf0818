//===- Tester.h - Cases and their outcomes ----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A case is an operator, an element type and a seed: "CONV_2D/i8/17". It has one of the outcomes below.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_DIFFERENTIAL_TESTER_H
#define AVOCET_TESTS_DIFFERENTIAL_TESTER_H

#include "Avocet.h"
#include "Operators.h"
#include "Oracle.h"

#include <map>

namespace avocet::differential {

struct CaseName {
  const Row *row = nullptr;
  Kind kind = Kind::F32;
  uint64_t seed = 0;

  std::string text() const;
  /// InvalidArgument says which part is unknown.
  static Result<CaseName> parse(const std::string &text);
};

enum class Outcome {
  Equal,         ///< within the tolerance of the row
  Rejected,      ///< the compiler refuses this form, with a reason
  OracleRefused, ///< TensorFlow Lite refuses the model: a fault of the generator
  OracleCrashed, ///< no answer to compare with
  Different,     ///< wrong outputs
  Failed,        ///< an error that is no refusal
};

struct CaseResult {
  Outcome outcome = Outcome::Equal;
  std::string text = {}; ///< the reason, or the first difference
  bool isImplemented = true;
};

CaseResult runCase(const CaseName &name, Oracle &oracle);
/// The same without Avocet: Equal if TensorFlow Lite accepts the model.
CaseResult checkGenerator(const CaseName &name, Oracle &oracle);

/// Counts of one cell of the table.
struct Tally {
  std::map<Outcome, uint32_t> counts;
  std::map<Outcome, std::string> examples; ///< the first case of each outcome but Equal, with its text

  void add(const CaseName &name, const CaseResult &result);
  uint32_t count(Outcome outcome) const;
  /// Nothing is wrong: no difference, no failure, and every model is one that TensorFlow Lite accepts.
  bool isGood() const;
  /// "200 equal, 3 rejected (...)"
  std::string summary() const;
};

/// Writes STEM.tflite, STEM.inputK and STEM.outputK.
Status saveModel(const TestModel &model, const std::vector<Bytes> &outputs, const std::string &stem);
/// Writes NAME.tflite, NAME.inputK and NAME.outputK (the library's results) to the folder.
Status saveCase(const CaseName &name, Oracle &oracle, const std::string &folder);

} // namespace avocet::differential

#endif // AVOCET_TESTS_DIFFERENTIAL_TESTER_H
