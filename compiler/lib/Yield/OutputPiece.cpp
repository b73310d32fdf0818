//===- OutputPiece.cpp - A command for a part of its output -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OutputPiece.h"

#include <algorithm>

namespace avocet::compiler {

using namespace firmware;

namespace {

/// The fields of an axis in maps and windows.
struct AxisFields {
  uint32_t FeatureMap::*extent;
  uint32_t Window::*kernel, Window::*dilation, Window::*stride, Window::*pad;
};

constexpr AxisFields kRowFields{&FeatureMap::height, &Window::kernelHeight, &Window::dilationHeight,
                                &Window::strideHeight, &Window::padTop};
constexpr AxisFields kColumnFields{&FeatureMap::width, &Window::kernelWidth, &Window::dilationWidth,
                                   &Window::strideWidth, &Window::padLeft};

/// Windows do not span channels.
constexpr AxisFields kChannelFields{&FeatureMap::channels, nullptr, nullptr, nullptr, nullptr};

const AxisFields &fieldsOf(Axis axis) {
  return axis == Axis::Rows ? kRowFields : axis == Axis::Columns ? kColumnFields : kChannelFields;
}

struct Extent {
  const Axis axis;

  uint32_t operator()(const auto &command) const {
    if constexpr (requires { command.output; })
      return of(command.output);
    return 0;
  }
  uint32_t of(const FeatureMap &map) const { return map.*fieldsOf(axis).extent; }
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
    map.*fieldsOf(axis).extent = static_cast<uint32_t>(extent);
    if (axis == Axis::Columns)
      map.address += static_cast<uint32_t>(from * map.pixelStride);
    else if (axis == Axis::Channels)
      map.address += static_cast<uint32_t>(from * sizeOf(map.type));
    else if (map.ringRows != 0)
      map.firstRow = static_cast<uint32_t>((map.firstRow + from) % map.ringRows);
  }

  bool selectInput(FeatureMap &input, Window &window) const {
    const AxisFields &fields = fieldsOf(axis);
    const uint64_t pad = window.*fields.pad, stride = window.*fields.stride;
    const uint64_t reach = uint64_t{window.*fields.kernel - 1} * (window.*fields.dilation) + 1;
    const uint64_t begin = first * stride, end = (first + count - 1) * stride + reach;
    const uint64_t from = begin > pad ? begin - pad : 0;
    const uint64_t to = std::min<uint64_t>(end > pad ? end - pad : 0, input.*fields.extent);
    if (from >= to)
      return false;
    window.*fields.pad = begin < pad ? static_cast<uint32_t>(pad - begin) : 0;
    select(input, from, to - from);
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
