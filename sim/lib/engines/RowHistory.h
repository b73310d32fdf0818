//===- RowHistory.h - When each output row is written -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Commands of one engine overlap: the next one may load as soon as the rows that it needs are written. For the commands
// in flight this class records when each row of their output is complete. From that it computes when a command may read
// the first n rows of its input. A command does not wait for one that writes other columns of the same rows, or other
// channels of the same pixels.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_SIM_LIB_ENGINES_ROWHISTORY_H
#define AVOCET_SIM_LIB_ENGINES_ROWHISTORY_H

#include "job/Program.h"

#include <cstdint>
#include <deque>
#include <vector>

namespace avocet::sim {

class RowHistory {
public:
  /// Starts a command that is issued at `now`: finds the earlier commands on which it depends, and drops those that
  /// were complete by then.
  void begin(const PreparedCommand &command, uint64_t now);

  /// When the rows that a run of blocks of the current command reads are readable; 0 if they always were.
  uint64_t readyTime(const kernels::BlockRun &run);

  /// The current command's output rows [0, rows) are complete at `time`.
  void addRows(uint32_t rows, uint64_t time);

  /// All of the current command's output is complete at `time`.
  void finish(uint64_t time);

private:
  struct RowsDone {
    uint32_t rows;
    uint64_t time;
  };
  struct Producer {
    const PreparedCommand *command;
    std::vector<RowsDone> progress; ///< rows and times grow
    uint64_t completion;
  };
  /// How the current command reads the output of a producer.
  struct Dependency {
    size_t producer;
    bool byRow;
    bool isAddend = false; ///< the reader's map is the addend of a residual addition, else an input
    int64_t shift = 0;     ///< input row y is the producer's output row y + shift
    uint64_t ringRows = 0; ///< rows after which the buffer wraps, 0: never
    uint64_t height = 0;   ///< output rows of the producer
    size_t reached = 0;    ///< entry of progress that the last call used
  };

  void addDependencies(size_t producer, const PreparedCommand &command);
  uint64_t rowTime(Dependency &dependency, uint64_t producerRows) const;

  std::deque<Producer> producers_;
  std::vector<Dependency> dependencies_; ///< of the current command
};

} // namespace avocet::sim

#endif // AVOCET_SIM_LIB_ENGINES_ROWHISTORY_H
