//===- TraceCounters.h - Counter tracks of a job ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How busy the memory was over the time of a job. The device counts bytes by layer, not by cycle; here the bytes of
// each layer are divided among its commands (CommandTraffic.h), and spread evenly over the time of each command. So the
// sums are those that the device counted, while the shape within a command is an estimate: no port
// exceeds its rate.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_ANALYSIS_TRACECOUNTERS_H
#define AVOCET_ANALYSIS_TRACECOUNTERS_H

#include "avocet/analysis/CommandStreams.h"
#include "avocet/firmware_iface/Target.h"

#include <string>
#include <vector>

namespace avocet::analysis {

/// The commands that belong to the spans of a profile.
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

/// A value that holds from `cycle` on.
struct CounterSample {
  uint64_t cycle = 0;
  double value = 0;
};

struct TraceCounter {
  std::string name;
  std::string unit;
  std::vector<CounterSample> samples; ///< by cycle; consecutive values differ
};

/// Windows that the time of a job is divided into, at most.
inline constexpr uint64_t kMostWindows = 1000;

/// Off-chip bytes read and written in a cycle, and the use of both ports in percent, as means of each window.
std::vector<TraceCounter> trafficCounters(const TracedJob &job);

/// Bytes of SRAM that hold data which some later command reads, as the most of each window. Counted in granules of the
/// SRAM's size / 4096.
TraceCounter sramCounter(const TracedJob &job);

} // namespace avocet::analysis

#endif // AVOCET_ANALYSIS_TRACECOUNTERS_H
