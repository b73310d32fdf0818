//===- VerifyStreams.cpp - The rules of the command streams -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verify.h"
#include "VerifyYields.h"

#include "avocet/firmware_iface/Codec.h"
#include "avocet/firmware_iface/Engines.h"
#include "avocet/firmware_iface/Footprint.h"
#include "avocet/firmware_iface/JobRing.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <vector>

namespace avocet::cache {

namespace {

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

} // namespace avocet::cache
