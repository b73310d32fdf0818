//===- TransferLimit.h - Least cost of moving bytes to a worker -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_BENCH_WORKER_TRANSFERLIMIT_H
#define AVOCET_BENCH_WORKER_TRANSFERLIMIT_H

#include "avocet/base/File.h"

#include <cstdint>
#include <span>

namespace avocet::hal::bench {

/// Moves the bytes of a request and of an answer as a compile worker and its service do, without either: through memory
/// files whose pages are allocated, and with new pages for the compiler's results and the received answer, as in a
/// process that was just forked. Not thread-safe.
class TransferLimit {
public:
  TransferLimit();

  /// Milliseconds for one request and one answer.
  double measure(std::span<const uint8_t> request, std::span<const uint8_t> answer);

private:
  FileDescriptor request_, answer_;
};

} // namespace avocet::hal::bench

#endif // AVOCET_BENCH_WORKER_TRANSFERLIMIT_H
