//===- Improvement.h - Compilations in the background -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A driver that compiles in stages answers with a program of the compiler's fastest level. The program of the level
// that was asked for is compiled on the device's background thread, and replaces it.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_MODEL_IMPROVEMENT_H
#define AVOCET_HAL_DRIVER_LIB_MODEL_IMPROVEMENT_H

#include "model/CompiledModel.h"

#include <memory>
#include <shared_mutex>
#include <stop_token>

namespace avocet::hal {

class Programs;

/// A compilation for the background. It owns all that it uses, and keeps neither the model nor the client alive, so
/// that both may end at any time.
struct Improvement {
  std::shared_ptr<CompilerGate> compiler;
  DeadlineClock clock;
  std::stop_token ended; ///< of the model
  std::shared_ptr<const ModelBytes> source;
  Facts facts;                                     ///< empty: the model's own program
  CompileOrder order;                              ///< with the level that was asked for
  std::weak_ptr<Programs> programs;                ///< gets the result, if it still exists
  std::shared_ptr<std::shared_mutex> replacements; ///< of the client
};

/// Compiles, unless the model has ended, and passes the result to Programs::replace().
void improve(const Improvement &work);

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_MODEL_IMPROVEMENT_H
