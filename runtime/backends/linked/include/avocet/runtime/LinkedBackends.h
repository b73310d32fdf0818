//===- LinkedBackends.h - The back ends that programs contain ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_LINKEDBACKENDS_H
#define AVOCET_RUNTIME_LINKEDBACKENDS_H

namespace avocet::runtime {

/// Registers the back ends that have libraries of their own: "sim" and "kernel". Once for each process, however often
/// it is called. Any thread.
void registerLinkedBackends();

} // namespace avocet::runtime

#endif // AVOCET_RUNTIME_LINKEDBACKENDS_H
