//===- Reasons.cpp - Why a network was refused ----------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reasons.h"

namespace avocet::capi {

std::vector<Reason> reasonsOf(const std::vector<documents::RefusedOperator> &operators) {
  std::vector<Reason> reasons;
  for (const documents::RefusedOperator &refused : operators) {
    Reason reason;
    reason.fields[AVOCET_REASON_OPERATOR] = refused.name;
    if (refused.number)
      reason.fields[AVOCET_REASON_NUMBER] = std::to_string(*refused.number);
    reason.fields[AVOCET_REASON_TENSOR] = refused.tensor;
    reason.fields[AVOCET_REASON_LOCATION] = refused.reason.location;
    reason.fields[AVOCET_REASON_OPERAND] = refused.reason.operand;
    reason.fields[AVOCET_REASON_RULE] = refused.reason.rule;
    reason.fields[AVOCET_REASON_VALUE] = refused.reason.value;
    reason.fields[AVOCET_REASON_LIMIT] = refused.reason.limit;
    reason.fields[AVOCET_REASON_ADVICE] = refused.advice;
    reasons.push_back(std::move(reason));
  }
  return reasons;
}

} // namespace avocet::capi
