//===- FuzzQueue.cpp - The other side of a message queue ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The input is a script of actions of this side and of a peer that can write any bytes anywhere in the shared memory.
// Each action is a byte, with its data after it. Nothing may crash, hang, or report more elements than the queue holds.
//
//===----------------------------------------------------------------------===//

#include "Script.h"
#include "avocet/hal/queue/MessageQueue.h"

#include <cstdlib>
#include <cstring>

namespace {

using namespace avocet;
using namespace avocet::hal;

constexpr uint64_t kElements = 16;
constexpr uint32_t kElementBytes = 24;

using fuzz::Script;

/// Attaches to the queue through a descriptor in which one field of one part is replaced.
void attachToHostileDescriptor(const ByteQueue &queue, Script &script) {
  QueueDescriptor descriptor = queue.descriptor();
  GrantorDescriptor &part = descriptor.grantors[script.byte() % descriptor.grantors.size()];
  uint8_t which = script.byte();
  uint64_t value = script.word();
  if (which % 3 == 0)
    part.offset = static_cast<uint32_t>(value);
  else if (which % 3 == 1)
    part.extent = value;
  else
    part.fdIndex = static_cast<uint32_t>(value);
  auto end = ByteQueue::attach(descriptor, kElementBytes);
  if (end) {
    std::vector<uint8_t> element(kElementBytes);
    (void)(*end)->tryRead(element);
    (void)(*end)->tryWrite(element);
  }
}

void runPeer(ByteQueue &queue, std::span<uint8_t> memory, Script &script) {
  std::vector<uint8_t> elements(kElementBytes * (1 + script.byte() % (kElements + 2)));
  switch (script.byte() % 7) {
  case 0:
    (void)queue.tryWrite(elements);
    break;
  case 1:
    (void)queue.tryRead(elements);
    break;
  case 2:
    if (queue.availableToRead() > kElements)
      std::abort();
    break;
  case 3:
    (void)queue.read(elements, std::chrono::microseconds(20), std::chrono::microseconds(script.byte() % 2 * 5));
    break;
  case 4:
    (void)queue.write(elements, std::chrono::microseconds(20));
    break;
  case 5: {
    uint64_t value = script.word();
    std::memcpy(memory.data() + script.byte() % (memory.size() / 8) * 8, &value, sizeof(value));
    break;
  }
  default:
    attachToHostileDescriptor(queue, script);
    break;
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Script script(data, size);
  auto queue = ByteQueue::create(kElements, kElementBytes);
  if (!queue)
    std::abort();
  const QueueDescriptor &descriptor = (*queue)->descriptor();
  avocet::Result<uint64_t> bytes = fileSize(*descriptor.fds[0], "queue");
  avocet::Result<Mapping> mapping = Mapping::map(descriptor.fds[0]->get(), *bytes, Mapping::Access::ReadWrite);
  if (!mapping)
    std::abort();
  for (int step = 0; step < 200 && !script.atEnd(); ++step)
    runPeer(**queue, mapping->bytes(), script);
  return 0;
}
