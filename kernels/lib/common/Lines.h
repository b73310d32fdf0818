//===- Lines.h - Lines along one axis of a map -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_COMMON_LINES_H
#define AVOCET_KERNELS_LIB_COMMON_LINES_H

#include "avocet/kernels/dsp/AxisExtents.h"
#include "common/Computed.h"
#include "common/FeatureMapView.h"
#include "common/MapParts.h"
#include "common/NdShape.h"

#include <span>
#include <vector>

namespace avocet::kernels {

/// Ok if one input and one output of the same shape are laid out as the extents require and have that many elements.
Status checkLines(const firmware::DspCommand &command, const AxisExtents &extents);

/// Ok if the input is f32 or f16 and the output of the same type.
Status checkFloatLines(const firmware::DspCommand &command);

/// Fails unless the number is finite.
Status checkFinite(std::string_view name, float value);

/// A line of T in its computing type.
template <typename T> class LineBuffer {
public:
  explicit LineBuffer(size_t length) : line_(length), halves_(kIsHalf<T> ? length : 0) {}

  std::span<Computed<T>> line() { return line_; }

  /// Reads element a from at(a), and writes it there.
  template <typename At> void read(At &&at) {
    T *const elements = stored();
    for (size_t a = 0; a < line_.size(); ++a)
      elements[a] = *at(a);
    if constexpr (kIsHalf<T>)
      widenHalves(elements, line_.data(), line_.size());
  }
  template <typename At> void write(At &&at) {
    T *const elements = stored();
    if constexpr (kIsHalf<T>)
      narrowFloats(line_.data(), elements, line_.size());
    for (size_t a = 0; a < line_.size(); ++a)
      *at(a) = elements[a];
  }

private:
  T *stored() {
    if constexpr (kIsHalf<T>)
      return halves_.data();
    else
      return line_.data();
  }

  std::vector<Computed<T>> line_;
  std::vector<T> halves_;
};

/// Whether the lines are the columns of a map with rows of one pixel, at any row stride.
bool linesAreColumns(const AxisExtents &extents, const firmware::FeatureMap &map);

/// Reads a line from input(a), calls f on it, and writes it to output(a), for each index a.
template <typename T, typename In, typename Out, typename F>
void replaceLine(In &&input, Out &&output, LineBuffer<T> &buffer, F &&f) {
  buffer.read(input);
  f(buffer.line());
  buffer.write(output);
}

/// The same for a line whose elements are `step` apart.
template <typename T, typename F>
void replaceLine(const T *input, T *output, uint64_t step, LineBuffer<T> &buffer, F &&f) {
  replaceLine([&](size_t a) { return input + a * step; }, [&](size_t a) { return output + a * step; }, buffer, f);
}

template <typename T, typename F>
void replaceColumns(const FeatureMapView<T> &from, const FeatureMapView<T> &to, LineBuffer<T> &buffer, F &&f) {
  for (uint32_t c = 0; c < from.channels(); ++c)
    replaceLine([&](size_t a) { return from.row(static_cast<uint32_t>(a)) + c; },
                [&](size_t a) { return to.row(static_cast<uint32_t>(a)) + c; }, buffer, f);
}

/// Calls f(line) with every line as a span of Computed<T>, and stores the line afterwards. Input and output may be
/// one map.
template <typename T, typename F>
void forEachLine(const firmware::DspCommand &command, const AxisExtents &extents, std::span<uint8_t> sram, F &&f) {
  FeatureMapView<T> from(command.inputs[0], sram), to(command.outputs[0], sram);
  LineBuffer<T> buffer(extents.axis);
  if (extents.linesArePixels()) {
    for (uint32_t y = 0; y < from.height(); ++y)
      for (uint32_t x = 0; x < from.width(); ++x)
        replaceLine<T>(from.pixel(y, x), to.pixel(y, x), 1, buffer, f);
    return;
  }
  if (linesAreColumns(extents, from.map()) && linesAreColumns(extents, to.map()))
    return replaceColumns(from, to, buffer, f);
  const T *input = from.row(0);
  T *output = to.row(0);
  for (uint64_t outer = 0; outer < extents.outer; ++outer)
    for (uint64_t inner = 0; inner < extents.inner; ++inner) {
      const uint64_t first = outer * extents.axis * extents.inner + inner;
      replaceLine<T>(input + first, output + first, extents.inner, buffer, f);
    }
}

/// The same for f32 and f16; lines are of float.
template <typename F>
void forEachFloatLine(const firmware::DspCommand &command, const AxisExtents &extents, std::span<uint8_t> sram, F &&f) {
  if (command.inputs[0].type == firmware::DataType::Float16)
    return forEachLine<_Float16>(command, extents, sram, f);
  forEachLine<float>(command, extents, sram, f);
}

/// The outermost axis of the tensor along which there is more than one line.
uint32_t linePartsOf(const firmware::DspCommand &command, const AxisExtents &extents);

/// Narrows the maps and the extents to a part of the lines.
void selectLines(firmware::DspCommand &command, AxisExtents &extents, uint32_t first, uint32_t count);

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_COMMON_LINES_H
