//===- Names.cpp - Names of engines and stall causes ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/firmware_iface/Names.h"

#include "avocet/firmware_iface/Reflection.h"

#include <array>

namespace avocet::firmware {

namespace {

using EngineNames = std::array<std::string_view, kNumEngineKinds>;
using StallNames = std::array<std::string_view, kNumStallCauses>;

// By value of the enumeration.
constexpr EngineNames kEngineKeys = {"mac", "dsp", "dma"};
constexpr EngineNames kEngineTitles = {"MAC array", "DSP", "DMA channel"};
constexpr EngineNames kEngineShortTitles = {"MAC", "DSP", "DMA"};

constexpr StallNames kStallKeys = {"semaphore", "sram_port", "dram_port", "latency", "front_end"};
constexpr StallNames kStallTitles = {"wait", "sram port", "dram port", "latency", "issue"};
constexpr StallNames kStallShortTitles = {"wait", "sram", "dram", "lat", "issue"};

/// A missing name would be empty: std::array does not require all of them.
static_assert(!kEngineKeys.back().empty() && !kEngineTitles.back().empty() && !kEngineShortTitles.back().empty());
static_assert(!kStallKeys.back().empty() && !kStallTitles.back().empty() && !kStallShortTitles.back().empty());

template <typename Names, typename E> std::string_view nameIn(const Names &names, E value) {
  const auto number = static_cast<size_t>(value);
  return number < names.size() ? names[number] : "?";
}

} // namespace

std::span<const std::string_view> valueNames(EngineKind) { return kEngineKeys; }
std::span<const std::string_view> valueNames(StallCause) { return kStallKeys; }

std::string_view titleOf(EngineKind kind) { return nameIn(kEngineTitles, kind); }
std::string_view shortTitleOf(EngineKind kind) { return nameIn(kEngineShortTitles, kind); }
std::string_view titleOf(StallCause cause) { return nameIn(kStallTitles, cause); }
std::string_view shortTitleOf(StallCause cause) { return nameIn(kStallShortTitles, cause); }

namespace {

struct RunsOn {
  EngineKind engine;

  template <typename T> bool operator()(const T &) const { return true; }
  bool operator()(const ConvCommand &) const { return engine == EngineKind::Mac; }
  bool operator()(const PoolCommand &) const { return engine == EngineKind::Mac; }
  bool operator()(const EltwiseCommand &) const { return engine == EngineKind::Mac; }
  bool operator()(const LookupCommand &) const { return engine == EngineKind::Mac; }
  bool operator()(const DspCommand &) const { return engine == EngineKind::Dsp; }
  bool operator()(const DmaCommand &) const { return engine == EngineKind::Dma; }
};

} // namespace

bool runsOn(const CommandBody &command, EngineKind engine) { return std::visit(RunsOn{engine}, command); }

std::string toString(Engine engine) {
  std::string name(valueName(engine.kind));
  return engine.kind == EngineKind::Dma ? name + std::to_string(engine.index) : name;
}

} // namespace avocet::firmware
