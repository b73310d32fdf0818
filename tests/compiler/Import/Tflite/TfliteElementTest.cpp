//===- TfliteElementTest.cpp - Element-wise operators ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RealFunctions.h"
#include "TfliteModels.h"

#include <gmock/gmock.h>

#include <optional>
#include <string_view>

using testing::HasSubstr;

namespace avocet::compiler {
namespace {

using Floats = std::vector<float>;
using Truths = std::vector<uint8_t>;

Floats function(BuiltinOperator code, const Floats &input) {
  const auto count = static_cast<int32_t>(input.size());
  return run<float>({code, {{{count}}}, {{{count}}}}, {bytesOf(input)});
}

std::optional<BuiltinOperator> operatorNamed(std::string_view name) {
  for (BuiltinOperator code : tflite::EnumValuesBuiltinOperator())
    if (tflite::EnumNameBuiltinOperator(code) == name)
      return code;
  return std::nullopt;
}

TEST(TfliteElements, FunctionsOfNumbersMatchDefinitions) {
  size_t operators = 0;
  for (const kernels::RealFunction &expected : kernels::kRealFunctions) {
    const std::optional<BuiltinOperator> code = operatorNamed(expected.name);
    if (!code || expected.hasParameters)
      continue;
    ++operators;
    const Floats input = {expected.isDefinedBelowZero() ? -2.5f : 2.5f, 0.25f, 4};
    const Floats results = function(*code, input);
    ASSERT_EQ(results.size(), input.size()) << expected.name;
    for (size_t i = 0; i < input.size(); ++i)
      EXPECT_NEAR(results[i], expected.real(input[i]), 1e-5) << expected.name << " of " << input[i];
  }
  EXPECT_EQ(operators, 17u);
}

TEST(TfliteElements, EluKeepsNumbersAboveZero) { EXPECT_EQ(function(BuiltinOperator::ELU, {0, 2}), (Floats{0, 2})); }

TEST(TfliteElements, BitcastKeepsTheBytes) {
  TestTensor words{{2}, TensorType::INT32}, halves{{2, 2}, TensorType::INT16};
  const std::vector<int32_t> numbers = {0x00010002, -1};
  EXPECT_EQ(run<int16_t>({BuiltinOperator::BITCAST, {words}, {halves}}, {bytesOf(numbers)}),
            (std::vector<int16_t>{2, 1, -1, -1}));
  EXPECT_EQ(run<int32_t>({BuiltinOperator::BITCAST, {halves}, {words}}, {bytesOf(numbers)}), numbers);
  EXPECT_EQ(run<float>({BuiltinOperator::BITCAST, {words}, {{{2}}}}, {bytesOf(std::vector{0x3F800000, 0})}),
            (Floats{1, 0}));
  EXPECT_EQ(run<float>({BuiltinOperator::BITCAST, {ints({0x40000000, 0})}, {{{2}}}}, {}), (Floats{2, 0}));
}

TEST(TfliteElements, BitcastNeedsWholeElements) {
  TestTensor word{{1}, TensorType::INT32};
  EXPECT_THAT(operationsOf({BuiltinOperator::BITCAST, {{{3}, TensorType::INT8}}, {word}}),
              HasSubstr("does not make up one element"));
  EXPECT_THAT(operationsOf({BuiltinOperator::BITCAST, {{{}, TensorType::INT8}}, {word}}),
              HasSubstr("does not make up one element"));
}

TEST(TfliteElements, QuantizeTakesScaleOfIntegers) {
  TestTensor integers{{4}, TensorType::INT32, {}, 0.25f}, words{{4}, TensorType::INT16, {}, 0.5f};
  EXPECT_EQ(run<int16_t>({BuiltinOperator::QUANTIZE, {integers}, {words}}, {bytesOf(std::vector{5, -5, 99999, 8})}),
            (std::vector<int16_t>{3, -2, 32767, 4}));
  EXPECT_EQ(
      run<int32_t>({BuiltinOperator::QUANTIZE, {words}, {integers}}, {bytesOf(std::vector<int16_t>{5, -5, 32767, 8})}),
      (std::vector<int32_t>{10, -10, 65534, 16}));
  TestTensor shifted = integers, plain = integers;
  shifted.zeroPoint = 3;
  plain.scale = 0;
  EXPECT_THAT(operationsOf({BuiltinOperator::QUANTIZE, {shifted}, {words}}), HasSubstr("zero point 0"));
  EXPECT_THAT(operationsOf({BuiltinOperator::QUANTIZE, {words}, {plain}}), HasSubstr("must have one scale"));
}

TEST(TfliteElements, WideRootsRoundTowardsZero) {
  TestTensor input{{4}, TensorType::INT16, {}, 0.25f}, roots{{4}, TensorType::INT16, {}, 0.125f};
  // Of 4, 0.25, 0.5 and 8191.75.
  EXPECT_EQ(run<int16_t>({BuiltinOperator::SQRT, {input}, {roots}}, {bytesOf(std::vector<int16_t>{16, 1, 2, 32767})}),
            (std::vector<int16_t>{16, 4, 5, 724}));
}

TEST(TfliteElements, QuotientsAndPowersBroadcast) {
  tflite::DivOptionsT options;
  options.activation = tflite::ActivationFunction::RELU6;
  EXPECT_EQ(run<float>({BuiltinOperator::DIV, {{{2, 2}}, floats({2}, {2, -2})}, {{{2, 2}}}, optionsOf(options)},
                       {bytesOf(Floats{2, 4, 20, -8})}),
            (Floats{1, 0, 6, 4}));
  TestTensor numbers{{2}, TensorType::INT32};
  EXPECT_EQ(run<int32_t>({BuiltinOperator::DIV, {numbers, ints({2, 2})}, {numbers}}, {bytesOf(std::vector{-3, 3})}),
            (std::vector<int32_t>{-1, 1}));
  EXPECT_EQ(run<float>({BuiltinOperator::POW, {{{2}}, floats({1}, {2})}, {{{2}}}}, {bytesOf(Floats{3, 5})}),
            (Floats{9, 25}));
  EXPECT_EQ(run<float>({BuiltinOperator::PRELU, {{{1, 2}}, floats({2}, {2, 3})}, {{{1, 2}}}}, {bytesOf(Floats{-1, 4})}),
            (Floats{-2, 4}));
}

TEST(TfliteElements, QuantizedQuotientsHaveOwnScale) {
  // 2 / 2 and -2.5 / 1, in units of 0.25 around 12.
  const TestTensor dividend{{2}, TensorType::UINT8, {}, 0.5f, 125}, divisor{{2}, TensorType::UINT8, {8, 4}, 0.25f, 0};
  const TestTensor quotient{{2}, TensorType::UINT8, {}, 0.25f, 12};
  EXPECT_EQ(run<uint8_t>({BuiltinOperator::DIV, {dividend, divisor}, {quotient}}, {{129, 120}}),
            (std::vector<uint8_t>{16, 2}));
}

TEST(TfliteElements, QuantizedLogSoftmaxHasFixedScale) {
  TestModel model{BuiltinOperator::LOG_SOFTMAX,
                  {{{2}, TensorType::INT8, {}, 0.5f, -3}},
                  {{{2}, TensorType::INT8, {}, 0.0625f, 127}}};
  EXPECT_EQ(run<int8_t>(model, {bytesOf<int8_t>({9, 9})}), (std::vector<int8_t>{116, 116}));
  model.results[0].scale = 0.125f;
  EXPECT_THAT(operationsOf(model), HasSubstr("must have scale 6.250000e-02 and zero point 127"));
}

TEST(TfliteElements, ComparesAndCombinesTruths) {
  auto compare = [](BuiltinOperator code) {
    return run<uint8_t>({code, {{{3}}, floats({1}, {2})}, {{{3}, TensorType::BOOL}}}, {bytesOf(Floats{1, 2, 3})});
  };
  EXPECT_EQ(compare(BuiltinOperator::EQUAL), (Truths{0, 1, 0}));
  EXPECT_EQ(compare(BuiltinOperator::NOT_EQUAL), (Truths{1, 0, 1}));
  EXPECT_EQ(compare(BuiltinOperator::LESS), (Truths{1, 0, 0}));
  EXPECT_EQ(compare(BuiltinOperator::LESS_EQUAL), (Truths{1, 1, 0}));
  EXPECT_EQ(compare(BuiltinOperator::GREATER), (Truths{0, 0, 1}));
  EXPECT_EQ(compare(BuiltinOperator::GREATER_EQUAL), (Truths{0, 1, 1}));
  auto combine = [](BuiltinOperator code) {
    TestTensor truths{{2}, TensorType::BOOL};
    return run<uint8_t>({code, {truths, truths}, {truths}}, {{1, 0}, {1, 1}});
  };
  EXPECT_EQ(combine(BuiltinOperator::LOGICAL_AND), (Truths{1, 0}));
  EXPECT_EQ(combine(BuiltinOperator::LOGICAL_OR), (Truths{1, 1}));
  EXPECT_EQ(
      run<uint8_t>({BuiltinOperator::LOGICAL_NOT, {{{2}, TensorType::BOOL}}, {{{2}, TensorType::BOOL}}}, {{1, 0}}),
      (Truths{0, 1}));
}

TEST(TfliteElements, SelectsWithBroadcastConditions) {
  TestTensor rows{{2}, TensorType::BOOL};
  EXPECT_EQ(run<float>({BuiltinOperator::SELECT, {rows, {{2, 2}}, floats({2, 2}, {5, 6, 7, 8})}, {{{2, 2}}}},
                       {{0, 1}, bytesOf(counting(4))}),
            (Floats{5, 6, 2, 3}));
  EXPECT_EQ(run<float>({BuiltinOperator::SELECT_V2, {rows, {{2, 1}}, floats({}, {9})}, {{{2, 2}}}},
                       {{0, 1}, bytesOf(counting(2))}),
            (Floats{9, 0, 9, 1}));
  EXPECT_THAT(operationsOf({BuiltinOperator::SELECT_V2, {rows, {{2, 3}}, {{2, 3}}}, {{{2, 3}}}}),
              HasSubstr("do not broadcast"));
}

TEST(TfliteElements, RefusesTypesThatTheOperationLacks) {
  EXPECT_THAT(operationsOf({BuiltinOperator::SIN, {{{2}, TensorType::INT32}}, {{{2}, TensorType::INT32}}}),
              HasSubstr("operator 0 SIN (output tensor 'y0') is not supported: must have operands and results that its "
                        "rules admit, found"));
  EXPECT_THAT(operationsOf({BuiltinOperator::RANK, {{{2}}}, {{{}, TensorType::INT32}, {{}}}}),
              HasSubstr("has 2 outputs, must have 1"));
}

TEST(TfliteElements, FakeQuantRoundsHalvesUp) {
  tflite::FakeQuantOptionsT options;
  options.min = -1;
  options.max = 0.5f;
  options.num_bits = 2;
  TestModel model{BuiltinOperator::FAKE_QUANT, {{{6}}}, {{{6}}}, optionsOf(options)};
  EXPECT_EQ(run<float>(model, {bytesOf(Floats{-9, -0.75f, -0.26f, 0.24f, 0.25f, 9})}),
            (Floats{-1, -0.5f, -0.5f, 0, 0.5f, 0.5f}));
  options.num_bits = 17;
  model.options = optionsOf(options);
  EXPECT_THAT(operationsOf(model), HasSubstr("has 17 bits, must have 2 to 16"));
  options.num_bits = 8;
  options.max = -1;
  model.options = optionsOf(options);
  EXPECT_THAT(operationsOf(model), HasSubstr("must have an end above its begin"));
}

TEST(TfliteReductions, KeepOrDropAxes) {
  tflite::ReducerOptionsT options;
  auto reduce = [&](BuiltinOperator code, std::vector<int32_t> axes, std::vector<int32_t> shape) {
    return run<float>({code, {{{2, 3}}, ints(axes)}, {{std::move(shape)}}, optionsOf(options)}, {bytesOf(counting(6))});
  };
  EXPECT_EQ(reduce(BuiltinOperator::SUM, {-1}, {2}), (Floats{3, 12}));
  EXPECT_EQ(reduce(BuiltinOperator::REDUCE_PROD, {0}, {3}), (Floats{0, 4, 10}));
  EXPECT_EQ(reduce(BuiltinOperator::REDUCE_MAX, {0, 1, 1}, {}), (Floats{5}));
  options.keep_dims = true;
  EXPECT_EQ(reduce(BuiltinOperator::REDUCE_MIN, {0}, {1, 3}), (Floats{0, 1, 2}));
  EXPECT_EQ(reduce(BuiltinOperator::MEAN, {1}, {2, 1}), (Floats{1, 4}));
  TestTensor truths{{2, 2}, TensorType::BOOL}, reduced{{2, 1}, TensorType::BOOL};
  EXPECT_EQ(
      run<uint8_t>({BuiltinOperator::REDUCE_ALL, {truths, ints({1})}, {reduced}, optionsOf(options)}, {{1, 0, 1, 1}}),
      (Truths{0, 1}));
  EXPECT_EQ(
      run<uint8_t>({BuiltinOperator::REDUCE_ANY, {truths, ints({1})}, {reduced}, optionsOf(options)}, {{1, 0, 0, 0}}),
      (Truths{1, 0}));
}

TEST(TfliteReductions, QuantizedProductsAndWideSums) {
  const TestTensor bytes{{2}, TensorType::INT8, {}, 0.5f, -3}, product{{}, TensorType::INT8, {}, 0.25f, 4};
  // 2 * 3.5, in units of 0.25 around 4.
  EXPECT_EQ(run<int8_t>({BuiltinOperator::REDUCE_PROD, {bytes, ints({0})}, {product}}, {bytesOf<int8_t>({1, 4})}),
            (std::vector<int8_t>{32}));
  const TestTensor words{{2}, TensorType::INT16, {}, 0.5f}, sum{{}, TensorType::INT16, {}, 0.5f};
  TestModel model{BuiltinOperator::SUM, {words, ints({0})}, {sum}};
  EXPECT_EQ(run<uint8_t>(model, {bytesOf<int16_t>({30000, 10000})}), bytesOf<int16_t>({-25536}));
  model.results[0].scale = 0.25f;
  EXPECT_THAT(operationsOf(model), HasSubstr("element types must be equal"));
}

TEST(TfliteReductions, IndicesHaveEitherWidth) {
  TestModel model{BuiltinOperator::ARG_MAX, {{{2, 3}}, scalar(1)}, {{{2}, TensorType::INT32}}};
  EXPECT_EQ(run<int32_t>(model, {bytesOf(Floats{1, 5, 2, 9, 3, 4})}), (std::vector<int32_t>{1, 0}));
  model.code = BuiltinOperator::ARG_MIN;
  model.results[0].type = TensorType::INT64;
  EXPECT_EQ(run<int32_t>(model, {bytesOf(Floats{1, 5, 2, 9, 3, 4})}), (std::vector<int32_t>{0, 0, 1, 0}));
}

TEST(TfliteRanks, RefusesOnlyRanksAboveTheLimit) {
  auto abs = [](size_t rank) {
    const TestTensor ones{std::vector<int32_t>(rank, 1)};
    return operationsOf({BuiltinOperator::ABS, {ones}, {ones}});
  };
  EXPECT_THAT(abs(32), testing::Not(HasSubstr("rank")));
  EXPECT_THAT(abs(33), HasSubstr("is not supported: rank of a tensor, found 33"));
}

} // namespace
} // namespace avocet::compiler
