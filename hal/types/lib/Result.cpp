//===- Result.cpp - Errors of the HAL ---------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/types/Result.h"

#include "avocet/base/Log.h"

#include <atomic>

namespace avocet::hal {

std::string_view toString(ErrorStatus status) {
  switch (status) {
  case ErrorStatus::None:
    return "NONE";
  case ErrorStatus::DeviceUnavailable:
    return "DEVICE_UNAVAILABLE";
  case ErrorStatus::GeneralFailure:
    return "GENERAL_FAILURE";
  case ErrorStatus::OutputInsufficientSize:
    return "OUTPUT_INSUFFICIENT_SIZE";
  case ErrorStatus::InvalidArgument:
    return "INVALID_ARGUMENT";
  case ErrorStatus::MissedDeadlineTransient:
    return "MISSED_DEADLINE_TRANSIENT";
  case ErrorStatus::MissedDeadlinePersistent:
    return "MISSED_DEADLINE_PERSISTENT";
  case ErrorStatus::ResourceExhaustedTransient:
    return "RESOURCE_EXHAUSTED_TRANSIENT";
  case ErrorStatus::ResourceExhaustedPersistent:
    return "RESOURCE_EXHAUSTED_PERSISTENT";
  case ErrorStatus::DeadObject:
    return "DEAD_OBJECT";
  }
  return "UNKNOWN";
}

Error error(ErrorStatus code, std::string message) { return {code, std::move(message)}; }
Error invalidArgument(std::string message) { return error(ErrorStatus::InvalidArgument, std::move(message)); }
Error generalFailure(std::string message) { return error(ErrorStatus::GeneralFailure, std::move(message)); }

static ErrorStatus errorStatusOf(StatusCode code) {
  switch (code) {
  case StatusCode::InvalidArgument:
    return ErrorStatus::InvalidArgument;
  case StatusCode::DeadlineExceeded:
  case StatusCode::Aborted:
    return ErrorStatus::MissedDeadlineTransient;
  case StatusCode::ResourceExhausted:
    return ErrorStatus::ResourceExhaustedTransient;
  case StatusCode::DeviceLost:
    return ErrorStatus::DeviceUnavailable;
  default:
    return ErrorStatus::GeneralFailure;
  }
}

Error fromStatus(const Status &status) { return error(errorStatusOf(status.code()), std::string(status.message())); }

namespace {

std::atomic<uint64_t> noted{0};

} // namespace

void noteCompilerError(std::string_view component, std::string_view task, std::string_view message) {
  noted.fetch_add(1, std::memory_order_relaxed);
  logMessage(LogLevel::Error, component, "internal error of the compiler ({}): {}", task, message);
}

uint64_t compilerErrors() { return noted.load(std::memory_order_relaxed); }

} // namespace avocet::hal
