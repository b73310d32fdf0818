//===- Signatures.cpp - Finding and matching signatures -------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/types/Signatures.h"

#include "Pattern.h"
#include "RankRules.h"
#include "avocet/hal/types/Utils.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace avocet::hal {

const OperationSignature *findSignature(OperationType type) {
  std::span<const OperationSignature> all = allSignatures();
  auto found = std::ranges::lower_bound(all, type, {}, &OperationSignature::type);
  return found != all.end() && found->type == type ? &*found : nullptr;
}

/// "7,8,10" or "2+" over the patterns of one direction.
static std::string allowedCounts(const OperationSignature &signature, std::string_view Form::*pattern) {
  std::set<std::pair<size_t, bool>> counts;
  for (const Form &form : signature.forms) {
    PatternCount count = countOf(form.*pattern);
    counts.emplace(count.least, count.isOpen);
  }
  std::string text;
  for (auto [least, isOpen] : counts)
    text += fmt::format("{}{}{}", text.empty() ? "" : ",", least, isOpen ? "+" : "");
  return text;
}

std::string allowedInputCounts(const OperationSignature &signature) { return allowedCounts(signature, &Form::inputs); }
std::string allowedOutputCounts(const OperationSignature &signature) {
  return allowedCounts(signature, &Form::outputs);
}

namespace {

/// The first operand that a form does not accept.
struct Mismatch {
  bool isOutput = false;
  size_t position = 0;
  OperandType actual = OperandType::Float32;
  TypeSet expected = 0;
};

/// Compares the operands of one operation with the forms of its signature.
class FormMatcher {
public:
  FormMatcher(const OperationSignature &signature, const OperationView &operation)
      : signature_(signature), operation_(operation) {}

  Result<Version> match() {
    bool countFits = false;
    for (const Form &form : signature_.forms) {
      auto inputs = expand(form.inputs, operation_.numInputs());
      auto outputs = expand(form.outputs, operation_.numOutputs());
      if (!inputs || !outputs)
        continue;
      countFits = true;
      if (fits(*inputs, *outputs))
        return checkLeading(form.since);
    }
    return countFits ? mismatchError() : countError();
  }

private:
  OperandType leadingType() const {
    if (signature_.leading == kLeadingOutput)
      return operation_.output(0).type;
    return operation_.input(static_cast<size_t>(signature_.leading)).type;
  }

  bool fits(std::string_view inputs, std::string_view outputs) {
    for (size_t i = 0; i < inputs.size(); ++i)
      if (!takes(inputs[i], operation_.input(i).type))
        return note({false, i, operation_.input(i).type, typesOfLetter(inputs[i], leadingType())});
    for (size_t i = 0; i < outputs.size(); ++i)
      if (!takes(outputs[i], operation_.output(i).type))
        return note({true, i, operation_.output(i).type, typesOfLetter(outputs[i], leadingType())});
    return true;
  }

  /// A leading type that is no standard type matches letter t; checkLeading() then refuses it by name.
  bool takes(char letter, OperandType type) const {
    OperandType leading = leadingType();
    return (letter == 't' && type == leading) || contains(typesOfLetter(letter, leading), type);
  }

  /// Keeps the mismatch at the last position: its form is most likely the intended one.
  bool note(const Mismatch &mismatch) {
    if (std::pair(mismatch.isOutput, mismatch.position) >= std::pair(worst_.isOutput, worst_.position))
      worst_ = mismatch;
    return false;
  }

  Result<Version> checkLeading(Version since) const {
    if (signature_.types.empty())
      return since;
    uint32_t level = levelInList(signature_.types, leadingType());
    if (level == 0)
      return leadingError();
    return std::max(since, static_cast<Version>(level - 1));
  }

  Error leadingError() const {
    bool isOutput = signature_.leading == kLeadingOutput;
    return invalidArgument(fmt::format("{} {} is {}, must be {}", isOutput ? "output" : "input",
                                       isOutput ? 0 : signature_.leading, toString(leadingType()),
                                       namesOf(typesInList(signature_.types))));
  }

  Error mismatchError() const {
    if (!signature_.types.empty() && levelInList(signature_.types, leadingType()) == 0)
      return leadingError();
    return invalidArgument(fmt::format("{} {} is {}, must be {}", worst_.isOutput ? "output" : "input", worst_.position,
                                       toString(worst_.actual), namesOf(worst_.expected)));
  }

  Error countError() const {
    return invalidArgument(fmt::format("{} inputs and {} outputs, must be {} and {}", operation_.numInputs(),
                                       operation_.numOutputs(), allowedInputCounts(signature_),
                                       allowedOutputCounts(signature_)));
  }

  const OperationSignature &signature_;
  const OperationView &operation_;
  Mismatch worst_;
};

} // namespace

/// Optional operands may be omitted, but never the leading one, which determines the other types.
static Outcome checkLeadingPresent(const OperationSignature &signature, const OperationView &operation) {
  if (signature.leading != kLeadingOutput &&
      operation.input(static_cast<size_t>(signature.leading)).lifetime == OperandLifeTime::NoValue)
    return invalidArgument(fmt::format("input {} is omitted, which it must not be", signature.leading));
  return success();
}

Result<Version> checkSignature(const OperationSignature &signature, const OperationView &operation) {
  FormMatcher matcher(signature, operation);
  AVOCET_ASSIGN_OR_RETURN(Version version, matcher.match());
  AVOCET_RETURN_IF_ERROR(checkLeadingPresent(signature, operation));
  AVOCET_RETURN_IF_ERROR(checkRanks(operation));
  if (signature.rule == nullptr)
    return version;
  AVOCET_ASSIGN_OR_RETURN(Version forRule, signature.rule(operation));
  return std::max(version, forRule);
}

} // namespace avocet::hal
