//===- Transformers.cpp - Transformer blocks as .tflite models ------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Transformers.h"

#include <algorithm>
#include <cmath>

namespace avocet::differential {
namespace {

constexpr int32_t kTokens = BlockShape::kTokens, kWidth = BlockShape::kWidth, kHeads = BlockShape::kHeads;
constexpr int32_t kDepth = kWidth / kHeads;
const Shape kRows = {1, kTokens, kWidth}, kColumn = {1, kTokens, 1}, kSplit = {1, kTokens, kHeads, kDepth};
const Shape kHeadRows = {1, kHeads, kTokens, kDepth}, kScores = {1, kHeads, kTokens, kTokens};
const Element kFloat = Draft::plain(TensorType::FLOAT32);

/// Each method adds operators and returns the tensor of their result. A range is what a calibration would find.
class BlockWriter {
public:
  explicit BlockWriter(Kind kind) : draft_(kind, 12) {}

  TestModel write(Transformer block) {
    switch (block) {
    case Transformer::Encoder:
      draft_.model().addResult(encoder());
      break;
    case Transformer::Decoder:
      draft_.model().addResult(decoder());
      break;
    case Transformer::Conformer:
      draft_.model().addResult(conformer());
      break;
    case Transformer::Vision:
      draft_.model().addResult(vision());
      break;
    }
    return draft_.model().finish();
  }

private:
  bool isWide() const { return draft_.kind() == Kind::I16; }

  Element elementOf(Range range) const {
    if (draft_.kind() == Kind::F32)
      return kFloat;
    if (isWide())
      return {TensorType::INT16, {static_cast<float>(std::max(-range.low, range.high) / 32767)}, {0}};
    const double scale = (range.high - range.low) / 255;
    return {TensorType::INT8, {static_cast<float>(scale)}, {std::lround(-128 - range.low / scale)}};
  }

  int32_t result(BuiltinOperator code, const std::vector<int32_t> &inputs, const Shape &shape, const Element &element) {
    const int32_t tensor = draft_.model().addTensor(shape, element);
    draft_.op(code, inputs, {tensor});
    return tensor;
  }
  template <typename Options>
  int32_t result(BuiltinOperator code, const std::vector<int32_t> &inputs, const Shape &shape, const Element &element,
                 Options options) {
    const int32_t tensor = draft_.model().addTensor(shape, element);
    draft_.op(code, inputs, {tensor}, std::move(options));
    return tensor;
  }

  /// The same for operators without 16-bit kernels.
  template <typename... Options>
  int32_t floatIfWide(BuiltinOperator code, std::vector<int32_t> inputs, const Shape &shape, Range range,
                      Options... options) {
    if (!isWide())
      return result(code, inputs, shape, elementOf(range), options...);
    for (int32_t &input : inputs)
      input = result(BuiltinOperator::DEQUANTIZE, {input}, draft_.model().shape(input), kFloat);
    return result(BuiltinOperator::QUANTIZE, {result(code, inputs, shape, kFloat, options...)}, shape,
                  elementOf(range));
  }

  static double storedOf(double value, const Element &element) {
    return element.scales.empty() ? value
                                  : std::round(value / element.scale()) + static_cast<double>(element.zeroPoint());
  }

  /// A constant of one number above zero.
  int32_t scalar(double value) {
    const Element element = elementOf({0, value});
    return draft_.model().addConstant({}, element, encode({storedOf(value, element)}, element.type));
  }

  int32_t embedding() {
    const Range range = {-2, 2};
    const Element element = elementOf(range);
    const int32_t ids = draft_.input({kTokens}, Draft::plain(TensorType::INT32), {0, BlockShape::kVocabulary - 1});
    const int32_t table = draft_.constant({BlockShape::kVocabulary, kWidth}, element, range);
    // EMBEDDING_LOOKUP has no 16-bit form.
    const int32_t rows =
        isWide() ? result(BuiltinOperator::GATHER, {table, ids}, {kTokens, kWidth}, element, tflite::GatherOptionsT())
                 : result(BuiltinOperator::EMBEDDING_LOOKUP, {ids, table}, {kTokens, kWidth}, element);
    return reshaped(rows, kRows);
  }

  int32_t reshaped(int32_t x, const Shape &shape) {
    return result(BuiltinOperator::RESHAPE, {x, draft_.integers({shape.begin(), shape.end()})}, shape,
                  draft_.model().element(x));
  }

