//===- SimBackend.cpp - The simulator as a back end -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/runtime/SimBackend.h"

#include "DeviceThread.h"
#include "FirmwareChannel.h"
#include "RingTable.h"
#include "avocet/base/Log.h"
#include "avocet/firmware_iface/Version.h"
#include "avocet/runtime/Backend.h"
#include "avocet/runtime/MemoryBackend.h"
#include "avocet/sim/Device.h"

#include <algorithm>
#include <atomic>
#include <fmt/core.h>
#include <map>
#include <optional>
#include <thread>

namespace avocet::runtime {
namespace {

using firmware::Register;

constexpr std::chrono::seconds kResetLimit{60};
constexpr std::chrono::microseconds kResetPoll{50};

/// Lock order: tables_ of MemoryBackend, then resetMutex_, then the channel's locks; those of rings_, of the rings and
/// of the logs are leaves. The device thread takes leaves only, so a thread that waits for an answer may hold any of
/// the others.
class SimBackend final : public MemoryBackend {
public:
  explicit SimBackend(const BackendOptions &options)
      : MemoryBackend(ContextRing::kEntries), profileSink_(options.profileSink) {
    properties_ = {"sim",         options.target, firmware::kEncodingVersion, ContextRing::kEntries, options.functional,
                   options.timing};
  }

  ~SimBackend() override {
    if (device_ == nullptr)
      return;
    // Ends all running work; no caller waits for it any more.
    writeRegister(Register::Control, firmware::control::kReset);
    thread_.stop();
    for (const std::shared_ptr<ContextRing> &ring : rings_.all())
      ring->fail(firmware::FaultCode::Cancelled);
  }

  Status start(const BackendOptions &options, firmware::CommandObserver observer) {
    sim::DeviceOptions deviceOptions{.functional = options.functional,
                                     .timing = options.timing,
                                     .profile = options.profileSink != nullptr,
                                     .trace = options.trace,
                                     .counters = options.counters,
                                     .threads = options.threads,
                                     .afterCommand = std::move(observer)};
    AVOCET_ASSIGN_OR_RETURN(device_, sim::Device::create(options.target, deviceOptions));
    AVOCET_RETURN_IF_ERROR(attachHostMemory());
    device_->setInterruptHandler([this] { handleInterrupt(); });
    if (profileSink_)
      device_->setJobObserver(profileSink_);
    channel_ = std::make_unique<FirmwareChannel>(*device_, [this] { thread_.wake(); });
    firmware_.emplace(*channel_);
    thread_.start(*device_);
    return bringUp();
  }

  const DeviceProperties &properties() const override { return properties_; }

  Result<JobHandle> submit(const Submission &submission) override {
    AVOCET_RETURN_IF_ERROR(lossStatus());
    AVOCET_RETURN_IF_ERROR(checkSubmission(submission, properties_));
    auto announce = [this](uint32_t ring, bool mayRing) {
      activity_.set(ring);
      if (mayRing)
        writeRegister(Register::RingBell, ring);
    };
    AVOCET_ASSIGN_OR_RETURN(JobHandle job,
                            rings_.submit(submission, clock_.deadlineIn(*device_, submission.deadline), announce));
    if (!submission.driven)
      thread_.wake();
    return job;
  }

  Status cancel(ContextHandle context, JobHandle job) override {
    AVOCET_RETURN_IF_ERROR(lossStatus());
    std::shared_ptr<ContextRing> ring = rings_.find(context);
    if (ring == nullptr)
      return invalidArgument(fmt::format("there is no context {}", context));
    AVOCET_RETURN_IF_ERROR(ring->jobs()->stateOf(job).status());
    if (ring->requestCancel(job))
      channel_->postCancel({ring->firmwareContext(), ring->ring(), job});
    return Status::ok();
  }

  void drive(ContextHandle context, JobHandle job) override {
    std::shared_ptr<ContextRing> ring = rings_.find(context);
    if (ring == nullptr)
      return;
    JobLog *jobs = ring->jobs().get();
    // Jobs that were submitted while this thread ran the device may be unserved: a driven job wakes no thread, and a
    // thread that finds the device busy returns at once.
    if (device_->runUntil([jobs, job] { return jobs->hasEnded(job); }))
      thread_.wake();
  }

  void callAt(uint64_t cycle, std::function<void()> call) { device_->callAt(cycle, std::move(call)); }

