//===- FaultInjector.cpp - A device that does what a plan says -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FaultInjector.h"

#include "avocet/base/Log.h"
#include "avocet/firmware_iface/Registers.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstring>
#include <thread>

namespace avocet::sim {

namespace {

constexpr uint32_t kUnknownCode = 77;
constexpr size_t kLongestLine = 256;

} // namespace

void FaultInjector::listenTo(int file) {
  std::lock_guard guard(lock_);
  control_ = file;
  (void)::fcntl(file, F_SETFL, ::fcntl(file, F_GETFL) | O_NONBLOCK);
}

void FaultInjector::refresh() {
  for (char next; control_ >= 0 && ::read(control_, &next, 1) == 1;) {
    if (next != '\n') {
      if (line_.size() < kLongestLine)
        line_ += next;
      continue;
    }
    const Result<FaultPlan> plan = FaultPlan::parse(line_);
    if (plan.isOk())
      plan_ = plan.value();
    writeLog(plan.isOk() ? LogLevel::Info : LogLevel::Warning, "",
             plan.isOk() ? fmt::format("faults: {}", line_) : plan.status().toString());
    line_.clear();
  }
}

bool FaultInjector::take(uint64_t FaultPlan::*count) {
  if (plan_.*count == 0)
    return false;
  --(plan_.*count);
  return true;
}

bool FaultInjector::takesWrites() {
  std::lock_guard guard(lock_);
  refresh();
  return plan_.isSilent == 0;
}

bool FaultInjector::endsProcess() {
  std::lock_guard guard(lock_);
  refresh();
  return plan_.endsProcess != 0;
}

bool FaultInjector::passesWrite(uint32_t offset, uint32_t value) {
  std::lock_guard guard(lock_);
  refresh();
  view_.observeWrite(offset, value);
  switch (static_cast<firmware::Register>(offset)) {
  case firmware::Register::MailboxBell:
    return !take(&FaultPlan::lostMessages);
  case firmware::Register::RingBell:
    return !take(&FaultPlan::lostBells);
  default:
    return true;
  }
}

void FaultInjector::spoilAnswer() {
  firmware::Mailbox *answer = view_.answer();
  if (!answer)
    return;
  if (take(&FaultPlan::wrongSequences))
    answer->header.sequence += 1000;
  if (take(&FaultPlan::wrongLengths))
    answer->header.bytes += 8;
  if (take(&FaultPlan::wrongCodes))
    std::memcpy(answer->body, &kUnknownCode, sizeof(kUnknownCode));
}

/// The state stays one of a job that has ended: the device must not take its word back.
void FaultInjector::spoilRecords() {
  for (firmware::CompletionRecord *record : view_.takeEndedRecords()) {
    if (!take(&FaultPlan::garbageRecords))
      continue;
    std::array<uint8_t, sizeof(*record)> garbage;
    for (uint8_t &byte : garbage)
      byte = static_cast<uint8_t>(bytes_());
    garbage[0] |= 1;
    std::memcpy(record, garbage.data(), garbage.size());
  }
}

bool FaultInjector::passesInterrupt(uint32_t causes) {
  uint64_t milliseconds;
  bool passes;
  {
    std::lock_guard guard(lock_);
    refresh();
    if ((causes & firmware::interrupt::kMailbox) != 0)
      spoilAnswer();
    if ((causes & firmware::interrupt::kCompletion) != 0)
      spoilRecords();
    milliseconds = plan_.lateMilliseconds;
    passes = plan_.isSilent == 0 && !take(&FaultPlan::lostInterrupts);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
  return passes;
}

} // namespace avocet::sim
