//===- Verdicts.cpp ---------------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verdicts.h"

#include "Compare.h"

#include <fmt/format.h>

namespace avocet::hal::conformance {

RunResult passed() { return {}; }
RunResult failed(std::string reason, std::string detail) {
  return {.verdict = Verdict::Failed, .reason = std::move(reason), .detail = std::move(detail)};
}
RunResult unsupported(std::string reason, std::string detail) {
  return {.verdict = Verdict::Unsupported, .reason = std::move(reason), .detail = std::move(detail)};
}
RunResult skipped(std::string reason) {
  return {.kind = {}, .verdict = Verdict::Skipped, .reason = std::move(reason), .detail = {}};
}

RunResult noResources(const Status &status) { return failed("the runner has no resources", status.message()); }

RunResult declinable(RunResult result, ErrorStatus code) {
  return code == ErrorStatus::GeneralFailure ? skipped("declined with GENERAL_FAILURE") : result;
}

RunResult failedCall(std::string_view call, ErrorStatus code, const std::string &message) {
  return failed(fmt::format("{} answers {}", call, toString(code)), message);
}

RunResult checkRefusal(std::string_view call, const Error &error) {
  return error.code == ErrorStatus::GeneralFailure ? skipped(fmt::format("{}: {}", call, error.message))
                                                   : failedCall(call, error.code, error.message);
}

namespace {

std::string compareShapes(const TestCase &test, const std::vector<OutputShape> &shapes, size_t insufficient) {
  if (shapes.size() != test.outputs.size())
    return fmt::format("{} shapes for {} outputs", shapes.size(), test.outputs.size());
  for (size_t i = 0; i < shapes.size(); ++i) {
    if (shapes[i].dimensions != test.outputs[i].dimensions)
      return fmt::format("output {}: actual shape {}, expected {}", i, shapeText(shapes[i].dimensions),
                         shapeText(test.outputs[i].dimensions));
    if (shapes[i].isSufficient != (i != insufficient))
      return fmt::format("output {}: isSufficient is {}", i, shapes[i].isSufficient);
  }
  return "";
}

std::string compareOutput(const TestCase &test, size_t index, std::span<const uint8_t> actual) {
  const ExpectedOutput &expected = test.outputs[index];
  if (expected.rule == OutputRule::Ignored)
    return "";
  if (expected.rule == OutputRule::Close)
    return compareValues(index, expected, actual);
  if (test.inputs.empty() || !test.inputs.front())
    return "the case has no logits to draw from";
  const Subgraph &main = test.model.main;
  return compareDraws(index, expected, actual, main.operands[main.inputIndexes.front()].type, *test.inputs.front(),
                      test.multinomialTolerance);
}

} // namespace

RunResult checkValues(const TestCase &test, const std::vector<Bytes> &outputs) {
  for (size_t i = 0; i < test.outputs.size(); ++i)
    if (std::string text = compareOutput(test, i, outputs[i]); !text.empty())
      return failed("wrong values", text);
  return passed();
}

RunResult checkAnswer(const TestCase &test, const ExecutionOutcome &outcome) {
  if (!outcome.isOk())
    return failedCall("execute", outcome.status, outcome.message);
  if (std::string text = compareShapes(test, outcome.outputShapes, SIZE_MAX); !text.empty())
    return failed("wrong shape", text);
  return passed();
}

RunResult checkSuccess(const TestCase &test, const ExecutionOutcome &outcome, const RequestBuffers &buffers) {
  if (RunResult answer = checkAnswer(test, outcome); answer.verdict != Verdict::Passed)
    return answer;
  if (RunResult values = checkValues(test, buffers.copyOutputs(test)); values.verdict != Verdict::Passed)
    return values;
  if (std::string text = buffers.damage(); !text.empty())
    return failed("memory that is no output was written", text);
  return passed();
}

RunResult checkShortOutput(const TestCase &test, const ExecutionOutcome &outcome, const RequestBuffers &buffers) {
  if (outcome.status != ErrorStatus::OutputInsufficientSize)
    return failedCall("execute with a short output", outcome.status, outcome.message);
  if (std::string text = compareShapes(test, outcome.outputShapes, 0); !text.empty())
    return failed("wrong shape", text);
  if (std::string text = buffers.damage(); !text.empty())
    return failed("memory that is no output was written", text);
  return passed();
}

} // namespace avocet::hal::conformance