  Status reset() override {
    std::lock_guard lock(resetMutex_);
    writeRegister(Register::Control, firmware::control::kReset);
    thread_.wake();
    Status status = awaitResetEnd();
    if (status.isOk())
      status = bringUp();
    if (status.isOk())
      status = reestablish();
    lost_.store(!status.isOk(), std::memory_order_release);
    return status;
  }

private:
  void writeRegister(Register offset, uint32_t value) { device_->writeRegister(static_cast<uint32_t>(offset), value); }
  uint32_t readRegister(Register offset) { return device_->readRegister(static_cast<uint32_t>(offset)); }

  /// The bus maps this process's memory at its own addresses, as a device without an IOMMU reaches all of a machine's
  /// memory. The mappings of a context limit what its jobs can reach.
  Status attachHostMemory() {
    constexpr uint64_t kUserSpaceEnd = uint64_t(1) << 47;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the first page of all memory, which no object names
    auto *begin = reinterpret_cast<uint8_t *>(uintptr_t(kPageBytes));
    return device_->attachMemory(kPageBytes, std::span(begin, kUserSpaceEnd - 2 * kPageBytes));
  }

  Status awaitResetEnd() {
    auto limit = std::chrono::steady_clock::now() + kResetLimit;
    while ((readRegister(Register::Control) & firmware::control::kReset) != 0) {
      if (std::chrono::steady_clock::now() > limit)
        return {StatusCode::DeviceLost, "the simulated device does not finish its reset"};
      std::this_thread::sleep_for(kResetPoll);
    }
    return Status::ok();
  }

  /// From power-up or a reset until the firmware accepts requests.
  Status bringUp() {
    if (readRegister(Register::Magic) != firmware::kDeviceMagic)
      return failedPrecondition("sim: the device's magic number is wrong");
    channel_->announceMailboxes();
    writeRegister(Register::InterruptEnable,
                  firmware::interrupt::kMailbox | firmware::interrupt::kCompletion | firmware::interrupt::kError);
    writeRegister(Register::Control, firmware::control::kRun);
    firmware::HelloRequest hello{firmware::packVersion(firmware::kInterfaceMajor, 0), firmware::kInterfaceVersion,
                                 firmware::kEncodingVersion, 0};
    AVOCET_ASSIGN_OR_RETURN(hello_, channel_->exchange<firmware::HelloReply>(firmware::MessageKind::Hello, hello));
    AVOCET_RETURN_IF_ERROR(FirmwareChannel::statusOf(static_cast<firmware::ReplyCode>(hello_.code), "hand-shake"));
    if (hello_.targetFingerprint != properties_.target->fingerprint())
      return failedPrecondition(
          fmt::format("sim: the device is target {}, not {}", hello_.targetName, properties_.target->name()));
    if (properties_.contexts == 0) { // not after a reset: other threads read them
      properties_.contexts = std::min({hello_.maxContexts, hello_.maxRings, RingActivity::kMaxRings});
      properties_.hasClockLevels = (hello_.features & firmware::feature::kClockLevels) != 0;
    }
    lost_.store(false, std::memory_order_release);
    return Status::ok();
  }

  /// A reset removes contexts, mappings and rings from the firmware; the contract requires that they stay.
  Status reestablish() {
    const RingTable::Rings rings = rings_.rebuild();
    for (const std::shared_ptr<ContextRing> &ring : rings)
      AVOCET_RETURN_IF_ERROR(firmware_->createContext(*ring));
    for (const auto &[key, range] : ranges_)
      if (std::shared_ptr<ContextRing> ring = rings_.find(range.context)) // else its context is being destroyed
        AVOCET_RETURN_IF_ERROR(firmware_->map(*ring, range));
    // Rings last: their jobs may run as soon as the ring exists, and need all contexts and mappings.
    for (const std::shared_ptr<ContextRing> &ring : rings)
      AVOCET_RETURN_IF_ERROR(firmware_->createRing(*ring));
    rings_.endRebuild();
    ringBells(rings);
    return Status::ok();
  }

  /// For the jobs that stayed, and those submitted or cancelled while the firmware did not have their ring.
  void ringBells(const RingTable::Rings &rings) {
    for (const std::shared_ptr<ContextRing> &ring : rings) {
      activity_.set(ring->ring());
      writeRegister(Register::RingBell, ring->ring());
      for (const firmware::CancelRequest &request : ring->cancelRequests())
        channel_->postCancel(request);
    }
    thread_.wake();
  }

  Status contextCreated(ContextHandle context, uint32_t owner, std::shared_ptr<JobLog> jobs) override {
    AVOCET_RETURN_IF_ERROR(lossStatus());
    std::lock_guard lock(resetMutex_);
    AVOCET_ASSIGN_OR_RETURN(uint32_t number, rings_.freeNumber(properties_.contexts));
    AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<ContextRing> ring,
                            ContextRing::create(number + 1, number, owner, std::move(jobs)));
    AVOCET_RETURN_IF_ERROR(firmware_->createContext(*ring));
    if (Status status = firmware_->createRing(*ring); !status.isOk()) {
      (void)firmware_->destroyContext(*ring);
      return status;
    }
    rings_.add(context, std::move(ring));
    return Status::ok();
  }

