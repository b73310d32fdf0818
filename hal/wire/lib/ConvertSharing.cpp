//===- ConvertSharing.cpp - Fences and queues as messages -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/wire/Convert.h"

namespace avocet::hal::ipc {

std::vector<uint32_t> toMessage(const std::vector<SyncFence> &fences, HandleWriter &handles) {
  std::vector<uint32_t> numbers;
  for (const SyncFence &fence : fences)
    if (fence.handle() != nullptr)
      numbers.push_back(handles.numberOf(fence.handle()));
  return numbers;
}

Result<std::vector<SyncFence>> fencesOf(const std::vector<uint32_t> &numbers, const HandleReader &handles) {
  std::vector<SyncFence> fences;
  for (uint32_t number : numbers) {
    AVOCET_ASSIGN_OR_RETURN(SharedHandle handle, handles.handle(number));
    AVOCET_ASSIGN_OR_RETURN(SyncFence fence, SyncFence::adopt(std::move(handle)));
    fences.push_back(std::move(fence));
  }
  return fences;
}

fb::FencedTimesT toMessage(const FencedTimes &times) {
  fb::FencedTimesT message;
  message.launched_on_device = toNanoseconds(times.launched.timeOnDevice);
  message.launched_in_driver = toNanoseconds(times.launched.timeInDriver);
  message.fenced_on_device = toNanoseconds(times.fenced.timeOnDevice);
  message.fenced_in_driver = toNanoseconds(times.fenced.timeInDriver);
  return message;
}

FencedTimes fromMessage(const fb::FencedTimesT &message) {
  return {{durationOf(message.launched_on_device), durationOf(message.launched_in_driver)},
          {durationOf(message.fenced_on_device), durationOf(message.fenced_in_driver)}};
}

std::unique_ptr<fb::QueueT> toMessage(const QueueDescriptor &queue, HandleWriter &handles) {
  auto message = std::make_unique<fb::QueueT>();
  for (const GrantorDescriptor &grantor : queue.grantors)
    message->grantors.emplace_back(grantor.flags, grantor.fdIndex, grantor.offset, grantor.extent);
  for (const SharedHandle &fd : queue.fds)
    message->fds.push_back(handles.numberOf(fd));
  message->element_bytes = queue.elementBytes;
  return message;
}

Result<QueueDescriptor> fromMessage(const fb::QueueT &message, const HandleReader &handles) {
  QueueDescriptor queue;
  AVOCET_ASSIGN_OR_RETURN(queue.fds, handles.handles(message.fds));
  for (const fb::Grantor &grantor : message.grantors)
    queue.grantors.push_back({grantor.flags(), grantor.fd_index(), grantor.offset(), grantor.extent()});
  queue.elementBytes = message.element_bytes;
  return queue;
}

ErrorStatus statusOf(int32_t code) {
  auto status = static_cast<ErrorStatus>(code);
  bool isKnown = (status >= ErrorStatus::None && status <= ErrorStatus::ResourceExhaustedPersistent) ||
                 status == ErrorStatus::DeadObject;
  return isKnown ? status : ErrorStatus::GeneralFailure;
}

} // namespace avocet::hal::ipc
