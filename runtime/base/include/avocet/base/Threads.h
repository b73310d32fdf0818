//===- Threads.h - The end of threads ---------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_BASE_THREADS_H
#define AVOCET_BASE_THREADS_H

#include <thread>

namespace avocet {

/// For owners whose last reference may go on their own thread: waits for the end of a thread, but lets the calling one
/// go on by itself. What such a thread uses from then on must not be the owner's.
inline void joinUnlessOwn(std::thread &thread) {
  if (!thread.joinable())
    return;
  if (thread.get_id() == std::this_thread::get_id())
    thread.detach();
  else
    thread.join();
}

} // namespace avocet

#endif // AVOCET_BASE_THREADS_H
