//===- ExplicitNumericsTest.cpp - Networks with multipliers, compiled and run -----===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Networks as text, with sums and multipliers of TOSA, run on the simulator of every target. Expected values are loops
// over the elements with TOSA's formulas in wide integers.
//
//===----------------------------------------------------------------------===//

#include "Inference.h"
#include "RescaleFormula.h"
#include "avocet/firmware_iface/Target.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <unistd.h>

namespace avocet::compiler {
namespace {

using Bytes = golden::Bytes;
using Numbers = std::vector<int64_t>;

constexpr const char *kTypes = R"(
!x = !quant.uniform<i8:f32, 1.0:-3>
!y = !quant.uniform<i8:f32, 1.0:5>
!w = !quant.uniform<i8:f32, 1.0:2>
!w0 = !quant.uniform<i8:f32, 1.0>
!s = !quant.uniform<i16:f32, 1.0>
)";
constexpr int64_t kZeroX = -3, kZeroY = 5, kZeroW = 2;

Numbers randomNumbers(size_t count, int64_t least, int64_t most, uint32_t seed) {
  std::mt19937 random(seed);
  Numbers numbers(count);
  for (int64_t &number : numbers)
    number = std::uniform_int_distribution<int64_t>(least, most)(random);
  return numbers;
}

template <typename T> Bytes stored(const Numbers &numbers) {
  Bytes bytes(numbers.size() * sizeof(T));
  for (size_t i = 0; i < numbers.size(); ++i) {
    const auto element = static_cast<T>(numbers[i]);
    std::memcpy(&bytes[i * sizeof(T)], &element, sizeof(T));
  }
  return bytes;
}

template <typename T> Numbers numbersOf(const Bytes &bytes) {
  std::vector<T> elements(bytes.size() / sizeof(T));
  std::memcpy(elements.data(), bytes.data(), bytes.size());
  return {elements.begin(), elements.end()};
}

/// The first output of the function, whose lines follow `kTypes`.
Bytes run(const std::string &target, const std::string &text, const std::vector<Bytes> &inputs) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("explicitNumerics." + std::to_string(getpid()) + ".mlir");
  std::ofstream(path) << kTypes << "module attributes {avocet.phase = \"import\"} {\n" << text << "}\n";
  Result<session::LoadedModel> compiled = golden::compile(path.string(), target);
  std::filesystem::remove(path);
  EXPECT_TRUE(compiled) << compiled.status().toString() << "\n" << text;
  if (!compiled)
    return {};
  Result<golden::Inference> inference = golden::Inference::open(*compiled, {.timing = false});
  EXPECT_TRUE(inference) << inference.status().toString();
  if (!inference)
    return {};
  Result<std::vector<Bytes>> outputs = inference->run(inputs);
  EXPECT_TRUE(outputs) << outputs.status().toString();
  return outputs && !outputs->empty() ? outputs->front() : Bytes();
}

std::string listOf(const Numbers &numbers) {
  std::string text = "[";
  for (int64_t number : numbers)
    text += (text.size() > 1 ? ", " : "") + std::to_string(number);
  return text + "]";
}

/// The bytes of a constant of 8-bit elements.
std::string hexOf(const Numbers &numbers) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string text = "\"0x";
  for (int64_t number : numbers)
    text.append({kDigits[(number >> 4) & 15], kDigits[number & 15]});
  return text + "\"";
}

/// One multiplier and shift for each channel, or one for all.
struct Factors {
  bool isDouble;
  Numbers multipliers, shifts;

  std::string text() const {
    return std::string(isDouble ? "double_round " : "single_round ") + listOf(multipliers) + " >> " + listOf(shifts);
  }
  int64_t operator()(int64_t value, size_t channel) const {
    const size_t of = multipliers.size() == 1 ? 0 : channel;
    return tests::rescaledByFormula(value, static_cast<int32_t>(multipliers[of]), static_cast<int>(shifts[of]),
                                    isDouble);
  }
};

/// Around sums of some thousands, with halves of both signs.
Factors factorsOf(bool isDouble, size_t count) {
  Factors factors{isDouble, randomNumbers(count, 1 << 29, INT32_MAX, 3), {}};
  for (size_t i = 0; i < count; ++i)
    factors.shifts.push_back(36 + static_cast<int64_t>(i) % 3);
  return factors;
}

Numbers finished(const Numbers &sums, size_t channels, const Factors &factors, int64_t zeroPoint, int64_t least = -128,
                 int64_t most = 127) {
  Numbers results;
  for (size_t i = 0; i < sums.size(); ++i)
    results.push_back(std::clamp(factors(sums[i], i % channels) + zeroPoint, least, most));
  return results;
}

