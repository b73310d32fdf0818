//===- FaultInjector.cpp - A device that does what a plan says ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FaultInjector.h"

#include "avocet/base/Log.h"
#include "avocet/base/ParseNumber.h"
#include "avocet/firmware_iface/Fault.h"
#include "avocet/firmware_iface/Registers.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <limits>
#include <thread>
#include <unistd.h>

namespace avocet::sim {

namespace {

struct Kind {
  std::string_view name;
  uint64_t FaultPlan::*value;
  uint64_t most;
  std::string_view help;
};

constexpr uint64_t kAny = std::numeric_limits<uint32_t>::max();
constexpr uint64_t kMostMilliseconds = 60'000;

constexpr std::array kKinds = {
    Kind{"lose-interrupts", &FaultPlan::lostInterrupts, kAny, "interrupts that are not raised"},
    Kind{"late", &FaultPlan::lateMilliseconds, kMostMilliseconds, "milliseconds before each interrupt"},
    Kind{"lose-messages", &FaultPlan::lostMessages, kAny, "messages that are not answered"},
    Kind{"wrong-sequences", &FaultPlan::wrongSequences, kAny, "answers with another sequence number"},
    Kind{"wrong-codes", &FaultPlan::wrongCodes, kAny, "answers with an unknown code"},
    Kind{"wrong-lengths", &FaultPlan::wrongLengths, kAny, "answers of another length"},
    Kind{"garbage-records", &FaultPlan::garbageRecords, kAny, "completion records of random bytes"},
    Kind{"lose-bells", &FaultPlan::lostBells, kAny, "bells of rings that are not heard"},
    Kind{"silent", &FaultPlan::isSilent, 1, "1: no write is taken, no interrupt raised"},
    Kind{"exit", &FaultPlan::endsProcess, 1, "1: the process ends at the next write"},
};

Status addRule(FaultPlan &plan, std::string_view rule) {
  const size_t sign = rule.find('=');
  const std::string_view name = rule.substr(0, sign);
  const auto kind = std::find_if(kKinds.begin(), kKinds.end(), [&](const Kind &known) { return known.name == name; });
  if (kind == kKinds.end() || sign == std::string_view::npos)
    return invalidArgument(fmt::format("no fault '{}'; give NAME=NUMBER with one of:\n{}", rule, FaultPlan::help()));
  AVOCET_ASSIGN_OR_RETURN(plan.*kind->value, parseUnsigned(rule.substr(sign + 1), 0, kind->most));
  return Status::ok();
}

} // namespace

Result<FaultPlan> FaultPlan::parse(std::string_view text) {
  FaultPlan plan;
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    AVOCET_RETURN_IF_ERROR(addRule(plan, text.substr(0, comma)));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return plan;
}

std::string FaultPlan::help() {
  std::string text;
  for (const Kind &kind : kKinds)
    text += fmt::format("  {:<16} {}\n", kind.name, kind.help);
  return text;
}

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

void FaultLog::operator()(const firmware::JobProfile &profile) {
  const firmware::CompletionRecord &record = profile.record;
  if (record.state != static_cast<uint32_t>(firmware::JobState::Faulted) || faults_ >= kMaxFaults)
    return;
  ++faults_;
  writeLog(LogLevel::Info, "",
           fmt::format("{}job {} of context {} ended with {} at command {}, address {:#x}{}", prefix_, record.sequence,
                       profile.context, firmware::toString(static_cast<firmware::FaultCode>(record.faultCode)),
                       static_cast<int32_t>(record.faultCommand), record.faultAddress,
                       faults_ == kMaxFaults ? "; no further fault is logged" : ""));
}

} // namespace avocet::sim