  /// Exchanges tokens and heads.
  int32_t exchanged(int32_t x, const Shape &shape) {
    return result(BuiltinOperator::TRANSPOSE, {x, draft_.integers({0, 2, 1, 3})}, shape, draft_.model().element(x));
  }

  /// Weights and bias of a layer.
  std::vector<int32_t> layerConstants(int32_t x, const Shape &filter, int32_t channels, double limit) {
    const Element input = draft_.model().element(x);
    Element weights = kFloat, bias = kFloat;
    Range biases = {-0.2, 0.2};
    if (!input.scales.empty()) {
      weights = {TensorType::INT8, {static_cast<float>(limit / 127)}, {0}};
      const float step = input.scale() * weights.scale();
      bias = {isWide() ? TensorType::INT64 : TensorType::INT32, {step}, {0}};
      biases = {std::round(biases.low / step), std::round(biases.high / step)};
    }
    const int32_t first = draft_.constant(filter, weights, {-limit, limit});
    return {first, draft_.constant({channels}, bias, biases)};
  }

  /// Weights keep the spread of the numbers.
  int32_t dense(int32_t x, int32_t channels, Range range) {
    const int32_t depth = draft_.model().shape(x).back();
    const std::vector<int32_t> constants = layerConstants(x, {channels, depth}, channels, std::sqrt(3.0 / depth));
    tflite::FullyConnectedOptionsT options;
    options.keep_num_dims = true;
    return result(BuiltinOperator::FULLY_CONNECTED, {x, constants[0], constants[1]}, {1, kTokens, channels},
                  elementOf(range), options);
  }

  int32_t product(int32_t x, int32_t y, const Shape &shape, Range range, bool isTransposed) {
    tflite::BatchMatMulOptionsT options;
    options.adj_y = isTransposed;
    return result(BuiltinOperator::BATCH_MATMUL, {x, y}, shape, elementOf(range), options);
  }

  /// `isCausal`: queries and keys are rotated by their position, and read no later position.
  int32_t attention(int32_t x, bool isCausal = false) {
    const auto heads = [&] { return exchanged(reshaped(dense(x, kWidth, {-4, 4}), kSplit), kHeadRows); };
    const int32_t query = heads(), key = heads(), value = heads();
    const int32_t products = isCausal ? product(rotated(query), rotated(key), kScores, {-20, 20}, true)
                                      : product(query, key, kScores, {-20, 20}, true);
    const int32_t factor = scalar(1 / std::sqrt(kDepth));
    int32_t scores = scaled(products, factor, {-5, 5});
    if (isCausal)
      scores = sum(scores, causalMask(), {-13, 5});
    tflite::SoftmaxOptionsT options;
    options.beta = 1;
    const Element unit = draft_.unit();
    const int32_t weights = result(BuiltinOperator::SOFTMAX, {scores}, kScores, unit, options);
    const int32_t mixed = product(weights, value, kHeadRows, {-3, 3}, false);
    return dense(reshaped(exchanged(mixed, kSplit), kRows), kWidth, {-3, 3});
  }

  /// -8 for positions that come later.
  int32_t causalMask() {
    const Element element = elementOf({-8, 0});
    std::vector<double> stored;
    for (int32_t row = 0; row < kTokens; ++row)
      for (int32_t column = 0; column < kTokens; ++column)
        stored.push_back(storedOf(column > row ? -8 : 0, element));
    return draft_.model().addConstant({1, 1, kTokens, kTokens}, element, encode(stored, element.type));
  }

  /// Halves of the depth, each of which is rotated with the other by the angles of the positions.
  int32_t rotated(int32_t x) {
    const Element element = draft_.model().element(x), unit = elementOf({-1, 1});
    Shape half = draft_.model().shape(x);
    half.back() /= 2;
    const int32_t low = draft_.model().addTensor(half, element), high = draft_.model().addTensor(half, element);
    tflite::SplitOptionsT options;
    options.num_splits = 2;
    draft_.op(BuiltinOperator::SPLIT, {draft_.integer(3), x}, {low, high}, options);
    const Shape angles = {1, 1, kTokens, half.back()};
    std::vector<double> cosines, sines;
    for (int32_t token = 0; token < kTokens; ++token)
      for (int32_t i = 0; i < half.back(); ++i) {
        const double angle = token / std::pow(100.0, i / static_cast<double>(half.back()));
        cosines.push_back(storedOf(std::cos(angle), unit));
        sines.push_back(storedOf(std::sin(angle), unit));
      }
    const int32_t cos = draft_.model().addConstant(angles, unit, encode(cosines, unit.type));
    const int32_t sin = draft_.model().addConstant(angles, unit, encode(sines, unit.type));
    const Range range = {-6, 6};
    const int32_t first = difference(scaled(low, cos, range), scaled(high, sin, range), range);
    const int32_t second = sum(scaled(high, cos, range), scaled(low, sin, range), range);
    tflite::ConcatenationOptionsT joined;
    joined.axis = 3;
    return result(BuiltinOperator::CONCATENATION, {first, second}, draft_.model().shape(x), elementOf(range), joined);
  }

