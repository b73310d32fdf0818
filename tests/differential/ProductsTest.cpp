//===- ProductsTest.cpp - Matrix products that the library lacks ----------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Weights with a scale for each block of a row against their definition in double precision, and right matrices with a
// scale for each column against the formula of layers with such weights. Version 2.9 of the library has neither.
//
//===----------------------------------------------------------------------===//

#include "Avocet.h"
#include "Compare.h"
#include "Draft.h"
#include "Reference.h"
#include "Targets.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fmt/format.h>

namespace avocet::differential {
namespace {

//===----------------------------------------------------------------------===//
// Scales of blocks
//===----------------------------------------------------------------------===//

struct Blocks {
  int32_t rows, depth, channels, block;
  TensorType weights, scales;
};

Bytes packed(const std::vector<int32_t> &numbers, TensorType type) {
  Bytes bytes;
  if (type == TensorType::INT8)
    for (int32_t number : numbers)
      bytes.push_back(static_cast<uint8_t>(number));
  else
    for (size_t i = 0; i < numbers.size(); i += 2)
      bytes.push_back(static_cast<uint8_t>((numbers[i] & 15) | (numbers[i + 1] & 15) << 4));
  return bytes;
}

/// A power of two times 1 + k / 1024, which FLOAT16 has, with its bytes.
double drawScale(Draft &draft, TensorType type, Bytes &bytes) {
  const int32_t exponent = draft.pick(-9, -3), fraction = draft.pick(0, 1023);
  const double scale = std::ldexp(1 + fraction / 1024.0, exponent);
  const auto half = static_cast<uint16_t>((exponent + 15) << 10 | fraction);
  const Bytes own = type == TensorType::FLOAT16
                        ? Bytes{static_cast<uint8_t>(half & 255), static_cast<uint8_t>(half >> 8)}
                        : encode({scale}, TensorType::FLOAT32);
  bytes.insert(bytes.end(), own.begin(), own.end());
  return scale;
}

void expectProductOfBlocks(const Blocks &b, const std::string &target) {
  SCOPED_TRACE(fmt::format("{} x {} by {}, blocks of {} on {}", b.rows, b.depth, b.channels, b.block, target));
  Draft draft(Kind::F32, 29);
  const int32_t most = b.weights == TensorType::INT4 ? 7 : 127;
  std::vector<int32_t> numbers;
  std::vector<double> weights;
  Bytes scales;
  for (int32_t i = 0; i < b.channels * b.depth; i += b.block) {
    const double scale = drawScale(draft, b.scales, scales);
    for (int32_t k = 0; k < b.block; ++k) {
      numbers.push_back(draft.pick(-most - 1, most));
      weights.push_back(numbers.back() * scale);
    }
  }
  const Element real = Draft::plain(TensorType::FLOAT32);
  const int32_t x = draft.input({b.rows, b.depth}, real);
  const int32_t scaleTensor =
      draft.model().addConstant({b.channels, b.depth / b.block}, Draft::plain(b.scales), scales);
  const int32_t filter = draft.model().addBlocks({b.channels, b.depth}, Draft::plain(b.weights),
                                                 packed(numbers, b.weights), {scaleTensor, b.block});
  const int32_t bias = draft.constant({b.channels}, real);
  draft.op(BuiltinOperator::FULLY_CONNECTED, {x, filter, bias}, {draft.output({b.rows, b.channels}, real)},
           tflite::FullyConnectedOptionsT());
  const std::vector<double> inputs = decode(draft.model().bytes(x), TensorType::FLOAT32);
  const std::vector<double> biases = decode(draft.model().bytes(bias), TensorType::FLOAT32);
  std::vector<double> expected;
  for (int32_t row = 0; row < b.rows; ++row)
    for (int32_t channel = 0; channel < b.channels; ++channel) {
      double sum = biases[channel];
      for (int32_t k = 0; k < b.depth; ++k)
        sum += inputs[row * b.depth + k] * weights[channel * b.depth + k];
      expected.push_back(sum);
    }
  const DeviceResult result = runOnDevice(draft.model().finish(), {.target = target});
  ASSERT_TRUE(result.status.isOk()) << result.status.toString() << result.refusal;
  EXPECT_EQ(compare(TensorType::FLOAT32, result.outputs[0], encode(expected, TensorType::FLOAT32), {.real = 1e-6f}),
            "");
}

TEST(ProductsTest, BlocksOfWeightsHaveTheirOwnScales) {
  using enum TensorType;
  for (const char *target : kTargets)
    for (const Blocks &b : {Blocks{1, 64, 8, 32, INT4, FLOAT16}, Blocks{7, 96, 33, 32, INT4, FLOAT32},
                            Blocks{3, 256, 5, 128, INT8, FLOAT16}, Blocks{2, 6, 3, 2, INT4, FLOAT16}})
      expectProductOfBlocks(b, target);
}

TEST(ProductsTest, BlocksOfWeightsAreCutToSmallMemory) {
  expectProductOfBlocks({5, 128, 24, 32, TensorType::INT4, TensorType::FLOAT16}, tightTarget());
}

//===----------------------------------------------------------------------===//
// Scales of columns
//===----------------------------------------------------------------------===//

/// Of the left and the right matrices; both have the batch of the result, or the right ones none.
struct Columns {
  Shape batch, rightBatch;
  int32_t rows, depth, columns;
  bool isTransposed, isConstant;
};

Shape withMatrix(Shape batch, int32_t rows, int32_t columns) {
  batch.insert(batch.end(), {rows, columns});
  return batch;
}

Element columnElement(Draft &draft, const Columns &c, int32_t axis) {
  Element element{.type = TensorType::INT8, .axis = axis};
  for (int32_t i = 0; i < c.columns; ++i) {
    element.scales.push_back(static_cast<float>(draft.real(0.002, 0.05)));
    element.zeroPoints.push_back(0);
  }
  return element;
}

void expectScalesOfColumns(Kind kind, const Columns &c, const std::string &target) {
  SCOPED_TRACE(fmt::format("{} {} x {} by {} on {}", kindName(kind), c.rows, c.depth, c.columns, target));
  Draft draft(kind, 31);
  const Shape left = withMatrix(c.batch, c.rows, c.depth), result = withMatrix(c.batch, c.rows, c.columns);
  const Shape right =
      c.isTransposed ? withMatrix(c.rightBatch, c.columns, c.depth) : withMatrix(c.rightBatch, c.depth, c.columns);
  const Element input = draft.elementWith(0.01f);
  const Element factors = columnElement(draft, c, static_cast<int32_t>(right.size()) - (c.isTransposed ? 2 : 1));
  const Element output = draft.elementWith(kind == Kind::I16 ? 0.01f : 1.5f);
  const int32_t x = draft.input(left, input);
  const int32_t y = c.isConstant ? draft.constant(right, factors) : draft.input(right, factors);
  tflite::BatchMatMulOptionsT options;
  options.adj_y = c.isTransposed;
  draft.op(BuiltinOperator::BATCH_MATMUL, {x, y}, {draft.output(result, output)}, options);
  const Bytes expected =
      expectedMatmul(draft.model(), {x, y}, {false, c.isTransposed}, result,
                     {input, factors, output, tflite::ActivationFunction::NONE, /*isPerChannel=*/true});
  const DeviceResult found = runOnDevice(draft.model().finish(), {.target = target});
  ASSERT_TRUE(found.status.isOk()) << found.status.toString() << found.refusal;
  EXPECT_EQ(compare(typeOf(kind), found.outputs[0], expected, {}), "");
}

TEST(ProductsTest, ColumnsOfMatricesHaveTheirOwnScales) {
  for (const char *target : kTargets)
    for (Kind kind : {Kind::I16, Kind::I8})
      for (const Columns &c :
           {Columns{{}, {}, 5, 24, 9, false, true}, Columns{{2}, {}, 3, 40, 20, true, true},
            Columns{{1, 4}, {1, 4}, 6, 16, 8, false, true}, Columns{{2, 3}, {3}, 1, 33, 17, true, true},
            Columns{{4}, {4}, 6, 16, 8, true, false}, Columns{{3, 30}, {3, 30}, 2, 8, 8, false, true}})
        expectScalesOfColumns(kind, c, target);
}

TEST(ProductsTest, ComputedMatricesAreCutToSmallMemory) {
  for (Kind kind : {Kind::I16, Kind::I8})
    for (const Columns &c : {Columns{{2}, {2}, 7, 40, 30, true, false}, Columns{{}, {}, 5, 64, 50, false, false}})
      expectScalesOfColumns(kind, c, tightTarget());
}

} // namespace
} // namespace avocet::differential
