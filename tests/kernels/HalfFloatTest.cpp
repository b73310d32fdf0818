//===- HalfFloatTest.cpp - f16 is computed in f32 and rounded once --------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each command on f16 is compared with the same command on f32: its results are those of f32, converted one by one.
//
//===----------------------------------------------------------------------===//

#include "InstructionSets.h"
#include "NormalizeSamples.h"
#include "WindowTestSupport.h"

#include "avocet/kernels/MacKernels.h"
#include "avocet/kernels/dsp/Binary.h"
#include "avocet/kernels/dsp/Cast.h"
#include "avocet/kernels/dsp/Quantize.h"
#include "avocet/kernels/dsp/Reduce.h"
#include "avocet/kernels/dsp/Unary.h"
#include "avocet/kernels/dsp/Window.h"
#include "common/FeatureMapView.h"
#include "simd/HalfFloat.h"

#include <bit>
#include <cmath>
#include <functional>
#include <iterator>
#include <string_view>

namespace avocet::kernels {
namespace {

using namespace firmware;

TEST(HalfFloatTest, EveryHalfWidensToItsNumber) {
  std::vector<_Float16> halves;
  for (uint32_t bits = 0; bits < 65536; ++bits)
    halves.push_back(std::bit_cast<_Float16>(static_cast<uint16_t>(bits)));
  onEveryInstructionSet([&] {
    std::vector<float> floats(halves.size());
    widenHalves(halves.data(), floats.data(), halves.size());
    for (size_t i = 0; i < halves.size(); ++i)
      ASSERT_EQ(std::bit_cast<uint32_t>(floats[i]), std::bit_cast<uint32_t>(static_cast<float>(halves[i]))) << i;
  });
}

TEST(HalfFloatTest, FloatsNarrowToTheNearestHalf) {
  Random random(1);
  std::vector<float> floats;
  for (uint32_t i = 0; i < 20000; ++i)
    floats.push_back(std::bit_cast<float>(static_cast<uint32_t>(random())));
  // The middle of two halves, and its neighbors.
  for (uint32_t bits = 0; bits < 65536; bits += 7)
    for (uint32_t offset : {0xFFFu, 0x1000u, 0x1001u}) {
      const auto half = static_cast<float>(std::bit_cast<_Float16>(static_cast<uint16_t>(bits)));
      floats.push_back(std::bit_cast<float>(std::bit_cast<uint32_t>(half) + offset));
    }
  onEveryInstructionSet([&] {
    std::vector<_Float16> halves(floats.size());
    narrowFloats(floats.data(), halves.data(), floats.size());
    for (size_t i = 0; i < floats.size(); ++i)
      ASSERT_EQ(std::bit_cast<uint16_t>(halves[i]), std::bit_cast<uint16_t>(static_cast<_Float16>(floats[i])))
          << floats[i];
  });
}

TEST(HalfFloatTest, RowsOfAnyLengthWriteOnlyThemselves) {
  constexpr size_t kMost = 70;
  onEveryInstructionSet([] {
    for (size_t count = 0; count < kMost; ++count) {
      const std::vector<_Float16> halves(kMost, static_cast<_Float16>(1.5f));
      std::vector<float> floats(kMost, 9);
      widenHalves(halves.data(), floats.data(), count);
      std::vector<_Float16> back(kMost, static_cast<_Float16>(7.0f));
      narrowFloats(floats.data(), back.data(), count);
      for (size_t i = 0; i < kMost; ++i) {
        ASSERT_EQ(floats[i], i < count ? 1.5f : 9.0f) << count;
        ASSERT_EQ(static_cast<float>(back[i]), i < count ? 1.5f : 7.0f) << count;
      }
    }
  });
}

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

/// Makes a command on floats of one type. The random numbers must not depend on the type.
class CommandMaker {
public:
  CommandMaker(DataType type, uint32_t seed) : type(type), random(seed) {}

  FeatureMap map(uint32_t height, uint32_t width, uint32_t channels, bool dense = false) {
    const bool scattered = random() % 2 != 0 && !dense;
    return sram.map(type, height, width, channels, scattered ? Placement::Scattered : Placement::Dense, random);
  }

  DspCommand dsp(KernelId kernel, std::vector<FeatureMap> inputs, FeatureMap output, std::vector<uint32_t> words) {
    DspCommand command;
    command.kernel = kernel.number;
    command.inputs = std::move(inputs);
    command.outputs = {output};
    command.parameters = std::move(words);
    return command;
  }

