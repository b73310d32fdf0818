//===- Refusals.cpp - The operators that a target refuses -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Refusals.h"

#include "avocet/analysis/TfliteModel.h"
#include "avocet/base/ParseNumber.h"
#include "avocet/compiler/Compiler.h"
#include "avocet/compiler/Loader.h"
#include "model/BytecodeInput.h"
#include "model/CompilerMessages.h"
#include "output/TextTable.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <tuple>

namespace avocet::tool {
namespace {

bool isNumber(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

/// "sum" of "model.tflite:sum". Other locations are lines of IR, or a file.
std::string tensorIn(const std::string &location) {
  constexpr std::string_view kFile = ".tflite:";
  const size_t file = location.find(kFile);
  return file == std::string::npos ? "" : location.substr(file + kFile.size());
}

/// "operator 1 ADD" of the import without its number; later phases have the kind alone.
std::string kindOf(const compiler::Refusal &reason) {
  constexpr std::string_view kSubject = "operator ";
  if (isNumber(reason.operand)) // the position of an input or output of the network
    return reason.operation + " " + reason.operand;
  const size_t space = reason.operation.find(' ', kSubject.size());
  const bool isSubject = reason.operation.starts_with(kSubject) && space != std::string::npos;
  return isSubject ? reason.operation.substr(space + 1) : reason.operation;
}

/// The numbers of operators in the first subgraph of a .tflite file, by the first tensor that they make. Empty for
/// another file.
std::map<std::string, size_t, std::less<>> operatorNumbers(const std::string &path) {
  std::map<std::string, size_t, std::less<>> numbers;
  const std::optional<tflite::ModelT> model = analysis::readTflite(path);
  if (!model)
    return numbers;
  const tflite::SubGraphT &graph = analysis::mainGraph(*model);
  for (size_t i = 0; i < graph.operators.size(); ++i)
    if (const auto &outputs = graph.operators[i]->outputs; !outputs.empty())
      numbers.emplace(graph.tensors[static_cast<size_t>(outputs.front())]->name, i);
  return numbers;
}

/// The diagnostic of a refusal ends with "; " and the advice (compiler/include/avocet/compiler/Support/Refusal.h).
std::string adviceIn(const std::string &message) {
  const size_t separator = message.rfind("; ");
  return separator == std::string::npos ? "" : message.substr(separator + 2);
}

/// Each refusal once: one operator may be placed several times.
std::vector<RefusedOperator> presentedOnce(const compiler::Verdict &result, const std::string &path) {
  const auto numbers = operatorNumbers(path);
  std::set<std::tuple<std::string, std::string, std::string, std::string>> seen;
  std::multimap<std::optional<size_t>, RefusedOperator> byNumber;
  auto next = result.diagnostics.begin(); // refusals are in the order of their diagnostics
  for (const compiler::Refusal &reason : result.refusals) {
    const auto match = std::find_if(next, result.diagnostics.end(), [&](const compiler::Diagnostic &diagnostic) {
      return diagnostic.location == reason.location && diagnostic.message.starts_with(reason.operation);
    });
    const std::string advice = match == result.diagnostics.end() ? "" : adviceIn(match->message);
    if (match != result.diagnostics.end())
      next = std::next(match);
    if (!seen.emplace(reason.location, reason.operation, reason.operand, reason.rule).second)
      continue;
    RefusedOperator refused{{}, kindOf(reason), tensorIn(reason.location), reason, advice};
    if (const auto number = numbers.find(refused.tensor); number != numbers.end())
      refused.number = number->second;
    byNumber.emplace(refused.number, std::move(refused));
  }
  std::vector<RefusedOperator> found;
  for (auto &[number, refused] : byNumber)
    found.push_back(std::move(refused));
  return found;
}

std::string titleOf(const RefusedOperator &refused) {
  return refused.number ? fmt::format("{} {}", *refused.number, refused.name) : refused.name;
}

std::string acceptedText(const compiler::Refusal &reason) {
  constexpr std::string_view kImplementedRule = "operation of the compiler"; // of Refusal.h, which needs MLIR
  return reason.rule == kImplementedRule ? "the operators of compiler/docs/TfliteOperators.md" : reason.limit;
}

std::string blockOf(const RefusedOperator &refused) {
  const compiler::Refusal &reason = refused.reason;
  const bool isPart = !reason.operand.empty() && !isNumber(reason.operand);
  std::string text = labelledText("operator", titleOf(refused));
  const auto add = [&text](std::string_view label, const std::string &value) {
    if (!value.empty())
      text += labelledText(label, value);
  };
  add(refused.tensor.empty() ? "place" : "tensor",
      refused.tensor.empty() ? reason.location : "'" + refused.tensor + "'");
  add("rule", isPart ? reason.operand + ": " + reason.rule : reason.rule);
  add("found", reason.value);
  add("accepted", acceptedText(reason));
  add("to do", refused.advice);
  return text;
}

} // namespace

Result<std::vector<RefusedOperator>> refusedOperators(const ModelChoice &choice, Progress &progress) {
  AVOCET_ASSIGN_OR_RETURN(const compiler::CompileRequest request, requestOf(choice));
  AVOCET_ASSIGN_OR_RETURN(compiler::LoadedCompiler compiler, compiler::LoadedCompiler::load());
  progress.stage(fmt::format("asking the compiler about {}", choice.path));
  // A division into networks that compile reports the refusals of all phases, but is only for .tflite files. A support
  // query does so for IR of the phase import. The networks of a division are not used, so they need no constants.
  const compiler::DivideRequest division{request, compiler::kReadableText, {}};
  std::vector<RefusedOperator> found = presentedOnce(compiler.divide(division), choice.path);
  if (found.empty())
    found = presentedOnce(judgeFile(compiler, {request}), choice.path);
  if (found.empty())
    found = presentedOnce(compileFile(compiler, request), choice.path);
  progress.clear();
  return found;
}

std::vector<RefusedOperator> findRefused(const std::vector<RefusedOperator> &operators, std::string_view text) {
  const auto keep = [&](auto &&isMeant) {
    std::vector<RefusedOperator> kept;
    std::ranges::copy_if(operators, std::back_inserter(kept), isMeant);
    return kept;
  };
  const auto number = parseUnsigned(text, 0, SIZE_MAX);
  if (auto found = keep([&](const RefusedOperator &each) { return number && each.number == *number; }); !found.empty())
    return found;
  if (auto found = keep([&](const RefusedOperator &each) { return each.tensor == text; }); !found.empty())
    return found;
  return keep([&](const RefusedOperator &each) {
    return each.name.find(text) != std::string::npos || each.tensor.find(text) != std::string::npos;
  });
}

std::string refusalText(const std::vector<RefusedOperator> &operators) {
  std::string text;
  for (const RefusedOperator &refused : operators)
    text += (text.empty() ? "" : "\n") + blockOf(refused);
  std::vector<compiler::Refusal> reasons;
  std::ranges::transform(operators, std::back_inserter(reasons), &RefusedOperator::reason);
  return text + std::string(divisionAdvice(reasons));
}

} // namespace avocet::tool