constexpr size_t kHeight = 6, kWidth = 5, kInputs = 4, kOutputs = 11;

/// Sums of a 3 x 3 window with a row of padding on each side; `weight` gives the weight of an output channel without
/// its zero point, or 0 where a channel does not read another one.
Numbers windowSums(const Numbers &input, int64_t zeroPoint, size_t inputs, size_t outputs, const Numbers &bias,
                   const std::function<int64_t(size_t o, size_t ky, size_t kx, size_t i)> &weight) {
  Numbers sums;
  for (size_t y = 0; y < kHeight; ++y)
    for (size_t x = 0; x < kWidth; ++x)
      for (size_t o = 0; o < outputs; ++o) {
        int64_t sum = bias[o];
        for (size_t ky = 0; ky < 3; ++ky)
          for (size_t kx = 0; kx < 3; ++kx)
            for (size_t i = 0; i < inputs; ++i)
              if (y + ky >= 1 && x + kx >= 1 && y + ky <= kHeight && x + kx <= kWidth)
                sum += (input[((y + ky - 1) * kWidth + x + kx - 1) * inputs + i] - zeroPoint) * weight(o, ky, kx, i);
        sums.push_back(sum);
      }
  return sums;
}

/// A convolution of 8-bit numbers whose weights have a zero point.
struct Convolution {
  Numbers input = randomNumbers(kHeight * kWidth * kInputs, -128, 127, 1);
  Numbers weights = randomNumbers(kOutputs * 9 * kInputs, -128, 127, 2);
  Numbers bias = randomNumbers(kOutputs, -5000, 5000, 4);

  Numbers sums() const {
    return windowSums(input, kZeroX, kInputs, kOutputs, bias, [&](size_t o, size_t ky, size_t kx, size_t i) {
      return weights[((o * 3 + ky) * 3 + kx) * kInputs + i] - kZeroW;
    });
  }
  std::string constants() const {
    return "  %w = nn.constant dense<" + hexOf(weights) + "> : tensor<11x3x3x4xi8> as tensor<11x3x3x4x!w>\n" +
           "  %b = nn.constant dense<" + listOf(bias) + "> : tensor<11xi32>\n";
  }
  /// `rest`: from the activation to the result.
  std::string text(const std::string &attributes, const std::string &result, const std::string &rest = "",
                   const std::string &last = "") const {
    const std::string type = last.empty() ? result : last;
    return "func.func @main(%x: tensor<1x6x5x4x!x>) -> tensor<1x6x5x11x" + type + "> {\n" + constants() +
           "  %0 = nn.conv_2d %x, %w, %b pad [1, 1, 1, 1] " + attributes +
           ": (tensor<1x6x5x4x!x>, tensor<11x3x3x4x!w>, tensor<11xi32>) -> tensor<1x6x5x11x" + result + ">\n" + rest +
           "  return %" + (rest.empty() ? "0" : "1") + " : tensor<1x6x5x11x" + type + ">\n}\n";
  }
};

class ExplicitNumerics : public testing::TestWithParam<std::string> {};

TEST_P(ExplicitNumerics, ConvolutionWithBothRoundings) {
  const Convolution conv;
  for (bool isDouble : {false, true})
    for (size_t count : {size_t(1), kOutputs}) {
      const Factors factors = factorsOf(isDouble, count);
      const std::string text = conv.text("numerics " + factors.text(), "!y");
      EXPECT_EQ(numbersOf<int8_t>(run(GetParam(), text, {stored<int8_t>(conv.input)})),
                finished(conv.sums(), kOutputs, factors, kZeroY))
          << text;
    }
}

TEST_P(ExplicitNumerics, SumsOfConvolution) {
  const Convolution conv;
  EXPECT_EQ(numbersOf<int32_t>(run(GetParam(), conv.text("", "i32"), {stored<int8_t>(conv.input)})), conv.sums());
}

/// Rescales after the sums, to 8 bits and to plain 16 bits.
TEST_P(ExplicitNumerics, RescaleOfSums) {
  const Convolution conv;
  const Factors factors = factorsOf(false, kOutputs);
  const auto rescale = [&](const std::string &type) {
    return "  %1 = nn.rescale %0 numerics " + factors.text() + " : (tensor<1x6x5x11xi32>) -> tensor<1x6x5x11x" + type +
           ">\n";
  };
  EXPECT_EQ(numbersOf<int8_t>(run(GetParam(), conv.text("", "i32", rescale("!y"), "!y"), {stored<int8_t>(conv.input)})),
            finished(conv.sums(), kOutputs, factors, kZeroY));
  EXPECT_EQ(
      numbersOf<int16_t>(run(GetParam(), conv.text("", "i32", rescale("i16"), "i16"), {stored<int8_t>(conv.input)})),
      finished(conv.sums(), kOutputs, factors, 0, -32768, 32767));
}

