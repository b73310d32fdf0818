//===- ConvPiecesTest.cpp - What the pieces of a convolution read ---------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layers/ConvPieces.h"

#include "avocet/firmware_iface/WindowInputs.h"

#include <gtest/gtest.h>

#include <map>

namespace avocet::compiler {
namespace {

/// Input positions by kernel position that an output position reads; positions in the padding are absent.
using Reads = std::map<int64_t, int64_t>;

/// What output `number` of a piece reads of the kernel and of the whole input.
Reads readsOf(const AxisPiece &piece, int64_t number, int64_t kernel) {
  Reads reads;
  for (int64_t tap = 0; tap < piece.taps; ++tap) {
    const int64_t position = number * piece.stride + tap * piece.dilation - piece.padBefore;
    const int64_t inKernel = piece.firstTap + tap * piece.tapStep;
    if (position >= 0 && position < piece.extent && inKernel >= 0 && inKernel < kernel)
      reads[inKernel] = piece.first + position * piece.step;
  }
  return reads;
}

/// Compares all outputs of the pieces with `expected`, the reads of an output position.
template <typename Expected>
void expectReads(const AxisPieces &pieces, int64_t outputs, int64_t kernel, Expected expected) {
  int64_t made = 0;
  for (size_t number = 0; number < pieces.size(); ++number) {
    const AxisPiece &piece = pieces[number];
    made += piece.outputs;
    const int64_t reach = firmware::windowReach(piece.taps, piece.dilation);
    EXPECT_EQ(piece.outputs, (piece.extent + piece.padBefore + piece.padAfter - reach) / piece.stride + 1);
    for (int64_t output = 0; output < piece.outputs; ++output)
      EXPECT_EQ(readsOf(piece, output, kernel), expected(number + output * pieces.size()))
          << "output " << output << " of piece " << number;
  }
  EXPECT_EQ(made, outputs);
}

TEST(ConvPiecesTest, DilationPhasesReadWhatTheWholeReads) {
  size_t divided = 0;
  for (int64_t input : {1, 2, 5, 12, 33})
    for (int64_t kernel : {1, 2, 3, 5})
      for (int64_t dilation : {2, 3, 4, 6, 12})
        for (int64_t stride : {1, 2, 3, 4})
          for (int64_t before : {int64_t(0), dilation / 2, dilation, 2 * dilation - 1})
            for (int64_t after : {int64_t(0), dilation}) {
              const int64_t starts = input + before + after - ((kernel - 1) * dilation + 1);
              if (starts < 0)
                continue;
              const ArrayAxis axis{input, starts / stride + 1, kernel, stride, dilation, before, after};
              const AxisPieces pieces = dilationPhases(axis);
              if (pieces.empty())
                continue;
              SCOPED_TRACE(testing::Message() << input << " kernel " << kernel << " dilation " << dilation << " stride "
                                              << stride << " pad " << before << ", " << after);
              ++divided;
              expectReads(pieces, axis.output, kernel, [&](int64_t output) {
                Reads reads;
                for (int64_t tap = 0; tap < kernel; ++tap)
                  if (const int64_t at = output * stride + tap * dilation - before; at >= 0 && at < input)
                    reads[tap] = at;
                return reads;
              });
            }
  EXPECT_GT(divided, 500u);
}

TEST(ConvPiecesTest, TransposedPhasesReadWhatTheWholeReads) {
  size_t divided = 0;
  for (int64_t input : {1, 2, 5, 9})
    for (int64_t kernel : {1, 2, 3, 4, 5})
      for (int64_t stride : {1, 2, 3, 4})
        for (int64_t before : {0, 1, 2, 3})
          for (int64_t after : {-4, -1, 0, 1, 2}) {
            const int64_t output = (input - 1) * stride + kernel - before - after;
            if (output < 1)
              continue;
            const AxisPieces pieces = transposedPhases({input, output, kernel, stride, before});
            if (pieces.empty())
              continue;
            SCOPED_TRACE(testing::Message() << input << " kernel " << kernel << " stride " << stride << " pad "
                                            << before << ", " << after);
            ++divided;
            expectReads(pieces, output, kernel, [&](int64_t position) {
              Reads reads;
              for (int64_t tap = 0; tap < kernel; ++tap)
                if (const int64_t scaled = position + before - tap;
                    scaled >= 0 && scaled % stride == 0 && scaled / stride < input)
                  reads[tap] = scaled / stride;
              return reads;
            });
          }
  EXPECT_GT(divided, 500u);
}

TEST(ConvPiecesTest, ManyPhasesAreNotDivided) {
  constexpr int64_t kMany = int64_t(1) << 30;
  EXPECT_TRUE(dilationPhases({kMany, kMany / 2, 2, 1, kMany / 2, 0, 0}).empty());
  EXPECT_TRUE(transposedPhases({2, kMany, kMany / 2, kMany / 2, 0}).empty());
}

TEST(ConvPiecesTest, PhaseWithoutInputHasNoPieces) {
  // Rows 10 and 11 modulo 12 do not exist.
  EXPECT_TRUE(dilationPhases({10, 10, 2, 1, 12, 6, 6}).empty());
}

} // namespace
} // namespace avocet::compiler
