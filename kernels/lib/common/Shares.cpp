//===- Shares.cpp - Commands for several threads --------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/Shares.h"

#include "avocet/firmware_iface/Footprint.h"

#include <variant>

namespace avocet::kernels {

using namespace firmware;

namespace {

/// Whether an element of one map has the place of the same element of the other.
bool areInOnePlace(const FeatureMap &a, const FeatureMap &b) {
  return a.address == b.address && a.type == b.type && a.height == b.height && a.width == b.width &&
         a.channels == b.channels && a.ringRows == b.ringRows && a.firstRow == b.firstRow &&
         a.rowStride == b.rowStride && a.pixelStride == b.pixelStride;
}

/// Removes inputs that are read element by element from the places of the results.
struct InPlaceRemover {
  void operator()(EltwiseCommand &command) const {
    for (FeatureMap *input : {&command.inputA, &command.inputB})
      if (areInOnePlace(*input, command.output))
        input->height = 0; // an empty map has no footprint
  }
  void operator()(ConvCommand &command) const {
    if (areInOnePlace(command.residual.addend, command.output))
      command.residual = {};
  }
  void operator()(auto &) const {}
};

bool haveCommonBytes(const std::vector<ByteRange> &written, const std::vector<ByteRange> &read) {
  for (const ByteRange &a : written)
    for (const ByteRange &b : read)
      if (a.write && !b.write && a.region == b.region && a.begin < b.end && b.begin < a.end)
        return true;
  return false;
}

} // namespace

bool readsItsResults(const CommandBody &command) {
  CommandBody others = command;
  std::visit(InPlaceRemover(), others);
  std::vector<ByteRange> ranges;
  appendFootprint(others, ranges);
  return haveCommonBytes(ranges, ranges);
}

bool overlap(const FeatureMap &a, const FeatureMap &b) {
  std::vector<ByteRange> ranges;
  PoolCommand reader;
  reader.input = a;
  reader.output = b;
  appendFootprint(reader, ranges);
  return haveCommonBytes(ranges, ranges);
}

std::vector<CommandBody> Kernel::shares(const Target &target, const CommandBody &command, uint32_t most) const {
  if (most < 2 || readsItsResults(command))
    return {};
  return divide(target, command, most);
}

std::vector<CommandBody> Kernel::divide(const Target &, const CommandBody &, uint32_t) const { return {}; }

} // namespace avocet::kernels
