//===- TracedJob.h - A job with its commands -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The commands that belong to the spans of a profile.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_TRACE_TRACEDJOB_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_TRACE_TRACEDJOB_H

#include "avocet/firmware_iface/Target.h"
#include "commands/CommandStreams.h"

namespace avocet::tool {

class TracedJob {
public:
  /// The arguments must outlive the object.
  TracedJob(const firmware::JobProfile &profile, const cache::ModelCache &model, const firmware::Target &target);

  const firmware::JobProfile &profile() const { return profile_; }
  const cache::ModelCache &model() const { return model_; }
  const firmware::Target &target() const { return target_; }

  const CommandStreams &streams() const { return streams_; }

  /// Null if it is not the model's.
  const firmware::Command *commandOf(const firmware::CommandSpan &span) const;

private:
  const firmware::JobProfile &profile_;
  const cache::ModelCache &model_;
  const firmware::Target &target_;
  CommandStreams streams_;
};

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_TRACE_TRACEDJOB_H
