//===- Messages.cpp - Replies of the firmware -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/firmware_iface/Version.h"
#include "firmware/Firmware.h"

#include <algorithm>
#include <cstring>

namespace avocet::sim {

using namespace firmware;

namespace {

/// Whether driver and device have an interface version of this major in common, and the same encoding version.
bool canSpeak(const HelloRequest &request) {
  return majorOf(request.minInterfaceVersion) == kInterfaceMajor &&
         majorOf(request.maxInterfaceVersion) == kInterfaceMajor && request.minInterfaceVersion <= kInterfaceVersion &&
         request.minInterfaceVersion <= request.maxInterfaceVersion && request.encodingVersion == kEncodingVersion;
}

uint32_t featuresOf(const DeviceOptions &options) {
  uint32_t features = 0;
  if (options.timing)
    features |= feature::kDeadlines | feature::kPreemption | feature::kClockLevels;
  else
    features |= feature::kTimingOff;
  if (!options.functional)
    features |= feature::kFunctionalOff;
  if (options.trace)
    features |= feature::kCommandTrace;
  return features | feature::kEnergyCounters;
}

template <typename Body> Mailbox replyTo(const Mailbox &message, const Body &body) {
  Mailbox reply{};
  reply.header.kind = message.header.kind;
  reply.header.bytes = sizeof(Body);
  reply.header.sequence = message.header.sequence;
  std::memcpy(reply.body, &body, sizeof(Body));
  return reply;
}

} // namespace

std::optional<Mailbox> Firmware::answer(const Mailbox &message) {
  if (message.header.kind == static_cast<uint32_t>(MessageKind::Hello))
    return replyTo(message, hello(message));
  std::optional<ReplyCode> code = hasGreeted_ ? dispatch(message) : ReplyCode::VersionMismatch;
  if (!code)
    return std::nullopt;
  return replyTo(message, Reply{static_cast<uint32_t>(*code), {}});
}

HelloReply Firmware::hello(const Mailbox &message) {
  HelloReply reply{};
  HelloRequest request;
  std::memcpy(&request, message.body, sizeof(request));
  if (message.header.bytes != sizeof(request) || !canSpeak(request)) {
    const bool isShort = message.header.bytes != sizeof(request);
    reply.code = static_cast<uint32_t>(isShort ? ReplyCode::BadMessage : ReplyCode::VersionMismatch);
    return reply;
  }
  hasGreeted_ = true;
  reply.interfaceVersion = std::min(kInterfaceVersion, request.maxInterfaceVersion);
  reply.encodingVersion = kEncodingVersion;
  reply.features = featuresOf(options_);
  reply.targetFingerprint = target_.fingerprint();
  reply.clockHz = target_.clockHz();
  reply.sramBytes = target_.sram().bytes;
  reply.dmaChannels = target_.dma().channels;
  reply.semaphores = target_.command().semaphores;
  reply.maxContexts = kMaxContexts;
  reply.maxRings = JobQueue::kMaxRings;
  reply.maxRegions = kMaxRegions;
  reply.maxStreamWords = kMaxStreamWords;
  reply.watchdogCycles = options_.watchdogCycles;
  target_.name().copy(reply.targetName, sizeof(reply.targetName) - 1);
  return reply;
}

template <typename Request>
std::optional<ReplyCode> Firmware::handle(const Mailbox &message,
                                          std::optional<ReplyCode> (Firmware::*handler)(const Request &)) {
  if (message.header.bytes != sizeof(Request))
    return ReplyCode::BadMessage;
  Request request;
  std::memcpy(&request, message.body, sizeof(request));
  return (this->*handler)(request);
}

std::optional<ReplyCode> Firmware::dispatch(const Mailbox &message) {
  switch (static_cast<MessageKind>(message.header.kind)) {
  case MessageKind::CreateContext:
    return handle(message, &Firmware::createContext);
  case MessageKind::DestroyContext:
    return handle(message, &Firmware::destroyContext);
  case MessageKind::Map:
    return handle(message, &Firmware::map);
  case MessageKind::Unmap:
    return handle(message, &Firmware::unmap);
  case MessageKind::CreateRing:
    return handle(message, &Firmware::createRing);
  case MessageKind::DestroyRing:
    return handle(message, &Firmware::destroyRing);
  case MessageKind::Cancel:
    return handle(message, &Firmware::cancel);
  case MessageKind::Hello:
    break;
  }
  return ReplyCode::BadMessage;
}

std::optional<ReplyCode> Firmware::createContext(const ContextRequest &request) {
  if (request.context == 0 || request.context > kMaxContexts)
    return ReplyCode::OutOfContexts;
  if (!contexts_.try_emplace(request.context, Context{Mmu(bus_), request.owner}).second)
    return ReplyCode::BadMessage;
  scheduler_.shares().addContext(request.owner);
  return ReplyCode::Ok;
}

std::optional<ReplyCode> Firmware::destroyContext(const ContextRequest &request) {
  auto context = contexts_.find(request.context);
  if (context == contexts_.end())
    return ReplyCode::NoSuchContext;
  if (running_ && running_->queued.context == request.context) {
    interruption_ = faultOf(FaultCode::Cancelled);
    return std::nullopt;
  }
  endSuspended(FaultCode::Cancelled, [&](const ActiveJob &job) { return job.queued.context == request.context; });
  std::vector<QueuedJob> dropped;
  queue_.destroyRings(request.context, dropped);
  endAll(dropped, FaultCode::Cancelled);
  scheduler_.shares().removeContext(context->second.owner);
  contexts_.erase(context);
  runner_.forget(request.context);
  return ReplyCode::Ok;
}

std::optional<ReplyCode> Firmware::map(const MapRequest &request) {
  auto context = contexts_.find(request.context);
  return context == contexts_.end() ? ReplyCode::NoSuchContext : context->second.mmu.map(request);
}

std::optional<ReplyCode> Firmware::unmap(const MapRequest &request) {
  auto context = contexts_.find(request.context);
  return context == contexts_.end() ? ReplyCode::NoSuchContext : context->second.mmu.unmap(request);
}

std::optional<ReplyCode> Firmware::createRing(const RingRequest &request) {
  auto context = contexts_.find(request.context);
  return context == contexts_.end() ? ReplyCode::NoSuchContext
                                    : queue_.createRing(request, context->second.mmu, context->second.owner);
}

std::optional<ReplyCode> Firmware::destroyRing(const RingRequest &request) {
  auto isOfRing = [&](const ActiveJob &job) {
    return job.queued.context == request.context && job.queued.ring == request.ring;
  };
  if (running_ && isOfRing(*running_)) {
    interruption_ = faultOf(FaultCode::Cancelled);
    return std::nullopt;
  }
  endSuspended(FaultCode::Cancelled, isOfRing);
  std::vector<QueuedJob> dropped;
  const ReplyCode code = queue_.destroyRing(request.context, request.ring, dropped);
  endAll(dropped, FaultCode::Cancelled);
  return code;
}

std::optional<ReplyCode> Firmware::cancel(const CancelRequest &request) {
  auto isMeant = [&](const ActiveJob &job) {
    return job.queued.context == request.context && job.queued.ring == request.ring &&
           job.queued.descriptor.sequence == request.sequence;
  };
  if (running_ && isMeant(*running_)) {
    interruption_ = faultOf(FaultCode::Cancelled);
    return ReplyCode::Ok;
  }
  if (endSuspended(FaultCode::Cancelled, isMeant))
    return ReplyCode::Ok;
  fetch(request.ring); // the bell may come after this message
  const std::optional<QueuedJob> job = queue_.remove(request.context, request.ring, request.sequence);
  if (!job)
    return ReplyCode::NoSuchJob;
  endQueued(*job, faultOf(FaultCode::Cancelled));
  fetch(request.ring);
  return ReplyCode::Ok;
}

} // namespace avocet::sim
