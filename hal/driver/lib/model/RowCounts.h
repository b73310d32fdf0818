//===- RowCounts.h - Outputs whose rows depend on data ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program computes such an output with the largest possible extent of axis 0. A further output of the program, with
// the name "output3.rows" for output 3, has the number of rows that are valid: one element of type INT32.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_MODEL_ROWCOUNTS_H
#define AVOCET_HAL_DRIVER_LIB_MODEL_ROWCOUNTS_H

#include "avocet/cache/ModelCache.h"
#include "avocet/hal/types/Result.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace avocet::hal {

class RowCounts {
public:
  /// `numOutputs`: of the model. GeneralFailure: the other outputs are not numbers of rows.
  static Result<RowCounts> of(const cache::ModelCache &program, size_t numOutputs);

  bool isEmpty() const { return isEmpty_; }
  /// The output of the program with the number of rows of an output of the model, if these depend on data.
  std::optional<size_t> of(size_t output) const { return counts_[output]; }

private:
  std::vector<std::optional<size_t>> counts_; ///< by output of the model
  bool isEmpty_ = true;
};

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_MODEL_ROWCOUNTS_H
