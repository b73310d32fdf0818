//===- CallArrival.h - A received call in the active trace ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_SERVICE_LIB_CALLARRIVAL_H
#define AVOCET_HAL_SERVICE_LIB_CALLARRIVAL_H

#include "avocet/base/TraceRequest.h"
#include "avocet/hal/wire/Envelope.h"

#include <optional>
#include <string>

namespace avocet::hal {

/// When a call was sent and received, for its spans. Times in microseconds of the active trace.
struct CallArrival {
  TraceRequest request = 0;
  std::string client; ///< "client 1234"
  double received = 0;
  std::optional<double> sent; ///< empty: the client does not tell, or its time cannot be true
};

/// To be called when the call has arrived. Empty: no trace is active. The process in the request is the socket's peer,
/// not what the message says, so that a client cannot add spans to requests of others.
std::optional<CallArrival> noteArrival(const ipc::fb::EnvelopeT &call, const Channel &channel);

/// The time in which a call is performed: its spans belong to the request. The constructor adds the span of its time in
/// the queue, the destructor those of the client: from sending until now, and of this the time of the message.
class PerformedCall {
public:
  PerformedCall(const std::optional<CallArrival> &arrival, ipc::fb::Call call);
  ~PerformedCall();
  PerformedCall(const PerformedCall &) = delete;
  PerformedCall &operator=(const PerformedCall &) = delete;

private:
  void add(const std::string &track, const char *what, double start, double end) const;

  const std::optional<CallArrival> &arrival_;
  const ipc::fb::Call call_;
  const TraceRequestScope scope_;
};

} // namespace avocet::hal

#endif // AVOCET_HAL_SERVICE_LIB_CALLARRIVAL_H
