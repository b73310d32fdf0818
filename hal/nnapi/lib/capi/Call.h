//===- Call.h - The frame of every C function --------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_NNAPI_LIB_CAPI_CALL_H
#define AVOCET_HAL_NNAPI_LIB_CAPI_CALL_H

#include "api/ApiResult.h"
#include "telemetry/Counters.h"

#include "avocet/hal/types/Tracing.h"

#include <initializer_list>
#include <new>
#include <stdexcept>
#include <string_view>

namespace avocet::nnapi {

/// The phase of a function in traces, from its name: models and memories prepare, _free terminates, and the getters of
/// a finished execution give results.
hal::TracePhase phaseOf(std::string_view function);

/// Logs the error of a call of `function`, if any. Returns its code.
int report(const char *function, const ApiOutcome &outcome);

/// A pointer that a function needs.
class Required {
public:
  template <typename T> Required(const T *pointer) : isNull_(pointer == nullptr) {
    if constexpr (requires { pointer->isStale(); })
      isStale_ = pointer != nullptr && pointer->isStale();
  }
  ApiOutcome check() const;

private:
  bool isNull_;
  bool isStale_ = false; ///< a handle of the process before fork()
};

ApiOutcome checkAll(std::initializer_list<Required> required);

/// Runs the body of a C function, which returns an ApiOutcome. UNEXPECTED_NULL if one of `required` is null,
/// DEAD_OBJECT for a handle of the parent process; the body does not run then. No exception leaves it: OUT_OF_MEMORY
/// for those of the allocator.
template <typename Body> int call(const char *function, std::initializer_list<Required> required, Body body) {
  startProcessReports();
  if (ApiOutcome usable = checkAll(required); !usable.isOk())
    return report(function, usable);
  hal::HalSpan span(hal::TraceLayer::Runtime, phaseOf(function), function);
  try {
    return report(function, body());
  } catch (const std::bad_alloc &) {
    return report(function, ApiError{ANEURALNETWORKS_OUT_OF_MEMORY, "no memory is left"});
  } catch (const std::length_error &) {
    return report(function, ApiError{ANEURALNETWORKS_OUT_OF_MEMORY, "a list is too long"});
  }
}

/// The same for a function that creates an object: `body` returns an ApiResult of a shared pointer. `*handle` becomes
/// the new handle, or null.
template <typename Handle, typename Body>
int create(const char *function, std::initializer_list<Required> required, Handle **handle, Body body) {
  if (handle != nullptr)
    *handle = nullptr;
  return call(function, {handle}, [&]() -> ApiOutcome {
    AVOCET_RETURN_IF_ERROR(checkAll(required));
    auto made = body();
    if (!made.isOk())
      return std::move(made).error();
    *handle = new Handle{{std::move(made).value()}};
    return success();
  });
}

/// Frees a handle. One of the parent process is left alone: its object waits for threads that this process lacks.
template <typename Handle> void release(const char *function, Handle *handle) {
  if (handle == nullptr || handle->isStale())
    return;
  hal::HalSpan span(hal::TraceLayer::Runtime, phaseOf(function), function);
  delete handle;
}

} // namespace avocet::nnapi

#endif // AVOCET_HAL_NNAPI_LIB_CAPI_CALL_H
