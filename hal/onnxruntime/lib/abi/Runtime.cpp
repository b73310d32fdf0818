//===- Runtime.cpp - Calls of the runtime -----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "abi/Runtime.h"

#include "avocet/base/Log.h"

#include <cstdlib>
#include <fmt/core.h>

namespace avocet::ort {
namespace {

abi::ErrorCode codeOf(StatusCode code) {
  switch (code) {
  case StatusCode::InvalidArgument:
    return abi::ErrorCode::InvalidArgument;
  case StatusCode::Unsupported:
    return abi::ErrorCode::NotImplemented;
  default:
    return abi::ErrorCode::EpFail;
  }
}

/// "1.30.0" is version 30 of the interface. 0: the text is none of this form.
uint32_t versionIn(const char *text) {
  constexpr std::string_view kStart = "1.";
  return std::string_view(text).starts_with(kStart)
             ? static_cast<uint32_t>(std::strtoul(text + kStart.size(), nullptr, 10))
             : 0;
}

} // namespace

Result<Runtime> Runtime::open(const abi::ApiBase &base) {
  // The runtime writes a message of its own if it is asked for a version that it does not have.
  const char *version = base.versionString();
  const uint32_t number = versionIn(version == nullptr ? "" : version);
  const void *api = number >= abi::kApiVersion ? base.getApi(abi::kApiVersion) : nullptr;
  const void *epApi = api == nullptr ? nullptr : abi::GetEpApi::in(api)();
  if (epApi == nullptr)
    return unsupported(fmt::format("Avocet's execution provider needs ONNX Runtime 1.{} or later, this is {}",
                                   abi::kApiVersion, version == nullptr ? "of an unknown version" : version));
  return Runtime(api, epApi, number >= abi::kVirtualDeviceVersion);
}

abi::Status *Runtime::errorOf(const abi::ApiBase &base, const Status &status) {
  const void *first = base.getApi(1);
  return first == nullptr ? nullptr : abi::CreateStatus::in(first)(codeOf(status.code()), status.message().c_str());
}

abi::Status *Runtime::statusOf(const Status &status) const {
  if (status.isOk())
    return nullptr;
  return get<abi::CreateStatus>(codeOf(status.code()), ("avocet: " + status.message()).c_str());
}

Status Runtime::take(abi::Status *status) const {
  if (status == nullptr)
    return Status::ok();
  const std::string message = get<abi::GetErrorMessage>(status);
  get<abi::ReleaseStatus>(status);
  return internalError("ONNX Runtime: " + message);
}

void Runtime::log(const abi::Logger *logger, abi::LogLevel level, const std::string &message) const {
  if (logger != nullptr) {
    // A message that the runtime does not take is lost, as any of its own.
    const Status logged = call<abi::LoggerLogMessage>(logger, level, message.c_str(), __FILE_NAME__, __LINE__, "log");
    if (!logged.isOk())
      logMessage(LogLevel::Info, "avocet", "{}", logged.message());
  }
  logMessage(level == abi::LogLevel::Error ? LogLevel::Error : LogLevel::Info, "avocet", "{}", message);
}

} // namespace avocet::ort
