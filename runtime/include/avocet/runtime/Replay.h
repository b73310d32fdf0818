//===- Replay.h - Plays a recording on a back end ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plays recordings of the recorder back end ("recorder:FILE") on any back end and compares outcomes and outputs. For
// reproducing the device's behavior without the recorded program.
//
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_REPLAY_H
#define AVOCET_RUNTIME_REPLAY_H

#include "avocet/runtime/Backend.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace avocet::runtime {

struct ReplaySummary {
  std::string targetName; ///< of the device that the recording was made on
  bool isWhole = true;    ///< false: a recording that was cut
  uint64_t jobs = 0;
  uint64_t cycles = 0; ///< of all jobs, in the replay
  /// One line for each job whose state, fault, cycles or outputs differ. Cycles are compared only between back ends
  /// that measure, outputs only if the replaying one computes.
  std::vector<std::string> differences;
};

/// What to do with a recording without its end mark: the recorded program crashed, or its disk was full.
enum class Cut { Refused, Accepted };

/// `origin` names the bytes in errors. DataLoss: not a well-formed recording, or one that was cut. FailedPrecondition:
/// the back end has another target. Other errors are those of the back end. Jobs that differ are listed; they are no
/// error.
Result<ReplaySummary> replayRecording(std::span<const uint8_t> bytes, std::string_view origin, Backend &backend,
                                      Cut cut = Cut::Refused);

/// Name of the target that a recording was made on. DataLoss: no header of a recording; the rest is not read.
Result<std::string> recordedTarget(std::span<const uint8_t> bytes, std::string_view origin);

} // namespace avocet::runtime

#endif // AVOCET_RUNTIME_REPLAY_H
