//===- DmaEngine.h - A DMA channel ------------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Transfers commands in order, in pieces, so that channels share the off-chip port fairly. A piece is read at its
// source, arrives after the source's latency and is written at its destination; requests of the next piece, and of the
// next command, do not wait for that. A command that reads what an earlier one of the channel still writes waits for
// it. The rate is bounded by the off-chip port (whole bursts, shared by all channels), the bytes that the channel may
// have in flight (they are free again after a latency), and the SRAM port (shared with all engines).
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_SIM_LIB_ENGINES_DMAENGINE_H
#define AVOCET_SIM_LIB_ENGINES_DMAENGINE_H

#include "engines/Engine.h"

#include <deque>

namespace avocet::sim {

class DmaEngine : public Engine {
public:
  DmaEngine(JobState &job, uint32_t number, const Program &program)
      : Engine(job, number, program, job.target.dma().issueCycles) {}

protected:
  void begin(const PreparedCommand &command, uint64_t ready) override;
  Progress advance(uint64_t now) override;

private:
  /// One end of the copy, in units of its port.
  struct End {
    BandwidthCalendar *port = nullptr; ///< null: no transfer at this end (source of a fill)
    uint64_t bytes = 0;                ///< all pieces, whole bursts
    uint64_t bytesPerQuantum = 0;      ///< most that this channel can move at this end
    uint64_t latency = 0;
  };
  struct Written {
    const PreparedCommand *command;
    uint64_t completion;
  };

  End endOf(uint32_t region, const firmware::DmaCommand &shape, bool isWrite) const;
  uint64_t hazardTime(const PreparedCommand &command) const;
  bool isLoad() const;
  void limitLoad();
  void movePiece(uint64_t sourceBytes, uint64_t destinationBytes);

  const PreparedCommand *command_ = nullptr;
  End source_, destination_;
  uint64_t pieces_ = 0, piece_ = 0;
  uint64_t ask_ = 0;           ///< when the next piece is requested
  uint64_t arrived_ = 0;       ///< loads: when the latest piece was read
  uint64_t written_ = 0;       ///< when the latest piece was written
  uint64_t posted_ = 0;        ///< when the latest piece was written off chip; the piece after the next waits for it
  uint64_t completion_ = 0;    ///< of the latest command
  std::deque<Written> writes_; ///< commands that may still be writing
};

} // namespace avocet::sim

#endif // AVOCET_SIM_LIB_ENGINES_DMAENGINE_H
