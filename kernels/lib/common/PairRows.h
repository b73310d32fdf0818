//===- PairRows.h - Functions of pairs of elements -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_COMMON_PAIRROWS_H
#define AVOCET_KERNELS_LIB_COMMON_PAIRROWS_H

#include "common/Computed.h"

namespace avocet::kernels {

/// Elements at the same distance.
template <typename T> struct SpacedRow {
  const T *first;
  uint64_t step; ///< 0: one element for all
};

/// output[i] = f(a[i], b[i]). The usual distances have their own loops, which the compiler makes vector code of.
template <typename In, typename Out, typename F>
void computePairs(SpacedRow<In> a, SpacedRow<In> b, Out *output, size_t count, F &&f) {
  if (a.step == 1 && b.step == 1) {
    for (size_t i = 0; i < count; ++i)
      output[i] = f(a.first[i], b.first[i]);
  } else if (a.step == 1 && b.step == 0) {
    for (size_t i = 0; i < count; ++i)
      output[i] = f(a.first[i], *b.first);
  } else {
    for (size_t i = 0; i < count; ++i)
      output[i] = f(a.first[i * a.step], b.first[i * b.step]);
  }
}

/// The same in the computing types. Keeps buffers from one row to the next.
template <typename In, typename Out> class PairRows {
public:
  template <typename F> void compute(SpacedRow<In> a, SpacedRow<In> b, Out *output, size_t count, F &&f) {
    computeRuns(a, b, output, count, [&f](auto... run) { computePairs(run..., f); });
  }

  /// Calls compute(a, b, output, count) with each part of the row.
  template <typename Compute>
  void computeRuns(SpacedRow<In> a, SpacedRow<In> b, Out *output, size_t count, Compute &&compute) {
    const size_t most = computedRun<In, Out>(count);
    for (size_t first = 0; first < count; first += most) {
      const size_t some = std::min(most, count - first);
      compute(computed(a, first, some, a_), computed(b, first, some, b_), output_.begin(output + first, some), some);
      output_.store(output + first, some);
    }
  }

private:
  static SpacedRow<Computed<In>> computed(SpacedRow<In> row, size_t first, size_t count, ComputedInput<In> &input) {
    return {input.read(row.first + first * row.step, count, row.step), input.stepOf(row.step)};
  }

  ComputedInput<In> a_, b_;
  ComputedOutput<Out> output_;
};

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_COMMON_PAIRROWS_H
