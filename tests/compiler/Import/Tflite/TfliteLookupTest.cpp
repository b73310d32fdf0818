//===- TfliteLookupTest.cpp - Lookups, images, cells, constants *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TfliteModels.h"

#include <gmock/gmock.h>

using testing::HasSubstr;

namespace avocet::compiler {
namespace {

using Floats = std::vector<float>;
using Numbers = std::vector<int32_t>;

TEST(TfliteLookups, GathersAlongAnAxis) {
  tflite::GatherOptionsT options;
  options.axis = -1;
  TestModel model{BuiltinOperator::GATHER, {{{2, 3}}, ints({2, 0})}, {{{2, 2}}}, optionsOf(options)};
  EXPECT_EQ(run<float>(model, {bytesOf(counting(6))}), (Floats{2, 0, 5, 3}));
  options.batch_dims = 1;
  model.options = optionsOf(options);
  model.operands[1] = ints({2, 0, 1});
  EXPECT_THAT(operationsOf(model), HasSubstr("has 1 batch dimensions, in which input and indices differ"));
}

TEST(TfliteLookups, GathersInEachBatch) {
  tflite::GatherOptionsT options;
  options.axis = 2;
  options.batch_dims = 1;
  const TestTensor places{{2, 1}, TensorType::INT32, bytesOf(Numbers{2, 0})};
  TestModel model{BuiltinOperator::GATHER, {{{2, 2, 3}}, places}, {{{2, 2, 1}}}, optionsOf(options)};
  EXPECT_EQ(run<float>(model, {bytesOf(counting(12))}), (Floats{2, 5, 6, 9}));
  options.batch_dims = -1;
  model.options = optionsOf(options);
  EXPECT_EQ(run<float>(model, {bytesOf(counting(12))}), (Floats{2, 5, 6, 9}));
  options.axis = 0;
  model.options = optionsOf(options);
  EXPECT_THAT(operationsOf(model), HasSubstr("gathers along axis 0, which is one of its 1 batches"));
}

TEST(TfliteLookups, IndicesReachNoOtherBatch) {
  tflite::GatherOptionsT options;
  options.axis = 2;
  options.batch_dims = 1;
  TestModel model{
      BuiltinOperator::GATHER, {{{2, 2, 3}}, {{2, 1}, TensorType::INT32}}, {{{2, 2, 1}}}, optionsOf(options)};
  EXPECT_EQ(run<float>(model, {bytesOf(counting(12)), bytesOf(Numbers{2, 0})}), (Floats{2, 5, 6, 9}));
  EXPECT_EQ(run<float>(model, {bytesOf(counting(12)), bytesOf(Numbers{3, -1})}), (Floats{2, 5, 6, 9}));
}

TEST(TfliteLookups, SegmentsAscendFromZero) {
  TestModel model{BuiltinOperator::SEGMENT_SUM, {{{3, 1}}, ints({0, 0, 1})}, {{{2, 1}}}};
  EXPECT_EQ(run<float>(model, {bytesOf(Floats{1, 2, 4})}), (Floats{3, 4}));
  for (const Numbers &wrong : {Numbers{1, 1, 2}, Numbers{0, 2, 2}, Numbers{1, 0, 1}, Numbers{-1, 0, 1}}) {
    model.operands[1] = ints(wrong);
    EXPECT_THAT(operationsOf(model), HasSubstr("the numbers must ascend from 0 by at most 1"));
  }
}

TEST(TfliteLookups, EmbedsQuantizedRows) {
  TestTensor rows{{2, 2}, TensorType::INT8, {4, 8, 2, 6}, 0.5f};
  EXPECT_EQ(run<float>({BuiltinOperator::EMBEDDING_LOOKUP, {{{1}, TensorType::INT32}, rows}, {{{1, 2}}}},
                       {bytesOf(Numbers{1})}),
            (Floats{1, 3}));
}

TEST(TfliteLookups, FindsRowsByKey) {
  TestModel model{BuiltinOperator::HASHTABLE_LOOKUP,
                  {{{2}, TensorType::INT32}, ints({3, 7}), floats({2, 1}, {30, 70})},
                  {{{2, 1}}, {{2}, TensorType::UINT8}}};
  EXPECT_EQ(run<uint8_t>(model, {bytesOf(Numbers{7, 5})}), (std::vector<uint8_t>{0, 0, 0x8C, 0x42, 0, 0, 0, 0, 1, 0}));
}

TEST(TfliteImages, ResizesToTheSize) {
  TestModel model{BuiltinOperator::RESIZE_NEAREST_NEIGHBOR, {{{1, 1, 2, 1}}, ints({1, 4})}, {{{1, 1, 4, 1}}}};
  EXPECT_EQ(run<float>(model, {bytesOf(Floats{2, 4})}), (Floats{2, 2, 4, 4}));
  model.code = BuiltinOperator::RESIZE_BILINEAR;
  EXPECT_EQ(run<float>(model, {bytesOf(Floats{2, 4})}), (Floats{2, 3, 4, 4}));
  tflite::ResizeBilinearOptionsT options;
  options.align_corners = options.half_pixel_centers = true;
  model.options = optionsOf(options);
  EXPECT_THAT(operationsOf(model), HasSubstr("aligns corners and has half pixel centers"));
}

TEST(TfliteImages, ResizesWideNumbers) {
  const TestTensor image{{1, 1, 2, 1}, TensorType::INT16, {}, 0.5f}, larger{{1, 1, 4, 1}, TensorType::INT16, {}, 0.5f};
  EXPECT_EQ(run<uint8_t>({BuiltinOperator::RESIZE_BILINEAR, {image, ints({1, 4})}, {larger}},
                         {bytesOf<int16_t>({-3000, 1001})}),
            bytesOf<int16_t>({-3000, -1000, 1001, 1001}));
}

TEST(TfliteImages, SpreadsPixelsWithBiasAndActivation) {
  tflite::TransposeConvOptionsT options;
  options.stride_w = options.stride_h = 2;
  options.padding = tflite::Padding::SAME;
  options.activation = tflite::ActivationFunction::RELU;
  TestModel model{BuiltinOperator::TRANSPOSE_CONV,
                  {ints({1, 1, 4, 1}), floats({1, 1, 3, 1}, {1, 2, 3}), {{1, 1, 2, 1}}, floats({1}, {-1})},
                  {{{1, 1, 4, 1}}},
                  optionsOf(options)};
  EXPECT_EQ(run<float>(model, {bytesOf(Floats{1, 10})}), (Floats{0, 1, 12, 19}));
  options.padding = tflite::Padding::VALID;
  model.options = optionsOf(options);
  model.results[0].shape = {1, 1, 5, 1};
  EXPECT_EQ(run<float>(model, {bytesOf(Floats{1, 10})}), (Floats{0, 1, 12, 19, 29}));
}

TestTensor variable(std::vector<int32_t> shape) {
  TestTensor tensor{std::move(shape)};
  tensor.isVariable = true;
  return tensor;
}

TEST(TfliteCells, SequencesStartFromZeroState) {
  tflite::SequenceRNNOptionsT options;
  options.activation = tflite::ActivationFunction::RELU;
  TestModel model{BuiltinOperator::UNIDIRECTIONAL_SEQUENCE_RNN,
                  {{{1, 3, 1}}, floats({1, 1}, {2}), floats({1, 1}, {10}), floats({1}, {1}), variable({1, 1})},
                  {{{1, 3, 1}}},
                  optionsOf(options)};
  EXPECT_EQ(run<float>(model, {bytesOf(Floats{1, 2, 3})}), (Floats{3, 35, 357}));
  options.activation = tflite::ActivationFunction::SIGN_BIT;
  model.options = optionsOf(options);
  EXPECT_THAT(operationsOf(model), HasSubstr("fused activation must be a function of cells, found 5"));
}

TEST(TfliteCells, FiltersWeighTheNewestStep) {
  tflite::SVDFOptionsT options;
  options.rank = 1;
  TestModel model{BuiltinOperator::SVDF,
                  {{{1, 2}}, floats({1, 2}, {1, 2}), floats({1, 2}, {5, 3}), floats({1}, {1}), variable({1, 2})},
                  {{{1, 1}}},
                  optionsOf(options)};
  EXPECT_EQ(run<float>(model, {bytesOf(Floats{1, 2})}), (Floats{16}));
  options.rank = 2;
  model.options = optionsOf(options);
  EXPECT_THAT(operationsOf(model), HasSubstr("has the rank 2, must divide the 1 filters"));
  // The zeros of a state are made at the import, whatever its size.
  model.operands.back() = variable({1, 1 << 27});
  EXPECT_THAT(operationsOf(model), HasSubstr("state: number of bytes, found 536870912, limit 268435456"));
}

TEST(TfliteCells, GatesOfTheFullForm) {
  tflite::LSTMOptionsT options;
  options.activation = tflite::ActivationFunction::RELU;
  TestTensor one = floats({1, 1}, {1}), bias = floats({1}, {100}), none = variable({1, 1});
  // Large biases open all gates; the cell gate has none.
  TestModel model{BuiltinOperator::LSTM,
                  {{{1, 1}}, one, one, one, one, one, one, one, one, {}, {}, {}, bias, bias, floats({1}, {0}), bias},
                  {{{1, 1}}},
                  optionsOf(options)};
  model.omitted = {9, 10, 11, 16, 17};
  model.operands.insert(model.operands.end(), {{}, {}, none, none});
  EXPECT_EQ(run<float>(model, {bytesOf(Floats{3})}), (Floats{3}));
  options.kernel_type = tflite::LstmKernelType::BASIC;
  model.options = optionsOf(options);
  EXPECT_THAT(operationsOf(model), HasSubstr("has 20 operands and 1 results, must have 5 and 4"));
}

TEST(TfliteConstants, ShapesAndRangesNeedNoDevice) {
  EXPECT_EQ(run<int32_t>({BuiltinOperator::SHAPE, {{{2, 3}}}, {{{2}, TensorType::INT32}}}, {bytesOf(counting(6))}),
            (Numbers{2, 3}));
  EXPECT_EQ(run<int32_t>({BuiltinOperator::RANK, {{{2, 3}}}, {{{}, TensorType::INT32}}}, {bytesOf(counting(6))}),
            (Numbers{2}));
  EXPECT_EQ(run<int32_t>({BuiltinOperator::RANGE, {scalar(5), scalar(0), scalar(-2)}, {{{3}, TensorType::INT32}}}, {}),
            (Numbers{5, 3, 1}));
  EXPECT_EQ(run<float>({BuiltinOperator::RANGE, {floats({}, {0}), floats({}, {1}), floats({}, {0.5f})}, {{{2}}}}, {}),
            (Floats{0, 0.5f}));
  EXPECT_EQ(run<float>({BuiltinOperator::ZEROS_LIKE, {{{2}}}, {{{2}}}}, {bytesOf(counting(2))}), (Floats{0, 0}));
  EXPECT_EQ(run<int32_t>({BuiltinOperator::BROADCAST_ARGS, {ints({3, 1}), ints({2})}, {{{2}, TensorType::INT32}}}, {}),
            (Numbers{3, 2}));
  EXPECT_THAT(operationsOf({BuiltinOperator::RANGE, {scalar(5), scalar(0), scalar(0)}, {{{3}, TensorType::INT32}}}),
              HasSubstr("has the step 0"));
}

TEST(TfliteConstants, RefusesComputedConstantsAboveTheLimit) {
  const std::vector<int32_t> shape{1 << 27};
  const auto isRefused = HasSubstr("result: number of bytes, found 536870912, limit 268435456");
  EXPECT_THAT(operationsOf({BuiltinOperator::ZEROS_LIKE, {{shape}}, {{shape}}}), isRefused);
  EXPECT_THAT(
      operationsOf({BuiltinOperator::RANGE, {scalar(0), scalar(shape[0]), scalar(1)}, {{shape, TensorType::INT32}}}),
      isRefused);
  EXPECT_THAT(operationsOf({BuiltinOperator::RANGE,
                            {floats({}, {0}), floats({}, {static_cast<float>(shape[0])}), floats({}, {1})},
                            {{shape}}}),
              isRefused);
}

} // namespace
} // namespace avocet::compiler
