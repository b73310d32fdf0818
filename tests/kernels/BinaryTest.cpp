//===- BinaryTest.cpp - Functions of two operands of any shape ------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTestSupport.h"

#include "avocet/kernels/Quantization.h"
#include "avocet/kernels/dsp/Binary.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace avocet::kernels {
namespace {

using namespace firmware;

constexpr std::array<BinaryKind, kNumBinaryKinds> kKinds = {BinaryKind::Add,
                                                            BinaryKind::Sub,
                                                            BinaryKind::Mul,
                                                            BinaryKind::Div,
                                                            BinaryKind::Minimum,
                                                            BinaryKind::Maximum,
                                                            BinaryKind::Pow,
                                                            BinaryKind::Prelu,
                                                            BinaryKind::Equal,
                                                            BinaryKind::NotEqual,
                                                            BinaryKind::Less,
                                                            BinaryKind::LessEqual,
                                                            BinaryKind::Greater,
                                                            BinaryKind::GreaterEqual,
                                                            BinaryKind::And,
                                                            BinaryKind::Or,
                                                            BinaryKind::Atan2,
                                                            BinaryKind::FloorDiv,
                                                            BinaryKind::FloorMod,
                                                            BinaryKind::SquaredDifference,
                                                            BinaryKind::BitwiseXor,
                                                            BinaryKind::RightShift,
                                                            BinaryKind::TruncatedDiv,
                                                            BinaryKind::Hypot,
                                                            BinaryKind::BitwiseAnd,
                                                            BinaryKind::BitwiseOr,
                                                            BinaryKind::LeftShift,
                                                            BinaryKind::LogicalRightShift,
                                                            BinaryKind::RoundingRightShift};

constexpr DataType kTypes[] = {DataType::Int8,  DataType::UInt8,   DataType::Int16,   DataType::Int32,
                               DataType::Int64, DataType::Float16, DataType::Float32, DataType::Bool8};

bool isTruth(BinaryKind kind) { return kind >= BinaryKind::Equal && kind <= BinaryKind::Or; }
bool isClamped(BinaryKind kind) { return kind <= BinaryKind::Div || kind == BinaryKind::TruncatedDiv; }
bool isByte(DataType type) { return type == DataType::Int8 || type == DataType::UInt8; }
bool isWide(DataType type) { return type == DataType::Int32 || type == DataType::Int64; }

/// Whether the kind computes with integers as they are stored, of every width.
bool isOfIntegers(BinaryKind kind) {
  return kind == BinaryKind::FloorDiv || kind == BinaryKind::FloorMod || kind == BinaryKind::BitwiseXor ||
         kind == BinaryKind::RightShift || kind >= BinaryKind::BitwiseAnd;
}

/// The types of each kind, as listed in the header.
bool exists(BinaryKind kind, DataType type) {
  if (type == DataType::Bool8)
    return isTruth(kind);
  switch (kind) {
  case BinaryKind::And:
  case BinaryKind::Or:
    return false;
  case BinaryKind::Add:
  case BinaryKind::Sub:
  case BinaryKind::Mul:
    return true;
  case BinaryKind::Div:
    return isFloat(type) || isWide(type) || isByte(type);
  case BinaryKind::TruncatedDiv:
    return isWide(type);
  case BinaryKind::Pow:
    return isFloat(type) || type == DataType::Int32;
  case BinaryKind::Prelu:
    return isFloat(type) || isByte(type);
  case BinaryKind::Atan2:
  case BinaryKind::Hypot:
    return isFloat(type);
  case BinaryKind::SquaredDifference:
    return isFloat(type) || isWide(type) || type == DataType::Int8;
  case BinaryKind::BitwiseXor:
  case BinaryKind::RightShift:
  case BinaryKind::BitwiseAnd:
  case BinaryKind::BitwiseOr:
  case BinaryKind::LeftShift:
  case BinaryKind::LogicalRightShift:
  case BinaryKind::RoundingRightShift:
    return !isFloat(type);
  default:
    return true;
  }
}

/// A command on the given maps with valid parameters for its kind and type.
struct Case {
  DspCommand command;
  BinaryParameters parameters;
  float scaleOutput = 0.05f;

