//===- PowerControl.h - Performance and power states of a device -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gives each job its clock level, puts an idle device into its idle states, and adds up time and energy. The host does
// this, as the power controller of a system does; the device runs a job at the level of its descriptor.
//
// Time of jobs is that of the device, exact and the same in each run. Time between jobs is that of a clock of the host.
// Without one (the default) no time passes there: the device never idles, and all figures are deterministic.
//
// Thread-safe; its lock is a leaf.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_POWERCONTROL_H
#define AVOCET_RUNTIME_POWERCONTROL_H

#include "avocet/runtime/Backend.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace avocet::runtime {

/// Since the device was opened. All zero for a device without clock levels.
struct PowerTotals {
  uint64_t jobs = 0;
  uint64_t wakeUps = 0;
  firmware::JobEnergy jobEnergy;            ///< of all jobs
  double idlePicojoules = 0;                ///< between jobs, awake or not
  double wakePicojoules = 0;                ///< of the wake-ups
  std::vector<double> levelNanoseconds;     ///< by clock level: device time of jobs
  double awakeNanoseconds = 0;              ///< between jobs, in no idle state
  std::vector<double> idleStateNanoseconds; ///< by idle state: time between jobs

  double picojoules() const { return jobEnergy.total() + idlePicojoules + wakePicojoules; }
};

/// At one moment.
struct PowerState {
  uint32_t clockLevel = 0; ///< of the running or the last job, or of a hold
  std::optional<uint32_t> idleState;
  uint32_t holds = 0;
};

class PowerControl {
public:
  using Clock = std::function<std::chrono::nanoseconds()>;

  /// `hasLevels`: DeviceProperties::hasClockLevels; without, jobs run at the default level and nothing is added up.
  PowerControl(std::shared_ptr<const firmware::Target> target, bool hasLevels);
  PowerControl(const PowerControl &) = delete;
  PowerControl &operator=(const PowerControl &) = delete;

  /// The clock of the time between jobs. Once, before the first job; must be thread-safe and not go back.
  void setClock(Clock clock);

  /// Keeps the device awake and at a level, or at a faster one, until it is destroyed. Must not outlive the control.
  class Hold {
  public:
    Hold() = default; ///< holds nothing
    Hold(Hold &&other) noexcept : control_(std::exchange(other.control_, nullptr)), level_(other.level_) {}
    Hold &operator=(Hold &&) = delete;
    ~Hold() {
      if (control_ != nullptr)
        control_->release(level_);
    }

  private:
    friend class PowerControl;
    Hold(PowerControl *control, uint32_t level) : control_(control), level_(level) {}
    PowerControl *control_ = nullptr;
    uint32_t level_ = 0;
  };

  /// Wakes the device. Requires a level of the target.
  [[nodiscard]] Hold hold(uint32_t level);

  /// For the queue, before a submission.
  struct Admission {
    uint32_t level = 0;               ///< that the job runs at
    std::chrono::nanoseconds wake{0}; ///< until the device can start it
  };
  /// Wakes the device for a job that asks for a level (nothing: the default). Every admission ends with leave().
  Admission admit(std::optional<uint32_t> level);
  void leave(uint32_t level, const JobOutcome &outcome) noexcept;

  /// How long a job that was submitted now would wait for the device to wake up.
  std::chrono::nanoseconds wakeTime() const;

  PowerState state() const;
  PowerTotals totals();

private:
  using Nanoseconds = std::chrono::nanoseconds;
  bool isHeld() const { return numHolds_ != 0; }
  Nanoseconds now() const { return clock_ ? clock_() : Nanoseconds(0); }
  const firmware::PowerModel &model() const { return target_->power(); }
  std::optional<uint32_t> idleStateAt(Nanoseconds time) const;
  uint32_t heldLevel(uint32_t level) const;
  void account(Nanoseconds time);
  void addIdle(std::optional<uint32_t> state, Nanoseconds time);
  Nanoseconds wake(Nanoseconds time);
  void beginIdling(Nanoseconds time);
  void release(uint32_t level) noexcept;

  const std::shared_ptr<const firmware::Target> target_;
  const bool hasLevels_;
  Clock clock_;
  mutable std::mutex mutex_; ///< guards all below
  uint32_t numJobs_ = 0;     ///< admitted and not ended
  uint32_t numHolds_ = 0;
  std::vector<uint32_t> holds_; ///< number by level
  uint32_t level_;
  Nanoseconds idleSince_{0}; ///< the last end of a job or a hold
  Nanoseconds accounted_{0}; ///< idle time is added up so far
  PowerTotals totals_;
};

} // namespace avocet::runtime

#endif // AVOCET_RUNTIME_POWERCONTROL_H
