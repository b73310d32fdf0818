//===- Api.h - The functions of a runtime -----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_ONNXRUNTIME_API_H
#define AVOCET_HAL_ONNXRUNTIME_API_H

#include "avocet/base/Status.h"
#include "avocet/hal/onnxruntime/OnnxRuntimeC.h"

#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

namespace avocet::ort {

/// The name of Avocet's provider, as applications find its devices.
inline constexpr const char *kProviderName = "AvocetExecutionProvider";

/// The functions that all runtimes from kApiVersion on have. Copies are of the same runtime. Thread-safe.
class Api {
public:
  /// Unsupported: the runtime is older than ONNX Runtime 1.23; the message says its version.
  static Result<Api> open(const abi::ApiBase &base) {
    // The runtime writes a message of its own if it is asked for a version that it does not have.
    const char *text = base.versionString();
    const uint32_t version = versionIn(text == nullptr ? "" : text);
    if (const void *table = version >= abi::kApiVersion ? base.getApi(abi::kApiVersion) : nullptr)
      return Api(table, version);
    return unsupported("Avocet's execution provider needs ONNX Runtime 1." + std::to_string(abi::kApiVersion) +
                       " or later, this is " + (text == nullptr ? "of an unknown version" : text));
  }

  /// Of the interface that the runtime has: 30 for ONNX Runtime 1.30.
  uint32_t version() const { return version_; }

  /// Of functions whose result is no status.
  template <typename Entry, typename... Arguments> decltype(auto) get(Arguments... arguments) const {
    return Entry::in(table_)(arguments...);
  }
  /// Internal: the runtime's message.
  template <typename Entry, typename... Arguments> Status call(Arguments... arguments) const {
    return take(get<Entry>(arguments...));
  }

  /// Releases it.
  Status take(abi::Status *status) const {
    if (status == nullptr)
      return Status::ok();
    const std::string message = get<abi::GetErrorMessage>(status);
    get<abi::ReleaseStatus>(status);
    return internalError(message);
  }

private:
  Api(const void *table, uint32_t version) : table_(table), version_(version) {}

  /// "1.30.0" is version 30. 0: the text is none of this form.
  static uint32_t versionIn(const char *text) {
    constexpr std::string_view kStart = "1.";
    return std::string_view(text).starts_with(kStart)
               ? static_cast<uint32_t>(std::strtoul(text + kStart.size(), nullptr, 10))
               : 0;
  }

  const void *table_;
  uint32_t version_;
};

/// Releases an object by the runtime's function for its type. The Api must outlive the object.
template <typename Release> struct Releaser {
  const Api *api = nullptr;
  template <typename Object> void operator()(Object *object) const { api->get<Release>(object); }
};
template <typename Object, typename Release> using Owned = std::unique_ptr<Object, Releaser<Release>>;
using OwnedEnvironment = Owned<abi::Environment, abi::ReleaseEnv>;
using OwnedMemoryInfo = Owned<abi::MemoryInfo, abi::ReleaseMemoryInfo>;
using OwnedOptions = Owned<abi::SessionOptions, abi::ReleaseSessionOptions>;
using OwnedSession = Owned<abi::Session, abi::ReleaseSession>;
using OwnedValue = Owned<abi::Value, abi::ReleaseValue>;

/// The object that a function makes, whose last parameter says where to write it: make<abi::CreateEnv,
/// OwnedEnvironment>(api, level, name).
template <typename Create, typename Owner, typename... Arguments>
Result<Owner> make(const Api &api, Arguments... arguments) {
  typename Owner::pointer made = nullptr;
  AVOCET_RETURN_IF_ERROR(api.call<Create>(arguments..., &made));
  return Owner(made, {&api});
}

/// The provider's first device in an environment. NotFound: the provider is not registered there, or shows none.
inline Result<const abi::EpDevice *> findDevice(const Api &api, const abi::Environment *environment) {
  const abi::EpDevice *const *devices = nullptr;
  size_t count = 0;
  AVOCET_RETURN_IF_ERROR(api.call<abi::GetEpDevices>(environment, &devices, &count));
  for (size_t i = 0; i < count; ++i)
    if (std::string_view(api.get<abi::EpDeviceName>(devices[i])) == kProviderName)
      return devices[i];
  return notFound(std::string("the environment has no device of ") + kProviderName);
}

} // namespace avocet::ort

#endif // AVOCET_HAL_ONNXRUNTIME_API_H
