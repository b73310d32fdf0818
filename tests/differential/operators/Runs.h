//===- Runs.h - Several runs of one model -----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_DIFFERENTIAL_OPERATORS_RUNS_H
#define AVOCET_TESTS_DIFFERENTIAL_OPERATORS_RUNS_H

#include "Operators.h"

#include <vector>

namespace avocet::differential {

/// Up to two more runs, with other values of the inputs, which are all inputs of the model in their order.
inline void addRuns(Draft &draft, const std::vector<int32_t> &inputs, Range range) {
  for (int32_t more = draft.pick(0, 2); more > 0; --more) {
    std::vector<Bytes> values;
    for (int32_t input : inputs)
      values.push_back(draft.values(draft.model().shape(input), draft.model().element(input), range));
    draft.model().addRun(std::move(values));
  }
}

} // namespace avocet::differential

#endif // AVOCET_TESTS_DIFFERENTIAL_OPERATORS_RUNS_H