  Status drainContext(ContextHandle context) override {
    std::lock_guard lock(resetMutex_);
    std::shared_ptr<ContextRing> ring = rings_.find(context);
    Status status = lossStatus();
    if (status.isOk())
      status = firmware_->destroyContext(*ring);
    rings_.remove(context); // not earlier: it frees the ring's number for another context
    ring->reap();
    ring->fail(firmware::FaultCode::Cancelled);
    return status;
  }

  void contextDestroyed(ContextHandle) override {}

  Status mapped(ContextHandle context, uint64_t address, std::span<uint8_t> memory, Access access) override {
    AVOCET_RETURN_IF_ERROR(lossStatus());
    std::lock_guard lock(resetMutex_);
    MappedRange range{context, address, memory, access};
    AVOCET_RETURN_IF_ERROR(firmware_->map(*rings_.find(context), range));
    ranges_.emplace(std::pair(context, address), range);
    return Status::ok();
  }

  void unmapped(ContextHandle context, uint64_t address) override {
    std::lock_guard lock(resetMutex_);
    auto range = ranges_.extract(std::pair(context, address));
    std::shared_ptr<ContextRing> ring = rings_.find(context);
    // Without a ring: the firmware has already removed the whole context.
    if (ring == nullptr || !lossStatus().isOk())
      return;
    if (Status status = firmware_->unmap(*ring, range.mapped()); !status.isOk())
      logMessage(LogLevel::Error, "runtime", "{}", status.toString());
  }

  Status lossStatus() const {
    if (lost_.load(std::memory_order_acquire))
      return {StatusCode::DeviceLost, "the simulated device has stopped; reset it"};
    return Status::ok();
  }

  /// Runs on a thread that runs the device.
  void handleInterrupt() {
    uint32_t pending = readRegister(Register::InterruptStatus);
    writeRegister(Register::InterruptClear, pending);
    if ((pending & firmware::interrupt::kMailbox) != 0)
      channel_->answerArrived();
    if ((pending & firmware::interrupt::kError) != 0)
      lost_.store(true, std::memory_order_release);
    activity_.visit([&](uint32_t number) {
      // Without the table's lock: a sink may wait for a thread that waits for that lock.
      std::shared_ptr<ContextRing> ring = rings_.numbered(number);
      if (ring == nullptr)
        return false;
      ring->reap();
      if ((pending & firmware::interrupt::kError) != 0)
        ring->fail(firmware::FaultCode::HardwareError);
      return !ring->isIdle();
    });
  }

  DeviceProperties properties_;
  std::function<void(const firmware::JobProfile &)> profileSink_;
  std::unique_ptr<sim::Device> device_;
  std::unique_ptr<FirmwareChannel> channel_;
  std::optional<FirmwareObjects> firmware_; ///< through the channel
  firmware::HelloReply hello_{};
  std::atomic<bool> lost_{false};
  RingActivity activity_;
  DeviceClock clock_;

  std::mutex resetMutex_; ///< guards ranges_, and orders requests and resets
  std::map<std::pair<ContextHandle, uint64_t>, MappedRange> ranges_;
  RingTable rings_;
  DeviceThread thread_;
};

} // namespace

Result<std::unique_ptr<Backend>> openSimBackend(const BackendOptions &options, std::string_view argument) {
  if (!argument.empty())
    return invalidArgument(fmt::format("back end sim takes no argument, found '{}'", argument));
  if (options.target == nullptr)
    return invalidArgument("back end sim needs a target");
  return openObservedSimBackend(options, {});
}

Result<std::unique_ptr<Backend>> openObservedSimBackend(const BackendOptions &options,
                                                        firmware::CommandObserver observer) {
  auto backend = std::make_unique<SimBackend>(options);
  AVOCET_RETURN_IF_ERROR(backend->start(options, std::move(observer)));
  return std::unique_ptr<Backend>(std::move(backend));
}

Status callAtCycle(Backend &backend, uint64_t cycle, std::function<void()> call) {
  auto *sim = dynamic_cast<SimBackend *>(&backend);
  if (sim == nullptr)
    return invalidArgument("only a simulator calls back in device time");
  sim->callAt(cycle, std::move(call));
  return Status::ok();
}

void registerSimBackend() { registerBackend("sim", openSimBackend); }

} // namespace avocet::runtime