  int32_t logistic(int32_t x) { return result(BuiltinOperator::LOGISTIC, {x}, draft_.model().shape(x), draft_.unit()); }
  int32_t swish(int32_t x) { return scaled(x, logistic(x), {-0.3, 4}); }

  int32_t gatedFeedForward(int32_t x) {
    const int32_t gate = swish(dense(x, BlockShape::kInner, {-4, 4}));
    return dense(scaled(gate, dense(x, BlockShape::kInner, {-4, 4}), {-8, 8}), kWidth, {-4, 4});
  }

  int32_t halfFeedForward(int32_t x) {
    const int32_t inner = swish(dense(normalized(x), BlockShape::kInner, {-4, 4}));
    return scaled(dense(inner, kWidth, {-3, 3}), scalar(0.5), {-1.5, 1.5});
  }

  /// A gate, a filter of five tokens for each channel, and a last layer.
  int32_t convolutionModule(int32_t x) {
    const int32_t both = dense(normalized(x), 2 * kWidth, {-4, 4});
    const Element element = draft_.model().element(both);
    const int32_t values = draft_.model().addTensor(kRows, element), gates = draft_.model().addTensor(kRows, element);
    tflite::SplitOptionsT halves;
    halves.num_splits = 2;
    draft_.op(BuiltinOperator::SPLIT, {draft_.integer(2), both}, {values, gates}, halves);
    const Shape image = {1, 1, kTokens, kWidth};
    const int32_t gated = reshaped(scaled(values, logistic(gates), {-4, 4}), image);
    tflite::DepthwiseConv2DOptionsT options;
    options.padding = tflite::Padding::SAME;
    options.stride_w = options.stride_h = options.depth_multiplier = 1;
    const std::vector<int32_t> weights = layerConstants(gated, {1, 1, 5, kWidth}, kWidth, std::sqrt(3.0 / 5));
    const int32_t filtered =
        result(BuiltinOperator::DEPTHWISE_CONV_2D, {gated, weights[0], weights[1]}, image, elementOf({-4, 4}), options);
    return dense(reshaped(swish(filtered), kRows), kWidth, {-3, 3});
  }

  int32_t encoder() {
    const int32_t x = embedding();
    const int32_t attended = normalized(sum(x, attention(x), {-5, 5}));
    return normalized(sum(attended, feedForward(attended), {-6, 6}));
  }

  int32_t decoder() {
    const int32_t x = draft_.input(kRows, elementOf({-2, 2}), {-2, 2});
    const int32_t attended = sum(x, attention(rmsNormalized(x), true), {-5, 5});
    return sum(attended, gatedFeedForward(rmsNormalized(attended)), {-8, 8});
  }

  int32_t conformer() {
    int32_t x = draft_.input(kRows, elementOf({-2, 2}), {-2, 2});
    x = sum(x, halfFeedForward(x), {-4, 4});
    x = sum(x, attention(normalized(x)), {-5, 5});
    x = sum(x, convolutionModule(x), {-6, 6});
    return normalized(sum(x, halfFeedForward(x), {-6, 6}));
  }

  /// Three rows of four patches.
  int32_t vision() {
    const int32_t image = draft_.input({1, 12, 16, 3}, elementOf({-1, 1}), {-1, 1});
    tflite::Conv2DOptionsT options;
    options.padding = tflite::Padding::VALID;
    options.stride_w = options.stride_h = 4;
    const std::vector<int32_t> weights = layerConstants(image, {kWidth, 4, 4, 3}, kWidth, std::sqrt(3.0 / 48));
    const int32_t patches = result(BuiltinOperator::CONV_2D, {image, weights[0], weights[1]}, {1, 3, 4, kWidth},
                                   elementOf({-3, 3}), options);
    const int32_t positions = draft_.constant(kRows, elementOf({-1, 1}), {-1, 1});
    int32_t x = sum(reshaped(patches, kRows), positions, {-4, 4});
    x = sum(x, attention(normalized(x)), {-5, 5});
    x = sum(x, feedForward(normalized(x)), {-6, 6});
    tflite::ReducerOptionsT reduced;
    return result(BuiltinOperator::MEAN, {x, draft_.integers({1})}, {1, kWidth}, elementOf({-3, 3}), reduced);
  }

