//===- WindowConvTest.cpp - windowConv against its definition -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The definitions are sums over all pairs of input and kernel positions that contribute to an output. They share
// nothing with the kernels, which start from the output.
//
//===----------------------------------------------------------------------===//

#include "WindowTestSupport.h"

#include "avocet/kernels/Quantization.h"
#include "avocet/kernels/dsp/Section.h"
#include "avocet/kernels/dsp/Window.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <numeric>

namespace avocet::kernels {
namespace {

using namespace firmware;

struct Types {
  DataType features, filter, output;
};

void PrintTo(const Types &types, std::ostream *out) {
  *out << toString(types.features) << "_" << toString(types.filter) << "_" << toString(types.output);
}

/// A command with its operands, and its parameters as a struct.
struct ConvCase {
  DspCommand command;
  WindowConvParameters parameters;
  uint32_t inputHeight, outputHeight;

  const FeatureMap &features() const { return command.inputs[0]; }
  const FeatureMap &filter() const { return command.inputs[1]; }
  const FeatureMap &bias() const { return command.inputs[2]; }
  const FeatureMap &scales() const { return command.inputs[parameters.hasBias ? 3 : 2]; }
  const FeatureMap &output() const { return command.outputs[0]; }
  void pack() { command.parameters = packParameters(parameters); }
};

bool makesSums(const ConvCase &c) { return c.output().type == DataType::Int32 || c.output().type == DataType::Int64; }

Window randomWindow(WindowConvForm form, Random &random) {
  Window w;
  w.kernelHeight = upTo(random, 4);
  w.kernelWidth = upTo(random, 4);
  w.strideHeight = upTo(random, 3);
  w.strideWidth = upTo(random, 3);
  if (form != WindowConvForm::Transposed) {
    w.dilationHeight = upTo(random, 2);
    w.dilationWidth = upTo(random, 2);
  }
  // Some paddings are wider than the windows.
  w.padTop = upTo(random, 5) - 1;
  w.padLeft = upTo(random, 5) - 1;
  return w;
}

/// Channels of input and output, and input channels of one filter.
struct Channels {
  uint32_t input, output, perFilter;
};

Channels randomChannels(WindowConvForm form, uint32_t groups, Random &random) {
  uint32_t some = upTo(random, 4);
  if (form == WindowConvForm::Depthwise)
    return {some, some * upTo(random, 3), 1};
  return {some * groups, groups * upTo(random, 3), some};
}

void addScales(ConvCase &c, bool perChannel, TestSram &sram, Random &random) {
  uint32_t count = perChannel ? c.output().channels : 1;
  FeatureMap scales = sram.map(DataType::Int32, 1, 1, 2 * count, Placement::Dense, random);
  for (uint32_t i = 0; i < count; ++i) {
    Rescale rescale = quantizeMultiplier(pickReal(random, 0.0005f, 0.02f));
    sram.set(scales, 0, 0, 2 * i, rescale.multiplier);
    sram.set(scales, 0, 0, 2 * i + 1, rescale.shift);
  }
  c.command.inputs.push_back(scales);
}

void addBias(ConvCase &c, TestSram &sram, Random &random) {
  bool integers = !isFloat(c.features().type);
  const DataType type = !integers                            ? c.features().type
                        : c.output().type == DataType::Int64 ? DataType::Int64
                                                             : DataType::Int32;
  FeatureMap bias = sram.map(type, 1, 1, c.output().channels, Placement::Dense, random);
  for (uint32_t o = 0; o < bias.channels; ++o)
    sram.set(bias, 0, 0, o, integers ? pick(random, -5000, 5000) : pickReal(random, -2, 2));
  c.command.inputs.push_back(bias);
}

ConvCase makeConv(WindowConvForm form, Types types, TestSram &sram, Random &random) {
  ConvCase c;
  c.command.kernel = *dspKernelNumber("windowConv");
  WindowConvParameters &p = c.parameters;
  p.form = form;
  p.batch = upTo(random, 3);
  p.groups = form == WindowConvForm::Dense ? upTo(random, 3) : 1;
  p.window = randomWindow(form, random);
  p.hasBias = random() % 2;
  p.clamp = wholeRange(types.output);
  Channels channels = randomChannels(form, p.groups, random);
  c.inputHeight = upTo(random, 6);
  c.outputHeight = upTo(random, 7);
  c.command.inputs = {dense(types.features, p.batch * c.inputHeight, upTo(random, 6), channels.input, sram, random)};
  uint32_t filterRows =
      form == WindowConvForm::Depthwise ? p.window.kernelHeight : channels.output * p.window.kernelHeight;
  uint32_t filterChannels = form == WindowConvForm::Depthwise ? channels.output : channels.perFilter;
  c.command.inputs.push_back(dense(types.filter, filterRows, p.window.kernelWidth, filterChannels, sram, random));
  c.command.outputs = {dense(types.output, p.batch * c.outputHeight, upTo(random, 7), channels.output, sram, random)};
  if (p.hasBias)
    addBias(c, sram, random);
  if (!isFloat(types.features) && !makesSums(c))
    addScales(c, random() % 2 != 0, sram, random);
  p.rounding = static_cast<Rounding>(random() % 3);
  c.pack();
  return c;
}

/// The output position to which an input position and a kernel position contribute, or -1.
int64_t meetingPoint(WindowConvForm form, int64_t input, int64_t kernel, int64_t stride, int64_t dilation, int64_t pad,
                     int64_t outputs) {
  int64_t at;
  if (form == WindowConvForm::Transposed) {
    at = input * stride + kernel - pad;
  } else {
    int64_t start = input - kernel * dilation + pad;
    if (start % stride != 0)
      return -1;
    at = start / stride;
  }
  return at >= 0 && at < outputs ? at : -1;
}

double weightAt(const ConvCase &c, TestSram &sram, uint32_t o, uint32_t ky, uint32_t kx, uint32_t term) {
  const FeatureMap &filter = c.filter();
  double stored = c.parameters.form == WindowConvForm::Depthwise
                      ? sram.get(filter, ky, kx, o)
                      : sram.get(filter, o * c.parameters.window.kernelHeight + ky, kx, term);
  return stored - filter.zeroPoint;
}

/// Sums of all output elements in the order of the output map.
std::vector<double> sumsByDefinition(const ConvCase &c, TestSram &sram) {
  const WindowConvParameters &p = c.parameters;
  const Window &w = p.window;
  const FeatureMap &in = c.features(), &out = c.output();
  bool depthwise = p.form == WindowConvForm::Depthwise;
  std::vector<double> sums(size_t(out.height) * out.width * out.channels);
  for (uint32_t row = 0; row < in.height; ++row)
    for (uint32_t x = 0; x < in.width; ++x)
      for (uint32_t ky = 0; ky < w.kernelHeight; ++ky)
        for (uint32_t kx = 0; kx < w.kernelWidth; ++kx) {
          int64_t oy =
              meetingPoint(p.form, row % c.inputHeight, ky, w.strideHeight, w.dilationHeight, w.padTop, c.outputHeight);
          int64_t ox = meetingPoint(p.form, x, kx, w.strideWidth, w.dilationWidth, w.padLeft, out.width);
          if (oy < 0 || ox < 0)
            continue;
          size_t pixel = (size_t(row / c.inputHeight) * c.outputHeight + size_t(oy)) * out.width + size_t(ox);
          for (uint32_t o = 0; o < out.channels; ++o)
            for (uint32_t i = 0; i < in.channels; ++i) {
              uint32_t perGroup = in.channels / p.groups;
              bool reads =
                  depthwise ? i == o / (out.channels / in.channels) : i / perGroup == o / (out.channels / p.groups);
              if (reads)
                sums[pixel * out.channels + o] +=
                    (sram.get(in, row, x, i) - in.zeroPoint) * weightAt(c, sram, o, ky, kx, i % perGroup);
            }
        }
  return sums;
}

/// One rounding of a multiplier of 16 bits.
int64_t wideByDefinition(int64_t sum, int32_t multiplier, int32_t shift) {
  return (sum * ((multiplier + (1 << 15)) >> 16) + (int64_t(1) << (14 - shift))) >> (15 - shift);
}

double finished(const ConvCase &c, TestSram &sram, double sum, uint32_t o) {
  double total = sum + (c.parameters.hasBias ? sram.get(c.bias(), 0, 0, o) : 0);
  if (isFloat(c.features().type) || makesSums(c))
    return total;
  uint32_t record = c.scales().channels == 2 ? 0 : 2 * o;
  auto multiplier = static_cast<int32_t>(sram.get(c.scales(), 0, 0, record));
  auto shift = static_cast<int32_t>(sram.get(c.scales(), 0, 0, record + 1));
  int64_t scaled = c.features().type == DataType::Int16 && !c.parameters.hasBias
                       ? wideByDefinition(static_cast<int64_t>(total), multiplier, shift)
                       : rescaledByDefinition(static_cast<int32_t>(static_cast<int64_t>(total)), multiplier, shift,
                                              c.parameters.rounding);
  scaled += c.output().zeroPoint;
  return static_cast<double>(std::clamp<int64_t>(scaled, c.parameters.clamp.min, c.parameters.clamp.max));
}

class WindowConvTest : public testing::TestWithParam<std::tuple<WindowConvForm, Types>> {};

TEST_P(WindowConvTest, EqualsTheDefinition) {
  auto [form, types] = GetParam();
  auto target = testTarget();
  double relative = types.output == DataType::Float32 ? 1e-5 : types.output == DataType::Float16 ? 1e-3 : 0;
  for (uint32_t seed = 0; seed < 60; ++seed) {
    Random random(seed);
    TestSram sram(1 << 17);
    ConvCase c = makeConv(form, types, sram, random);
    std::vector<double> sums = sumsByDefinition(c, sram);
    checkAndRun(*target, c.command, sram);
    std::vector<double> results = sram.values(c.output());
    for (size_t i = 0; i < results.size(); ++i) {
      double expected = finished(c, sram, sums[i], i % c.output().channels);
      ASSERT_NEAR(results[i], expected, relative * (8 + std::abs(expected))) << "seed " << seed << " element " << i;
    }
  }
}

constexpr Types kTypes[] = {
    {DataType::Int8, DataType::Int8, DataType::Int8},
    {DataType::UInt8, DataType::UInt8, DataType::UInt8},
    {DataType::UInt8, DataType::Int8, DataType::UInt8},
    {DataType::UInt8, DataType::Int8, DataType::Int8},
    {DataType::Int16, DataType::Int8, DataType::Int16},
    {DataType::Int8, DataType::Int8, DataType::Int32},
    {DataType::UInt8, DataType::Int8, DataType::Int32},
    {DataType::Int16, DataType::Int8, DataType::Int64},
    {DataType::Float32, DataType::Float32, DataType::Float32},
    {DataType::Float16, DataType::Float16, DataType::Float16},
};

INSTANTIATE_TEST_SUITE_P(All, WindowConvTest,
                         testing::Combine(testing::Values(WindowConvForm::Dense, WindowConvForm::Depthwise,
                                                          WindowConvForm::Transposed),
                                          testing::ValuesIn(kTypes)));

/// The same bytes less 128, as in the signed form of a network.
FeatureMap signedForm(FeatureMap map, TestSram &sram) {
  for (uint32_t y = 0; y < map.height; ++y)
    for (uint32_t x = 0; x < map.width; ++x)
      for (uint32_t c = 0; c < map.channels; ++c) {
        FeatureMap bytes = map;
        sram.set(bytes, y, x, c, sram.get(map, y, x, c) - 128);
      }
  map.type = DataType::Int8;
  map.zeroPoint -= 128;
  return map;
}

TEST(WindowConvCouplingTest, SignedAndUnsignedFormsAgree) {
  auto target = testTarget();
  for (uint32_t seed = 0; seed < 40; ++seed) {
    Random random(seed);
    TestSram sram(1 << 17);
    ConvCase c = makeConv(static_cast<WindowConvForm>(seed % 3), {DataType::UInt8, DataType::UInt8, DataType::UInt8},
                          sram, random);
    checkAndRun(*target, c.command, sram);
    std::vector<double> expected = sram.values(c.output());
    for (FeatureMap *map : {&c.command.inputs[0], &c.command.inputs[1], &c.command.outputs[0]})
      *map = signedForm(*map, sram);
    c.parameters.clamp = wholeRange(DataType::Int8);
    c.pack();
    checkAndRun(*target, c.command, sram);
    std::vector<double> results = sram.values(c.output());
    for (size_t i = 0; i < results.size(); ++i)
      ASSERT_EQ(results[i], expected[i] - 128) << "seed " << seed;
  }
}

/// A dense copy of some rows and channels of a map.
FeatureMap copyOf(const FeatureMap &map, const std::vector<uint32_t> &rows, uint32_t firstChannel, uint32_t channels,
                  TestSram &sram, Random &random) {
  FeatureMap copy =
      sram.map(map.type, static_cast<uint32_t>(rows.size()), map.width, channels, Placement::Dense, random);
  copy.zeroPoint = map.zeroPoint;
  for (uint32_t y = 0; y < copy.height; ++y)
    for (uint32_t x = 0; x < copy.width; ++x)
      for (uint32_t c = 0; c < channels; ++c)
        sram.set(copy, y, x, c, sram.get(map, rows[y], x, firstChannel + c));
  return copy;
}

/// A dense convolution in sections of the sum.
class ConvSections {
public:
  ConvSections(const ConvCase &whole, TestSram &sram, Random &random)
      : whole_(whole), sram_(sram), random_(random),
        state_(sram.map(whole.features().type == DataType::Int16 ? DataType::Int64 : DataType::Int32,
                        whole.output().height, whole.output().width, whole.output().channels, Placement::Dense,
                        random)) {}

