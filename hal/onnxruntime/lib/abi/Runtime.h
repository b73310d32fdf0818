//===- Runtime.h - Calls of the runtime -------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_ONNXRUNTIME_LIB_ABI_RUNTIME_H
#define AVOCET_HAL_ONNXRUNTIME_LIB_ABI_RUNTIME_H

#include "avocet/base/Status.h"
#include "avocet/hal/onnxruntime/Api.h"

#include <string>
#include <vector>

namespace avocet::ort {

/// The runtime that has loaded the library. Copies are of the same runtime. Thread-safe.
class Runtime {
public:
  /// Unsupported: the runtime is older than ONNX Runtime 1.23; the message says its version.
  static Result<Runtime> open(const abi::ApiBase &base);
  /// An error of open() for the runtime, which has the functions of version 1 in any case; null if it has not.
  static abi::Status *errorOf(const abi::ApiBase &base, const Status &status);

  const Api &api() const { return api_; }

  /// Of functions whose result is no status.
  template <typename Entry, typename... Arguments> decltype(auto) get(Arguments... arguments) const {
    return api_.get<Entry>(arguments...);
  }
  template <typename Entry, typename... Arguments> decltype(auto) getEp(Arguments... arguments) const {
    return Entry::in(epApi_)(arguments...);
  }
  template <typename Entry, typename... Arguments> Status call(Arguments... arguments) const {
    return take(get<Entry>(arguments...));
  }
  template <typename Entry, typename... Arguments> Status callEditor(Arguments... arguments) const {
    return take(Entry::in(get<abi::GetModelEditorApi>())(arguments...));
  }
  template <typename Entry, typename... Arguments> Status callEp(Arguments... arguments) const {
    return take(Entry::in(epApi_)(arguments...));
  }

  /// The list that one function counts and another fills.
  template <typename Count, typename List, typename Element, typename Object>
  Result<std::vector<Element>> list(const Object *object) const {
    size_t count = 0;
    AVOCET_RETURN_IF_ERROR(call<Count>(object, &count));
    std::vector<Element> elements(count);
    if (count > 0)
      AVOCET_RETURN_IF_ERROR(call<List>(object, elements.data(), count));
    return elements;
  }

  /// A text that belongs to the object.
  template <typename Entry, typename Object> Result<std::string> text(const Object *object) const {
    const char *text = nullptr;
    AVOCET_RETURN_IF_ERROR(call<Entry>(object, &text));
    return std::string(text == nullptr ? "" : text);
  }

  /// Null for success.
  abi::Status *statusOf(const Status &status) const;
  /// A call of the runtime's, which must not throw.
  template <typename Call> abi::Status *guarded(Call &&call) const noexcept { return statusOf(statusGuarded(call)); }

  /// To the log of the session or environment, and to ours.
  void log(const abi::Logger *logger, abi::LogLevel level, const std::string &message) const;

  bool hasProfilers() const { return api_.version() >= abi::kProfilerVersion; }
  bool hasVirtualDevices() const { return api_.version() >= abi::kVirtualDeviceVersion; }
  /// Whether the rank of a tensor is known. Older runtimes show an unknown one as that of a scalar.
  bool hasShape(const abi::TensorInfo *tensor, size_t rank) const {
    return hasVirtualDevices() ? get<abi::TensorInfoHasShape>(tensor) : rank > 0;
  }

private:
  Runtime(const Api &api, const void *epApi) : api_(api), epApi_(epApi) {}
  /// Releases it.
  Status take(abi::Status *status) const;

  template <typename Call> static Status statusGuarded(Call &&call) noexcept {
    try {
      return call();
    } catch (const std::bad_alloc &) {
      return resourceExhausted("out of memory");
    } catch (const std::exception &error) {
      return internalError(error.what());
    }
  }

  Api api_;
  const void *epApi_;
};

} // namespace avocet::ort

#endif // AVOCET_HAL_ONNXRUNTIME_LIB_ABI_RUNTIME_H
