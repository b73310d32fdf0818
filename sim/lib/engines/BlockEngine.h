//===- BlockEngine.h - MAC array and vector DSP -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both engines load, compute and store block by block in a pipeline of three stages, with two input buffers and two
// sets of results in between. For block b:
//
//   load     requests the SRAM port when an input buffer is free, the command is issued and its rows are written; the
//            data arrives after the transfer and the memory's latency
//   stream   further input slices and weights, requested after the load, but not before the previous block computes
//   compute  starts when the load has arrived, the previous block has computed and a set of results is free; ends after
//            the block's compute cycles, or when its stream has arrived
//   output   starts `pipelineCycles` after compute, in order; ends after the output stage's cycles or when the port has
//            transferred all bytes, and frees the set of results
//
// A dense input that stays for all channel blocks of its place leaves the other input buffer free for long. The input
// of the next place is then fetched during these blocks, with half of the port at most, so that it does not delay their
// weights.
//
// The pipeline continues across two commands: the next command loads while this one drains.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_SIM_LIB_ENGINES_BLOCKENGINE_H
#define AVOCET_SIM_LIB_ENGINES_BLOCKENGINE_H

#include "engines/Engine.h"
#include "engines/RowHistory.h"

namespace avocet::sim {

class BlockEngine : public Engine {
public:
  BlockEngine(JobState &job, uint32_t number, const Program &program, uint32_t issueCycles, uint32_t pipelineCycles)
      : Engine(job, number, program, issueCycles), pipelineCycles_(pipelineCycles) {}

protected:
  void begin(const PreparedCommand &command, uint64_t ready) override;
  Progress advance(uint64_t now) override;

private:
  /// The input fetch of a block.
  struct Fetch {
    bool isMade = false;
    uint64_t loaded = 0;   ///< when the port has moved the first part
    uint64_t streamed = 0; ///< when the port has moved the rest
  };

  uint64_t loadTime();
  void play(const kernels::BlockRun &block, uint64_t asked);
  void finishBlock(const kernels::BlockRun &block);
  Fetch fetch(const kernels::BlockRun &block, uint64_t asked, uint64_t bytesPerQuantum);
  void fetchNextPlace();

  const uint32_t pipelineCycles_;
  RowHistory rows_;
  const PreparedCommand *command_ = nullptr;
  size_t run_ = 0; ///< index of the next run; inRun_ is the block in it
  uint64_t inRun_ = 0;
  uint64_t ready_ = 0;     ///< when the command is issued
  uint64_t rowsReady_ = 0; ///< when the rows of the run that loads next are written
  Fetch ahead_;            ///< input fetch of the next place

  uint32_t slot_ = 0;             ///< input buffer of the latest load
  uint64_t slotFree_[2] = {0, 0}; ///< when the last block that reads the buffer has computed
  uint32_t results_ = 0;          ///< set of results of the latest block
  uint64_t resultsFree_[2] = {0, 0};
  bool storeBound_[2] = {false, false};                        ///< the port, not the output stage, kept the set busy
  uint64_t computeStart_ = 0, computeEnd_ = 0, outputEnd_ = 0; ///< of the latest block
};

} // namespace avocet::sim

#endif // AVOCET_SIM_LIB_ENGINES_BLOCKENGINE_H
