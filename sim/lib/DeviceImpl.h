//===- DeviceImpl.h - Registers, interrupts, worker thread ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_SIM_LIB_DEVICEIMPL_H
#define AVOCET_SIM_LIB_DEVICEIMPL_H

#include "avocet/sim/Device.h"
#include "firmware/Firmware.h"
#include "memory/Mmu.h"

#include <array>
#include <atomic>
#include <bit>
#include <map>
#include <mutex>

namespace avocet::sim {

class DeviceImpl final : public Device {
public:
  DeviceImpl(std::shared_ptr<const firmware::Target> target, const DeviceOptions &options);

  uint32_t readRegister(uint32_t offset) override;
  void writeRegister(uint32_t offset, uint32_t value) override;
  Status attachMemory(uint64_t systemAddress, std::span<uint8_t> memory) override;
  Status detachMemory(uint64_t systemAddress) override;
  void setInterruptHandler(std::function<void()> handler) override { interruptHandler_ = std::move(handler); }
  void setJobObserver(std::function<void(const firmware::JobProfile &)> observer) override {
    observer_ = std::move(observer);
  }
  void callAt(uint64_t cycle, std::function<void()> call) override { calls_.emplace(cycle, std::move(call)); }
  void run() override;
  bool runUntil(const std::function<bool()> &enough) override;
  const firmware::Target &target() const override { return *target_; }
  const DeviceOptions &options() const override { return options_; }

private:
  /// The rings whose bells were rung. A set would allocate memory on the driver's submission path.
  class RingBells {
  public:
    bool any() const { return any_; }
    void set(uint32_t ring) {
      words_[ring / 64] |= uint64_t{1} << (ring % 64);
      any_ = true;
    }
    template <typename Visit> void forEach(Visit &&visit) const {
      for (uint32_t word = 0; any_ && word < words_.size(); ++word)
        for (uint64_t bits = words_[word]; bits != 0; bits &= bits - 1)
          visit(word * 64 + static_cast<uint32_t>(std::countr_zero(bits)));
    }

  private:
    static_assert(JobQueue::kMaxRings % 64 == 0);
    std::array<uint64_t, JobQueue::kMaxRings / 64> words_{};
    bool any_ = false;
  };

  /// Pending requests from bells and control bits.
  struct Requests {
    bool mailbox = false;
    bool reset = false;
    RingBells rings;
    bool any() const { return mailbox || reset || rings.any(); }
  };

  bool startWorking();
  bool stopWorking();
  bool takeWork(Requests &work);
  void doWork(const Requests &work);
  void serve(const Requests &work);
  uint64_t lookAtRequests();
  bool makeCalls();
  void serveMailbox();
  void finishReset();
  void jobEnded(const firmware::JobProfile &profile);
  void raiseInterrupt(uint32_t bits);
  uint32_t readLocked(firmware::Register number);
  void writeLocked(firmware::Register number, uint32_t value);
  bool hasJobs() { return firmware_.hasJobs() || !calls_.empty(); }
  bool isRunning() const { return (control_ & firmware::control::kRun) != 0; }

  const std::shared_ptr<const firmware::Target> target_;
  const DeviceOptions options_;
  Bus bus_;
  std::function<void()> interruptHandler_;
  std::function<void(const firmware::JobProfile &)> observer_;

  // Owned by the thread inside run().
  Firmware firmware_;
  std::multimap<uint64_t, std::function<void()>> calls_; ///< by cycle

  /// Set together with `requests_`, so that a running job can test for requests without the lock.
  std::atomic<bool> hasRequests_{false};
  std::atomic<uint64_t> cycles_{0};

  std::mutex mutex_; ///< guards all below
  bool isWorking_ = false;
  bool isBusy_ = false;
  Requests requests_;
  uint32_t control_ = 0;
  uint32_t interruptStatus_ = 0, interruptEnable_ = 0;
  uint64_t mailboxIn_ = 0, mailboxOut_ = 0;
  uint32_t latchedCyclesHigh_ = 0;
};

} // namespace avocet::sim

#endif // AVOCET_SIM_LIB_DEVICEIMPL_H