  /// Kernel rows [first, end). The image starts at the first row that one of them may read.
  DspCommand ofRows(uint32_t first, uint32_t end) {
    const Window &w = whole_.parameters.window;
    const uint32_t skipped = first * w.dilationHeight, dropped = skipped - std::min(skipped, w.padTop);
    WindowConvParameters p = whole_.parameters;
    p.window.kernelHeight = end - first;
    p.window.padTop -= std::min(skipped, w.padTop);
    DspCommand command = whole_.command;
    FeatureMap &features = command.inputs[0];
    if (dropped < features.height)
      features = copyOf(features, range(dropped, features.height), 0, features.channels, sram_, random_);
    else
      p.window.padTop = 1000; // no tap is in the image
    std::vector<uint32_t> rows;
    for (uint32_t o = 0; o < whole_.output().channels; ++o)
      for (uint32_t row = first; row < end; ++row)
        rows.push_back(o * w.kernelHeight + row);
    command.inputs[1] = copyOf(whole_.filter(), rows, 0, whole_.filter().channels, sram_, random_);
    return continued(command, p, {first == 0, end == w.kernelHeight, first, w.kernelHeight});
  }

  /// Input channels [first, end) of a window of one pixel.
  DspCommand ofChannels(uint32_t first, uint32_t end) {
    DspCommand command = whole_.command;
    for (FeatureMap *map : {&command.inputs[0], &command.inputs[1]})
      *map = copyOf(*map, range(0, map->height), first, end - first, sram_, random_);
    const uint32_t channels = whole_.features().channels;
    return continued(command, whole_.parameters, {first == 0, end == channels, first, channels});
  }

private:
  static std::vector<uint32_t> range(uint32_t begin, uint32_t end) {
    std::vector<uint32_t> rows(end - begin);
    std::iota(rows.begin(), rows.end(), begin);
    return rows;
  }

