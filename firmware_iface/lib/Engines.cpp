//===- Engines.cpp - Which engine runs which command ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/firmware_iface/Engines.h"
#include "avocet/firmware_iface/Reflection.h"

namespace avocet::firmware {

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
