//===- Status.h - Success or one error with its reason ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The error type of all code outside the compiler. Functions return Status, or Result<T> when they also have a value;
// outputs are set on success only. A message names the object and the limit that it broke ("target e256: sram.size is
// 0, must be 1024 or more"), in a form that a user can act on. Nothing here throws; all types are values and may be
// moved between threads.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_BASE_STATUS_H
#define AVOCET_BASE_STATUS_H

#include "avocet/base/Result.h"

#include <cassert>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace avocet {

enum class StatusCode {
  Ok,
  InvalidArgument,    ///< the caller's value breaks a documented rule
  NotFound,           ///< a named file, target, operation or symbol does not exist
  DataLoss,           ///< a file or message is truncated, corrupt or of another format version
  Unsupported,        ///< well-formed, but this build or device cannot do it
  ResourceExhausted,  ///< memory, descriptors, queue entries or a quota ran out
  FailedPrecondition, ///< the object is not in the state that the call needs
  DeadlineExceeded,   ///< a time limit passed first
  Aborted,            ///< the work was cancelled, or preempted and not resumed
  DeviceFault,        ///< the device ended the job with a fault code
  DeviceLost,         ///< the device is gone; sticky until it is reopened
  Internal,           ///< a broken invariant of Avocet itself
};

/// Short stable name of a code, for logs and JSON ("invalid_argument").
std::string_view toString(StatusCode code);

class [[nodiscard]] Status {
public:
  Status() = default;
  Status(StatusCode code, std::string message) : code_(code), message_(std::move(message)) {}

  static Status ok() { return {}; }

  bool isOk() const { return code_ == StatusCode::Ok; }
  explicit operator bool() const { return isOk(); }
  StatusCode code() const { return code_; }
  const std::string &message() const { return message_; }

  /// This error itself, for code that treats a Status as it treats a Result. Requires an error.
  const Status &error() const & {
    assert(!isOk());
    return *this;
  }
  Status &&error() && {
    assert(!isOk());
    return std::move(*this);
  }

  /// The same error with the prefix "context: "; success is returned unchanged.
  Status withContext(std::string_view context) &&;

  /// "invalid_argument: message", or "ok".
  std::string toString() const;

  bool operator==(const Status &) const = default;

private:
  StatusCode code_ = StatusCode::Ok;
  std::string message_;
};

Status invalidArgument(std::string message);
Status notFound(std::string message);
Status dataLoss(std::string message);
Status unsupported(std::string message);
Status resourceExhausted(std::string message);
Status failedPrecondition(std::string message);
Status internalError(std::string message);

/// The function that BasicResult asks for the code of its error.
inline StatusCode codeOf(const Status &status) { return status.code(); }

/// A value, or the Status that explains its absence (never Ok).
template <typename T> using Result = BasicResult<T, Status>;

} // namespace avocet

#endif // AVOCET_BASE_STATUS_H
