//===- DescriptorBox.h - Descriptors of every kind --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_FUZZ_SCRIPT_DESCRIPTORBOX_H
#define AVOCET_TESTS_FUZZ_SCRIPT_DESCRIPTORBOX_H

#include "Fields.h"

#include "avocet/hal/queue/MessageQueue.h"
#include "avocet/hal/types/SyncFence.h"

#include <optional>

namespace avocet::fuzz {

/// An open descriptor of a script, with what the hostile side keeps for it.
struct OpenDescriptor {
  hal::SharedHandle shared;                   ///< sent in messages
  FileDescriptor other;                       ///< the other end of a pipe or socket
  std::unique_ptr<hal::ByteQueue> queue;      ///< the hostile side of a queue
  std::optional<hal::FenceSignaler> signaler; ///< of a fence
};

/// The descriptors of one script, by index. Not thread-safe.
class DescriptorBox {
public:
  /// Elements of a queue; one that fits the memory of a small script.
  static constexpr uint32_t kQueueElements = 32, kElementBytes = 24;

  explicit DescriptorBox(const Tables &descriptions) : descriptions_(descriptions), open_(descriptions.size()) {}

  /// Opens the descriptor at first use. Null: there is no such descriptor, or it cannot be opened.
  OpenDescriptor *at(size_t index);

  void signal(size_t index);
  void hangUp(size_t index);
  void write(size_t index, uint64_t offset, const Bytes &bytes);
  void resize(size_t index, uint64_t bytes);

private:
  const Tables &descriptions_;
  std::vector<std::optional<OpenDescriptor>> open_;
};

} // namespace avocet::fuzz

#endif // AVOCET_TESTS_FUZZ_SCRIPT_DESCRIPTORBOX_H
