//===- DeviceImpl.cpp - Registers, interrupts, worker thread ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceImpl.h"

#include "avocet/firmware_iface/Version.h"
#include "firmware/MemoryWords.h"
#include "timing/DeviceTime.h"

#include <cstring>
#include <utility>

namespace avocet::sim {

using namespace firmware;

Result<std::unique_ptr<Device>> Device::create(std::shared_ptr<const Target> target, const DeviceOptions &options) {
  if (!target)
    return invalidArgument("a simulated device needs a target");
  return std::unique_ptr<Device>(std::make_unique<DeviceImpl>(std::move(target), options));
}

DeviceImpl::DeviceImpl(std::shared_ptr<const Target> target, const DeviceOptions &options)
    : target_(std::move(target)), options_(options),
      firmware_(*target_, options, bus_, [this](const JobProfile &profile) { jobEnded(profile); }) {}

Status DeviceImpl::attachMemory(uint64_t systemAddress, std::span<uint8_t> memory) {
  return bus_.attach(systemAddress, memory);
}

Status DeviceImpl::detachMemory(uint64_t systemAddress) { return bus_.detach(systemAddress); }

uint32_t DeviceImpl::readRegister(uint32_t offset) {
  std::lock_guard lock(mutex_);
  return readLocked(static_cast<Register>(offset));
}

void DeviceImpl::writeRegister(uint32_t offset, uint32_t value) {
  std::lock_guard lock(mutex_);
  writeLocked(static_cast<Register>(offset), value);
  hasRequests_ = requests_.any();
}

static uint32_t low(uint64_t value) { return static_cast<uint32_t>(value); }
static uint32_t high(uint64_t value) { return static_cast<uint32_t>(value >> 32); }
static void setLow(uint64_t &value, uint32_t word) { value = (value & ~uint64_t{UINT32_MAX}) | word; }
static void setHigh(uint64_t &value, uint32_t word) { value = uint64_t{word} << 32 | low(value); }

uint32_t DeviceImpl::readLocked(Register number) {
  switch (number) {
  case Register::Magic:
    return kDeviceMagic;
  case Register::InterfaceVersion:
    return kInterfaceVersion;
  case Register::EncodingVersion:
    return kEncodingVersion;
  case Register::TargetFingerprintLow:
    return low(target_->fingerprint());
  case Register::TargetFingerprintHigh:
    return high(target_->fingerprint());
  case Register::Control:
    return control_ | (requests_.reset ? control::kReset : 0);
  case Register::Status:
    if (requests_.reset)
      return static_cast<uint32_t>(DeviceState::Resetting);
    return static_cast<uint32_t>(!isRunning() ? DeviceState::Halted : isBusy_ ? DeviceState::Busy : DeviceState::Ready);
  case Register::InterruptStatus:
    return interruptStatus_;
  case Register::InterruptEnable:
    return interruptEnable_;
  case Register::MailboxInLow:
    return low(mailboxIn_);
  case Register::MailboxInHigh:
    return high(mailboxIn_);
  case Register::MailboxOutLow:
    return low(mailboxOut_);
  case Register::MailboxOutHigh:
    return high(mailboxOut_);
  case Register::CycleCountLow:
    latchedCyclesHigh_ = high(cycles_);
    return low(cycles_);
  case Register::CycleCountHigh:
    return latchedCyclesHigh_;
  default:
    return 0;
  }
}

void DeviceImpl::writeLocked(Register number, uint32_t value) {
  switch (number) {
  case Register::Control:
    control_ = value & control::kRun;
    requests_.reset |= (value & control::kReset) != 0;
    break;
  case Register::InterruptEnable:
    interruptEnable_ = value;
    break;
  case Register::InterruptClear:
    interruptStatus_ &= ~value;
    break;
  case Register::MailboxInLow:
    setLow(mailboxIn_, value);
    break;
  case Register::MailboxInHigh:
    setHigh(mailboxIn_, value);
    break;
  case Register::MailboxOutLow:
    setLow(mailboxOut_, value);
    break;
  case Register::MailboxOutHigh:
    setHigh(mailboxOut_, value);
    break;
  case Register::MailboxBell:
    requests_.mailbox = true;
    break;
  case Register::RingBell:
    if (value < JobQueue::kMaxRings)
      requests_.rings.set(value);
    break;
  default:
    break;
  }
}

/// Takes the pending requests. False: there is nothing to do, and the calling thread is no longer the worker.
bool DeviceImpl::takeWork(Requests &work) {
  std::lock_guard lock(mutex_);
  work = {};
  isBusy_ = false;
  if (requests_.reset) {
    work.reset = true; // stays visible in the registers until it is finished
    return true;
  }
  if (!isRunning() || (!requests_.any() && !hasJobs())) {
    isWorking_ = false;
    return false;
  }
  std::swap(work, requests_);
  hasRequests_ = false;
  isBusy_ = true;
  return true;
}

/// False: another thread is the worker.
bool DeviceImpl::startWorking() {
  std::lock_guard lock(mutex_);
  return !std::exchange(isWorking_, true);
}

/// True: there is work left, and no thread is the worker any more.
bool DeviceImpl::stopWorking() {
  std::lock_guard lock(mutex_);
  isWorking_ = isBusy_ = false;
  return requests_.reset || (isRunning() && (requests_.any() || hasJobs()));
}

/// Bells of rings first: a message that cancels a job comes after the bell that announced it.
void DeviceImpl::serve(const Requests &work) {
  work.rings.forEach([this](uint32_t ring) { firmware_.ringBell(ring); });
  if (work.mailbox)
    serveMailbox();
}

void DeviceImpl::doWork(const Requests &work) {
  if (work.reset) {
    firmware_.reset();
    return finishReset();
  }
  serve(work);
  if (!makeCalls() && !firmware_.hasJobs() && !calls_.empty())
    firmware_.idleUntil(calls_.begin()->first);
  firmware_.runNext(hasRequests_, cycles_, [this] { return lookAtRequests(); });
  cycles_ = firmware_.cycles();
}

void DeviceImpl::run() {
  if (!startWorking())
    return;
  for (Requests work; takeWork(work);)
    doWork(work);
}

bool DeviceImpl::runUntil(const std::function<bool()> &enough) {
  if (!startWorking())
    return false;
  for (Requests work; !enough();) {
    if (!takeWork(work))
      return false;
    doWork(work);
  }
  return stopWorking();
}

/// Makes the calls that are due. True: there was at least one.
bool DeviceImpl::makeCalls() {
  bool any = false;
  for (; !calls_.empty() && calls_.begin()->first <= firmware_.cycles(); any = true) {
    const auto call = calls_.extract(calls_.begin());
    call.mapped()();
  }
  return any;
}

/// Called while a job runs: answers messages, takes new jobs, and ends the job at a reset. Returns the cycle of the
/// next call; a bell causes an earlier one.
uint64_t DeviceImpl::lookAtRequests() {
  makeCalls();
  const uint64_t nextCall = calls_.empty() ? kNever : calls_.begin()->first;
  if (!hasRequests_.load(std::memory_order_relaxed))
    return nextCall;
  Requests work;
  {
    std::lock_guard lock(mutex_);
    work = std::exchange(requests_, {});
    requests_.reset = work.reset; // stays visible in the registers until it is finished
    hasRequests_ = requests_.reset;
  }
  serve(work);
  if (work.reset)
    firmware_.reset();
  return nextCall;
}

void DeviceImpl::finishReset() {
  std::lock_guard lock(mutex_);
  requests_ = {};
  hasRequests_ = false;
}

/// Answers the message in the mailbox, if there is one and the reply mailbox is empty.
void DeviceImpl::serveMailbox() {
  uint64_t inAddress, outAddress;
  {
    std::lock_guard lock(mutex_);
    inAddress = mailboxIn_, outAddress = mailboxOut_;
  }
  std::span<uint8_t> in = bus_.find(inAddress, sizeof(Mailbox)), out = bus_.find(outAddress, sizeof(Mailbox));
  if (in.size() != sizeof(Mailbox) || out.size() != sizeof(Mailbox) ||
      loadAcquire(in) != static_cast<uint32_t>(MailboxState::Full) ||
      loadAcquire(out) != static_cast<uint32_t>(MailboxState::Empty))
    return;
  Mailbox message;
  std::memcpy(&message, in.data(), sizeof(message));
  std::optional<Mailbox> reply = firmware_.answer(message);
  if (!reply) {
    std::lock_guard lock(mutex_);
    requests_.mailbox = true; // retried when the running job has ended
    return;
  }
  std::memcpy(out.data() + sizeof(uint32_t), reinterpret_cast<const uint8_t *>(&*reply) + sizeof(uint32_t),
              sizeof(Mailbox) - sizeof(uint32_t));
  (void)storeRelease(in, static_cast<uint32_t>(MailboxState::Empty));
  (void)storeRelease(out, static_cast<uint32_t>(MailboxState::Full));
  raiseInterrupt(interrupt::kMailbox);
}

void DeviceImpl::jobEnded(const JobProfile &profile) {
  cycles_ = firmware_.cycles();
  if (observer_)
    observer_(profile);
  raiseInterrupt(interrupt::kCompletion);
}

void DeviceImpl::raiseInterrupt(uint32_t bits) {
  {
    std::lock_guard lock(mutex_);
    interruptStatus_ |= bits;
    if ((interruptEnable_ & bits) == 0 || !interruptHandler_)
      return;
  }
  interruptHandler_();
}

} // namespace avocet::sim
