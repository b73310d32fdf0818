//===- Status.h - Success or one error with its reason ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The template of avocet::Result (its error is a Status) and of avocet::hal::Result (its error is a hal::Error), and
// the two macros that return an error from a function. The macros accept a Status, a BasicResult and a hal::Outcome.
//
// An error type names its code with a function codeOf(error), which is found by its argument. A code of value 0 is
// success, and is never the code of an error in a BasicResult.
//
// The error type of all code outside the compiler. Functions return Status, or Result<T> when they also have a value;
// outputs are set on success only. A message names the object and the limit that it broke ("target e256: sram.size is
// 0, must be 1024 or more"), in a form that a user can act on. Nothing here throws; all types are values and may be
// moved between threads.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_BASE_STATUS_H
#define AVOCET_BASE_STATUS_H

#include <cassert>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

namespace avocet {

/// A value of type T, or an error. Accessors that require a value or an error assert it; without assertions they throw
/// std::bad_variant_access. As safe for threads as T and Error are.
template <typename T, typename Error> class [[nodiscard]] BasicResult {
public:
  using Code = decltype(codeOf(std::declval<const Error &>()));

  BasicResult(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  /// The code of `error` is not success.
  BasicResult(Error error) : state_(std::in_place_index<1>, std::move(error)) { assert(code() != Code()); }

  [[nodiscard]] bool isOk() const { return state_.index() == 0; }
  explicit operator bool() const { return isOk(); }

  /// Success when there is a value.
  [[nodiscard]] Code code() const { return isOk() ? Code() : codeOf(error()); }

  /// The error, or success when there is a value. Only for an error type that can express success, as Status can.
  [[nodiscard]] Error status() const
    requires requires { Error::ok(); }
  {
    return isOk() ? Error::ok() : error();
  }

  /// Requires an error.
  [[nodiscard]] const Error &error() const & {
    assert(!isOk());
    return std::get<1>(state_);
  }
  [[nodiscard]] Error &&error() && {
    assert(!isOk());
    return std::get<1>(std::move(state_));
  }

  /// Requires a value.
  [[nodiscard]] T &value() & {
    assert(isOk());
    return std::get<0>(state_);
  }
  [[nodiscard]] const T &value() const & {
    assert(isOk());
    return std::get<0>(state_);
  }
  [[nodiscard]] T &&value() && {
    assert(isOk());
    return std::get<0>(std::move(state_));
  }
  T &operator*() & { return value(); }
  const T &operator*() const & { return value(); }
  T &&operator*() && { return std::move(*this).value(); }
  T *operator->() { return &value(); }
  const T *operator->() const { return &value(); }

private:
  std::variant<T, Error> state_;
};

} // namespace avocet

#define AVOCET_CONCAT_IMPL(a, b) a##b
#define AVOCET_CONCAT(a, b) AVOCET_CONCAT_IMPL(a, b)

/// Returns from the function with the error of `expr`, if it has one.
#define AVOCET_RETURN_IF_ERROR(expr)                                                                                   \
  do {                                                                                                                 \
    if (auto avocetOutcome = (expr); !avocetOutcome.isOk())                                                            \
      return std::move(avocetOutcome).error();                                                                         \
  } while (false)

/// `AVOCET_ASSIGN_OR_RETURN(auto value, makeValue());` declares or assigns the value, or returns the error.
#define AVOCET_ASSIGN_OR_RETURN(declaration, expr)                                                                     \
  AVOCET_ASSIGN_OR_RETURN_IMPL(AVOCET_CONCAT(avocetResult, __LINE__), declaration, expr)
#define AVOCET_ASSIGN_OR_RETURN_IMPL(result, declaration, expr)                                                        \
  auto result = (expr);                                                                                                \
  if (!result.isOk())                                                                                                  \
    return std::move(result).error();                                                                                  \
  declaration = std::move(result).value()

namespace avocet {

enum class StatusCode {
  Ok,
  InvalidArgument,    ///< the caller's value breaks a documented rule
  NotFound,           ///< a named file, target, operation or symbol does not exist
  DataLoss,           ///< a file or message is truncated, corrupt or of another format version
  Unsupported,        ///< well-formed, but this build or device cannot do it
  ResourceExhausted,  ///< memory, descriptors, queue entries or a quota ran out
  FailedPrecondition, ///< the object is not in the state that the call needs
  DeadlineExceeded,   ///< a time limit passed first
  Aborted,            ///< the work was cancelled, or preempted and not resumed
  DeviceFault,        ///< the device ended the job with a fault code
  DeviceLost,         ///< the device is gone; sticky until it is reopened
  Internal,           ///< a broken invariant of Avocet itself
};

/// Short stable name of a code, for logs and JSON ("invalid_argument").
std::string_view toString(StatusCode code);

class [[nodiscard]] Status {
public:
  Status() = default;
  Status(StatusCode code, std::string message) : code_(code), message_(std::move(message)) {}

  static Status ok() { return {}; }

  bool isOk() const { return code_ == StatusCode::Ok; }
  explicit operator bool() const { return isOk(); }
  StatusCode code() const { return code_; }
  const std::string &message() const { return message_; }

  /// This error itself, for code that treats a Status as it treats a Result. Requires an error.
  const Status &error() const & {
    assert(!isOk());
    return *this;
  }
  Status &&error() && {
    assert(!isOk());
    return std::move(*this);
  }

  /// The same error with the prefix "context: "; success is returned unchanged.
  Status withContext(std::string_view context) &&;

  /// "invalid_argument: message", or "ok".
  std::string toString() const;

  bool operator==(const Status &) const = default;

private:
  StatusCode code_ = StatusCode::Ok;
  std::string message_;
};

Status invalidArgument(std::string message);
Status notFound(std::string message);
Status dataLoss(std::string message);
Status unsupported(std::string message);
Status resourceExhausted(std::string message);
Status failedPrecondition(std::string message);
Status internalError(std::string message);

/// The function that BasicResult asks for the code of its error.
inline StatusCode codeOf(const Status &status) { return status.code(); }

/// A value, or the Status that explains its absence (never Ok).
template <typename T> using Result = BasicResult<T, Status>;

} // namespace avocet

#endif // AVOCET_BASE_STATUS_H
