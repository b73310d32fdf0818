//===- WhereReport.h - Answers of avocet where ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a cycle, a command, an address or a layer of a compiled model is in the user's file, as text.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_SOURCES_WHEREREPORT_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_SOURCES_WHEREREPORT_H

#include "ModelSource.h"
#include "SourceText.h"
#include "StepTimes.h"
#include "commands/SemaphoreOrder.h"

namespace avocet::tool {

class WhereReport {
public:
  /// Simulates the model once. FailedPrecondition without a source map.
  static Result<WhereReport> open(const LoadedModel &model);

  /// Errors of all: InvalidArgument with what is accepted.
  Result<std::string> ofCycle(uint64_t cycle) const;
  Result<std::string> ofCommand(std::string_view name) const;
  /// A byte of "sram", "constants", "scratch", "input0", "output0" and so on. Without a cycle: at any time.
  Result<std::string> ofAddress(const std::string &memory, uint64_t byte, std::optional<uint64_t> cycle) const;
  /// By number, by name, or by a part of the name.
  Result<std::string> ofLayer(const std::string &layer) const;

private:
  WhereReport(SourceMap map, std::optional<CommandTimes> times, std::string untimed)
      : map_(std::move(map)), names_(map_), times_(std::move(times)), untimed_(std::move(untimed)),
        order_(map_, times_ ? &*times_ : nullptr) {
    if (times_)
      steps_.emplace(map_, *times_);
  }

  std::string summarise(const CommandPlace &place) const;
  std::string describe(const CommandPlace &place) const;
  std::string describeLayer(uint32_t layer) const;
  std::string describeTile(const CommandPlace &place) const;
  std::string describeBuffers(const CommandPlace &place) const;
  std::string describeSemaphore(const CommandPlace &place) const;
  std::string cyclesOf(const CommandPlace &place) const;
  std::string contentsOf(size_t entry) const;
  std::string memoryName(uint32_t region) const;
  Result<uint32_t> regionOf(const std::string &memory) const;
  std::optional<CommandPlace> lastWriter(uint32_t region, uint64_t byte, uint64_t cycle) const;

  SourceMap map_;
  SourceNames names_;
  std::optional<CommandTimes> times_; ///< none for a network with sections
  std::string untimed_;               ///< the reason
  std::optional<StepTimes> steps_;    ///< as times_
  SemaphoreOrder order_;
};

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_SOURCES_WHEREREPORT_H
