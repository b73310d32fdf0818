//===- HostileBurst.h - The service's side of a burst -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_FUZZ_CLIENT_HOSTILEBURST_H
#define AVOCET_TESTS_FUZZ_CLIENT_HOSTILEBURST_H

#include "Fields.h"

#include "avocet/hal/queue/MessageQueue.h"

namespace avocet::fuzz {

/// Answers each request with the same elements, and each message of the link with the same bytes.
class HostileBurst {
public:
  HostileBurst(const Table &script, const hal::QueueDescriptor &requests, const hal::QueueDescriptor &results,
               hal::SharedHandle link);

  /// To be called after each poll; does not wait.
  void serve();

private:
  void serveQueue();
  void serveLink();

  const Table &script_;
  std::unique_ptr<hal::ByteQueue> requests_, results_; ///< null: not a queue
  hal::SharedHandle link_;                             ///< null: hung up
  int numLinkMessages_ = 0;
};

} // namespace avocet::fuzz

#endif // AVOCET_TESTS_FUZZ_CLIENT_HOSTILEBURST_H
