//===- ApiResult.cpp - Errors of the C interface --------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "api/ApiResult.h"

#include <fmt/format.h>

#include <fcntl.h>

namespace avocet::nnapi {

ApiError badData(std::string message) { return {ANEURALNETWORKS_BAD_DATA, std::move(message)}; }
ApiError badState(std::string message) { return {ANEURALNETWORKS_BAD_STATE, std::move(message)}; }
ApiError unexpectedNull(std::string message) { return {ANEURALNETWORKS_UNEXPECTED_NULL, std::move(message)}; }
ApiError opFailed(std::string message) { return {ANEURALNETWORKS_OP_FAILED, std::move(message)}; }

ResultCode codeFor(hal::ErrorStatus status) {
  switch (status) {
  case hal::ErrorStatus::None:
    return ANEURALNETWORKS_NO_ERROR;
  case hal::ErrorStatus::DeviceUnavailable:
    return ANEURALNETWORKS_UNAVAILABLE_DEVICE;
  case hal::ErrorStatus::GeneralFailure:
    return ANEURALNETWORKS_OP_FAILED;
  case hal::ErrorStatus::OutputInsufficientSize:
    return ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE;
  case hal::ErrorStatus::InvalidArgument:
    return ANEURALNETWORKS_BAD_DATA;
  case hal::ErrorStatus::MissedDeadlineTransient:
    return ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT;
  case hal::ErrorStatus::MissedDeadlinePersistent:
    return ANEURALNETWORKS_MISSED_DEADLINE_PERSISTENT;
  case hal::ErrorStatus::ResourceExhaustedTransient:
    return ANEURALNETWORKS_RESOURCE_EXHAUSTED_TRANSIENT;
  case hal::ErrorStatus::ResourceExhaustedPersistent:
    return ANEURALNETWORKS_RESOURCE_EXHAUSTED_PERSISTENT;
  case hal::ErrorStatus::DeadObject:
    return ANEURALNETWORKS_DEAD_OBJECT;
  }
  return ANEURALNETWORKS_OP_FAILED;
}

ApiError fromHal(const hal::Error &error) { return {codeFor(error.code), error.message}; }
ApiError fromStatus(const Status &status) { return fromHal(hal::fromStatus(status)); }

ApiResult<hal::SharedHandle> duplicateDescriptor(int fd) {
  int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  if (copy < 0)
    return badData(fmt::format("descriptor {} cannot be duplicated; it is closed, or the process has too many", fd));
  return hal::SharedHandle(std::make_shared<const FileDescriptor>(copy));
}

} // namespace avocet::nnapi
