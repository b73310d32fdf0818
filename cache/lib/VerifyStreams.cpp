//===- VerifyStreams.cpp - The rules of the command streams -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verify.h"
#include "avocet/base/Status.h"
#include "avocet/firmware_iface/Codec.h"
#include "avocet/firmware_iface/Command.h"
#include "avocet/firmware_iface/Control.h"
#include "avocet/firmware_iface/Footprint.h"
#include "avocet/firmware_iface/JobRing.h"
#include "avocet/firmware_iface/Names.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace avocet::cache {
namespace {

/// The rules of firmware::YieldCommand that streams show without the command list they come from. Numbers ascend in
/// each stream, and those of a section are 1, 2, 3, ... over all of its streams (a stream may leave out points between
/// which it does no work). Live ranges are ascending, disjoint and below `sramBytes`.
class YieldRules {
public:
  explicit YieldRules(uint64_t sramBytes) : sramBytes_(sramBytes) {}

  void beginStream(uint32_t section) {
    section_ = section;
    last_ = 0;
  }

  /// The next yield of the stream.
  Status verify(const firmware::YieldCommand &yield);

  /// Call this after all streams.
  Status verifyNumbers() const;

private:
  uint64_t sramBytes_;
  uint32_t section_ = 0, last_ = 0;
  std::set<std::pair<uint32_t, uint32_t>> points_; ///< of all streams, by section
};

using firmware::SramRange;
using firmware::YieldCommand;

static Status verifyLive(const YieldCommand &yield, uint64_t sramBytes) {
  uint64_t end = 0;
  for (size_t i = 0; i < yield.live.size(); ++i) {
    const SramRange &range = yield.live[i];
    if (range.bytes == 0)
      return dataLoss(fmt::format("live[{}] of point {} is empty", i, yield.point));
    if (range.begin.offset < end)
      return dataLoss(
          fmt::format("live[{}] of point {} begins at {}, must be at least {}, the end of the previous range", i,
                      yield.point, range.begin.offset, end));
    end = uint64_t{range.begin.offset} + range.bytes;
    if (end > sramBytes)
      return dataLoss(fmt::format("live[{}] of point {} ends at {}, must be at most {}, the on-chip memory in use", i,
                                  yield.point, end, sramBytes));
  }
  return Status::ok();
}

Status YieldRules::verify(const YieldCommand &yield) {
  if (yield.point <= last_)
    return dataLoss(fmt::format("point is {}, must be above {}, the point of the previous yield", yield.point, last_));
  last_ = yield.point;
  points_.insert({section_, yield.point});
  return verifyLive(yield, sramBytes_);
}

Status YieldRules::verifyNumbers() const {
  uint32_t section = 0, expected = 1;
  for (const auto &[where, point] : points_) {
    if (where != section)
      expected = 1;
    section = where;
    if (point != expected)
      return dataLoss(
          fmt::format("streams: section {} has yield point {}, but no stream has point {}", section, point, expected));
    ++expected;
  }
  return Status::ok();
}

using firmware::ByteRange;
using firmware::Command;
using firmware::Engine;
using firmware::EngineKind;

/// Checks each stream in one pass, then the rules that span all streams.
class StreamVerifier {
public:
  explicit StreamVerifier(const fb::Model &model) : model_(model), yields_(model.sram_peak_bytes()) {}

  Status verify() {
    const auto &streams = *model_.streams();
    if (streams.size() > firmware::kMaxJobStreams)
      return dataLoss(
          fmt::format("streams has {} entries, at most {} are allowed", streams.size(), firmware::kMaxJobStreams));
    uint64_t words = 0;
    for (const fb::Stream *stream : streams)
      words += stream->words()->size();
    if (words > firmware::kMaxStreamWords)
      return dataLoss(fmt::format("streams has {} words, at most {} are allowed", words, firmware::kMaxStreamWords));
    for (uint32_t i = 0; i < streams.size(); ++i) {
      std::string place = fmt::format("streams[{}]", i);
      AVOCET_RETURN_IF_ERROR(verifySection(place, *streams.Get(i)));
      AVOCET_RETURN_IF_ERROR(verifyEngine(place, *streams.Get(i)));
      AVOCET_RETURN_IF_ERROR(verifyCommands(*streams.Get(i)).withContext(place));
    }
    AVOCET_RETURN_IF_ERROR(yields_.verifyNumbers());
    return verifyWaits();
  }

private:
  Status verifySection(std::string_view place, const fb::Stream &stream) {
    section_ = stream.section();
    const uint32_t limit = model_.control() ? firmware::kMaxSections : 1;
    if (section_ < limit)
      return Status::ok();
    return dataLoss(fmt::format("{}.section is {}, must be below {}", place, section_, limit));
  }

  Status verifyEngine(std::string_view place, const fb::Stream &stream) {
    AVOCET_RETURN_IF_ERROR(verifyEngineKind(place, stream.engine_kind()));
    Engine engine{static_cast<EngineKind>(stream.engine_kind()), stream.engine_index()};
    uint32_t limit = engine.kind == EngineKind::Dma ? firmware::kMaxStreams - 2 : 1;
    if (engine.index >= limit)
      return dataLoss(fmt::format("{}.engine_index is {}, must be below {}", place, engine.index, limit));
    if (!engines_.insert({section_, engine}).second)
      return dataLoss(fmt::format("{} is a second stream of engine {}", place, toString(engine)));
    return Status::ok();
  }

