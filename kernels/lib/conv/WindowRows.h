//===- WindowRows.h - The window of each pixel as one row ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts the inputs of a dense convolution to a matrix: one row per output pixel, the products in the order of the
// weights (kernel row, kernel column, channel), with one value for padding.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_CONV_WINDOWROWS_H
#define AVOCET_KERNELS_LIB_CONV_WINDOWROWS_H

#include "avocet/firmware_iface/Command.h"
#include "common/FeatureMapView.h"
#include "common/WindowRange.h"

#include <algorithm>
#include <cstddef>

namespace avocet::kernels {

/// Element is the type of the input, Product that of the matrix; convert(source, count, destination) converts a run of
/// elements.
template <typename Element, typename Product, typename Convert> class WindowRows {
public:
  WindowRows(const firmware::ConvCommand &command, std::span<uint8_t> sram, size_t rowLength, Convert convert,
             Product padding = Product(0))
      : window_(command.window), input_(command.input, sram), rowLength_(rowLength), convert_(convert),
        padding_(padding), dense_(command.input.pixelStride == command.input.channels * sizeof(Element)),
        pointwise_(dense_ && window_.kernelHeight == 1 && window_.kernelWidth == 1 && window_.strideWidth == 1) {}

  /// Fills the rows of `count` output pixels from (y, x) on, all in row y.
  void fillRun(uint32_t y, uint32_t x, uint32_t count, Product *rows) const {
    // The windows of a pointwise convolution are the input itself.
    if (pointwise_ && rowLength_ == input_.channels())
      return convert_(input_.pixel(y * window_.strideHeight, x), count * rowLength_, rows);
    const firmware::Window &w = window_;
    const WindowRange inputRows(y, w.kernelHeight, w.strideHeight, w.dilationHeight, w.padTop, input_.height());
    for (uint32_t i = 0; i < count; ++i)
      fill(inputRows, x + i, rows + i * rowLength_);
  }

private:
  /// Fills the row of output pixel x of a row whose windows read `rows`: rowLength products.
  void fill(const WindowRange &rows, uint32_t x, Product *row) const {
    const firmware::Window &w = window_;
    WindowRange columns(x, w.kernelWidth, w.strideWidth, w.dilationWidth, w.padLeft, input_.width());
    size_t tapLength = input_.channels();
    size_t products = tapLength * w.kernelHeight * w.kernelWidth;
    bool whole = rows.whole(w.kernelHeight) && columns.whole(w.kernelWidth);
    std::fill(row + (whole ? products : 0), row + rowLength_, padding_);
    for (uint32_t ky = rows.begin; ky < rows.end; ++ky) {
      auto inputRow = static_cast<uint32_t>(rows.origin + int64_t(ky) * w.dilationHeight);
      fillTaps(inputRow, columns, row + size_t(ky) * w.kernelWidth * tapLength);
    }
  }

  void fillTaps(uint32_t inputRow, const WindowRange &columns, Product *row) const {
    size_t tapLength = input_.channels();
    auto pixel = [&](uint32_t kx) {
      return input_.pixel(inputRow, static_cast<uint32_t>(columns.origin + int64_t(kx) * window_.dilationWidth));
    };
    if (columns.count() == 0)
      return;
    if (dense_ && window_.dilationWidth == 1)
      return convert_(pixel(columns.begin), tapLength * columns.count(), row + columns.begin * tapLength);
    for (uint32_t kx = columns.begin; kx < columns.end; ++kx)
      convert_(pixel(kx), tapLength, row + kx * tapLength);
  }

  const firmware::Window &window_;
  FeatureMapView<const Element> input_;
  size_t rowLength_;
  Convert convert_;
  Product padding_;
  bool dense_;     ///< neighboring pixels are contiguous
  bool pointwise_; ///< dense_, and the windows of neighboring outputs are neighboring pixels
};

/// Calls f(y, x, count, done) for the pieces of rows that form output pixels [first, first + total), in order.
template <typename F> void forEachRun(size_t first, size_t total, uint32_t width, F &&f) {
  for (size_t done = 0; done < total;) {
    size_t pixel = first + done;
    auto x = static_cast<uint32_t>(pixel % width);
    auto count = static_cast<uint32_t>(std::min<size_t>(width - x, total - done));
    f(static_cast<uint32_t>(pixel / width), x, count, done);
    done += count;
  }
}

/// Output pixels that are computed together, so that their rows stay in the first-level caches.
inline size_t pixelsPerTile(size_t rowBytes) {
  constexpr size_t kTileBytes = 96 * 1024, kLeast = 24, kMost = 384;
  return std::clamp(kTileBytes / std::max<size_t>(rowBytes, 1), kLeast, kMost);
}

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_CONV_WINDOWROWS_H
