//===- TraceRequest.h - The request that a thread works on ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One call of a client may be work of several threads and processes. A number that goes with it marks their spans, and
// the trace connects them by arrows (a flow). A WorkerPool passes the number of the posting thread on to its task.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_BASE_TRACEREQUEST_H
#define AVOCET_BASE_TRACEREQUEST_H

#include <cstdint>
#include <string>

namespace avocet {

/// The process that made the request, and the number that it chose. 0: no request.
using TraceRequest = uint64_t;
constexpr TraceRequest traceRequest(uint32_t process, uint32_t number) { return uint64_t(process) << 32 | number; }

/// A number for a request of this process; each is used once (in 2^32 requests), and none is 0. Thread-safe.
uint32_t newTraceNumber();

/// That of the calling thread.
TraceRequest currentTraceRequest();

/// The argument of spans that holds the name of their request, and the category and name of flows.
inline constexpr const char *kTraceRequestKey = "request";

/// "1234.17": the value of the argument kTraceRequestKey.
std::string traceRequestName(TraceRequest request);

/// During its lifetime the calling thread works on a request: spans that end meanwhile belong to it.
class TraceRequestScope {
public:
  explicit TraceRequestScope(TraceRequest request);
  /// The thread's present request. If it has none and a trace is active, a new one of this process.
  TraceRequestScope();
  ~TraceRequestScope();
  TraceRequestScope(const TraceRequestScope &) = delete;
  TraceRequestScope &operator=(const TraceRequestScope &) = delete;

private:
  const TraceRequest before_;
};

/// For shared libraries, which have no main(). If knob AVOCET_TRACE names a file, activates a trace of the latest
/// 500,000 spans, which is written when the process ends or the library is unloaded; a forked child writes nothing.
/// Only the first call does anything. Thread-safe.
void startProcessTrace();

} // namespace avocet

#endif // AVOCET_BASE_TRACEREQUEST_H