  Status verifyCommands(const fb::Stream &stream) {
    std::span<const uint32_t> words(stream.words()->data(), stream.words()->size());
    size_t position = 0;
    size_t commands = 0;
    bool ended = false;
    yields_.beginStream(section_);
    while (!ended) {
      size_t start = position;
      AVOCET_ASSIGN_OR_RETURN(Command command, firmware::decode(words, position));
      AVOCET_RETURN_IF_ERROR(verifyCommand(static_cast<EngineKind>(stream.engine_kind()), command)
                                 .withContext(fmt::format("word {}: {}", start, nameOf(command.body))));
      ended = std::holds_alternative<firmware::EndCommand>(command.body);
      ++commands;
    }
    if (position != words.size())
      return dataLoss(fmt::format("word {}: found data after the end command, which must be the last", position));
    return verifySourceCommands(model_, stream, commands);
  }

  Status verifyCommand(EngineKind engine, const Command &command) {
    if (!runsOn(command.body, engine))
      return dataLoss(fmt::format("does not run on engine {}", toString(Engine{engine, 0})));
    if (command.layer != firmware::kNoLayer && command.layer >= model_.layers()->size())
      return dataLoss(fmt::format("layer is {}, must be below {}", command.layer, model_.layers()->size()));
    if (const auto *yield = std::get_if<firmware::YieldCommand>(&command.body))
      AVOCET_RETURN_IF_ERROR(yields_.verify(*yield));
    noteSemaphores(command.body);
    ranges_.clear();
    appendFootprint(command.body, ranges_);
    for (const ByteRange &range : ranges_)
      AVOCET_RETURN_IF_ERROR(verifyRange(range));
    return Status::ok();
  }

  void noteSemaphores(const firmware::CommandBody &body) {
    if (const auto *signal = std::get_if<firmware::SignalCommand>(&body))
      ++signals_[{section_, signal->semaphore}];
    if (const auto *wait = std::get_if<firmware::WaitCommand>(&body)) {
      uint32_t &value = waits_[{section_, wait->semaphore}];
      value = std::max(value, wait->value);
    }
  }

  Status verifyRange(const ByteRange &range) {
    if (range.region == firmware::kSramRegion)
      return verifyEnd(range, "the on-chip memory in use", model_.sram_peak_bytes());
    if (range.region > model_.regions()->size())
      return dataLoss(fmt::format("{} region {}, must be below {}", range.write ? "writes" : "reads", range.region - 1,
                                  model_.regions()->size()));
    const fb::Region &region = *model_.regions()->Get(range.region - 1);
    bool readOnly = region.kind() == fb::RegionKind::Input || region.kind() == fb::RegionKind::Constants;
    if (range.write && readOnly)
      return dataLoss(fmt::format("writes to region {}, which is read only", range.region - 1));
    return verifyEnd(range, fmt::format("region {}", range.region - 1), region.bytes());
  }

  Status verifyEnd(const ByteRange &range, std::string_view what, uint64_t limit) {
    if (range.end <= limit)
      return Status::ok();
    return dataLoss(fmt::format("{} bytes {} to {} of {}, which has {} bytes", range.write ? "writes" : "reads",
                                range.begin, range.end, what, limit));
  }

  /// A job never ends if a wait needs more signals than there are. The order of the signals is checked by the device
  /// only.
  Status verifyWaits() {
    for (const auto &[where, value] : waits_) {
      const uint32_t semaphore = where.second;
      uint64_t signals = signals_.contains(where) ? signals_[where] : 0;
      if (value > signals)
        return dataLoss(fmt::format("streams: semaphore {}: a wait needs {} signals, the streams signal it {} times",
                                    semaphore, value, signals));
    }
    return Status::ok();
  }

  const fb::Model &model_;
  uint32_t section_ = 0;                                      ///< of the current stream
  std::set<std::pair<uint32_t, Engine>> engines_;             ///< with their sections
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> signals_; ///< by section and semaphore
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> waits_;
  std::vector<ByteRange> ranges_;
  YieldRules yields_;
};

} // namespace

Status verifyStreams(const fb::Model &model) { return StreamVerifier(model).verify(); }

namespace {

using firmware::ControlInstruction;

/// The condition must be a byte that the device may read: one in any region except an output.
Status verifyCondition(const fb::Model &model, const firmware::JumpIfFalseInstruction &jump) {
  const fb::Region &region = *model.regions()->Get(jump.region - 1);
  if (region.kind() == fb::RegionKind::Output)
    return dataLoss(fmt::format("reads a condition from region {}, an output", jump.region - 1));
  if (jump.offset >= region.bytes())
    return dataLoss(
        fmt::format("reads byte {} of region {}, which has {} bytes", jump.offset, jump.region - 1, region.bytes()));
  return Status::ok();
}

uint32_t countSections(const fb::Model &model) {
  uint32_t count = 0;
  for (const fb::Stream *stream : *model.streams())
    count = std::max(count, stream->section() + 1);
  return count;
}

} // namespace

Status verifyControl(const fb::Model &model) {
  if (!model.control())
    return Status::ok();
  auto program = firmware::decodeControl({model.control()->data(), model.control()->size()});
  if (!program)
    return program.status().withContext("control");
  AVOCET_RETURN_IF_ERROR(
      firmware::verifyControl(*program, countSections(model), model.regions()->size()).withContext("control"));
  for (size_t i = 0; i < program->size(); ++i)
    if (const auto *jump = std::get_if<firmware::JumpIfFalseInstruction>(&(*program)[i]))
      AVOCET_RETURN_IF_ERROR(verifyCondition(model, *jump).withContext(fmt::format("control: instruction {}", i)));
  return Status::ok();
}

} // namespace avocet::cache
