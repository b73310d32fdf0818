//===- Window.h - Windows over batches of images -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two DSP kernels for operations that the MAC array does not support: filters that are known only at run time, images
// below each other whose windows span rows, groups, transposed convolutions. `batch` images of equal height are stored
// one below the other in input and output; filters are dense.
//
// "windowConv"  output(n, y, x, o) = clamp(bias[o] + sum of input * filter over the window)
//
//   inputs[0]   features, i8, u8 or i16 (zero point of the map), f16 or f32: (batch * height) x width x channels
//   inputs[1]   filter, i8 or u8 (zero point of the map) for integers, i8 for i16, else the type of the features; O
//   output channels:
//                 Dense, Transposed   (O * kernelHeight) x kernelWidth x (channels / groups)
//                 Depthwise           kernelHeight x kernelWidth x O; output channel o reads channel o / (O / channels)
//   then        the bias with hasBias, i32 for integers (i32 or i64 for i16), else the type of the features: O elements
//               in one row
//   then        for integers the scales, i32: records of {multiplier, shift}, one per output channel or one for all, in
//               one row of 2 or 2 * O elements; none if the result are the sums
//   outputs[0]  the type of the features (i8 and u8 may differ), or that of the sums: (batch * height) x width x O
//
// Integers: 32-bit sums that wrap, multiplyByQuantizedMultiplier with the channel's record (or one rounding, as the
// parameters say), output zero point, clamp. i16 without a bias, or with one of i64: 64-bit sums and
// multiplyByQuantizedMultiplier64 instead. Results of i32 (64-bit sums: i64) with zero point 0 are the sums with their
// bias; those of i64 have no clamp.
// Floats: the sum in the order kernel row, kernel column, input channel (transposed: input row, input column, input
// channel), then the bias, the clamp, and one rounding to the output type.
//
// Dense windows over one image work in sections (Section.h) of the sum: kernel rows, or input channels of a window of
// one pixel. The window, the features and the filter are those of the section. The state has the shape of the results:
// sums of i8, u8 as i32, of i16 as i64, of floats the bits of f32 as i32.
//
// "windowPool"  the maximum, the mean or the root mean square over the part of the window that lies on the image
//
//   inputs[0]   i8, u8, i16, f16 or f32
//   outputs[0]  the same type and number of channels; integers are not rescaled
//
// Windows of one image, all of whose rows lie on it, work in sections (Section.h) of their rows. The window and the
// features are those of the section; the state has the shape of the results, and the types above.
//
// Integer means round halves away from zero (Average), or away from the middle of the type's range (AverageCentered: i8
// and u8 forms of the same numbers round in the same way).
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_DSP_WINDOW_H
#define AVOCET_KERNELS_DSP_WINDOW_H

#include "avocet/firmware_iface/Command.h"
#include "avocet/kernels/DspParameters.h"
#include "avocet/kernels/KernelId.h"

#include <cstdint>
#include <optional>

namespace avocet::kernels {

inline constexpr KernelId kWindowConvKernel{"windowConv", 30};
inline constexpr KernelId kWindowPoolKernel{"windowPool", 31};

/// Numbers are part of the command encoding: append only.
enum class WindowConvForm : uint32_t { Dense = 0, Depthwise = 1, Transposed = 2 };
enum class WindowPoolKind : uint32_t { Max = 0, Average = 1, AverageCentered = 2, L2 = 3 };

struct WindowConvParameters {
  WindowConvForm form = WindowConvForm::Dense;
  uint32_t batch = 1;  ///< images in input and output, at least 1
  uint32_t groups = 1; ///< Dense only, else 1
  firmware::Window window;
  uint32_t hasBias = 0;                                     ///< 0 or 1
  firmware::Clamp clamp;                                    ///< in the output type, floats as float32 bits
  firmware::Rounding rounding = firmware::Rounding::Double; ///< of 32-bit sums

  template <typename Self, typename V> static void visitFields(Self &self, V &&visit) {
    visit("form", self.form);
    visit("batch", self.batch);
    visit("groups", self.groups);
    firmware::Window::visitFields(self.window, visit);
    visit("hasBias", self.hasBias);
    firmware::Clamp::visitFields(self.clamp, visit);
    visit("rounding", self.rounding);
  }
};

struct WindowPoolParameters {
  WindowPoolKind kind = WindowPoolKind::Max;
  uint32_t batch = 1;
  firmware::Window window; ///< dilation is 1
  firmware::Clamp clamp;

  template <typename Self, typename V> static void visitFields(Self &self, V &&visit) {
    visit("kind", self.kind);
    visit("batch", self.batch);
    firmware::Window::visitFields(self.window, visit);
    firmware::Clamp::visitFields(self.clamp, visit);
  }
};

/// The parameters of a command of kernel "windowPool" for whole windows; nullopt of any other command.
inline std::optional<WindowPoolParameters> poolParametersOf(const firmware::DspCommand &command) {
  if (command.kernel != kWindowPoolKernel.number)
    return std::nullopt;
  const auto parameters = unpackParameters<WindowPoolParameters>(command.parameters);
  return parameters.isOk() ? std::optional(*parameters) : std::nullopt;
}

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_DSP_WINDOW_H
