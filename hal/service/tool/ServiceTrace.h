//===- ServiceTrace.h - The trace of avocetd --------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_SERVICE_TOOL_SERVICETRACE_H
#define AVOCET_HAL_SERVICE_TOOL_SERVICETRACE_H

#include "avocet/base/Trace.h"

#include <string>

namespace avocet::hal {

/// The latest spans of this process, in a file that Perfetto opens. Must outlive all threads that record spans. An
/// empty path: no trace.
class ServiceTrace {
public:
  explicit ServiceTrace(std::string path);
  ~ServiceTrace(); ///< writes the file
  ServiceTrace(const ServiceTrace &) = delete;
  ServiceTrace &operator=(const ServiceTrace &) = delete;

  /// Writes the spans recorded so far. A failure is logged.
  void write() const;

private:
  static constexpr size_t kMaxSpans = 200'000; ///< about 40 MB

  const std::string path_;
  Trace trace_{kMaxSpans};
};

} // namespace avocet::hal

#endif // AVOCET_HAL_SERVICE_TOOL_SERVICETRACE_H