  const FeatureMap &a() const { return command.inputs[0]; }
  const FeatureMap &b() const { return command.inputs[1]; }
  const FeatureMap &output() const { return command.outputs[0]; }
  void pack() { command.parameters = packParameters(parameters); }
};

void prepareQuantized(Case &c, Random &random) {
  for (FeatureMap *map : {&c.command.inputs[0], &c.command.inputs[1], &c.command.outputs[0]})
    if (isByte(map->type))
      map->zeroPoint = pick(random, minValue(map->type), maxValue(map->type));
  BinaryParameters &p = c.parameters;
  p.scaleA = pickReal(random, 0.02f, 0.2f);
  p.scaleB = pickReal(random, 0.02f, 0.2f);
  if (p.kind == BinaryKind::Mul || p.kind == BinaryKind::Prelu) {
    p.rescaleOutput = prepareMul(p.scaleA, p.scaleB, c.scaleOutput);
    p.rescaleA = prepareRequantize(p.scaleA, c.scaleOutput);
    return;
  }
  if (p.kind == BinaryKind::Div) {
    c.scaleOutput = p.scaleA / p.scaleB / 200;
    p.rescaleOutput = quantizeMultiplier(double(p.scaleA / (p.scaleB * c.scaleOutput)));
    return;
  }
  if (isTruth(p.kind))
    return;
  AddRescales rescales = p.kind == BinaryKind::SquaredDifference
                             ? prepareSquaredDifference(p.scaleA, p.scaleB, c.scaleOutput)
                             : prepareAdd(c.a().type, p.scaleA, p.scaleB, c.scaleOutput);
  p.leftShift = rescales.leftShift;
  p.rescaleA = rescales.inputA;
  p.rescaleB = rescales.inputB;
  p.rescaleOutput = rescales.output;
}

/// Small second operands of integers: divisors, exponents and distances.
void fillWithSmall(const FeatureMap &map, TestSram &sram, Random &random) {
  std::vector<double> values = sram.values(map);
  for (double &value : values)
    value = pick(random, map.type == DataType::UInt8 ? 0 : -9, 20);
  sram.setValues(map, values);
}

Case makeCase(BinaryKind kind, FeatureMap a, FeatureMap b, FeatureMap output, TestSram &sram, Random &random) {
  Case c;
  c.command.kernel = *dspKernelNumber("binary");
  c.command.inputs = {a, b};
  c.command.outputs = {output};
  c.parameters.kind = kind;
  if (isByte(a.type))
    prepareQuantized(c, random);
  if (isFloat(a.type))
    c.parameters.clamp = floatActivationClamp(pick(random, 0, 1) != 0 ? Activation::kRelu6 : Activation::kNone);
  else if (isClamped(kind) && pick(random, 0, 1) != 0)
    c.parameters.clamp = {-30, 70};
  sram.fill(a, random);
  sram.fill(b, random);
  bool isDivision = isClamped(kind) && kind >= BinaryKind::Div;
  if (!isFloat(b.type) && (isDivision || kind == BinaryKind::Pow || isOfIntegers(kind)))
    fillWithSmall(b, sram, random);
  return c;
}

using Wide = __int128;

Wide floorDivide(Wide a, Wide b) { return b == 0 ? 0 : a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }

/// The number modulo the type.
double wrap(DataType type, Wide value) {
  switch (type) {
  case DataType::Int8:
    return static_cast<int8_t>(value);
  case DataType::UInt8:
    return static_cast<uint8_t>(value);
  case DataType::Int16:
    return static_cast<int16_t>(value);
  case DataType::Int32:
    return static_cast<int32_t>(value);
  default:
    return static_cast<double>(static_cast<int64_t>(value));
  }
}

Wide powerOf(Wide a, Wide b) {
  if (b < 0)
    return a == 1 ? 1 : a == -1 ? (b % 2 == 0 ? 1 : -1) : 0;
  uint32_t power = 1;
  for (; b > 0; --b)
    power *= static_cast<uint32_t>(a);
  return power;
}

/// The function of integers, before it is wrapped to the type and clamped.
Wide whole(BinaryKind kind, DataType type, Wide a, Wide b) {
  switch (kind) {
  case BinaryKind::Add:
    return a + b;
  case BinaryKind::Sub:
    return a - b;
  case BinaryKind::Mul:
    return a * b;
  case BinaryKind::Div:
  case BinaryKind::FloorDiv:
    return floorDivide(a, b);
  case BinaryKind::TruncatedDiv:
    return b == 0 ? 0 : a / b;
  case BinaryKind::FloorMod:
    return b == 0 ? 0 : a - b * floorDivide(a, b);
  case BinaryKind::Minimum:
    return a < b ? a : b;
  case BinaryKind::Maximum:
    return a > b ? a : b;
  case BinaryKind::Pow:
    return powerOf(a, b);
  case BinaryKind::SquaredDifference:
    return (a - b) * (a - b);
  case BinaryKind::BitwiseXor:
    return a ^ b;
  case BinaryKind::BitwiseAnd:
    return a & b;
  case BinaryKind::BitwiseOr:
    return a | b;
  case BinaryKind::LeftShift:
    return b < 0 || b >= Wide(8 * sizeOf(type)) ? 0 : a * (Wide(1) << b);
  case BinaryKind::LogicalRightShift:
    return b < 0 || b >= Wide(8 * sizeOf(type)) ? 0 : (a & ((Wide(1) << 8 * sizeOf(type)) - 1)) / (Wide(1) << b);
  case BinaryKind::RoundingRightShift:
    return floorDivide(floorDivide(2 * a, Wide(1) << std::clamp<Wide>(b, 0, 8 * sizeOf(type) - 1)) + 1, 2);
  default:
    return floorDivide(a, Wide(1) << std::clamp<Wide>(b, 0, 8 * sizeOf(type) - 1));
  }
}

template <typename T> bool relation(BinaryKind kind, T a, T b) {
  switch (kind) {
  case BinaryKind::Equal:
    return a == b;
  case BinaryKind::NotEqual:
    return !(a == b);
  case BinaryKind::Less:
    return a < b;
  case BinaryKind::LessEqual:
    return a < b || a == b;
  case BinaryKind::Greater:
    return b < a;
  case BinaryKind::GreaterEqual:
    return b < a || a == b;
  case BinaryKind::And:
    return a != 0 && b != 0;
  default:
    return a != 0 || b != 0;
  }
}

/// The real function, before clamping.
double real(BinaryKind kind, double a, double b) {
  switch (kind) {
  case BinaryKind::Add:
    return a + b;
  case BinaryKind::Sub:
    return a - b;
  case BinaryKind::Mul:
    return a * b;
  case BinaryKind::Div:
    return a / b;
  case BinaryKind::Minimum:
    return a < b ? a : b;
  case BinaryKind::Maximum:
    return a > b ? a : b;
  case BinaryKind::Pow:
    return std::pow(a, b);
  case BinaryKind::Atan2:
    return std::atan2(a, b);
  case BinaryKind::Hypot:
    return std::hypot(a, b);
  case BinaryKind::FloorDiv:
    return std::floor(a / b);
  case BinaryKind::FloorMod:
    return a - b * std::floor(a / b);
  case BinaryKind::SquaredDifference:
    return (a - b) * (a - b);
  default:
    return a >= 0 ? a : a * b;
  }
}

void expectReal(const Case &c, double a, double b, double actual) {
  double expected = real(c.parameters.kind, a, b);
  if (isClamped(c.parameters.kind))
    expected = std::clamp<double>(expected, std::bit_cast<float>(c.parameters.clamp.min),
                                  std::bit_cast<float>(c.parameters.clamp.max));
  if (std::isnan(expected)) {
    ASSERT_TRUE(std::isnan(actual)) << a << " " << b;
    return;
  }
  if (c.output().type == DataType::Float16)
    expected = static_cast<double>(static_cast<_Float16>(static_cast<float>(expected)));
  double step = c.output().type == DataType::Float16 ? 1.0 / 1024 : 1e-6;
  if (std::isinf(expected) || std::isinf(actual)) {
    ASSERT_GT(std::abs(expected), 6e4) << a << " " << b;
    return;
  }
  ASSERT_NEAR(actual, expected, step * std::max(1e-3, std::abs(expected))) << a << " " << b;
}

void expectInteger(const Case &c, double a, double b, double actual) {
  BinaryKind kind = c.parameters.kind;
  double exact = wrap(c.a().type, whole(kind, c.a().type, static_cast<Wide>(a), static_cast<Wide>(b)));
  if (isClamped(kind) && c.parameters.clamp.min > std::numeric_limits<int32_t>::min())
    exact = std::clamp<double>(exact, c.parameters.clamp.min, c.parameters.clamp.max);
  ASSERT_EQ(actual, exact) << a << " " << b;
}

/// Bit by bit, from the definition of a rescale.
void expectSquaredDifference(const Case &c, double a, double b, double actual) {
  const BinaryParameters &p = c.parameters;
  auto scaled = [&](double stored, const FeatureMap &map, const Rescale &rescale) {
    return rescaledByDefinition(static_cast<int64_t>(stored - map.zeroPoint) << p.leftShift, rescale.multiplier,
                                rescale.shift);
  };
  int64_t difference = scaled(a, c.a(), p.rescaleA) - scaled(b, c.b(), p.rescaleB);
  int64_t square = rescaledByDefinition(difference * difference, p.rescaleOutput.multiplier, p.rescaleOutput.shift);
  ASSERT_EQ(actual, std::clamp<int64_t>(square + c.output().zeroPoint, -128, 127)) << a << " " << b;
}

/// Within one step of the real function of the real values; exact for the fixed-point form of MUL and PRELU.
void expectQuantized(const Case &c, double a, double b, double actual) {
  const BinaryParameters &p = c.parameters;
  double low = minValue(c.output().type), high = maxValue(c.output().type);
  if (p.kind == BinaryKind::Minimum || p.kind == BinaryKind::Maximum) {
    ASSERT_EQ(actual, real(p.kind, a, b)) << a << " " << b;
    return;
  }
  if (isClamped(p.kind)) {
    low = std::max(low, double(p.clamp.min));
    high = std::min(high, double(p.clamp.max));
  }
  double centeredA = a - c.a().zeroPoint, centeredB = b - c.b().zeroPoint;
  if (p.kind == BinaryKind::Div && centeredB == 0) {
    ASSERT_EQ(actual, std::clamp(double(c.output().zeroPoint), low, high));
    return;
  }
  double value = real(p.kind, centeredA * p.scaleA, centeredB * p.scaleB) / c.scaleOutput + c.output().zeroPoint;
  ASSERT_NEAR(actual, std::clamp(value, low, high), 1.0) << a << " " << b;
  if (p.kind == BinaryKind::SquaredDifference)
    return expectSquaredDifference(c, a, b, actual);
  if (p.kind != BinaryKind::Mul && p.kind != BinaryKind::Prelu)
    return;
  bool product = p.kind == BinaryKind::Mul || centeredA < 0;
  Rescale rescale = product ? p.rescaleOutput : p.rescaleA;
  int64_t fixed = rescaledByDefinition(static_cast<int64_t>(product ? centeredA * centeredB : centeredA),
                                       rescale.multiplier, rescale.shift);
  ASSERT_EQ(actual, std::clamp(static_cast<double>(fixed) + c.output().zeroPoint, low, high)) << a << " " << b;
}

void expectElement(const Case &c, double a, double b, double actual) {
  const BinaryParameters &p = c.parameters;
  if (isTruth(p.kind)) {
    auto realOf = [](double stored, const FeatureMap &map, float scale) {
      return isByte(map.type) ? scale * static_cast<float>(stored - map.zeroPoint) : static_cast<float>(stored);
    };
    bool isInteger = isWide(c.a().type);
    bool expected =
        isInteger ? relation(p.kind, a, b) : relation(p.kind, realOf(a, c.a(), p.scaleA), realOf(b, c.b(), p.scaleB));
    ASSERT_EQ(actual, expected ? 1 : 0) << a << " " << b;
  } else if (isFloat(c.a().type)) {
    expectReal(c, a, b, actual);
  } else if (!isByte(c.a().type) || isOfIntegers(p.kind)) {
    expectInteger(c, a, b, actual);
  } else {
    expectQuantized(c, a, b, actual);
  }
}

using KindAndType = std::pair<BinaryKind, DataType>;

/// All pairs that exist, or all others.
/// Their definition is in WideFunctionsTest.
bool isWideSum(BinaryKind kind, DataType type) { return kind <= BinaryKind::Mul && type == DataType::Int16; }

std::vector<KindAndType> pairs(bool existing) {
  std::vector<KindAndType> pairs;
  for (BinaryKind kind : kKinds)
    for (DataType type : kTypes)
      if (exists(kind, type) == existing && !isWideSum(kind, type))
        pairs.emplace_back(kind, type);
  return pairs;
}

class BinaryTest : public testing::TestWithParam<KindAndType> {
protected:
  BinaryKind kind_ = GetParam().first;
  DataType type_ = GetParam().second, outputType_ = isTruth(kind_) ? DataType::Bool8 : type_;
};

TEST_P(BinaryTest, BroadcastMapsMatchDefinition) {
  auto target = testTarget();
  for (uint32_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    TestSram sram;
    auto extent = [&](int32_t most) { return static_cast<uint32_t>(pick(random, 1, most)); };
    auto some = [&](uint32_t full) { return pick(random, 0, 2) == 0 ? 1 : full; };
    uint32_t height = extent(4), width = extent(5), channels = extent(9);
    FeatureMap output = sram.map(outputType_, height, width, channels, Placement::Scattered, random);
    FeatureMap a = sram.map(type_, some(height), some(width), some(channels), Placement::Scattered, random);
    FeatureMap b = sram.map(type_, some(height), some(width), some(channels), Placement::Scattered, random);
    Case c = makeCase(kind_, a, b, output, sram, random);
    c.pack();
    checkAndRun(*target, c.command, sram);
    auto at = [&](const FeatureMap &map, uint32_t y, uint32_t x, uint32_t channel) {
      return sram.get(map, y % map.height, x % map.width, channel % map.channels);
    };
    for (uint32_t y = 0; y < height; ++y)
      for (uint32_t x = 0; x < width; ++x)
        for (uint32_t channel = 0; channel < channels; ++channel)
          expectElement(c, at(a, y, x, channel), at(b, y, x, channel), sram.get(output, y, x, channel));
  }
}

/// Row-major strides, 0 where the extent is 1 and the output's is not.
std::array<uint32_t, 8> stridesOf(const std::vector<uint32_t> &shape, const std::vector<uint32_t> &full) {
  std::array<uint32_t, 8> strides{};
  uint32_t step = 1;
  for (size_t axis = shape.size(); axis-- > 0; step *= shape[axis])
    strides[axis] = shape[axis] == full[axis] ? step : 0;
  return strides;
}

uint32_t product(const std::vector<uint32_t> &shape) {
  uint32_t elements = 1;
  for (uint32_t extent : shape)
    elements *= extent;
  return elements;
}

/// Index of the element of `shape` for element `index` of `full`, computed by division.
uint32_t elementOf(uint32_t index, const std::vector<uint32_t> &shape, const std::vector<uint32_t> &full) {
  uint32_t element = 0, step = 1;
  for (size_t axis = full.size(); axis-- > 0; index /= full[axis], step *= shape[axis])
    element += index % full[axis] % shape[axis] * step;
  return element;
}

TEST_P(BinaryTest, ShapesOfAnyRankMatchDefinition) {
  auto target = testTarget();
  for (uint32_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    TestSram sram;
    std::vector<uint32_t> full, shapeA, shapeB;
    for (int axis = pick(random, 1, 8); axis > 0; --axis) {
      full.push_back(static_cast<uint32_t>(pick(random, 1, 3)));
      shapeA.push_back(pick(random, 0, 2) == 0 ? 1 : full.back());
      shapeB.push_back(pick(random, 0, 2) == 0 ? 1 : full.back());
    }
    auto rows = static_cast<uint32_t>(pick(random, 1, 3));
    auto some = [&] { return pick(random, 0, 2) == 0 ? 1 : rows; };
    FeatureMap a = sram.map(type_, some(), 1, product(shapeA), Placement::Scattered, random);
    FeatureMap b = sram.map(type_, some(), 1, product(shapeB), Placement::Scattered, random);
    FeatureMap output = sram.map(outputType_, rows, 1, product(full), Placement::Scattered, random);
    Case c = makeCase(kind_, a, b, output, sram, random);
    c.parameters.shape.rank = full.size();
    std::copy(full.begin(), full.end(), c.parameters.shape.extents.begin());
    c.parameters.shape.stridesA = stridesOf(shapeA, full);
    c.parameters.shape.stridesB = stridesOf(shapeB, full);
    c.pack();
    checkAndRun(*target, c.command, sram);
    for (uint32_t y = 0; y < rows; ++y)
      for (uint32_t i = 0; i < output.channels; ++i)
        expectElement(c, sram.get(a, y % a.height, 0, elementOf(i, shapeA, full)),
                      sram.get(b, y % b.height, 0, elementOf(i, shapeB, full)), sram.get(output, y, 0, i));
  }
}

INSTANTIATE_TEST_SUITE_P(All, BinaryTest, testing::ValuesIn(pairs(true)));

TEST(BinaryTypesTest, RejectsUnlistedTypes) {
  Random random(1);
  TestSram sram;
  for (auto [kind, type] : pairs(false)) {
    FeatureMap in = sram.map(type, 1, 1, 4, Placement::Dense, random);
    FeatureMap out = sram.map(isTruth(kind) ? DataType::Bool8 : type, 1, 1, 4, Placement::Dense, random);
    Case c = makeCase(kind, in, in, out, sram, random);
    c.pack();
    EXPECT_FALSE(findKernel(c.command)->check(*testTarget(), c.command).isOk()) << static_cast<uint32_t>(kind);
  }
}

} // namespace
} // namespace avocet::kernels