/// The output stage of the convolution adds, with another rounding than that of the sums.
TEST_P(ExplicitNumerics, ResidualAddition) {
  const Convolution conv;
  const Numbers addend = randomNumbers(kHeight * kWidth * kOutputs, -128, 127, 16);
  const Factors factors = factorsOf(false, kOutputs), sum{true, {1073741824, 1610612735, 1288490189}, {11, 10, 50}};
  const std::string type = "tensor<1x6x5x11x!y>";
  const std::string text = "func.func @main(%x: tensor<1x6x5x4x!x>, %z: " + type + ") -> " + type + " {\n" +
                           conv.constants() + "  %0 = nn.conv_2d %x, %w, %b pad [1, 1, 1, 1] numerics " +
                           factors.text() + " : (tensor<1x6x5x4x!x>, tensor<11x3x3x4x!w>, tensor<11xi32>) -> " + type +
                           "\n  %1 = nn.add %z, %0 numerics " + sum.text() + " : (" + type + ", " + type + ") -> " +
                           type + "\n  return %1 : " + type + "\n}\n";
  Numbers expected = finished(conv.sums(), kOutputs, factors, kZeroY);
  for (size_t i = 0; i < expected.size(); ++i) {
    const int64_t total = sum(addend[i] - kZeroY, 0) + sum(expected[i] - kZeroY, 1);
    expected[i] = std::clamp<int64_t>(sum(total, 2) + kZeroY, -128, 127);
  }
  EXPECT_EQ(numbersOf<int8_t>(run(GetParam(), text, {stored<int8_t>(conv.input), stored<int8_t>(addend)})), expected);
}

TEST_P(ExplicitNumerics, DepthwiseConvolution) {
  const Convolution conv;
  const Numbers weights = randomNumbers(9 * kInputs, -128, 127, 5), bias = randomNumbers(kInputs, -900, 900, 6);
  const Numbers sums =
      windowSums(conv.input, kZeroX, kInputs, kInputs, bias, [&](size_t o, size_t ky, size_t kx, size_t i) {
        return o == i ? weights[(ky * 3 + kx) * kInputs + o] - kZeroW : 0;
      });
  const auto text = [&](const std::string &numerics, const std::string &result) {
    return "func.func @main(%x: tensor<1x6x5x4x!x>) -> tensor<1x6x5x4x" + result + "> {\n" +
           "  %w = nn.constant dense<" + hexOf(weights) + "> : tensor<1x3x3x4xi8> as tensor<1x3x3x4x!w>\n" +
           "  %b = nn.constant dense<" + listOf(bias) + "> : tensor<4xi32>\n" +
           "  %0 = nn.depthwise_conv_2d %x, %w, %b pad [1, 1, 1, 1] " + numerics +
           ": (tensor<1x6x5x4x!x>, tensor<1x3x3x4x!w>, tensor<4xi32>) -> tensor<1x6x5x4x" + result + ">\n" +
           "  return %0 : tensor<1x6x5x4x" + result + ">\n}\n";
  };
  const Factors factors = factorsOf(false, kInputs);
  EXPECT_EQ(numbersOf<int8_t>(run(GetParam(), text("numerics " + factors.text(), "!y"), {stored<int8_t>(conv.input)})),
            finished(sums, kInputs, factors, kZeroY));
  EXPECT_EQ(numbersOf<int32_t>(run(GetParam(), text("", "i32"), {stored<int8_t>(conv.input)})), sums);
}

