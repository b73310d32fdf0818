//===- Status.cpp - Success or one error with its reason --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/Status.h"

namespace avocet {

std::string_view toString(StatusCode code) {
  switch (code) {
  case StatusCode::Ok:
    return "ok";
  case StatusCode::InvalidArgument:
    return "invalid_argument";
  case StatusCode::NotFound:
    return "not_found";
  case StatusCode::DataLoss:
    return "data_loss";
  case StatusCode::Unsupported:
    return "unsupported";
  case StatusCode::ResourceExhausted:
    return "resource_exhausted";
  case StatusCode::FailedPrecondition:
    return "failed_precondition";
  case StatusCode::DeadlineExceeded:
    return "deadline_exceeded";
  case StatusCode::Aborted:
    return "aborted";
  case StatusCode::DeviceFault:
    return "device_fault";
  case StatusCode::DeviceLost:
    return "device_lost";
  case StatusCode::Internal:
    return "internal";
  }
  return "unknown";
}

Status Status::withContext(std::string_view context) && {
  if (!isOk())
    message_.insert(0, std::string(context) + ": ");
  return std::move(*this);
}

std::string Status::toString() const {
  std::string text(avocet::toString(code_));
  return message_.empty() ? text : text + ": " + message_;
}

Status invalidArgument(std::string message) { return {StatusCode::InvalidArgument, std::move(message)}; }
Status notFound(std::string message) { return {StatusCode::NotFound, std::move(message)}; }
Status dataLoss(std::string message) { return {StatusCode::DataLoss, std::move(message)}; }
Status unsupported(std::string message) { return {StatusCode::Unsupported, std::move(message)}; }
Status resourceExhausted(std::string message) { return {StatusCode::ResourceExhausted, std::move(message)}; }
Status failedPrecondition(std::string message) { return {StatusCode::FailedPrecondition, std::move(message)}; }
Status internalError(std::string message) { return {StatusCode::Internal, std::move(message)}; }

} // namespace avocet
