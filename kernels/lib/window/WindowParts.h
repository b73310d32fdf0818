//===- WindowParts.h - Parts of commands with a window --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_WINDOW_WINDOWPARTS_H
#define AVOCET_KERNELS_LIB_WINDOW_WINDOWPARTS_H

#include "common/MapParts.h"

namespace avocet::kernels {

/// Narrows output, input and padding to a part of the output along rows or columns. Requires that every window overlaps
/// the input.
void selectDirect(firmware::DspCommand &command, firmware::Window &window, MapAxis axis, uint32_t first,
                  uint32_t count);

/// The same for the window of a transposed convolution, which need not overlap the input.
void selectTransposed(firmware::DspCommand &command, firmware::Window &window, MapAxis axis, uint32_t first,
                      uint32_t count);

/// Narrows input and output to some of the images that lie below each other.
void selectImages(firmware::DspCommand &command, uint32_t &batch, uint32_t first, uint32_t count);

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_WINDOW_WINDOWPARTS_H