  DspCommand continued(DspCommand command, const WindowConvParameters &p, const Section &section) const {
    command.parameters = packParameters(p);
    for (uint32_t word : packParameters(section))
      command.parameters.push_back(word);
    if (!section.isFirst)
      command.inputs.push_back(state_);
    if (!section.isLast)
      command.outputs = {state_};
    return command;
  }

  const ConvCase &whole_;
  TestSram &sram_;
  Random &random_;
  const FeatureMap state_;
};

/// Dense, of one image, with a window of one pixel on request.
ConvCase makeSectionCase(Types types, bool isPixel, TestSram &sram, Random &random) {
  for (;;) {
    ConvCase c = makeConv(WindowConvForm::Dense, types, sram, random);
    const Window &w = c.parameters.window;
    if (c.parameters.batch == 1 && c.parameters.groups == 1 &&
        (isPixel ? w.kernelHeight * w.kernelWidth == 1 && c.features().channels > 1 : w.kernelHeight > 1))
      return c;
  }
}

class WindowConvSections : public testing::TestWithParam<Types> {};

TEST_P(WindowConvSections, EqualTheWhole) {
  auto target = testTarget();
  for (uint32_t seed = 0; seed < 40; ++seed) {
    Random random(seed);
    TestSram sram(1 << 22);
    const bool isPixel = seed % 2 == 0;
    const ConvCase c = makeSectionCase(GetParam(), isPixel, sram, random);
    checkAndRun(*target, c.command, sram);
    const std::vector<double> expected = sram.values(c.output());
    sram.setValues(c.output(), std::vector<double>(expected.size(), 1));
    ConvSections sections(c, sram, random);
    const uint32_t length = isPixel ? c.features().channels : c.parameters.window.kernelHeight;
    for (uint32_t begin = 0, end; begin < length; begin = end) {
      end = std::min(length, begin + upTo(random, 2));
      checkAndRun(*target, isPixel ? sections.ofChannels(begin, end) : sections.ofRows(begin, end), sram);
    }
    ASSERT_EQ(sram.values(c.output()), expected) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(All, WindowConvSections, testing::ValuesIn(kTypes));

TEST(WindowConvSectionRules, AreChecked) {
  auto target = testTarget();
  Random random(5);
  TestSram sram(1 << 22);
  const ConvCase c = makeSectionCase(kTypes[0], false, sram, random);
  ConvSections sections(c, sram, random);
  const auto isLegal = [&](const DspCommand &command) { return findKernel(command)->check(*target, command).isOk(); };
  const uint32_t rows = c.parameters.window.kernelHeight;
  const DspCommand first = sections.ofRows(0, 1), last = sections.ofRows(rows - 1, rows);
  ASSERT_TRUE(isLegal(first) && isLegal(last));
  DspCommand broken = first;
  broken.outputs[0].type = DataType::Int64;
  EXPECT_FALSE(isLegal(broken)) << "state of another type";
  broken = last, broken.inputs.pop_back();
  EXPECT_FALSE(isLegal(broken)) << "no state";
  broken = last;
  ++broken.inputs.back().channels;
  EXPECT_FALSE(isLegal(broken)) << "state of another shape";
  broken = first, broken.parameters.end()[-3] = 2;
  EXPECT_FALSE(isLegal(broken)) << "isLast";
  broken = first;
  broken.parameters[0] = static_cast<uint32_t>(WindowConvForm::Transposed);
  EXPECT_FALSE(isLegal(broken)) << "form";
}

/// Changes of a legal command that break one rule each.
struct BrokenConv {
  const char *name;
  std::function<void(ConvCase &)> breakRule;
};

void PrintTo(const BrokenConv &broken, std::ostream *out) { *out << broken.name; }

const BrokenConv kBrokenConvs[] = {
    {"form", [](ConvCase &c) { c.parameters.form = static_cast<WindowConvForm>(3); }},
    {"noBatch", [](ConvCase &c) { c.parameters.batch = 0; }},
    {"oddBatch", [](ConvCase &c) { c.parameters.batch = 0x80000001; }},
    {"noGroups", [](ConvCase &c) { c.parameters.groups = 0; }},
    {"manyGroups", [](ConvCase &c) { c.parameters.groups = 0xFFFFFFFF; }},
    {"noStride", [](ConvCase &c) { c.parameters.window.strideHeight = 0; }},
    {"noStrideWidth", [](ConvCase &c) { c.parameters.window.strideWidth = 0; }},
    {"noDilation", [](ConvCase &c) { c.parameters.window.dilationWidth = 0; }},
    {"hugeDilation", [](ConvCase &c) { c.parameters.window.dilationHeight = 0xFFFFFFFF; }},
    {"noKernel", [](ConvCase &c) { c.parameters.window.kernelWidth = 0; }},
    {"hugeKernel", [](ConvCase &c) { c.parameters.window.kernelHeight = 0x80000000; }},
    {"kernelOfOtherFilter", [](ConvCase &c) { ++c.parameters.window.kernelHeight; }},
    {"widthOfOtherFilter", [](ConvCase &c) { ++c.parameters.window.kernelWidth; }},
    {"filterChannels", [](ConvCase &c) { ++c.command.inputs[1].channels; }},
    {"biasFlag", [](ConvCase &c) { c.parameters.hasBias = 2; }},
    {"biasMissing", [](ConvCase &c) { c.command.inputs.erase(c.command.inputs.begin() + 2); }},
    {"biasType", [](ConvCase &c) { c.command.inputs[2].type = DataType::Float32; }},
    {"biasLength", [](ConvCase &c) { --c.command.inputs[2].channels; }},
    {"scalesLength", [](ConvCase &c) { c.command.inputs[3].channels = 3; }},
    {"scalesType", [](ConvCase &c) { c.command.inputs[3].type = DataType::Float32; }},
    {"noScales", [](ConvCase &c) { c.command.inputs.pop_back(); }},
    {"filterType", [](ConvCase &c) { c.command.inputs[1].type = DataType::Int16; }},
    {"outputType", [](ConvCase &c) { c.command.outputs[0].type = DataType::Bool8; }},
    {"gaps", [](ConvCase &c) { c.command.inputs[1].rowStride += 8; }},
    {"emptyClamp", [](ConvCase &c) { c.parameters.clamp = {5, 4}; }},
};

class BrokenWindowConvTest : public testing::TestWithParam<BrokenConv> {};

TEST_P(BrokenWindowConvTest, IsRefused) {
  auto target = testTarget();
  Random random(3);
  TestSram sram;
  ConvCase c;
  c.command.kernel = *dspKernelNumber("windowConv");
  c.parameters.batch = 2;
  c.parameters.window.kernelHeight = c.parameters.window.kernelWidth = 2;
  c.parameters.hasBias = 1;
  c.command.inputs = {dense(DataType::Int8, 6, 3, 3, sram, random), dense(DataType::Int8, 8, 2, 3, sram, random)};
  c.command.outputs = {dense(DataType::Int8, 4, 2, 4, sram, random)};
  addBias(c, sram, random);
  addScales(c, true, sram, random);
  c.pack();
  const Kernel *kernel = findKernel(c.command);
  ASSERT_TRUE(kernel->check(*target, c.command).isOk()) << kernel->check(*target, c.command).toString();
  GetParam().breakRule(c);
  c.pack();
  EXPECT_FALSE(kernel->check(*target, c.command).isOk());
}

INSTANTIATE_TEST_SUITE_P(All, BrokenWindowConvTest, testing::ValuesIn(kBrokenConvs),
                         [](const auto &info) { return info.param.name; });

TEST(WindowConvWordsTest, OtherCountsAreRefused) {
  auto target = testTarget();
  Random random(3);
  TestSram sram;
  ConvCase c = makeConv(WindowConvForm::Dense, kTypes[0], sram, random);
  c.command.parameters.pop_back();
  EXPECT_FALSE(findKernel(c.command)->check(*target, c.command).isOk());
  c.command.parameters.clear();
  EXPECT_FALSE(findKernel(c.command)->check(*target, c.command).isOk());
}

} // namespace
} // namespace avocet::kernels
