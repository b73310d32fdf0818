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
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_TYPES_RESULT_H
#define AVOCET_HAL_TYPES_RESULT_H

#include "avocet/base/Status.h"

#include <cassert>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

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

/// A value, or the error that explains why there is none.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : state_(std::move(value)) {}
  Result(Error error) : state_(std::move(error)) { assert(this->error().code != ErrorStatus::None); }

  bool isOk() const { return state_.index() == 0; }
  explicit operator bool() const { return isOk(); }
  T &operator*() { return std::get<0>(state_); }
  const T &operator*() const { return std::get<0>(state_); }
  T *operator->() { return &std::get<0>(state_); }
  const T *operator->() const { return &std::get<0>(state_); }
  const Error &error() const { return std::get<1>(state_); }
  ErrorStatus code() const { return isOk() ? ErrorStatus::None : error().code; }

private:
  std::variant<T, Error> state_;
};

/// Success, or an error: the result of a call without a value.
struct Nothing {};
using Outcome = Result<Nothing>;
inline Outcome success() { return Nothing(); }

} // namespace avocet::hal

/// `AVOCET_HAL_RETURN_IF_ERROR(outcome)` returns the error of an Outcome or Result from the function.
#define AVOCET_HAL_RETURN_IF_ERROR(expression)                                                                         \
  do {                                                                                                                 \
    if (auto avocetOutcome = (expression); !avocetOutcome.isOk())                                                      \
      return avocetOutcome.error();                                                                                    \
  } while (false)
#define AVOCET_HAL_CONCAT_INNER(a, b) a##b
#define AVOCET_HAL_CONCAT(a, b) AVOCET_HAL_CONCAT_INNER(a, b)
/// `AVOCET_HAL_ASSIGN_OR_RETURN(declaration, result)` declares or assigns the value, or returns the error.
#define AVOCET_HAL_ASSIGN_OR_RETURN(declaration, expression)                                                           \
  auto AVOCET_HAL_CONCAT(avocetResult, __LINE__) = (expression);                                                       \
  if (!AVOCET_HAL_CONCAT(avocetResult, __LINE__).isOk())                                                               \
    return AVOCET_HAL_CONCAT(avocetResult, __LINE__).error();                                                          \
  declaration = std::move(*AVOCET_HAL_CONCAT(avocetResult, __LINE__))

#endif // AVOCET_HAL_TYPES_RESULT_H
