//===- WindowSections.h - Convolutions in sections of the sum --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_WINDOW_WINDOWSECTIONS_H
#define AVOCET_KERNELS_LIB_WINDOW_WINDOWSECTIONS_H

#include "avocet/kernels/dsp/Window.h"
#include "common/FeatureMapView.h"
#include "common/Sections.h"

#include <algorithm>

namespace avocet::kernels {

/// The command with the parameters of a whole: without the state that it reads, and with results in place of the state
/// that it writes. Fails if the states do not fit the command.
Result<firmware::DspCommand> withoutStates(const firmware::DspCommand &command, const WindowConvParameters &parameters,
                                           const Section &section);

/// The sums that a section continues and hands on.
template <typename Sum> class WindowStates {
public:
  /// Of a command that has passed check().
  WindowStates(const firmware::DspCommand &command, const std::optional<Section> &section, std::span<uint8_t> sram)
      : before_(command.inputs.back(), sram), after_(command.outputs[0], sram), isFirst_(!section || section->isFirst),
        isLast_(!section || section->isLast) {}

  bool isLast() const { return isLast_; }

  void start(uint32_t y, uint32_t x, std::span<Sum> sums) const {
    if (isFirst_)
      std::ranges::fill(sums, Sum(0));
    else
      std::copy_n(before_.pixel(y, x), sums.size(), sums.begin());
  }
  void handOn(uint32_t y, uint32_t x, std::span<const Sum> sums) const { std::ranges::copy(sums, after_.pixel(y, x)); }

private:
  FeatureMapView<Sum> before_, after_;
  bool isFirst_, isLast_;
};

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_WINDOW_WINDOWSECTIONS_H
