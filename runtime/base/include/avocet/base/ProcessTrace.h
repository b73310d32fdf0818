//===- ProcessTrace.h - The trace of a whole process ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_BASE_PROCESSTRACE_H
#define AVOCET_BASE_PROCESSTRACE_H

namespace avocet {

/// For shared libraries, which have no main(). If knob AVOCET_TRACE names a file, activates a trace of the latest
/// 500,000 spans, which is written when the process ends or the library is unloaded; a forked child writes nothing.
/// Only the first call does anything. Thread-safe.
void startProcessTrace();

} // namespace avocet

#endif // AVOCET_BASE_PROCESSTRACE_H
