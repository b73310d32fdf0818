//===- SourceMap.h - From commands to the user's file -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The source map of a model cache (cache/schema/modelCache.fbs) with its commands decoded: which tile, operation, layer
// and operator a command belongs to, and which buffer is at an address. Views live as long as the object.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_SOURCES_SOURCEMAP_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_SOURCES_SOURCEMAP_H

#include "avocet/cache/ModelCache.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace avocet::tool {

/// A command, by the index of its stream in the model cache and its index in the stream.
struct CommandPlace {
  size_t stream = 0;
  uint32_t command = 0;
  auto operator<=>(const CommandPlace &) const = default;
};

/// An element of an operation's first result.
struct ElementPlace {
  uint32_t row = 0, column = 0, channel = 0;
};

class SourceMap {
public:
  /// FailedPrecondition without a source map; the message says how to get one.
  static Result<SourceMap> open(std::shared_ptr<const cache::ModelCache> model);

  const cache::ModelCache &model() const { return *model_; }
  size_t numStreams() const { return streams_.size(); }
  firmware::Engine engine(size_t stream) const { return model_->stream(stream).engine; }
  std::span<const firmware::Command> commands(size_t stream) const { return streams_[stream]; }
  const firmware::Command &command(const CommandPlace &place) const { return streams_[place.stream][place.command]; }
  const cache::SourceCommand &source(const CommandPlace &place) const {
    return model_->stream(place.stream).sources[place.command];
  }

  /// "mac:123", "dma0:5"; for a section of a network with branches or loops "mac.2:123".
  std::string nameOf(const CommandPlace &place) const;
  /// InvalidArgument with what is accepted.
  Result<CommandPlace> find(std::string_view name) const;
  /// The stream of an engine in a section.
  std::optional<size_t> findStream(const std::string &engine, uint32_t section) const;

  /// The operators of the user's file of a layer.
  std::vector<cache::SourceEntryView> operators(uint32_t layer) const;

  /// Whether a command computes at least a part of the first result of an operation.
  bool isTile(const CommandPlace &place) const;
  /// The element of the operation's first result that a tile stores at an address of SRAM; none: another byte.
  std::optional<ElementPlace> elementAt(const CommandPlace &tile, uint64_t address) const;

  /// Entries of the memory plan that hold a byte of a region, in the order of the plan.
  std::vector<size_t> entriesAt(uint32_t region, uint64_t address) const;

private:
  explicit SourceMap(std::shared_ptr<const cache::ModelCache> model) : model_(std::move(model)) {}

  std::shared_ptr<const cache::ModelCache> model_;
  std::vector<std::vector<firmware::Command>> streams_;
};

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_SOURCES_SOURCEMAP_H