  const DataType type;
  Random random;
  TestSram sram;
};

using Make = std::function<CommandBody(CommandMaker &, uint32_t kind)>;

struct HalfCase {
  const char *name;
  uint32_t kinds;
  Make make;
};

void PrintTo(const HalfCase &c, std::ostream *out) { *out << c.name; }

/// Some shapes are longer than the runs that are converted at a time.
struct Shape {
  uint32_t height, width, channels;
  explicit Shape(Random &random)
      : height(upTo(random, 3)), width(upTo(random, 8)), channels(upTo(random, random() % 4 == 0 ? 1200 : 70)) {}
};

CommandBody unaryOf(CommandMaker &maker, uint32_t kind) {
  const Shape s(maker.random);
  const UnaryParameters parameters{static_cast<UnaryFunction>(kind), 0.25f, 6};
  const FeatureMap input = maker.map(s.height, s.width, s.channels), output = maker.map(s.height, s.width, s.channels);
  return maker.dsp(kUnaryKernel, {input}, output, packParameters(parameters));
}

FeatureMap broadcastInput(CommandMaker &maker, const Shape &s) {
  auto some = [&](uint32_t extent) { return maker.random() % 3 == 0 ? 1 : extent; };
  const uint32_t height = some(s.height), width = some(s.width), channels = some(s.channels);
  return maker.map(height, width, channels);
}

DataType resultOf(BinaryKind kind, DataType type) {
  return kind >= BinaryKind::Equal && kind <= BinaryKind::Or ? DataType::Bool8 : type;
}

CommandBody binaryOf(CommandMaker &maker, uint32_t kind) {
  const Shape s(maker.random);
  BinaryParameters parameters;
  parameters.kind = static_cast<BinaryKind>(kind);
  parameters.clamp = floatActivationClamp(maker.random() % 2 == 0 ? Activation::kNone : Activation::kRelu6);
  const FeatureMap a = broadcastInput(maker, s), b = broadcastInput(maker, s);
  FeatureMap output = maker.sram.map(resultOf(parameters.kind, maker.type), s.height, s.width, s.channels,
                                     Placement::Dense, maker.random);
  return maker.dsp(kBinaryKernel, {a, b}, output, packParameters(parameters));
}

/// One operand has gaps between its elements.
CommandBody shapedBinaryOf(CommandMaker &maker, uint32_t kind) {
  const uint32_t rows = upTo(maker.random, 4), columns = upTo(maker.random, 1300), step = upTo(maker.random, 3);
  BinaryParameters parameters;
  parameters.kind = static_cast<BinaryKind>(kind);
  parameters.clamp = floatActivationClamp(Activation::kNone);
  parameters.shape.rank = 2;
  parameters.shape.extents = {rows, columns};
  parameters.shape.stridesA = {columns * step, step};
  parameters.shape.stridesB = {1, maker.random() % 2 == 0 ? 0u : 1u};
  const FeatureMap a = maker.map(1, 1, rows * columns * step), b = maker.map(1, 1, rows + columns);
  const FeatureMap output = maker.map(1, 1, rows * columns);
  return maker.dsp(kBinaryKernel, {a, b}, output, packParameters(parameters));
}

CommandBody eltwiseOf(CommandMaker &maker, uint32_t kind) {
  const Shape s(maker.random);
  EltwiseCommand command;
  command.kind = static_cast<EltwiseKind>(kind);
  command.inputA = maker.map(s.height, s.width, s.channels);
  command.inputB = maker.map(s.height, s.width, maker.random() % 3 == 0 ? 1 : s.channels);
  command.output = maker.map(s.height, s.width, s.channels);
  command.clamp = floatActivationClamp(maker.random() % 2 == 0 ? Activation::kNone : Activation::kRelu6);
  return command;
}

Window smallWindow(Random &random) {
  Window window;
  window.kernelHeight = upTo(random, 3);
  window.kernelWidth = upTo(random, 3);
  return window;
}

CommandBody poolOf(CommandMaker &maker, uint32_t kind) {
  const Shape s(maker.random);
  PoolCommand command;
  command.kind = static_cast<PoolKind>(kind);
  command.window = smallWindow(maker.random);
  command.input = maker.map(s.height + 2, s.width + 2, s.channels);
  command.output = maker.map(s.height, s.width, s.channels);
  command.clamp = floatActivationClamp(Activation::kNone);
  return command;
}

CommandBody windowPoolOf(CommandMaker &maker, uint32_t kind) {
  const Shape s(maker.random);
  WindowPoolParameters parameters;
  parameters.kind = static_cast<WindowPoolKind>(kind);
  parameters.window = smallWindow(maker.random);
  parameters.clamp = floatActivationClamp(Activation::kNone);
  const FeatureMap input = maker.map(s.height + 2, s.width + 2, s.channels, true);
  const FeatureMap output = maker.map(s.height, s.width, s.channels, true);
  return maker.dsp(kWindowPoolKernel, {input}, output, packParameters(parameters));
}

CommandBody windowConvOf(CommandMaker &maker, uint32_t form) {
  const uint32_t inputs = upTo(maker.random, 20), outputs = upTo(maker.random, 40), size = upTo(maker.random, 4);
  WindowConvParameters parameters;
  parameters.form = static_cast<WindowConvForm>(form);
  parameters.window = smallWindow(maker.random);
  parameters.hasBias = maker.random() % 2;
  parameters.clamp = floatActivationClamp(Activation::kNone);
  const bool depthwise = parameters.form == WindowConvForm::Depthwise;
  const uint32_t channels = depthwise ? 2 * inputs : outputs, rows = parameters.window.kernelHeight;
  std::vector<FeatureMap> operands = {maker.map(size + 2, size + 2, inputs, true)};
  operands.push_back(maker.map(depthwise ? rows : rows * channels, parameters.window.kernelWidth,
                               depthwise ? channels : inputs, true));
  if (parameters.hasBias)
    operands.push_back(maker.map(1, 1, channels, true));
  const FeatureMap output = maker.map(size, size, channels, true);
  return maker.dsp(kWindowConvKernel, operands, output, packParameters(parameters));
}

CommandBody reduceOf(CommandMaker &maker, uint32_t kind) {
  const uint32_t outer = upTo(maker.random, 60), inner = upTo(maker.random, 60), rows = upTo(maker.random, 3);
  const bool last = maker.random() % 2 != 0;
  ReduceParameters parameters;
  parameters.kind = static_cast<ReduceKind>(kind);
  parameters.rank = 2;
  parameters.extents = {outer, inner};
  parameters.reducedAxes = last ? 2 : 1;
  const FeatureMap input = maker.map(rows, 1, outer * inner), output = maker.map(rows, 1, last ? outer : inner);
  return maker.dsp(kReduceKernel, {input}, output, packParameters(parameters));
}

/// Lines along any axis.
CommandBody linesOf(CommandMaker &maker, uint32_t sample) {
  const AxisExtents extents = {upTo(maker.random, 4), upTo(maker.random, 90),
                               maker.random() % 2 == 0 ? 1 : upTo(maker.random, 5)};
  const FeatureMap input = maker.map(1, 1, extents.outer * extents.axis * extents.inner, true);
  const FeatureMap output = maker.map(1, 1, input.channels, true);
  return maker.dsp(kNormalizeSamples[sample].kernel, {input}, output, kNormalizeSamples[sample].parameters(extents));
}

constexpr DataType kStoredTypes[] = {DataType::Int8, DataType::UInt8, DataType::Int16, DataType::Int32};

/// Kinds 0 to 3 convert from floats, 4 to 7 to floats.
CommandBody conversionOf(CommandMaker &maker, uint32_t kind, KernelId to, KernelId from, std::vector<uint32_t> words) {
  const Shape s(maker.random);
  const FeatureMap floats = maker.map(s.height, s.width, s.channels);
  const FeatureMap stored =
      maker.sram.map(kStoredTypes[kind % 4], s.height, s.width, s.channels, Placement::Scattered, maker.random);
  return kind < 4 ? maker.dsp(to, {floats}, stored, std::move(words))
                  : maker.dsp(from, {stored}, floats, std::move(words));
}

CommandBody castOf(CommandMaker &maker, uint32_t kind) {
  return conversionOf(maker, kind, kCastKernel, kCastKernel, {});
}

CommandBody quantizeOf(CommandMaker &maker, uint32_t kind) {
  return conversionOf(maker, kind, kQuantizeKernel, kDequantizeKernel, packParameters(QuantizeParameters{0.03f}));
}

const HalfCase kCases[] = {
    {"unary", kNumUnaryFunctions, unaryOf},
    {"binary", kNumBinaryKinds, binaryOf},
    {"shapedBinary", kNumBinaryKinds, shapedBinaryOf},
    {"eltwise", 5, eltwiseOf},
    {"pool", 2, poolOf},
    {"windowPool", 4, windowPoolOf},
    {"windowConv", 3, windowConvOf},
    {"reduce", kNumReduceKinds, reduceOf},
    {"lines", std::size(kNormalizeSamples), linesOf},
    {"cast", 8, castOf},
    {"quantize", 8, quantizeOf},
};

/// Operands of a command.
std::vector<FeatureMap> inputsOf(const CommandBody &body) {
  if (const auto *eltwise = std::get_if<EltwiseCommand>(&body))
    return {eltwise->inputA, eltwise->inputB};
  if (const auto *pool = std::get_if<PoolCommand>(&body))
    return {pool->input};
  return std::get<DspCommand>(body).inputs;
}

FeatureMap outputOf(const CommandBody &body) {
  if (const auto *eltwise = std::get_if<EltwiseCommand>(&body))
    return eltwise->output;
  if (const auto *pool = std::get_if<PoolCommand>(&body))
    return pool->output;
  return std::get<DspCommand>(body).outputs[0];
}

/// Any bits: also infinities, NaNs and denormal numbers; mostly small numbers, so that sums of them are finite.
double randomHalf(Random &random) {
  if (random() % 4 != 0)
    return static_cast<double>(static_cast<_Float16>(pickReal(random, -4, 4)));
  return static_cast<double>(std::bit_cast<_Float16>(static_cast<uint16_t>(random())));
}

void fillAlike(const CommandBody &half, TestSram &halfSram, const CommandBody &single, TestSram &singleSram,
               Random &random) {
  const std::vector<FeatureMap> halves = inputsOf(half), singles = inputsOf(single);
  for (size_t i = 0; i < halves.size(); ++i) {
    std::vector<double> values(elementCount(halves[i]));
    for (double &value : values)
      value = isFloat(halves[i].type) ? randomHalf(random) : pick(random, -100, 100);
    halfSram.setValues(halves[i], values);
    singleSram.setValues(singles[i], values);
  }
}

bool isLegal(const CommandBody &body) { return findKernel(body)->check(*testTarget(), body).isOk(); }

/// Compares the f16 and f32 results of the operation `kind`. Returns false if the kernel does not support it in f16.
bool expectRoundedOnce(const Make &make, uint32_t kind, uint32_t seed) {
  CommandMaker half(DataType::Float16, seed), single(DataType::Float32, seed);
  const CommandBody halfCommand = make(half, kind), singleCommand = make(single, kind);
  if (!isLegal(halfCommand) || !isLegal(singleCommand))
    return false;
  fillAlike(halfCommand, half.sram, singleCommand, single.sram, half.random);
  checkAndRun(*testTarget(), halfCommand, half.sram);
  checkAndRun(*testTarget(), singleCommand, single.sram);
  const std::vector<double> results = half.sram.values(outputOf(halfCommand));
  const std::vector<double> expected = single.sram.values(outputOf(singleCommand));
  const bool rounds = outputOf(halfCommand).type == DataType::Float16;
  for (size_t i = 0; i < results.size(); ++i) {
    const double number =
        rounds ? static_cast<double>(static_cast<_Float16>(static_cast<float>(expected[i]))) : expected[i];
    EXPECT_TRUE(results[i] == number || (std::isnan(results[i]) && std::isnan(number)))
        << "element " << i << ": " << results[i] << ", expected " << number << ", seed " << seed << ", kind " << kind;
    if (testing::Test::HasFailure())
      break;
  }
  return true;
}

class HalfCommandTest : public testing::TestWithParam<HalfCase> {};

TEST_P(HalfCommandTest, EqualsFloatsRoundedOnce) {
  uint32_t compared = 0;
  for (uint32_t kind = 0; kind < GetParam().kinds; ++kind)
    for (uint32_t seed = 0; seed < 5 && !HasFailure(); ++seed)
      compared += expectRoundedOnce(GetParam().make, kind, seed) ? 1 : 0;
  EXPECT_GE(compared, GetParam().kinds * 2) << "too few kinds take f16";
}

/// Only casts take it.
TEST_P(HalfCommandTest, NoArithmeticTakesBFloat16) {
  for (uint32_t kind = 0; kind < GetParam().kinds; ++kind) {
    CommandMaker maker(DataType::BFloat16, 1);
    EXPECT_EQ(isLegal(GetParam().make(maker, kind)), GetParam().name == std::string_view("cast")) << kind;
  }
}

INSTANTIATE_TEST_SUITE_P(All, HalfCommandTest, testing::ValuesIn(kCases),
                         [](const auto &info) { return info.param.name; });

} // namespace
} // namespace avocet::kernels
