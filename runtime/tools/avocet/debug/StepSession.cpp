//===- StepSession.cpp - Stops a simulated device at commands ------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StepSession.h"

#include "avocet/base/CleanText.h"
#include "avocet/base/ParseNumber.h"
#include "avocet/base/StandardStreams.h"
#include "avocet/firmware_iface/JobRing.h"

#include <algorithm>
#include <fmt/format.h>
#include <sstream>

namespace avocet::tool {
namespace {

constexpr uint64_t kMostDumpBytes = 65536, kRowBytes = 16;

/// "mac", "dsp", "dma1".
std::string engineName(const firmware::Engine &engine) {
  switch (engine.kind) {
  case firmware::EngineKind::Mac:
    return "mac";
  case firmware::EngineKind::Dsp:
    return "dsp";
  case firmware::EngineKind::Dma:
    break;
  }
  return fmt::format("dma{}", engine.index);
}

std::string hexRow(std::span<const uint8_t> bytes) { return fmt::format("{:02x}", fmt::join(bytes, " ")); }

/// The part of a range that lies in SRAM.
std::span<const uint8_t> bytesAt(const firmware::CommandEvent &event, uint64_t address, uint64_t size) {
  const auto rest = event.sram.subspan(std::min<uint64_t>(address, event.sram.size()));
  return rest.first(std::min<uint64_t>(size, rest.size()));
}

std::string layerText(uint32_t layer) {
  return layer == firmware::kNoLayer ? std::string() : fmt::format(", layer {}", layer);
}

std::vector<std::string> wordsOf(const std::string &line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;)
    words.push_back(word);
  return words;
}

/// "mac:12"
Result<std::pair<std::string, uint32_t>> parseBreak(std::string_view text) {
  const size_t colon = text.find(':');
  auto number = parseUnsigned(colon == text.npos ? "" : text.substr(colon + 1), 0, UINT32_MAX);
  if (!number)
    return invalidArgument(
        fmt::format("break {}: must be an engine, ':' and a number, such as mac:12 or dma1:7", text));
  return std::pair(std::string(text.substr(0, colon)), static_cast<uint32_t>(*number));
}

} // namespace

void StepSession::observe(const firmware::CommandEvent &event) {
  if (hasEnded_)
    return;
  event_ = &event;
  last_[engineName(event.engine)] = event.command;
  if (mustStop(event)) {
    printOut("cycle {}: {}:{} {}{}\n", event.cycle, engineName(event.engine), event.command, event.operation,
             layerText(event.layer));
    obey();
  }
  event_ = nullptr;
}

bool StepSession::mustStop(const firmware::CommandEvent &event) {
  bool stops = breaks_.contains({engineName(event.engine), event.command});
  for (Watch &watch : watches_)
    stops |= isChanged(watch, event);
  if (remaining_ != 0) {
    --remaining_;
    stops |= remaining_ == 0;
  }
  return stops;
}

bool StepSession::isChanged(Watch &watch, const firmware::CommandEvent &event) {
  const std::span<const uint8_t> bytes = bytesAt(event, watch.address, watch.bytes.size());
  watch.bytes.resize(bytes.size()); // the part that lies in SRAM
  if (std::ranges::equal(bytes, watch.bytes))
    return false;
  printOut("changed {:#x}: {} -> {}\n", watch.address, hexRow(watch.bytes), hexRow(bytes));
  watch.bytes.assign(bytes.begin(), bytes.end());
  return true;
}

void StepSession::obey() {
  flushStandardOutput();
  for (std::string line; std::getline(lines_, line);) {
    const Result<bool> goesOn = obeyLine(wordsOf(line));
    if (!goesOn)
      printErr("{}\n", cleanMessage(goesOn.status().message()));
    flushStandardOutput();
    if (goesOn && *goesOn)
      return;
  }
  hasEnded_ = true;
}

/// True: the device goes on.
Result<bool> StepSession::obeyLine(const std::vector<std::string> &words) {
  if (words.empty())
    return false;
  const std::string &verb = words[0];
  if (verb == "next" && words.size() <= 2) {
    remaining_ = 1;
    if (words.size() == 2) {
      AVOCET_ASSIGN_OR_RETURN(remaining_, parseUnsigned(words[1], 1, UINT64_MAX));
    }
    return true;
  }
  if (verb == "run" && words.size() == 1)
    return true;
  if (verb == "quit" && words.size() == 1) {
    hasEnded_ = true;
    return true;
  }
  if (verb == "break" && words.size() == 2) {
    AVOCET_ASSIGN_OR_RETURN(auto place, parseBreak(words[1]));
    breaks_.insert(std::move(place));
    return false;
  }
  if (verb == "regs" && words.size() == 1) {
    printRegisters();
    return false;
  }
  if ((verb == "watch" || verb == "dump") && words.size() == 3) {
    AVOCET_RETURN_IF_ERROR(verb == "watch" ? addWatch(words[1], words[2]) : dump(words[1], words[2]));
    return false;
  }
  return invalidArgument(
      fmt::format("'{}' is refused; accepted are next [N], run, break ENGINE:N, watch ADDRESS BYTES, "
                  "dump ADDRESS BYTES, regs and quit ('avocet replay --help' explains them)",
                  fmt::join(words, " ")));
}

Status StepSession::addWatch(std::string_view address, std::string_view size) {
  Watch watch;
  AVOCET_ASSIGN_OR_RETURN(watch.address, parseUnsigned(address, 0, UINT32_MAX));
  AVOCET_ASSIGN_OR_RETURN(const uint64_t count, parseUnsigned(size, 1, kMostDumpBytes));
  watch.bytes.resize(count); // zero, as SRAM before the first job
  if (event_ != nullptr) {
    const std::span<const uint8_t> bytes = bytesAt(*event_, watch.address, count);
    watch.bytes.assign(bytes.begin(), bytes.end());
  }
  watches_.push_back(std::move(watch));
  return Status::ok();
}

Status StepSession::dump(std::string_view address, std::string_view size) const {
  if (event_ == nullptr)
    return failedPrecondition("dump: the device has not run yet; use 'next' or 'break' and 'run' first");
  AVOCET_ASSIGN_OR_RETURN(const uint64_t first, parseUnsigned(address, 0, event_->sram.size() - 1));
  AVOCET_ASSIGN_OR_RETURN(const uint64_t count,
                          parseUnsigned(size, 1, std::min(kMostDumpBytes, event_->sram.size() - first)));
  for (uint64_t row = 0; row < count; row += kRowBytes)
    printOut("{:#08x}  {}\n", first + row, hexRow(event_->sram.subspan(first + row, std::min(kRowBytes, count - row))));
  return Status::ok();
}

void StepSession::printRegisters() const {
  printOut("cycle {}\n", event_ == nullptr ? 0 : event_->cycle);
  for (const auto &[engine, command] : last_)
    printOut("{} last command {}\n", engine, command);
  for (size_t i = 0; event_ != nullptr && i < event_->semaphores.size(); ++i)
    if (event_->semaphores[i] != 0)
      printOut("semaphore {} = {}\n", i, event_->semaphores[i]);
}

} // namespace avocet::tool
