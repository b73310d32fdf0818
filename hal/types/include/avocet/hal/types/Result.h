//===- Result.h - Errors of the HAL -----------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The HAL has its own error type, since its callers act on a fixed list of codes; messages are for people. fromStatus()
// converts a Status of the layers below.
//
// A network that the compiler fails on, without refusing an operation, runs on the CPU as one with refused operations
// does. The fault would stay unseen, so drivers and delegates log it and count it.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_TYPES_RESULT_H
#define AVOCET_HAL_TYPES_RESULT_H

#include "avocet/base/Status.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace avocet::hal {

/// Numbers of the HAL (1.3 types.hal, aidl ErrorStatus.aidl); DeadObject exists in process only, not in the HAL's wire
/// types.
enum class ErrorStatus : int32_t {
  None = 0,
  DeviceUnavailable = 1,
  GeneralFailure = 2,
  OutputInsufficientSize = 3,
  InvalidArgument = 4,
  MissedDeadlineTransient = 5,
  MissedDeadlinePersistent = 6,
  ResourceExhaustedTransient = 7,
  ResourceExhaustedPersistent = 8,
  DeadObject = 10000,
};

/// "INVALID_ARGUMENT"
std::string_view toString(ErrorStatus status);

struct [[nodiscard]] Error {
  ErrorStatus code = ErrorStatus::GeneralFailure;
  std::string message; ///< names the thing, the rule and the limit
};

Error error(ErrorStatus code, std::string message);
Error invalidArgument(std::string message);
Error generalFailure(std::string message);

/// InvalidArgument, DeadlineExceeded (missed deadline, transient), Aborted (the same: only deadlines abort),
/// ResourceExhausted (transient), DeviceLost (device unavailable); everything else is a general failure.
Error fromStatus(const Status &status);

/// The function that BasicResult asks for the code of its error.
inline ErrorStatus codeOf(const Error &error) { return error.code; }

/// A value, or the error that explains its absence (its code is never None).
template <typename T> using Result = BasicResult<T, Error>;

/// Success, or an error: the result of a call without a value.
struct Nothing {};
using Outcome = Result<Nothing>;
inline Outcome success() { return Nothing(); }

/// Logs an error, and counts it. `component`: as logMessage(); `task`: what the compiler was asked for. Thread-safe.
void noteCompilerError(std::string_view component, std::string_view task, std::string_view message);

/// Number of errors that this process has noted.
uint64_t compilerErrors();

} // namespace avocet::hal

#endif // AVOCET_HAL_TYPES_RESULT_H
