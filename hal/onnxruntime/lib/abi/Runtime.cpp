//===- Runtime.cpp - Calls of the runtime -----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "abi/Runtime.h"

#include "avocet/base/Log.h"

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

} // namespace

Result<Runtime> Runtime::open(const abi::ApiBase &base) {
  AVOCET_ASSIGN_OR_RETURN(const Api api, Api::open(base));
  return Runtime(api, api.get<abi::GetEpApi>());
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

Status Runtime::take(abi::Status *status) const { return api_.take(status).withContext("ONNX Runtime"); }

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
