//===- WindowParts.h - Parts of commands with a window ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_WINDOW_WINDOWPARTS_H
#define AVOCET_KERNELS_LIB_WINDOW_WINDOWPARTS_H

#include "avocet/firmware_iface/Command.h"
#include "avocet/kernels/dsp/Window.h"
#include "common/FeatureMapView.h"
#include "common/MapParts.h"
#include "common/NdShape.h"
#include "common/Sections.h"
#include "common/WindowRange.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

namespace avocet::kernels {

/// Ok if the rows of the map are those of `batch` images of equal height.
inline Status checkImages(std::string_view name, const firmware::FeatureMap &map, uint32_t batch) {
  if (batch == 0 || map.height % batch != 0)
    return ruleBroken("batch", batch, "a divisor of the rows of " + std::string(name));
  return Status::ok();
}

/// One image of a batch: the map with the rows of the first image.
inline firmware::FeatureMap imageOf(firmware::FeatureMap map, uint32_t batch) {
  map.height /= batch;
  return map;
}

/// Narrows output, input and padding to a part of the output along rows or columns. Requires that every window overlaps
/// the input.
void selectDirect(firmware::DspCommand &command, firmware::Window &window, MapAxis axis, uint32_t first,
                  uint32_t count);

/// The same for the window of a transposed convolution, which need not overlap the input.
void selectTransposed(firmware::DspCommand &command, firmware::Window &window, MapAxis axis, uint32_t first,
                      uint32_t count);

/// Narrows input and output to some of the images that lie below each other.
void selectImages(firmware::DspCommand &command, uint32_t &batch, uint32_t first, uint32_t count);

/// One axis of a window over an input of `input` positions.
struct WindowAxis {
  uint32_t kernel, stride, dilation, pad, input;
};

inline WindowAxis heightOf(const firmware::Window &w, uint32_t input) {
  return {w.kernelHeight, w.strideHeight, w.dilationHeight, w.padTop, input};
}
inline WindowAxis widthOf(const firmware::Window &w, uint32_t input) {
  return {w.kernelWidth, w.strideWidth, w.dilationWidth, w.padLeft, input};
}

/// Kernel position `kernel` reads input position `input`.
struct WindowTap {
  uint32_t kernel, input;
};

/// The taps of an output position that lie on the input, in the order of the input.
inline void directTaps(const WindowAxis &axis, uint32_t output, std::vector<WindowTap> &taps) {
  WindowRange range(output, axis.kernel, axis.stride, axis.dilation, axis.pad, axis.input);
  taps.clear();
  for (uint32_t k = range.begin; k < range.end; ++k)
    taps.push_back({k, static_cast<uint32_t>(range.origin + int64_t(k) * axis.dilation)});
}

/// The same if input position i contributes to the outputs i * stride - pad + kernel position; dilation is 1.
inline void transposedTaps(const WindowAxis &axis, uint32_t output, std::vector<WindowTap> &taps) {
  int64_t position = int64_t(output) + axis.pad;
  int64_t firstInput = position < axis.kernel ? 0 : (position - axis.kernel) / axis.stride + 1;
  int64_t lastInput = std::min<int64_t>(position / axis.stride, int64_t(axis.input) - 1);
  taps.clear();
  for (int64_t i = firstInput; i <= lastInput; ++i)
    taps.push_back({static_cast<uint32_t>(position - i * axis.stride), static_cast<uint32_t>(i)});
}

/// The command with the parameters of a whole: without the state that it reads, and with results in place of the state
/// that it writes. Fails if the states do not fit the command.
Result<firmware::DspCommand> withoutStates(const firmware::DspCommand &command, const Section &section);

/// The type in which a state has the sums of features of type T.
template <typename T>
using WindowState = std::conditional_t<!std::numeric_limits<T>::is_integer, float,
                                       std::conditional_t<sizeof(T) == 1, int32_t, int64_t>>;

/// The sums that a section continues and hands on, stored as State.
template <typename State> class WindowStates {
public:
  /// Of a command that has passed check().
  WindowStates(const firmware::DspCommand &command, const std::optional<Section> &section, std::span<uint8_t> sram)
      : before_(command.inputs.back(), sram), after_(command.outputs[0], sram), isFirst_(!section || section->isFirst),
        isLast_(!section || section->isLast) {}

  bool isLast() const { return isLast_; }

  template <typename Sum> void start(uint32_t y, uint32_t x, std::vector<Sum> &sums, Sum first = 0) const {
    if (isFirst_)
      std::ranges::fill(sums, first);
    else
      std::transform(before_.pixel(y, x), before_.pixel(y, x) + sums.size(), sums.begin(),
                     [](State sum) { return static_cast<Sum>(sum); });
  }
  template <typename Sum> void handOn(uint32_t y, uint32_t x, const std::vector<Sum> &sums) const {
    std::ranges::transform(sums, after_.pixel(y, x), [](Sum sum) { return static_cast<State>(sum); });
  }

private:
  FeatureMapView<State> before_, after_;
  bool isFirst_, isLast_;
};

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_WINDOW_WINDOWPARTS_H
