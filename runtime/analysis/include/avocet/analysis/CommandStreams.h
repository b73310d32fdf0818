//===- CommandStreams.h - The commands of a model ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All command streams of a model cache, decoded, and the names of their commands.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_ANALYSIS_COMMANDSTREAMS_H
#define AVOCET_ANALYSIS_COMMANDSTREAMS_H

#include "avocet/cache/ModelCache.h"
#include "avocet/firmware_iface/Profile.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace avocet::analysis {

/// A command, by the index of its stream in the model cache and its index in the stream.
struct CommandPlace {
  size_t stream = 0;
  uint32_t command = 0;
  auto operator<=>(const CommandPlace &) const = default;
};

/// A command that computes or moves data: neither a wait nor a signal, a yield or an end. `operation` is the index of
/// the alternative in CommandBody.
bool isWork(uint32_t operation);
inline bool isWork(const firmware::Command &command) { return isWork(static_cast<uint32_t>(command.body.index())); }

/// Holds copies: the model cache need not live as long. Places given to its functions must exist.
class CommandStreams {
public:
  explicit CommandStreams(const cache::ModelCache &model);

  const std::string &modelName() const { return modelName_; }
  /// Whether each command runs once: false for networks with branches or loops, whose sections run several times or
  /// not at all.
  bool isStraight() const { return isStraight_; }

  size_t numStreams() const { return streams_.size(); }
  firmware::Engine engine(size_t stream) const { return streams_[stream].engine; }
  uint32_t section(size_t stream) const { return streams_[stream].section; }
  std::span<const firmware::Command> commands(size_t stream) const { return streams_[stream].commands; }
  const firmware::Command &command(const CommandPlace &place) const { return commands(place.stream)[place.command]; }

  /// Calls visit(place, command) for each command, in the order of their places.
  template <typename Visit> void forEach(Visit &&visit) const {
    for (CommandPlace place; place.stream < streams_.size(); ++place.stream)
      for (place.command = 0; place.command < streams_[place.stream].commands.size(); ++place.command)
        visit(std::as_const(place), command(place));
  }

  /// "mac", "dma0"; in a section of a network with branches or loops "mac.2".
  std::string streamName(size_t stream) const;
  /// The name of the stream and the number in it: "mac:123", "mac.2:123".
  std::string nameOf(const CommandPlace &place) const;
  /// InvalidArgument with what is accepted.
  Result<CommandPlace> find(std::string_view name) const;

  /// The stream of an engine in a section.
  std::optional<size_t> findStream(const firmware::Engine &engine, uint32_t section) const;
  uint32_t numSections() const;
  /// The command that an engine ran. None: the model has sections, which such numbers do not tell apart, or the
  /// command is not the model's.
  std::optional<CommandPlace> placeOf(const firmware::Engine &engine, uint32_t command) const;
  /// The command of a span of `profile`, whose runs say of which section. None: it is not the model's.
  std::optional<CommandPlace> placeOf(const firmware::CommandSpan &span, const firmware::JobProfile &profile) const;

private:
  std::optional<CommandPlace> placeIn(uint32_t section, const firmware::Engine &engine, uint32_t command) const;

  struct Stream {
    firmware::Engine engine;
    uint32_t section = 0;
    std::vector<firmware::Command> commands;
  };

  std::string modelName_;
  bool isStraight_ = true;
  std::vector<Stream> streams_;
};

} // namespace avocet::analysis

#endif // AVOCET_ANALYSIS_COMMANDSTREAMS_H
