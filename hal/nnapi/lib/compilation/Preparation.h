//===- Preparation.h - Prepares a model on its devices -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_NNAPI_LIB_COMPILATION_PREPARATION_H
#define AVOCET_HAL_NNAPI_LIB_COMPILATION_PREPARATION_H

#include "api/ApiResult.h"
#include "compilation/Compilation.h"

namespace avocet::nnapi {

/// A model that can run.
struct Preparation {
  std::shared_ptr<hal::IPreparedModel> model;
  std::shared_ptr<hal::IDevice> onlyDevice; ///< null: several devices run it
  uint64_t operationsOnDevice = 0;          ///< of the main model, on devices other than the CPU
  hal::MemoryPreference memory;
};

/// BAD_DATA: no device supports an operation. Else the error of the device that failed.
ApiResult<Preparation> prepare(const FinishedModel &model, const CompilationOptions &options);

/// By operation of the application's calls: whether at least one device supports it. A device that cannot answer
/// supports none.
std::vector<bool> supportedOperations(const FinishedModel &model, const std::vector<std::shared_ptr<Device>> &devices);

} // namespace avocet::nnapi

#endif // AVOCET_HAL_NNAPI_LIB_COMPILATION_PREPARATION_H
