//===- RefusalText.cpp - Refused operators for people ---------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RefusalText.h"

#include "avocet/base/ParseNumber.h"
#include "avocet/documents/Refusals.h"
#include "model/CompilerMessages.h"
#include "output/TextTable.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <string_view>

namespace avocet::tool {
namespace {

using documents::RefusedOperator;

std::string titleOf(const documents::RefusedOperator &refused) {
  return refused.number ? fmt::format("{} {}", *refused.number, refused.name) : refused.name;
}

std::string acceptedText(const compiler::Refusal &reason) {
  constexpr std::string_view kImplementedRule = "operation of the compiler"; // of Refusal.h, which needs MLIR
  return reason.rule == kImplementedRule ? "the operators of compiler/docs/TfliteOperators.md" : reason.limit;
}

std::string blockOf(const documents::RefusedOperator &refused) {
  const compiler::Refusal &reason = refused.reason;
  const bool isPart = !reason.operand.empty() && !parseUnsigned(reason.operand, 0, UINT64_MAX);
  std::string text = labeledText("operator", titleOf(refused));
  const auto add = [&text](std::string_view label, const std::string &value) {
    if (!value.empty())
      text += labeledText(label, value);
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

std::string refusalText(const std::vector<documents::RefusedOperator> &operators) {
  std::string text;
  for (const documents::RefusedOperator &refused : operators)
    text += (text.empty() ? "" : "\n") + blockOf(refused);
  std::vector<compiler::Refusal> reasons;
  std::ranges::transform(operators, std::back_inserter(reasons), &RefusedOperator::reason);
  return text + std::string(divisionAdvice(reasons));
}

} // namespace avocet::tool