/// 16-bit inputs: sums of 64 bits, multipliers of 15.
TEST_P(ExplicitNumerics, WideSums) {
  const Convolution conv;
  const Numbers input = randomNumbers(kHeight * kWidth * kInputs, -32768, 32767, 7);
  Numbers bias = randomNumbers(kOutputs, -100000, 100000, 8);
  bias[1] = int64_t(5) << 34;
  const Numbers sums = windowSums(input, 0, kInputs, kOutputs, bias, [&](size_t o, size_t ky, size_t kx, size_t i) {
    return conv.weights[((o * 3 + ky) * 3 + kx) * kInputs + i];
  });
  const auto text = [&](const std::string &numerics, const std::string &result, const std::string &rest,
                        const std::string &last) {
    return "func.func @main(%x: tensor<1x6x5x4x!s>) -> tensor<1x6x5x11x" + last + "> {\n" +
           "  %w = nn.constant dense<" + hexOf(conv.weights) + "> : tensor<11x3x3x4xi8> as tensor<11x3x3x4x!w0>\n" +
           "  %b = nn.constant dense<" + listOf(bias) + "> : tensor<11xi64>\n" +
           "  %0 = nn.conv_2d %x, %w, %b pad [1, 1, 1, 1] " + numerics +
           ": (tensor<1x6x5x4x!s>, tensor<11x3x3x4x!w0>, tensor<11xi64>) -> tensor<1x6x5x11x" + result + ">\n" + rest +
           "  return %" + (rest.empty() ? "0" : "1") + " : tensor<1x6x5x11x" + last + ">\n}\n";
  };
  const Factors factors{false, randomNumbers(kOutputs, 1, INT16_MAX, 9), Numbers(kOutputs, 25)};
  const Bytes bytes = stored<int16_t>(input);
  const Numbers expected = finished(sums, kOutputs, factors, 0, -32768, 32767);
  EXPECT_EQ(numbersOf<int16_t>(run(GetParam(), text("numerics " + factors.text(), "!s", "", "!s"), {bytes})), expected);
  EXPECT_EQ(numbersOf<int64_t>(run(GetParam(), text("", "i64", "", "i64"), {bytes})), sums);
  const std::string rescale =
      "  %1 = nn.rescale %0 numerics " + factors.text() + " : (tensor<1x6x5x11xi64>) -> tensor<1x6x5x11x!s>\n";
  EXPECT_EQ(numbersOf<int16_t>(run(GetParam(), text("", "i64", rescale, "!s"), {bytes})), expected);
}

/// Layers with computed weights, of matrices and transposed, give the sums of the same products.
TEST_P(ExplicitNumerics, MatrixProducts) {
  const Numbers lhs = randomNumbers(6 * 20, -128, 127, 10), rhs = randomNumbers(7 * 20, -128, 127, 11);
  Numbers sums;
  for (size_t row = 0; row < 6; ++row)
    for (size_t o = 0; o < 7; ++o) {
      int64_t sum = 0;
      for (size_t k = 0; k < 20; ++k)
        sum += (lhs[row * 20 + k] - kZeroX) * (rhs[o * 20 + k] - kZeroW);
      sums.push_back(sum);
    }
  const std::vector<Bytes> inputs{stored<int8_t>(lhs), stored<int8_t>(rhs)};
  for (const std::string op : {"fully_connected %x, %r", "batch_matmul %x, %r transpose_rhs"}) {
    const auto text = [&](const std::string &numerics, const std::string &result) {
      return "func.func @main(%x: tensor<6x20x!x>, %r: tensor<7x20x!w>) -> tensor<6x7x" + result + "> {\n  %0 = nn." +
             op + " " + numerics + ": (tensor<6x20x!x>, tensor<7x20x!w>) -> tensor<6x7x" + result +
             ">\n  return %0 : tensor<6x7x" + result + ">\n}\n";
    };
    const Factors factors = factorsOf(false, 7);
    EXPECT_EQ(numbersOf<int8_t>(run(GetParam(), text("numerics " + factors.text(), "!y"), inputs)),
              finished(sums, 7, factors, kZeroY))
        << op;
    EXPECT_EQ(numbersOf<int32_t>(run(GetParam(), text("", "i32"), inputs)), sums) << op;
  }
}

