//===- CommandStreams.cpp - The commands of a model -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/analysis/CommandStreams.h"

#include "avocet/base/ParseNumber.h"
#include "avocet/firmware_iface/Codec.h"
#include "avocet/firmware_iface/Names.h"

#include <algorithm>
#include <fmt/format.h>

namespace avocet::analysis {

bool isWork(uint32_t operation) {
  constexpr uint32_t kFirstWork = 4;
  static_assert(std::is_same_v<std::variant_alternative_t<kFirstWork, firmware::CommandBody>, firmware::DmaCommand>);
  return operation >= kFirstWork;
}

CommandStreams::CommandStreams(const cache::ModelCache &model)
    : modelName_(model.modelName()), isStraight_(model.control().empty()) {
  for (size_t i = 0; i < model.numStreams(); ++i) {
    const cache::StreamView stream = model.stream(i);
    auto commands = firmware::decodeStream(stream.words);
    // The verifier of the model cache has decoded every stream, so there are commands.
    streams_.push_back({stream.engine, stream.section, commands ? std::move(*commands) : decltype(Stream::commands)()});
    isStraight_ = isStraight_ && stream.section == 0;
  }
}

std::string CommandStreams::streamName(size_t stream) const {
  const Stream &named = streams_[stream];
  return named.section == 0 ? toString(named.engine) : fmt::format("{}.{}", toString(named.engine), named.section);
}

std::string CommandStreams::nameOf(const CommandPlace &place) const {
  return fmt::format("{}:{}", streamName(place.stream), place.command);
}

Result<CommandPlace> CommandStreams::find(std::string_view name) const {
  const size_t colon = name.find(':');
  const auto number = parseUnsigned(colon == std::string_view::npos ? "" : name.substr(colon + 1), 0, UINT32_MAX);
  std::string known;
  for (size_t i = 0; i < streams_.size(); ++i) {
    const std::string stream = streamName(i);
    const size_t count = streams_[i].commands.size();
    known += fmt::format("{}{}:0 to {}:{}", known.empty() ? "" : ", ", stream, stream, count - 1);
    if (number && name.substr(0, colon) == stream && *number < count)
      return CommandPlace{i, static_cast<uint32_t>(*number)};
  }
  return invalidArgument(fmt::format("'{}' is not a command of '{}'; its commands are {}", name, modelName_, known));
}

std::optional<size_t> CommandStreams::findStream(const firmware::Engine &engine, uint32_t section) const {
  for (size_t i = 0; i < streams_.size(); ++i)
    if (streams_[i].engine == engine && streams_[i].section == section)
      return i;
  return std::nullopt;
}

uint32_t CommandStreams::numSections() const {
  uint32_t count = 1;
  for (const Stream &stream : streams_)
    count = std::max(count, stream.section + 1);
  return count;
}

std::optional<CommandPlace> CommandStreams::placeOf(const firmware::Engine &engine, uint32_t command) const {
  return isStraight_ ? placeIn(0, engine, command) : std::nullopt;
}

std::optional<CommandPlace> CommandStreams::placeOf(const firmware::CommandSpan &span,
                                                    const firmware::JobProfile &profile) const {
  const bool hasRun = span.run < profile.sections.size();
  return placeIn(hasRun ? profile.sections[span.run].section : 0, span.engine, span.command);
}

std::optional<CommandPlace> CommandStreams::placeIn(uint32_t section, const firmware::Engine &engine,
                                                    uint32_t command) const {
  const auto stream = findStream(engine, section);
  if (!stream || command >= streams_[*stream].commands.size())
    return std::nullopt;
  return CommandPlace{*stream, command};
}

} // namespace avocet::analysis
