//===- Convert.h - Canonical types to messages and back -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both directions of every type that crosses the connection. Reading relies on the FlatBuffers verifier and on
// Inspection.h. Descriptor numbers are checked here; the HAL's enumerations and rules are checked by its validation,
// which the driver runs anyway.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_WIRE_CONVERT_H
#define AVOCET_HAL_WIRE_CONVERT_H

#include "avocet/hal/queue/MessageQueue.h"
#include "avocet/hal/types/DescribedDevice.h"
#include "avocet/hal/wire/ServiceTotals.h"

#include "messages_generated.h"

namespace avocet::hal::ipc {

/// The descriptors of a message being written: equal handles get the same number.
class HandleWriter {
public:
  uint32_t numberOf(const SharedHandle &handle);
  const std::vector<SharedHandle> &handles() const { return handles_; }

private:
  std::vector<SharedHandle> handles_;
};

/// The descriptors of a received message.
class HandleReader {
public:
  explicit HandleReader(std::vector<SharedHandle> handles) : handles_(std::move(handles)) {}
  /// InvalidArgument if the message has no such descriptor.
  Result<SharedHandle> handle(uint32_t number) const;
  Result<std::vector<SharedHandle>> handles(const std::vector<uint32_t> &numbers) const;

private:
  std::vector<SharedHandle> handles_;
};

std::unique_ptr<fb::ModelT> toMessage(const Model &model, HandleWriter &handles);
Result<Model> fromMessage(const fb::ModelT &model, const HandleReader &handles);

std::vector<std::unique_ptr<fb::ExtensionPrefixT>> toMessage(const std::vector<ExtensionNameAndPrefix> &names);
std::vector<ExtensionNameAndPrefix> fromMessage(const std::vector<std::unique_ptr<fb::ExtensionPrefixT>> &list);

std::unique_ptr<fb::RequestT> toMessage(const Request &request, HandleWriter &handles);
Result<Request> fromMessage(const fb::RequestT &request, const HandleReader &handles);
/// Leaves the entries of pools that are memories empty.
std::unique_ptr<fb::RequestT> toMessageWithoutMemory(const Request &request);
/// Puts null pointers in the place of memories.
Request fromMessageWithoutMemory(const fb::RequestT &request);

std::unique_ptr<fb::MemoryT> toMessage(const Memory &memory, HandleWriter &handles);
Result<SharedMemory> fromMessage(const fb::MemoryT &memory, const HandleReader &handles);

std::unique_ptr<fb::ExecutionOptionsT> toMessage(const ExecutionOptions &options);
ExecutionOptions fromMessage(const fb::ExecutionOptionsT &options);

std::unique_ptr<fb::CacheFilesT> toMessage(const CacheFiles &cache, HandleWriter &handles);
Result<CacheFiles> fromMessage(const fb::CacheFilesT &cache, const HandleReader &handles);

std::unique_ptr<fb::PrepareOptionsT> toMessage(const PrepareOptions &options, HandleWriter &handles);
Result<PrepareOptions> fromMessage(const fb::PrepareOptionsT &options, const HandleReader &handles);

fb::SupportedT toMessage(const SupportedOperations &supported);
SupportedOperations fromMessage(const fb::SupportedT &supported);

fb::ExecutedT toMessage(const ExecutionOutcome &outcome);
/// Shapes and times; status and message are in the envelope.
ExecutionOutcome fromMessage(const fb::ExecutedT &executed);

/// Empty fences, which have signaled, are omitted.
std::vector<uint32_t> toMessage(const std::vector<SyncFence> &fences, HandleWriter &handles);
Result<std::vector<SyncFence>> fencesOf(const std::vector<uint32_t> &numbers, const HandleReader &handles);

fb::FencedTimesT toMessage(const FencedTimes &times);
FencedTimes fromMessage(const fb::FencedTimesT &times);

std::unique_ptr<fb::QueueT> toMessage(const QueueDescriptor &queue, HandleWriter &handles);
/// Attaching to the queue checks the values.
Result<QueueDescriptor> fromMessage(const fb::QueueT &queue, const HandleReader &handles);

/// A null pointer becomes an unknown handle, which every driver refuses.
std::unique_ptr<fb::MemoryT> toMessage(const SharedMemory &memory, HandleWriter &handles);

/// A code of the HAL; GeneralFailure for others.
ErrorStatus statusOf(int32_t code);

/// A value of an enumeration from 0 to `last`, sent by the peer; `other` for values out of range.
template <typename Enum> Enum knownOr(int32_t value, Enum last, Enum other) {
  return value >= 0 && value <= static_cast<int32_t>(last) ? static_cast<Enum>(value) : other;
}

/// Sent once for each connection.
fb::WelcomeT toMessage(const DeviceDescription &device);
DeviceDescription fromMessage(const fb::WelcomeT &welcome);

std::unique_ptr<fb::TotalsT> toMessage(const ServiceTotals &totals);
ServiceTotals fromMessage(const fb::TotalsT &totals);

int64_t toNanoseconds(const OptionalTimePoint &time);
int64_t toNanoseconds(const OptionalDuration &duration);
OptionalTimePoint timePointOf(int64_t nanoseconds);
OptionalDuration durationOf(int64_t nanoseconds);

} // namespace avocet::hal::ipc

#endif // AVOCET_HAL_WIRE_CONVERT_H
