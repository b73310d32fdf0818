//===- Lines.h - Lines along one axis of a map -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_COMMON_LINES_H
#define AVOCET_KERNELS_LIB_COMMON_LINES_H

#include "avocet/kernels/dsp/AxisExtents.h"
#include "common/NdShape.h"

#include <type_traits>
#include <vector>

namespace avocet::kernels {

/// Ok if one input and one output of the same shape lie as the extents demand and have their elements.
Status checkLines(const firmware::DspCommand &command, const AxisExtents &extents);

/// Ok if the input is f32 or f16 and the output of the same type.
Status checkFloatLines(const firmware::DspCommand &command);

/// Fails unless the number is finite.
Status checkFinite(std::string_view name, float value);

/// What a line of T is computed in: f16 in f32, others as they are.
template <typename T> using LineElement = std::conditional_t<std::is_same_v<T, _Float16>, float, T>;

/// Replaces one line whose elements are `step` apart by what f leaves of it.
template <typename T, typename F>
void replaceLine(const T *input, T *output, uint64_t step, std::span<LineElement<T>> line, F &&f) {
  for (size_t a = 0; a < line.size(); ++a)
    line[a] = static_cast<LineElement<T>>(input[a * step]);
  f(line);
  for (size_t a = 0; a < line.size(); ++a)
    output[a * step] = static_cast<T>(line[a]);
}

/// Calls f(line) with every line as a span of LineElement<T>, and stores what it leaves there. Input and output may be
/// one map.
template <typename T, typename F>
void forEachLine(const firmware::DspCommand &command, const AxisExtents &extents, std::span<uint8_t> sram, F &&f) {
  FeatureMapView<T> from(command.inputs[0], sram), to(command.outputs[0], sram);
  std::vector<LineElement<T>> line(extents.axis);
  if (extents.linesArePixels()) {
    for (uint32_t y = 0; y < from.height(); ++y)
      for (uint32_t x = 0; x < from.width(); ++x)
        replaceLine<T>(from.pixel(y, x), to.pixel(y, x), 1, line, f);
    return;
  }
  const T *input = from.row(0);
  T *output = to.row(0);
  for (uint64_t outer = 0; outer < extents.outer; ++outer)
    for (uint64_t inner = 0; inner < extents.inner; ++inner) {
      const uint64_t first = outer * extents.axis * extents.inner + inner;
      replaceLine<T>(input + first, output + first, extents.inner, line, f);
    }
}

/// The same for f32 and f16; lines are of float.
template <typename F>
void forEachFloatLine(const firmware::DspCommand &command, const AxisExtents &extents, std::span<uint8_t> sram, F &&f) {
  if (command.inputs[0].type == firmware::DataType::Float16)
    return forEachLine<_Float16>(command, extents, sram, f);
  forEachLine<float>(command, extents, sram, f);
}

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_COMMON_LINES_H