  int32_t feedForward(int32_t x) {
    const int32_t inner = dense(x, BlockShape::kInner, {-4, 4});
    const Shape shape = draft_.model().shape(inner);
    return dense(floatIfWide(BuiltinOperator::GELU, {inner}, shape, {-0.2, 4}, tflite::GeluOptionsT()), kWidth,
                 {-3, 3});
  }

  /// Scales are no powers of two.
  int32_t sum(int32_t x, int32_t y, Range range) {
    tflite::AddOptionsT options;
    options.pot_scale_int16 = false;
    return result(BuiltinOperator::ADD, {x, y}, draft_.model().shape(x), elementOf(range), options);
  }
  int32_t difference(int32_t x, int32_t y, Range range) {
    tflite::SubOptionsT options;
    options.pot_scale_int16 = false;
    return result(BuiltinOperator::SUB, {x, y}, draft_.model().shape(x), elementOf(range), options);
  }
  int32_t scaled(int32_t x, int32_t factors, Range range) {
    return result(BuiltinOperator::MUL, {x, factors}, draft_.model().shape(x), elementOf(range), tflite::MulOptionsT());
  }
  int32_t mean(int32_t x, Range range) {
    tflite::ReducerOptionsT options;
    options.keep_dims = true;
    return result(BuiltinOperator::MEAN, {x, draft_.integers({-1})}, kColumn, elementOf(range), options);
  }

  /// x / sqrt(mean of squares + epsilon) * gamma.
  int32_t rmsNormalized(int32_t x) {
    const int32_t squares = scaled(x, x, {0, 25}), exact = mean(squares, {0, 5});
    const int32_t inverse = floatIfWide(BuiltinOperator::RSQRT, {sum(exact, scalar(1e-3), {0, 5})}, kColumn, {0, 2});
    return scaled(scaled(x, inverse, {-4, 4}), draft_.constant({kWidth}, elementOf({0, 1.5}), {0.5, 1.5}), {-5, 5});
  }

  /// x * factors + (offsets - mean * factors), with factors = gamma / sqrt(variance + epsilon).
  int32_t normalized(int32_t x) {
    const Range shared = {-5, 5};
    const int32_t average = mean(x, {-1, 1});
    const int32_t squares = floatIfWide(BuiltinOperator::SQUARED_DIFFERENCE, {x, average}, kRows, {0, 16});
    const int32_t exact = mean(squares, {0, 4}), epsilon = scalar(1e-3);
    const int32_t variance = sum(exact, epsilon, {0, 4});
    const int32_t inverse = floatIfWide(BuiltinOperator::RSQRT, {variance}, kColumn, {0, 2});
    const int32_t gamma = draft_.constant({kWidth}, elementOf({0, 1.5}), {0.5, 1.5});
    const int32_t factors =
        result(BuiltinOperator::MUL, {inverse, gamma}, kRows, elementOf({0, 3}), tflite::MulOptionsT());
    tflite::SubOptionsT options;
    options.pot_scale_int16 = false;
    const int32_t beta = draft_.constant({kWidth}, elementOf({-0.3, 0.3}), {-0.3, 0.3});
    const int32_t moved =
        result(BuiltinOperator::MUL, {average, factors}, kRows, elementOf({-1, 1}), tflite::MulOptionsT());
    const int32_t offsets = result(BuiltinOperator::SUB, {beta, moved}, kRows, elementOf({-1, 1}), options);
    return sum(scaled(x, factors, shared), offsets, shared);
  }

  Draft draft_;
};

} // namespace

const char *transformerName(Transformer block) {
  switch (block) {
  case Transformer::Encoder:
    return "encoder";
  case Transformer::Decoder:
    return "decoder";
  case Transformer::Conformer:
    return "conformer";
  case Transformer::Vision:
    return "vision";
  }
  return "";
}

TestModel transformerBlock(Transformer block, Kind kind) { return BlockWriter(kind).write(block); }

} // namespace avocet::differential
