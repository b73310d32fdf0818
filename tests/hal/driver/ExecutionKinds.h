//===- ExecutionKinds.h - Each way to execute a request ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_HAL_DRIVER_EXECUTIONKINDS_H
#define AVOCET_TESTS_HAL_DRIVER_EXECUTIONKINDS_H

#include "avocet/hal/types/Interfaces.h"

#include <span>

namespace avocet::hal::testing {

/// A kind of execution, as a function of the model, the request and its options that waits for the end.
struct ExecutionKind {
  const char *name; ///< as part of a test's name
  ErrorStatus (*run)(IPreparedModel &, const Request &, const ExecutionOptions &);
};

/// Synchronous, asynchronous, fenced, burst, burst with a kept binding, reusable, and reusable fenced. The identifier
/// of a burst's memory is the number of its pool.
std::span<const ExecutionKind> executionKinds();

} // namespace avocet::hal::testing

#endif // AVOCET_TESTS_HAL_DRIVER_EXECUTIONKINDS_H
