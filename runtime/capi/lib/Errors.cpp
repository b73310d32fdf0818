//===- Errors.cpp - Errors as objects -------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Guard.h"
#include "avocet/base/Version.h"

namespace avocet::capi {

static_assert(AVOCET_INVALID_ARGUMENT == int(StatusCode::InvalidArgument) &&
              AVOCET_NOT_FOUND == int(StatusCode::NotFound) && AVOCET_DATA_LOSS == int(StatusCode::DataLoss) &&
              AVOCET_UNSUPPORTED == int(StatusCode::Unsupported) &&
              AVOCET_RESOURCE_EXHAUSTED == int(StatusCode::ResourceExhausted) &&
              AVOCET_FAILED_PRECONDITION == int(StatusCode::FailedPrecondition) &&
              AVOCET_DEADLINE_EXCEEDED == int(StatusCode::DeadlineExceeded) &&
              AVOCET_ABORTED == int(StatusCode::Aborted) && AVOCET_DEVICE_FAULT == int(StatusCode::DeviceFault) &&
              AVOCET_DEVICE_LOST == int(StatusCode::DeviceLost) && AVOCET_INTERNAL == int(StatusCode::Internal));

namespace {

/// For a process without memory for another one. Made when the library is loaded, and never destroyed.
// NOLINTNEXTLINE(bugprone-throwing-static-initialization): without memory for it the library cannot be loaded
AvocetError *const kOutOfMemory =
    table<ErrorTable>().add(std::make_shared<Error>(Error{AVOCET_RESOURCE_EXHAUSTED, "out of memory"}));

} // namespace

AvocetError *makeError(Error error) noexcept {
  try {
    return table<ErrorTable>().add(std::make_shared<Error>(std::move(error)));
  } catch (const std::exception &) {
    return kOutOfMemory;
  }
}

AvocetError *makeError(const Status &status) noexcept {
  try {
    return makeError(Error{static_cast<AvocetCode>(status.code()), status.message()});
  } catch (const std::exception &) {
    return kOutOfMemory;
  }
}

} // namespace avocet::capi

using namespace avocet::capi;

const char *avocetVersion(void) { return avocet::versionAndCommit().data(); }

uint32_t avocetApiVersion(void) { return AVOCET_API_VERSION; }

AvocetCode avocetErrorCode(const AvocetError *error) {
  return error ? valueOf<ErrorTable>(error, AvocetCode(AVOCET_INVALID_ARGUMENT), [](const Error &e) { return e.code; })
               : AVOCET_OK;
}

const char *avocetErrorMessage(const AvocetError *error) {
  return valueOf<ErrorTable>(error, "", [](const Error &e) { return e.message.c_str(); });
}

size_t avocetErrorReasonCount(const AvocetError *error) {
  return valueOf<ErrorTable>(error, size_t{0}, [](const Error &e) { return e.reasons.size(); });
}

const char *avocetErrorReason(const AvocetError *error, size_t index, AvocetReasonField field) {
  return valueOf<ErrorTable>(error, static_cast<const char *>(nullptr), [&](const Error &e) -> const char * {
    if (index >= e.reasons.size() || field < 0 || field > AVOCET_REASON_ADVICE)
      return nullptr;
    return e.reasons[index].fields[field].c_str();
  });
}

const char *avocetErrorJson(const AvocetError *error) {
  return valueOf<ErrorTable>(error, "", [](const Error &e) { return e.json.c_str(); });
}

void avocetErrorDestroy(AvocetError *error) {
  if (error != kOutOfMemory)
    destroy<ErrorTable>(error);
}
