//===- Guard.h - The border of the C library --------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_CAPI_LIB_GUARD_H
#define AVOCET_RUNTIME_CAPI_LIB_GUARD_H

#include "Objects.h"

#include <exception>
#include <new>

namespace avocet::capi {

AvocetError *makeError(Error error) noexcept;
AvocetError *makeError(const Status &status) noexcept;

/// Runs the body of a function, which gives a Status or a pointer to an error, and lets no exception pass.
template <typename Body> AvocetError *guarded(const Body &body) noexcept {
  try {
    if constexpr (std::is_same_v<decltype(body()), Status>) {
      const Status status = body();
      return status.isOk() ? nullptr : makeError(status);
    } else {
      return body();
    }
  } catch (const std::bad_alloc &) {
    return makeError(resourceExhausted("out of memory"));
  } catch (const std::exception &error) {
    return makeError(internalError(error.what()));
  }
}

/// The object of a handle. InvalidArgument names `what`.
template <typename Table, typename Handle>
auto need(const Handle *handle, const char *what) -> Result<decltype(table<Table>().find(handle))> {
  auto object = table<Table>().find(handle);
  if (object)
    return object;
  return invalidArgument(std::string(handle ? "the handle is of no " : "no ") + what +
                         (handle ? ", or was destroyed" : " was given"));
}

/// Clears the place of a result. InvalidArgument: there is none.
template <typename T> Status clearResult(T *result) {
  if (!result)
    return invalidArgument("the place for the result is NULL");
  *result = {};
  return Status::ok();
}

inline AvocetReport *addReport(std::string text) {
  return table<ReportTable>().add(std::make_shared<const Report>(Report{std::move(text)}));
}

/// Runs the body of a function that makes a document, a Result of its text.
template <typename Body> AvocetError *reported(AvocetReport **report, const Body &body) noexcept {
  return guarded([&]() -> Status {
    AVOCET_RETURN_IF_ERROR(clearResult(report));
    AVOCET_ASSIGN_OR_RETURN(std::string text, body());
    *report = addReport(std::move(text));
    return Status::ok();
  });
}

inline Status needText(const char *text, const char *what) {
  return text ? Status::ok() : invalidArgument(std::string("no ") + what + " was given");
}

/// A copy of options, or the defaults for NULL.
Result<Options> optionsOf(const AvocetOptions *options);

/// A value of an object; `otherwise` for a handle of no object, and after an exception.
template <typename Table, typename Handle, typename T, typename Get>
T valueOf(const Handle *handle, T otherwise, const Get &get) noexcept {
  try {
    const auto object = table<Table>().find(handle);
    return object ? static_cast<T>(get(*object)) : otherwise;
  } catch (const std::exception &) {
    return otherwise;
  }
}

template <typename Table, typename Handle> void destroy(const Handle *handle) noexcept {
  try {
    (void)table<Table>().take(handle);
  } catch (const std::exception &) { // NOLINT(bugprone-empty-catch): a lock that fails leaves the object
  }
}

} // namespace avocet::capi

#endif // AVOCET_RUNTIME_CAPI_LIB_GUARD_H
