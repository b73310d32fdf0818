//===- JobRun.h - A job that can stop and continue --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_SIM_LIB_JOB_JOBRUN_H
#define AVOCET_SIM_LIB_JOB_JOBRUN_H

#include "avocet/base/Rounding.h"
#include "job/JobImage.h"
#include "job/JobState.h"
#include "job/LiveBytes.h"
#include "timing/DeviceTime.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

namespace avocet::sim {

/// Limits of a job, in cycles that it has run.
struct RunLimits {
  uint64_t sectionCycles;  ///< FaultCode::Watchdog when one section takes more; UINT64_MAX: none
  uint64_t idleCycles;     ///< FaultCode::Watchdog when a section passes no yield for longer; UINT64_MAX: none
  uint64_t deadlineCycles; ///< FaultCode::DeadlineMissed after it; UINT64_MAX: none
  uint64_t loopCycles;     ///< FaultCode::LoopTimeout when a loop takes more
  uint64_t hardStopCycles; ///< how long a job that has to end may run on to its next yield: kHardStopNs
};

/// How long a job that has to end may run on to its next yield: 1 ms. Streams without yields are halted at once.
inline constexpr uint64_t kHardStopNs = 1'000'000;

/// An order of the firmware to a running job.
struct RunOrder {
  enum class Kind {
    GoOn,
    Preempt, ///< stop at a yield
    End,     ///< end with `fault`, at a yield or after kHardStopNs
    Halt,    ///< end with `fault` at once
  };
  Kind kind = Kind::GoOn;
  JobFault fault;
};

/// The connection between the firmware and a running job.
struct RunWatch {
  const std::atomic<bool> &bell; ///< set: call look() at once
  uint64_t lookAt = 0;           ///< call look() when the job has run so many cycles, also without bell; look() moves
                                 ///< it
  std::function<RunOrder(uint64_t elapsed)> look;
  bool preempts = false;                  ///< result of the last look()
  std::atomic<uint64_t> *clock = nullptr; ///< if set, shows the device's current time throughout
  uint64_t origin = 0;                    ///< device time when the job last went on
  uint64_t ranBefore = 0;                 ///< cycles that it had run by then
  uint32_t clockPercent = 100;            ///< of the job's level

  /// Device time when the job has run so many cycles.
  uint64_t timeAt(uint64_t elapsed) const {
    const uint64_t ran = elapsed - ranBefore;
    // At most 2^57 cycles (about a year), so that the product fits.
    return origin + (clockPercent == 100 ? ran : divideUp(ran * 100, clockPercent));
  }
  /// Cycles that the job will have run at a device time; `elapsed` by `now`. At another level than the default rounded
  /// up, so that the time has come.
  uint64_t elapsedAt(uint64_t time, uint64_t elapsed, uint64_t now) const {
    const uint64_t left = time - std::min(time, now);
    return saturatingSum(elapsed, clockPercent == 100 ? left : left / 100 * clockPercent + clockPercent);
  }
  void show(uint64_t elapsed) const {
    if (clock)
      clock->store(timeAt(elapsed), std::memory_order_relaxed);
  }
  RunOrder check(uint64_t elapsed) {
    show(elapsed);
    if (elapsed < lookAt && !bell.load(std::memory_order_relaxed)) [[likely]]
      return {};
    const RunOrder order = look(elapsed);
    preempts = order.kind == RunOrder::Kind::Preempt;
    return order;
  }
};

/// A section that is running or stopped.
class SectionRun {
public:
  virtual ~SectionRun() = default;

  /// Starts or continues. True: the section has ended, `elapsed` of the job's state includes its cycles and `fault`
  /// gives the outcome; false: it stopped on request, and none of its commands is in flight.
  virtual bool run(const RunLimits &limits, RunWatch &watch) = 0;

  /// Cycles from the start of the section to its stop.
  virtual uint64_t cycles() const { return 0; }
  /// The bytes of on-chip memory that the rest of the section needs.
  virtual ByteSet live() const { return {}; }
};

using MakeSectionRun = std::unique_ptr<SectionRun> (*)(JobState &job, const Section &section);

/// Runs a section on engines with time.
std::unique_ptr<SectionRun> makeTimedRun(JobState &job, const Section &section);

/// Runs a section without time: each engine in turn, as far as it gets. The limits count each command's uncontended
/// cycles. Same faults and same data as makeTimedRun() for streams without races. Never stops.
std::unique_ptr<SectionRun> makeUntimedRun(JobState &job, const Section &section);

/// Cycles that the firmware takes for one instruction of a control program; an order of magnitude (a small processor
/// that reads a word or two).
inline constexpr uint64_t kControlCycles = 64;

/// A running or stopped job: its only section, or those that its control program selects. `job` and `image` must
/// outlive it.
class JobRun {
public:
  JobRun(JobState &job, const JobImage &image, MakeSectionRun makeSection);

  /// Starts or continues. True: the job has ended, `fault` of its state gives the outcome; false: it stopped at yields,
  /// or between two sections, on request.
  bool run(const RunLimits &limits, RunWatch &watch);

  /// Cycles that it has run.
  uint64_t elapsed() const { return job_.elapsed + (section_ ? section_->cycles() : 0); }
  ByteSet live() const { return section_ ? section_->live() : ByteSet{}; }

private:
  struct Interpreter;
  void begin(uint32_t section);
  JobFault step(const RunLimits &limits);
  bool runSection(const RunLimits &limits, RunWatch &watch);
  JobFault checkDeadline(const RunLimits &limits);

  JobState &job_;
  const JobImage &image_;
  const MakeSectionRun makeSection_;
  std::unique_ptr<SectionRun> section_; ///< null: between sections
  uint32_t sectionNumber_ = 0;
  std::vector<uint64_t> entered_; ///< by loop: when its clock started
  uint32_t next_ = 0;             ///< instruction of the control program
  bool hasEnded_ = false;
};

} // namespace avocet::sim

#endif // AVOCET_SIM_LIB_JOB_JOBRUN_H
