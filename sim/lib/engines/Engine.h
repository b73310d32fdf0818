//===- Engine.h - An engine and its command front end -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The front end runs the commands of one stream in order. It performs waits, signals and ends itself, passes yields
// unless the job is stopping, and gives the others to the engine. The engine may accept the next command before it has
// finished the last. Commands complete in order, each at its own time, and data is computed at completion. A semaphore
// orders two engines through completion times: a command therefore reads data as of the completion of its predecessors.
//
// When the job is stopping (JobState::isStopping), the engine sleeps before its next yield, at a wait that is not
// satisfied, or before a command that needs an evacuation of SRAM first. step() wakes it up again.
//
// The next command is decoded while the previous one runs; issue cycles take time only if commands follow each other
// faster than that.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_SIM_LIB_ENGINES_ENGINE_H
#define AVOCET_SIM_LIB_ENGINES_ENGINE_H

#include "job/JobState.h"
#include "job/Program.h"

#include <deque>

namespace avocet::sim {

class Engine {
public:
  /// `number` identifies the engine in events and semaphores. `job` and `program` must outlive it.
  Engine(JobState &job, uint32_t number, const Program &program, uint32_t issueCycles)
      : job_(job), program_(program), number_(number), issueCycles_(issueCycles) {}
  virtual ~Engine() = default;

  /// EventKind::Step: continues the stream until time has to pass.
  void step(uint64_t now);

  /// EventKind::Complete: the oldest command in flight is done.
  void complete(uint64_t now);

  /// Whether the stream's end was reached and everything before it is complete.
  bool hasEnded() const { return hasEnded_; }

  const Program &program() const { return program_; }
  /// Index of the next command.
  uint32_t position() const { return position_; }

  /// `fault` with the command that the engine runs or waits at, for faults of the whole job.
  JobFault blame(JobFault fault) const;

protected:
  struct Progress {
    bool isIssued;       ///< the whole command is placed in time; else: call again at `next`
    uint64_t next;       ///< when to continue: with this command, or with the next one
    uint64_t completion; ///< if issued
  };

  /// Accepts a command that may start at `ready` or later.
  virtual void begin(const PreparedCommand &command, uint64_t ready) = 0;
  /// Simulates the command as far as `now` determines it.
  virtual Progress advance(uint64_t now) = 0;

  /// Counts the cycles from the last counted one to `until` as stalled by `cause`, or as busy.
  void bookStall(firmware::StallCause cause, uint64_t until);
  void bookBusy(uint64_t until);

  JobState &job_;
  const Program &program_;

private:
  struct InFlight {
    uint32_t command;
    uint64_t start, completion;
    uint64_t drainCycles; ///< as in CommandSpan
  };

  bool dispatch(uint64_t now);
  bool dispatchWait(const firmware::WaitCommand &wait, uint64_t now);
  bool dispatchYield(uint64_t now);
  bool isHeld(const PreparedCommand &command, uint64_t now);
  bool dispatchWork(const PreparedCommand &command, uint64_t now);
  /// Counts the cycles up to `now` in which the results of the last command leave.
  void bookDrain(uint64_t now);
  void retire(uint64_t start, uint64_t completion);
  void finish(const InFlight &done, uint64_t now);
  void schedule(uint64_t time, EventKind kind) { job_.events.push(time, number_, kind); }
  const PreparedCommand &current() const { return program_.commands()[position_]; }

  const uint32_t number_;
  const uint32_t issueCycles_;
  uint32_t position_ = 0;  ///< next command to dispatch, or the active one
  bool isActive_ = false;  ///< the engine is placing the command at position_
  bool isWaiting_ = false; ///< the command at position_ is a wait that sleeps
  bool isHeld_ = false;    ///< the command at position_ waited for an evacuation until now
  bool hasEnded_ = false;
  uint64_t decoded_ = 0; ///< time at which the command at position_ is decoded
  uint64_t activeStart_ = 0;
  uint64_t waitStart_ = 0;
  uint64_t booked_ = 0; ///< cycles up to here are counted
  uint64_t lastCompletion_ = 0;
  uint32_t bookLayer_ = firmware::kNoLayer;
  uint32_t workLayer_ = firmware::kNoLayer; ///< of the last command that works
  std::deque<InFlight> inFlight_;           ///< in order of completion
};

} // namespace avocet::sim

#endif // AVOCET_SIM_LIB_ENGINES_ENGINE_H
