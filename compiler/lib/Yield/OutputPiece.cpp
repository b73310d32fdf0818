//===- OutputPiece.cpp - A command for a part of its output -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OutputPiece.h"

#include "avocet/firmware_iface/WindowInputs.h"

#include <algorithm>

namespace avocet::compiler {

using namespace firmware;

namespace {

uint32_t FeatureMap::*extentOf(Axis axis) {
  return axis == Axis::Rows ? &FeatureMap::height : axis == Axis::Columns ? &FeatureMap::width : &FeatureMap::channels;
}

struct Extent {
  const Axis axis;

  uint32_t operator()(const auto &command) const {
    if constexpr (requires { command.output; })
      return of(command.output);
    return 0;
  }
  uint32_t of(const FeatureMap &map) const { return map.*extentOf(axis); }
};

struct PartsAreIndependent {
  const Axis axis;

  bool operator()(const EltwiseCommand &eltwise) const {
    return equal(eltwise.inputA, eltwise.output) && equal(eltwise.inputB, eltwise.output);
  }
  bool operator()(const LookupCommand &lookup) const { return equal(lookup.input, lookup.output); }
  bool operator()(const ConvCommand &conv) const { return axis != Axis::Channels || conv.kind == ConvKind::Dense; }
  bool operator()(const auto &command) const {
    return requires { command.window; } && axis != Axis::Channels;
  }
  bool equal(const FeatureMap &a, const FeatureMap &b) const { return Extent{axis}.of(a) == Extent{axis}.of(b); }
};

/// Narrows a command to a part of its output; false if that is impossible.
struct PartSelector {
  const Axis axis;
  const uint64_t first, count;

  bool operator()(EltwiseCommand &eltwise) const {
    for (FeatureMap *map : {&eltwise.inputA, &eltwise.inputB, &eltwise.output})
      select(*map, first, count);
    return true;
  }
  bool operator()(LookupCommand &lookup) const {
    select(lookup.input, first, count);
    select(lookup.output, first, count);
    return true;
  }
  bool operator()(ConvCommand &conv) const {
    if (conv.residual.isPresent())
      select(conv.residual.addend, first, count);
    if (axis != Axis::Channels) {
      select(conv.output, first, count);
      return selectInput(conv.input, conv.window);
    }
    if (!selectWeights(conv))
      return false;
    conv.channelRecords += static_cast<uint32_t>(first * channelRecordBytes(conv.scaling));
    select(conv.output, first, count);
    return true;
  }
  bool operator()(auto &command) const {
    if constexpr (requires { command.window; }) {
      select(command.output, first, count);
      return selectInput(command.input, command.window);
    }
    return false;
  }

  /// Packed weights of some channels are contiguous; the index of a compressed slice leads to them.
  bool selectWeights(ConvCommand &conv) const {
    if (conv.weightFormat == WeightFormat::Compressed) {
      conv.firstSliceChannel += static_cast<uint32_t>(first);
      return true;
    }
    if (conv.output.channels == 0 || conv.weightBytes % conv.output.channels != 0)
      return false;
    const uint32_t bytesPerChannel = conv.weightBytes / conv.output.channels;
    conv.weights += static_cast<uint32_t>(first * bytesPerChannel);
    conv.weightBytes = static_cast<uint32_t>(count * bytesPerChannel);
    return true;
  }

  void select(FeatureMap &map, uint64_t from, uint64_t extent) const {
    map.*extentOf(axis) = static_cast<uint32_t>(extent);
    if (axis == Axis::Columns)
      map.address += static_cast<uint32_t>(from * map.pixelStride);
    else if (axis == Axis::Channels)
      map.address += static_cast<uint32_t>(from * sizeOf(map.type));
    else if (map.ringRows != 0)
      map.firstRow = static_cast<uint32_t>((map.firstRow + from) % map.ringRows);
  }

  bool selectInput(FeatureMap &input, Window &window) const {
    const WindowSteps steps = axis == Axis::Rows ? rowsOf(window) : columnsOf(window);
    const WindowInputs inputs = steps.inputsOf(first, first + count, input.*extentOf(axis));
    if (inputs.begin >= inputs.end)
      return false;
    (axis == Axis::Rows ? window.padTop : window.padLeft) = static_cast<uint32_t>(inputs.pad);
    select(input, inputs.begin, inputs.end - inputs.begin);
    return true;
  }
};

} // namespace

uint32_t outputExtent(const CommandBody &command, Axis axis) { return std::visit(Extent{axis}, command); }

bool canSplit(const CommandBody &command, Axis axis) {
  return outputExtent(command, axis) > 1 && std::visit(PartsAreIndependent{axis}, command);
}

std::optional<CommandBody> pieceOf(const CommandBody &command, Axis axis, uint32_t first, uint32_t count) {
  CommandBody piece = command;
  if (!std::visit(PartSelector{axis, first, count}, piece))
    return std::nullopt;
  return piece;
}

} // namespace avocet::compiler
