//===- CallArrival.cpp - A received call in the active trace --------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CallArrival.h"

#include "avocet/base/Trace.h"
#include "avocet/hal/wire/CallTrace.h"

#include <chrono>
#include <fmt/format.h>
#include <unistd.h>

namespace avocet::hal {

using namespace ipc;

namespace {

/// A message is not longer on its way; a greater age is that of another clock, or untrue.
constexpr Duration kLongestAge = std::chrono::seconds(60);

std::optional<Duration> ageOf(const fb::EnvelopeT &call) {
  if (call.sent < 0)
    return std::nullopt;
  const Duration age = BootClock::now().time_since_epoch() - Duration(call.sent);
  return age >= Duration::zero() && age <= kLongestAge ? std::optional(age) : std::nullopt;
}

} // namespace

std::optional<CallArrival> noteArrival(const fb::EnvelopeT &call, const Channel &channel) {
  const Trace *trace = Trace::active();
  if (trace == nullptr)
    return std::nullopt;
  const Result<PeerCredentials> peer = channel.peer();
  const auto process = peer ? static_cast<uint32_t>(peer->process) : 0;
  CallArrival arrival;
  // Clients of older versions send no number.
  arrival.request = call.request != 0 ? traceRequest(process, call.request)
                                      : traceRequest(static_cast<uint32_t>(::getpid()), newTraceNumber());
  arrival.client = fmt::format("client {}", process);
  arrival.received = trace->now();
  if (const std::optional<Duration> age = ageOf(call))
    arrival.sent = arrival.received - std::chrono::duration<double, std::micro>(*age).count();
  return arrival;
}

PerformedCall::PerformedCall(const std::optional<CallArrival> &arrival, fb::Call call)
    : arrival_(arrival), call_(call), scope_(arrival ? arrival->request : 0) {
  if (const Trace *trace = Trace::active(); trace != nullptr && arrival)
    add(arrival->client + " queue", "queued", arrival->received, trace->now());
}

PerformedCall::~PerformedCall() {
  const Trace *trace = Trace::active();
  if (trace == nullptr || !arrival_ || !arrival_->sent)
    return;
  add(arrival_->client, "client", *arrival_->sent, trace->now());
  add(arrival_->client, "message", *arrival_->sent, arrival_->received);
}

void PerformedCall::add(const std::string &track, const char *what, double start, double end) const {
  std::string name = traceName(TraceLayer::Ipc, phaseOf(call_), fmt::format("{} {}", what, fb::EnumNameCall(call_)));
  Trace::active()->add({TraceClock::Host,
                        track,
                        std::move(name),
                        start,
                        end - start,
                        {{kTraceRequestKey, traceRequestName(arrival_->request)}}});
}

} // namespace avocet::hal
