//===- RunTrace.h - The trace of one run for Perfetto -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Spans of the host and of the device in Chrome's JSON format, in a form that Perfetto reads without dropping anything:
// no spans that overlap partly on a track, numbers as numbers, flows that begin and end in spans.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_DOCUMENTS_RUNTRACE_H
#define AVOCET_DOCUMENTS_RUNTRACE_H

#include "avocet/analysis/TraceCounters.h"
#include "avocet/base/Trace.h"

#include <string>

namespace avocet::documents {

/// The spans of `host`, and the job, which one of them called "run" submitted at `submitted` (Trace::now()). Device
/// time begins there. Flows lead from that span to the job, from the job to the first command of each engine, and from
/// each signal to the command that waited for it.
std::string runTrace(const Trace &host, double submitted, const analysis::TracedJob &job);

} // namespace avocet::documents

#endif // AVOCET_DOCUMENTS_RUNTRACE_H
