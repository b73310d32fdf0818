//===- WhereReport.h - Answers of avocet where ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which commands, buffers and layers of a compiled model a question about a cycle, a command, an address or a layer is
// about. WhereText.h and WhereJson.h print them.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_WHERE_WHEREREPORT_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_WHERE_WHEREREPORT_H

#include "avocet/analysis/SemaphoreOrder.h"
#include "avocet/analysis/SourceMap.h"
#include "avocet/analysis/StepTimes.h"
#include "model/ModelSource.h"

namespace avocet::tool {

/// A byte of a region, in a cycle or at any time.
struct AskedByte {
  uint32_t region = 0;
  uint64_t byte = 0;
  std::optional<uint64_t> cycle;
};

struct WhereAnswer {
  std::vector<analysis::CommandPlace> commands;
  std::vector<size_t> buffers; ///< entries of the memory plan
  std::vector<uint32_t> layers;
  std::optional<size_t> run; ///< of a section: the one that the cycle of the question is in
  std::optional<AskedByte> asked;
  std::optional<analysis::CommandPlace> writer;  ///< the last command that wrote the byte and had ended at the cycle
  std::optional<analysis::ElementPlace> element; ///< of the writer's operation that is at the byte
  std::string nothing;                           ///< why commands, buffers and layers are empty
};

/// The commands of a layer in one stream.
struct LayerCommands {
  uint32_t count = 0, first = 0, last = 0;
};

/// What a command does with a buffer of the memory plan.
struct BufferUse {
  size_t entry = 0;
  bool isWrite = false;
  bool operator==(const BufferUse &) const = default;
};

class WhereReport {
public:
  /// Simulates the model once, as session::runProfiled() does. FailedPrecondition without a source map.
  static Result<WhereReport> open(const LoadedModel &model);

  /// Errors of all: InvalidArgument with what is accepted.
  Result<WhereAnswer> ofCycle(uint64_t cycle) const;
  Result<WhereAnswer> ofCommand(std::string_view name) const;
  /// A byte of "sram", "constants", "scratch", "input0", "output0" and so on. Without a cycle: at any time.
  Result<WhereAnswer> ofAddress(const std::string &memory, uint64_t byte, std::optional<uint64_t> cycle) const;
  /// By number, by name, or by a part of the name.
  Result<WhereAnswer> ofLayer(const std::string &layer) const;

  const analysis::SourceMap &map() const { return map_; }
  const analysis::CommandTimes &times() const { return times_; }
  const analysis::SemaphoreOrder &order() const { return order_; }
  std::string memoryName(uint32_t region) const;
  /// When the memory plan keeps a buffer: in a run, or else in the first run of its section.
  std::optional<analysis::CycleRange> timeOf(size_t entry, std::optional<size_t> run) const;
  /// The buffers that a command reads and writes, each once.
  std::vector<BufferUse> buffersOf(const analysis::CommandPlace &place) const;
  std::optional<LayerCommands> commandsOf(size_t stream, uint32_t layer) const;
  /// From the first start to the last end of a layer's commands in a stream. None: they took no time in the run.
  std::optional<analysis::CycleRange> rangeOf(size_t stream, uint32_t layer, size_t run) const;

private:
  WhereReport(analysis::SourceMap map, analysis::CommandTimes times)
      : map_(std::move(map)), times_(std::move(times)), firstRuns_(map_, times_), order_(map_, &times_) {}

  Result<uint32_t> regionOf(const std::string &memory) const;
  std::optional<analysis::CommandPlace> lastWriter(const AskedByte &asked) const;
  bool writes(const analysis::CommandPlace &place, const AskedByte &asked) const;
  Status requireCycle(uint64_t cycle) const;

  analysis::SourceMap map_;
  analysis::CommandTimes times_;
  analysis::StepTimes firstRuns_; ///< of each section
  analysis::SemaphoreOrder order_;
};

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_WHERE_WHEREREPORT_H
