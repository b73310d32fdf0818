//===- Output.cpp - What a command writes -----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/firmware_iface/Output.h"

namespace avocet::firmware {

namespace {

struct OutputFinder {
  const FeatureMap *operator()(const DspCommand &dsp) const {
    return dsp.outputs.empty() ? nullptr : &dsp.outputs.front();
  }
  template <typename T> const FeatureMap *operator()(const T &command) const {
    if constexpr (requires { command.output; })
      return &command.output;
    else
      return nullptr;
  }
};

} // namespace

const FeatureMap *firstOutput(const CommandBody &command) { return std::visit(OutputFinder(), command); }

} // namespace avocet::firmware
