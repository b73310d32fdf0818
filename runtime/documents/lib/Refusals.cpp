//===- Refusals.cpp - The operators that a target refuses -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/documents/Refusals.h"

#include "avocet/analysis/TfliteModel.h"
#include "avocet/base/ParseNumber.h"
#include "avocet/compiler/Compiler.h"
#include "avocet/compiler/Loader.h"
#include "avocet/documents/Remarks.h"
#include "avocet/network/BytecodeInput.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <tuple>

namespace avocet::documents {
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

std::optional<tflite::ModelT> modelOf(const network::ModelChoice &choice) {
  if (choice.bytes.empty())
    return analysis::readTflite(choice.path);
  if (!analysis::isTflite(choice.bytes))
    return std::nullopt;
  Result<tflite::ModelT> model = analysis::parseTflite(choice.bytes, choice.path);
  return model ? std::optional(std::move(*model)) : std::nullopt;
}

/// The numbers of operators in the first subgraph of a .tflite file, by the first tensor that they make. Empty for
/// another file.
std::map<std::string, size_t, std::less<>> operatorNumbers(const network::ModelChoice &choice) {
  std::map<std::string, size_t, std::less<>> numbers;
  const std::optional<tflite::ModelT> model = modelOf(choice);
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

} // namespace

std::vector<RefusedOperator> presentRefusals(const compiler::Verdict &result, const network::ModelChoice &choice) {
  const auto numbers = operatorNumbers(choice);
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

Result<std::vector<RefusedOperator>> refusedOperators(const network::ModelChoice &choice, network::Observer &observer) {
  AVOCET_ASSIGN_OR_RETURN(const compiler::CompileRequest request, network::requestOf(choice));
  AVOCET_ASSIGN_OR_RETURN(compiler::LoadedCompiler compiler, compiler::LoadedCompiler::load());
  observer.stage(fmt::format("asking the compiler about {}", choice.path));
  // A division into networks that compile reports the refusals of all phases; a support query those of the importer, if
  // the network cannot be divided. The networks of a division are not used, so they need no constants.
  const compiler::DivideRequest division{request, compiler::kReadableText, {}};
  std::vector<RefusedOperator> found = presentRefusals(network::divideFile(compiler, division), choice);
  if (found.empty())
    found = presentRefusals(network::judgeFile(compiler, {request}), choice);
  if (found.empty())
    found = presentRefusals(network::compileFile(compiler, request), choice);
  observer.clear();
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

} // namespace avocet::documents
