//===- Threads.h - Joining threads ------------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_BASE_THREADS_H
#define AVOCET_BASE_THREADS_H

#include <thread>

namespace avocet {

/// Joins `thread`, but detaches it if it is the calling thread. For owners whose last reference may be released on
/// their own thread. A detached thread must not use the owner's members afterwards.
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
