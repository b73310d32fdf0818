//===- Tester.cpp - Cases and their outcomes ------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tester.h"

#include "Compare.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace avocet::differential {
namespace {

constexpr std::array kOutcomeNames = {"equal",          "rejected",  "refused by TensorFlow Lite",
                                      "oracle crashed", "different", "failed"};

/// The first difference of any output; empty: none.
std::string compareOutputs(const TestModel &model, const std::vector<Bytes> &found, const std::vector<Bytes> &expected,
                           const Tolerance &tolerance) {
  if (found.size() != expected.size())
    return fmt::format("{} outputs, expected {}", found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i)
    if (std::string text = compare(model.outputs[i], found[i], expected[i], tolerance); !text.empty())
      return fmt::format("output {}: {}", i, text);
  return "";
}

/// The library's outputs, or the formula's for operators and types that are newer than the library.
Result<std::vector<Bytes>> outputsOf(const CaseName &name, const TestModel &model, Oracle &oracle) {
  if (!name.row->libraryHas(name.kind))
    return model.expected;
  return oracle.run({model.file, model.inputs, model.shapes});
}

/// Equal: the library ran the model, its outputs have the sizes that the model says, and they are what the generator
/// expects if it has a formula. `outputs` are then the expected ones.
CaseResult askOracle(const CaseName &name, const TestModel &model, Oracle &oracle, std::vector<Bytes> &outputs) {
  Result<std::vector<Bytes>> answer = outputsOf(name, model, oracle);
  if (!answer)
    return {answer.status().code() == StatusCode::Unsupported ? Outcome::OracleRefused : Outcome::OracleCrashed,
            std::string(answer.status().message())};
  for (size_t i = 0; i < answer->size(); ++i)
    if ((*answer)[i].size() != model.outputBytes[i])
      return {Outcome::OracleRefused, fmt::format("it computes {} bytes of output {}, the model says {}",
                                                  (*answer)[i].size(), i, model.outputBytes[i])};
  outputs = model.expected.empty() ? *answer : model.expected;
  const Tolerance tolerance{name.row->toleranceOf(name.kind), name.row->stepsOf(name.kind)};
  if (std::string text = compareOutputs(model, *answer, outputs, tolerance); !text.empty())
    return {Outcome::OracleRefused, "TensorFlow Lite differs from the formula: " + text};
  return {};
}

} // namespace

std::string CaseName::text() const {
  return fmt::format("{}/{}/{}", EnumNameBuiltinOperator(row->code), kindName(kind), seed);
}

Result<CaseName> CaseName::parse(const std::string &text) {
  const size_t first = text.find('/'), second = text.find('/', first + 1);
  if (first == std::string::npos || second == std::string::npos)
    return invalidArgument(text + ": a case has the form OPERATOR/TYPE/SEED, for example CONV_2D/i8/17");
  CaseName name;
  const auto row = std::ranges::find_if(
      allRows(), [&](const Row &each) { return text.substr(0, first) == EnumNameBuiltinOperator(each.code); });
  if (row == allRows().end())
    return invalidArgument(text + ": there is no such operator");
  name.row = &*row;
  const auto kind = std::ranges::find_if(
      row->kinds, [&](Kind each) { return text.substr(first + 1, second - first - 1) == kindName(each); });
  if (kind == row->kinds.end())
    return invalidArgument(text + ": the operator has no cases of this type");
  name.kind = *kind;
  const char *end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + second + 1, end, name.seed);
  if (error != std::errc() || stop != end)
    return invalidArgument(text + ": the seed is not a number");
  return name;
}

CaseResult checkGenerator(const CaseName &name, Oracle &oracle) {
  std::vector<Bytes> outputs;
  return askOracle(name, draw(*name.row, name.kind, name.seed), oracle, outputs);
}

CaseResult runCase(const CaseName &name, Oracle &oracle) {
  const TestModel model = draw(*name.row, name.kind, name.seed);
  const DeviceResult device = runOnDevice(model);
  if (!device.isImplemented)
    return {Outcome::Rejected, device.refusal, false};
  std::vector<Bytes> expected;
  if (CaseResult asked = askOracle(name, model, oracle, expected); asked.outcome != Outcome::Equal)
    return asked;
  if (!device.refusal.empty())
    return {Outcome::Rejected, device.refusal};
  if (!device.status.isOk())
    return {Outcome::Failed, device.status.toString()};
  // Against a formula integers are exact; the library may differ from its own reference.
  const int32_t steps = model.expected.empty() ? name.row->stepsOf(name.kind) : 0;
  std::string difference = compareOutputs(model, device.outputs, expected, {name.row->toleranceOf(name.kind), steps});
  return {difference.empty() ? Outcome::Equal : Outcome::Different, std::move(difference)};
}

void Tally::add(const CaseName &name, const CaseResult &result) {
  ++counts[result.outcome];
  if (result.outcome != Outcome::Equal)
    examples.try_emplace(result.outcome, name.text() + ": " + result.text);
}

uint32_t Tally::count(Outcome outcome) const {
  const auto entry = counts.find(outcome);
  return entry == counts.end() ? 0 : entry->second;
}

bool Tally::isGood() const {
  return count(Outcome::Different) + count(Outcome::Failed) + count(Outcome::OracleRefused) == 0;
}

std::string Tally::summary() const {
  std::vector<std::string> parts;
  for (const auto &[outcome, count] : counts) {
    parts.push_back(fmt::format("{} {}", count, kOutcomeNames[static_cast<size_t>(outcome)]));
    if (const auto example = examples.find(outcome); example != examples.end())
      parts.back() += " (" + example->second + ")";
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

Status saveModel(const TestModel &model, const std::vector<Bytes> &outputs, const std::string &stem) {
  AVOCET_RETURN_IF_ERROR(writeFile(stem + ".tflite", model.file));
  for (size_t i = 0; i < model.inputs.size(); ++i)
    AVOCET_RETURN_IF_ERROR(writeFile(fmt::format("{}.input{}", stem, i), model.inputs[i]));
  for (size_t i = 0; i < outputs.size(); ++i)
    AVOCET_RETURN_IF_ERROR(writeFile(fmt::format("{}.output{}", stem, i), outputs[i]));
  return Status::ok();
}

Status saveCase(const CaseName &name, Oracle &oracle, const std::string &folder) {
  const TestModel model = draw(*name.row, name.kind, name.seed);
  AVOCET_ASSIGN_OR_RETURN(std::vector<Bytes> outputs, outputsOf(name, model, oracle));
  if (!model.expected.empty())
    outputs = model.expected;
  std::string stem = name.text();
  std::ranges::replace(stem, '/', '-');
  return saveModel(model, outputs, folder + "/" + stem);
}

} // namespace avocet::differential
