//===- Result.h - A value, or the error that explains its absence ---------===//
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
//===----------------------------------------------------------------------===//

#ifndef AVOCET_BASE_RESULT_H
#define AVOCET_BASE_RESULT_H

#include <cassert>
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

#endif // AVOCET_BASE_RESULT_H
