//===- SourceMap.h - From commands to the user's file -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The source map of a model cache (cache/schema/modelCache.fbs) with its commands: which tile, operation, layer and
// operator a command belongs to, and which buffer is at an address. Views live as long as the object.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_ANALYSIS_SOURCEMAP_H
#define AVOCET_ANALYSIS_SOURCEMAP_H

#include "avocet/analysis/CommandStreams.h"
#include "avocet/analysis/CommandTimes.h"

#include <memory>

namespace avocet::analysis {

/// An element of an operation's first result.
struct ElementPlace {
  uint32_t row = 0, column = 0, channel = 0;

  bool operator==(const ElementPlace &) const = default;
};

class SourceMap : public CommandStreams {
public:
  /// FailedPrecondition without a source map; the message says how to get one.
  static Result<SourceMap> open(std::shared_ptr<const cache::ModelCache> model);

  const cache::ModelCache &model() const { return *model_; }
  const cache::SourceCommand &source(const CommandPlace &place) const {
    return model_->stream(place.stream).sources[place.command];
  }

  /// The operators of the user's file of a layer.
  std::vector<cache::SourceEntryView> operators(uint32_t layer) const;

  /// Whether a command computes at least a part of the first result of an operation.
  bool isTile(const CommandPlace &place) const;
  /// The element of the operation's first result that a tile stores at an address of SRAM; none: another byte.
  std::optional<ElementPlace> elementAt(const CommandPlace &tile, uint64_t address) const;

  /// Entries of the memory plan that hold a byte of a region, in the order of the plan.
  std::vector<size_t> entriesAt(uint32_t region, uint64_t address) const;

private:
  explicit SourceMap(std::shared_ptr<const cache::ModelCache> model)
      : CommandStreams(*model), model_(std::move(model)) {}

  std::shared_ptr<const cache::ModelCache> model_;
};

/// What a buffer holds of its operation: "result", "constants", "operand" or "state". Its name says it (schema).
std::string_view roleOf(const cache::MemoryEntryView &buffer);

} // namespace avocet::analysis

#endif // AVOCET_ANALYSIS_SOURCEMAP_H
