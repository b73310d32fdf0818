//===- FinishedModel.h - A model that can be compiled ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_NNAPI_LIB_MODEL_FINISHEDMODEL_H
#define AVOCET_HAL_NNAPI_LIB_MODEL_FINISHEDMODEL_H

#include "avocet/hal/types/Types.h"

#include <cstdint>
#include <vector>

namespace avocet::nnapi {

/// A valid model, apart from `undefined` operations. Immutable.
struct FinishedModel {
  hal::Model model; ///< operations in executable order
  /// By position in that order: the number of the application's call of addOperation().
  std::vector<uint32_t> callOrder;
  /// Positions of operations that no device supports (UndefinedOperations.h), sorted. The model is valid without them.
  std::vector<uint32_t> undefined;
};

} // namespace avocet::nnapi

#endif // AVOCET_HAL_NNAPI_LIB_MODEL_FINISHEDMODEL_H
