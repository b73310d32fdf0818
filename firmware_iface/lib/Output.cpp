//===- Output.cpp - What a command writes -----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/firmware_iface/Output.h"

#include "avocet/firmware_iface/Codec.h"
#include "avocet/firmware_iface/Reflection.h"

#include <fmt/format.h>
#include <iterator>

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

namespace {

template <std::integral T> std::string describe(T value) { return fmt::format("{}", value); }
std::string describe(SramAddress address) { return address == kNoAddress ? "none" : describe(address.offset); }
template <WireEnum E> std::string describe(E value) { return std::string(valueName(value)); }

/// The structs that occur most often have a short form, which contains every field.
std::string describe(const FeatureMap &map) {
  std::string text =
      fmt::format("{}[{}x{}x{}]@{:#x}+{}/{} strides {},{}", valueName(map.type), map.height, map.width, map.channels,
                  map.address.offset, map.firstRow, map.ringRows, map.rowStride, map.pixelStride);
  if (map.zeroPoint != 0)
    text += fmt::format(" zp {}", map.zeroPoint);
  return "{" + text + "}";
}

std::string describe(const Window &window) {
  std::string text =
      fmt::format("k{}x{} s{}x{}", window.kernelHeight, window.kernelWidth, window.strideHeight, window.strideWidth);
  if (window.dilationHeight != 1 || window.dilationWidth != 1)
    text += fmt::format(" d{}x{}", window.dilationHeight, window.dilationWidth);
  if (window.padTop != 0 || window.padLeft != 0)
    text += fmt::format(" p{},{}", window.padTop, window.padLeft);
  return "{" + text + "}";
}

std::string describe(const Block &block) { return fmt::format("{}x{}x{}", block.height, block.width, block.channels); }
std::string describe(const Clamp &clamp) { return fmt::format("[{},{}]", clamp.min, clamp.max); }

std::string describe(const DmaEnd &end) {
  std::string place = end.region == kSramRegion ? "sram" : fmt::format("region{}", end.region - 1);
  return fmt::format("{{{}+{:#x} strides {},{},{}}}", place, end.offset, end.stride0, end.stride1, end.stride2);
}

std::string describe(const SramRange &range) { return fmt::format("{:#x}+{}", range.begin.offset, range.bytes); }

std::string describe(const Rescale &rescale) { return fmt::format("{}*2^{}", rescale.multiplier, rescale.shift); }

std::string describe(const Residual &residual) {
  if (residual == Residual{})
    return "none";
  return fmt::format("{{{} zp {} << {} result {} addend {} output {} {} {}}}", describe(residual.addend),
                     residual.zeroPoint, residual.leftShift, describe(residual.rescaleResult),
                     describe(residual.rescaleAddend), describe(residual.rescaleOutput), describe(residual.rounding),
                     describe(residual.clamp));
}

template <WireList L> std::string describe(const L &list) {
  std::string text = "[";
  for (const auto &element : list)
    text.append(text.size() > 1 ? " " : "").append(describe(element));
  return text + "]";
}

} // namespace

std::string_view nameOf(const CommandBody &body) { return kOperationNames[body.index()]; }

std::string print(const Command &command) {
  std::string text(nameOf(command.body));
  auto append = [&](const char *name, const auto &value) { text += fmt::format(" {}={}", name, describe(value)); };
  std::visit([&]<typename T>(const T &body) { T::visitFields(body, append); }, command.body);
  if (command.layer != kNoLayer)
    append("layer", command.layer);
  return text;
}

} // namespace avocet::firmware