/// An input element 9 times the filter at its place, on the phases of both strides.
TEST_P(ExplicitNumerics, TransposedConvolution) {
  const Numbers input = randomNumbers(3 * 2 * 2, -128, 127, 12), weights = randomNumbers(3 * 9 * 2, -128, 127, 13);
  Numbers sums(7 * 5 * 3);
  for (size_t y = 0; y < 3; ++y)
    for (size_t x = 0; x < 2; ++x)
      for (size_t o = 0; o < 3; ++o)
        for (size_t ky = 0; ky < 3; ++ky)
          for (size_t kx = 0; kx < 3; ++kx)
            for (size_t i = 0; i < 2; ++i)
              sums[((y * 2 + ky) * 5 + x * 2 + kx) * 3 + o] +=
                  (input[(y * 2 + x) * 2 + i] - kZeroX) * (weights[((o * 3 + ky) * 3 + kx) * 2 + i] - kZeroW);
  const auto text = [&](const std::string &numerics, const std::string &result) {
    return "func.func @main(%x: tensor<1x3x2x2x!x>) -> tensor<1x7x5x3x" + result + "> {\n  %w = nn.constant dense<" +
           hexOf(weights) + "> : tensor<3x3x3x2xi8> as tensor<3x3x3x2x!w>\n" +
           "  %0 = nn.transpose_conv_2d %x, %w stride [2, 2] " + numerics +
           ": (tensor<1x3x2x2x!x>, tensor<3x3x3x2x!w>) -> tensor<1x7x5x3x" + result +
           ">\n  return %0 : tensor<1x7x5x3x" + result + ">\n}\n";
  };
  const Factors factors = factorsOf(false, 3);
  const std::vector<Bytes> inputs{stored<int8_t>(input)};
  EXPECT_EQ(numbersOf<int8_t>(run(GetParam(), text("numerics " + factors.text(), "!y"), inputs)),
            finished(sums, 3, factors, kZeroY));
  EXPECT_EQ(numbersOf<int32_t>(run(GetParam(), text("", "i32"), inputs)), sums);
}

/// A sum of i32 between rescales, as a front end writes it.
std::string apartText(const Factors &factors) {
  const auto rescale = [&](const std::string &name, const std::string &value, size_t index, const std::string &types) {
    const Factors one{factors.isDouble, {factors.multipliers[index]}, {factors.shifts[index]}};
    return "  %" + name + " = nn.rescale %" + value + " numerics " + one.text() + " : " + types + "\n";
  };
  return "func.func @main(%x: tensor<6x40x!x>, %y: tensor<6x40x!y>) -> tensor<6x40x!y> {\n" +
         rescale("a", "x", 0, "(tensor<6x40x!x>) -> tensor<6x40xi32>") +
         rescale("b", "y", 1, "(tensor<6x40x!y>) -> tensor<6x40xi32>") +
         "  %sum = nn.add %a, %b : (tensor<6x40xi32>, tensor<6x40xi32>) -> tensor<6x40xi32>\n" +
         rescale("z", "sum", 2, "(tensor<6x40xi32>) -> tensor<6x40x!y>") + "  return %z : tensor<6x40x!y>\n}\n";
}

/// Sums, differences and products of two 8-bit maps.
TEST_P(ExplicitNumerics, Pairs) {
  const Numbers x = randomNumbers(240, -128, 127, 14), y = randomNumbers(240, -128, 127, 15);
  const std::vector<Bytes> inputs{stored<int8_t>(x), stored<int8_t>(y)};
  const auto text = [](const std::string &op, const Factors &factors) {
    return "func.func @main(%x: tensor<6x40x!x>, %y: tensor<6x40x!y>) -> tensor<6x40x!y> {\n  %0 = nn." + op +
           " %x, %y numerics " + factors.text() +
           " : (tensor<6x40x!x>, tensor<6x40x!y>) -> tensor<6x40x!y>\n  return %0 : tensor<6x40x!y>\n}\n";
  };
  for (bool isDouble : {false, true}) {
    const Factors product{isDouble, {1518500250}, {39}};
    // As exporters of networks write sums: the operands in the upper bits, an exact one among them.
    const Factors sum{isDouble, {1073741824, 1610612735, 1288490189}, {11, 10, 50}};
    Numbers products, added, subtracted;
    for (size_t i = 0; i < x.size(); ++i) {
      const int64_t a = x[i] - kZeroX, b = y[i] - kZeroY;
      products.push_back(product(a * b, 0));
      added.push_back(sum(sum(a, 0) + sum(b, 1), 2));
      subtracted.push_back(sum(sum(a, 0) - sum(b, 1), 2));
    }
    for (Numbers *numbers : {&products, &added, &subtracted})
      for (int64_t &number : *numbers)
        number = std::clamp<int64_t>(number + kZeroY, -128, 127);
    EXPECT_EQ(numbersOf<int8_t>(run(GetParam(), text("mul", product), inputs)), products);
    EXPECT_EQ(numbersOf<int8_t>(run(GetParam(), text("add", sum), inputs)), added);
    EXPECT_EQ(numbersOf<int8_t>(run(GetParam(), text("sub", sum), inputs)), subtracted);
    EXPECT_EQ(numbersOf<int8_t>(run(GetParam(), apartText(sum), inputs)), added);
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, ExplicitNumerics, testing::ValuesIn(firmware::Target::shippedNames()));

} // namespace
} // namespace avocet::compiler
