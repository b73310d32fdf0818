//===- RobustnessTest.cpp - Commands with odd fields ----------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Replaces one to three fields of legal commands of every kernel by odd values. Every command that check() accepts and
// whose footprint lies inside SRAM must run without an access outside it. The test detects most under ASan and UBSan,
// where SRAM is a separate allocation.
//
//===----------------------------------------------------------------------===//

#include "CellCommands.h"
#include "ConvTestSupport.h"
#include "NormalizeSamples.h"

#include "avocet/firmware_iface/Footprint.h"
#include "avocet/firmware_iface/Reflection.h"
#include "avocet/kernels/Quantization.h"
#include "avocet/kernels/dsp/Binary.h"
#include "avocet/kernels/dsp/Detection.h"
#include "avocet/kernels/dsp/Fourier.h"
#include "avocet/kernels/dsp/Mean.h"
#include "avocet/kernels/dsp/Quantize.h"
#include "avocet/kernels/dsp/Reduce.h"
#include "avocet/kernels/dsp/Regions.h"
#include "avocet/kernels/dsp/Scan.h"
#include "avocet/kernels/dsp/Scatter.h"
#include "avocet/kernels/dsp/Section.h"
#include "avocet/kernels/dsp/Softmax.h"
#include "avocet/kernels/dsp/Sort.h"
#include "avocet/kernels/dsp/Suppression.h"
#include "avocet/kernels/dsp/Unary.h"
#include "avocet/kernels/dsp/WideFunctions.h"
#include "avocet/kernels/dsp/Window.h"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace avocet::kernels {
namespace {

using namespace firmware;

constexpr size_t kSramBytes = 64 * 1024;

/// Every 32-bit field of a command.
template <typename T> void collectFields(T &value, std::vector<void *> &fields) {
  if constexpr (Reflected<T>)
    T::visitFields(value, [&](const char *, auto &field) { collectFields(field, fields); });
  else if constexpr (WireList<T>)
    for (auto &element : value)
      collectFields(element, fields);
  else if constexpr (sizeof(T) == 4)
    fields.push_back(&value);
}

void replaceFields(CommandBody &command, Random &random) {
  std::vector<void *> fields;
  std::visit([&](auto &body) { collectFields(body, fields); }, command);
  constexpr uint32_t kOdd[] = {0, 1, 2, 3, 4, 7, 8, 100, 255, 65535, 0x00010000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF};
  for (int count = pick(random, 1, 3); count > 0; --count) {
    void *field = fields[random() % fields.size()];
    uint32_t word;
    std::memcpy(&word, field, sizeof(word));
    word = random() % 2 != 0 ? kOdd[random() % std::size(kOdd)] : word + static_cast<uint32_t>(pick(random, -2, 2));
    std::memcpy(field, &word, sizeof(word));
  }
}

bool staysInside(const CommandBody &command) {
  std::vector<ByteRange> ranges;
  appendFootprint(command, ranges);
  return std::all_of(ranges.begin(), ranges.end(), [](const ByteRange &range) { return range.end <= kSramBytes; });
}

using Maker = CommandBody (*)(const Target &, TestSram &, Random &);

FeatureMap smallMap(DataType type, TestSram &sram, Random &random) {
  FeatureMap map = sram.map(type, 3, 4, 10, Placement::Scattered, random);
  sram.fill(map, random);
  return map;
}

CommandBody makeConv(ConvKind kind, OutputScaling scaling, DataType type, DataType output, const Target &target,
                     TestSram &sram, Random &random) {
  ConvFamily family{kind, scaling, type, type == DataType::Int16 ? DataType::Int8 : type, output, false, 12};
  return makeConvCase(family, target, sram, random).command;
}

/// Weights in a slice; sometimes one with a damaged byte.
CommandBody makeCompressed(const Target &target, TestSram &sram, Random &random) {
  ConvFamily family;
  family.kind = random() % 2 != 0 ? ConvKind::Dense : ConvKind::Depthwise;
  family.mostChannels = 12;
  ConvCommand command = makeConvCase(family, target, sram, random).command;
  compressWeights(target, command, sram);
  if (random() % 2 != 0)
    sram.at<uint8_t>(command.weights)[random() % command.weightBytes] ^= static_cast<uint8_t>(1 + random() % 255);
  return command;
}

CommandBody makePool(const Target &, TestSram &sram, Random &random) {
  PoolCommand c;
  c.kind = random() % 2 != 0 ? PoolKind::Max : PoolKind::Average;
  c.input = smallMap(DataType::Int8, sram, random);
  c.output = smallMap(DataType::Int8, sram, random);
  c.window.kernelHeight = c.window.kernelWidth = 2;
  return c;
}

CommandBody makeEltwise(const Target &, TestSram &sram, Random &random) {
  EltwiseCommand c;
  c.kind = static_cast<EltwiseKind>(random() % 5);
  DataType type = random() % 2 != 0 ? DataType::Int8 : DataType::UInt8;
  c.inputA = smallMap(type, sram, random);
  c.inputB = smallMap(type, sram, random);
  c.output = smallMap(type, sram, random);
  c.leftShift = 20;
  c.rescaleA = c.rescaleB = c.rescaleOutput = quantizeMultiplier(0.3);
  return c;
}

CommandBody makeLookup(const Target &, TestSram &sram, Random &random) {
  LookupCommand c;
  c.input = smallMap(DataType::Int8, sram, random);
  c.output = smallMap(DataType::Int8, sram, random);
  c.table = sram.allocate(256);
  return c;
}

CommandBody makeSoftmax(const Target &, TestSram &sram, Random &random) {
  FeatureMap out = smallMap(DataType::Int8, sram, random);
  out.zeroPoint = -128;
  return makeDsp("softmax", prepareSoftmax(1, 0.1f), {smallMap(DataType::Int8, sram, random)}, {out});
}

CommandBody makeMean(const Target &, TestSram &sram, Random &random) {
  FeatureMap in = smallMap(DataType::Int8, sram, random), out = smallMap(DataType::Int8, sram, random);
  out.height = 1;
  return makeDsp("mean", prepareMean(0.1f, 0.2f, in.height), {in}, {out});
}

CommandBody makeDynamicConversion(const FeatureMap &floats, const FeatureMap &bytes, TestSram &sram, Random &random) {
  const DynamicQuantizeParameters parameters{static_cast<uint32_t>(random() % 2)};
  const FeatureMap record = sram.map(DataType::Int8, 1, 1, 8, Placement::Dense, random);
  const FeatureMap range = sram.map(DataType::Float32, 1, 1, 2, Placement::Dense, random);
  const FeatureMap ranges = sram.map(DataType::Float32, floats.height, 1, 2, Placement::Dense, random);
  switch (random() % 4) {
  case 0: {
    DspCommand command = dspCommand("rowRange", {});
    command.inputs = {floats};
    command.outputs = {ranges};
    return command;
  }
  case 1:
    return makeDsp("dynamicRecord", parameters, {ranges}, {range, record});
  case 2:
    return makeDsp("dynamicValues", parameters, {floats, range}, {bytes});
  default:
    return makeDsp("dynamicQuantize", parameters, {floats}, {bytes, record});
  }
}

CommandBody makeConversion(const Target &, TestSram &sram, Random &random) {
  FeatureMap bytes = smallMap(DataType::Int8, sram, random), floats = smallMap(DataType::Float32, sram, random);
  switch (random() % 8) {
  case 0:
    return makeDsp("quantize", QuantizeParameters{0.1f}, {floats}, {bytes});
  case 1:
    return makeDsp("dequantize", QuantizeParameters{0.1f}, {bytes}, {floats});
  case 2:
    return makeDsp("requantize", RequantizeParameters{1 << 30, 0}, {bytes}, {smallMap(DataType::UInt8, sram, random)});
  case 3:
    return makeDsp(
        "requantize", RequantizeParameters{.rounding = Rounding::Single},
        {smallMap(DataType::Int64, sram, random), sram.map(DataType::Int64, 1, 1, 10, Placement::Dense, random)},
        {bytes});
  default:
    return makeDynamicConversion(floats, bytes, sram, random);
  }
}

CommandBody makeUnary(const Target &, TestSram &sram, Random &random) {
  auto function = static_cast<UnaryFunction>(random() % kNumUnaryFunctions);
  if (function == UnaryFunction::LogicalNot)
    function = UnaryFunction::Clamp;
  // The only other function without a form for floats.
  const DataType type = function == UnaryFunction::LeadingZeros ? DataType::Int32 : DataType::Float32;
  return makeDsp("unary", UnaryParameters{function, 0, 1}, {smallMap(type, sram, random)},
                 {smallMap(type, sram, random)});
}

CommandBody makeWide(const Target &, TestSram &sram, Random &random) {
  FeatureMap in = smallMap(DataType::Int16, sram, random), out = smallMap(DataType::Int16, sram, random);
  if (random() % 2 != 0)
    return makeDsp("softmax", prepareWideSoftmax(1, 0.001f), {in}, {out});
  auto function = static_cast<WideSigmoidFunction>(random() % 2);
  return makeDsp("wideSigmoid", prepareWideSigmoid(function, 0.001f), {in}, {out});
}

CommandBody makeBinary(const Target &, TestSram &sram, Random &random) {
  BinaryParameters parameters;
  parameters.kind = static_cast<BinaryKind>(random() % 3);
  parameters.rescaleA = parameters.rescaleB = parameters.rescaleOutput = quantizeMultiplier(0.3);
  if (random() % 2 != 0)
    return makeDsp("binary", parameters,
                   {smallMap(DataType::Int8, sram, random), smallMap(DataType::Int8, sram, random)},
                   {smallMap(DataType::Int8, sram, random)});
  auto map = [&](uint32_t elements) { return sram.map(DataType::Int8, 1, 1, elements, Placement::Dense, random); };
  parameters.shape = {3, {4, 5, 6}, {30, 6, 1}, {6, 0, 1}};
  return makeDsp("binary", parameters, {map(120), map(24)}, {map(120)});
}

CommandBody makeArgReduce(const Target &, TestSram &sram, Random &random) {
  FeatureMap in = sram.map(DataType::UInt8, 3, 1, 24, Placement::Scattered, random);
  return makeDsp("argReduce", ArgReduceParameters{uint32_t(random() % 2), 3, 4}, {in},
                 {sram.map(DataType::Int32, 3, 1, 8, Placement::Scattered, random)});
}

CommandBody makeReduce(const Target &, TestSram &sram, Random &random) {
  ReduceParameters parameters;
  parameters.kind = static_cast<ReduceKind>(2 + random() % 3);
  parameters.multiplier = 1 << 30;
  parameters.rank = 3;
  parameters.extents = {2, 3, 4};
  parameters.reducedAxes = 2;
  FeatureMap in = sram.map(DataType::Int8, 3, 1, 24, Placement::Scattered, random);
  return makeDsp("reduce", parameters, {in}, {sram.map(DataType::Int8, 3, 1, 8, Placement::Scattered, random)});
}

/// Adds a section of lines to their states.
CommandBody makeSection(TestSram &sram, Random &random) {
  std::vector<uint32_t> words = packParameters(SoftmaxNdParameters{{3, 4, 10}, prepareSoftmax(1, 0.1f)});
  for (uint32_t word : packParameters(LineStep{static_cast<uint32_t>(random() % 3), 0, 40}))
    words.push_back(word);
  const FeatureMap state = sram.map(DataType::Int32, 1, 1, 3 * 10 * kLineStateWords, Placement::Dense, random);
  const FeatureMap section = sram.map(DataType::UInt8, 3, 4, 10, Placement::Dense, random);
  return DspCommand{kSoftmaxNdKernel.number, {section, state}, {words[words.size() - 3] < 2 ? state : section}, words};
}

CommandBody makeLines(const Target &, TestSram &sram, Random &random) {
  auto map = [&](DataType type) { return sram.map(type, 3, 4, 10, Placement::Dense, random); };
  const AxisExtents extents = random() % 2 != 0 ? AxisExtents{3, 4, 10} : AxisExtents{1, 60, 2};
  const DataType real = random() % 2 != 0 ? DataType::Float32 : DataType::Float16;
  switch (random() % 8) {
  case 0:
    return makeSection(sram, random);
  case 1:
    return makeDsp("cumulativeSum", CumulativeSumParameters{extents, 1, 1}, {map(real)}, {map(real)});
  default:
    const NormalizeSample &sample = kNormalizeSamples[random() % std::size(kNormalizeSamples)];
    const DataType type = sample.byteZeroPoint && random() % 2 != 0 ? DataType::UInt8 : real;
    FeatureMap result = map(type);
    result.zeroPoint = sample.resultZeroPoint(type);
    return DspCommand{sample.kernel.number, {map(type)}, {result}, sample.parameters(extents)};
  }
}

CommandBody makeWindowConv(const Target &, TestSram &sram, Random &random) {
  auto map = [&](DataType type, uint32_t height, uint32_t width, uint32_t channels) {
    FeatureMap map = sram.map(type, height, width, channels, Placement::Dense, random);
    sram.fill(map, random);
    return map;
  };
  auto form = static_cast<WindowConvForm>(random() % 3);
  WindowConvParameters p;
  p.window.kernelHeight = p.window.kernelWidth = 2;
  if (random() % 4 == 0) { // a section that continues sums and hands them on
    const FeatureMap scales = map(DataType::Int32, 1, 1, 12), state = map(DataType::Int32, 4, 3, 6);
    auto command = std::get<DspCommand>(makeDsp(
        "windowConv", p, {map(DataType::Int8, 5, 4, 3), map(DataType::Int8, 12, 2, 3), scales, state}, {state}));
    for (uint32_t word : packParameters(Section{0, 0, 1, 4}))
      command.parameters.push_back(word);
    return command;
  }
  p.form = form;
  p.batch = 2;
  p.hasBias = 1;
  bool depthwise = form == WindowConvForm::Depthwise;
  return makeDsp("windowConv", p,
                 {map(DataType::Int8, 6, 4, 3), map(DataType::UInt8, depthwise ? 2 : 12, 2, depthwise ? 6 : 3),
                  map(DataType::Int32, 1, 1, 6), map(DataType::Int32, 1, 1, 12)},
                 {map(DataType::Int8, 4, 3, 6)});
}

CommandBody makeWindowPool(const Target &, TestSram &sram, Random &random) {
  WindowPoolParameters p;
  p.kind = static_cast<WindowPoolKind>(random() % 3);
  p.batch = 2;
  p.window.kernelHeight = p.window.kernelWidth = 2;
  auto map = [&](uint32_t height) {
    FeatureMap map = sram.map(DataType::UInt8, height, 4, 5, Placement::Dense, random);
    sram.fill(map, random);
    return map;
  };
  return makeDsp("windowPool", p, {map(6)}, {map(4)});
}

CommandBody makeTopK(const Target &, TestSram &sram, Random &random) {
  auto map = [&](DataType type, uint32_t width) { return sram.map(type, 3, 1, width, Placement::Dense, random); };
  const DataType type = random() % 2 != 0 ? DataType::UInt8 : DataType::Int64;
  return makeDsp("topK", TopKParameters{3, 6, 4}, {map(type, 6)}, {map(type, 4), map(DataType::Int32, 4)});
}

CommandBody makeRealFourier(const Target &, TestSram &sram, Random &random) {
  auto map = [&](uint32_t height, uint32_t width, uint32_t channels) {
    return sram.map(DataType::Float32, height, width, channels, Placement::Dense, random);
  };
  const uint32_t points = 1u << random() % 5;
  return makeDsp("realFourier", RealFourierParameters{points}, {map(3, 2, 5), map(1, 1, points)},
                 {map(3, 2, points / 2 + 1), map(3, 2, points / 2 + 1)});
}

/// Operands of detectors and regions, with values of any bits.
CommandBody makeDetection(const Target &, TestSram &sram, Random &random) {
  auto map = [&](DataType type, uint32_t height, uint32_t width, uint32_t channels) {
    FeatureMap map = sram.map(type, height, width, channels, Placement::Dense, random);
    sram.fill(map, random);
    return map;
  };
  constexpr DataType kF32 = DataType::Float32, kI32 = DataType::Int32, kU8 = DataType::UInt8;
  switch (random() % 4) {
  case 0: {
    DetectionPostprocessParameters p{.batches = 2, .anchors = 5, .classes = 3};
    p.maxDetections = 2, p.maxClasses = 2;
    return makeDsp("detectionPostprocess", p, {map(kF32, 2, 5, 3), map(kF32, 2, 5, 4), map(kF32, 1, 5, 4)},
                   {map(kF32, 2, 1, 4), map(kF32, 2, 4, 4), map(kI32, 2, 1, 4), map(kI32, 1, 1, 2)});
  }
  case 1:
    return makeDsp("boxTransform", BoxTransformParameters{.boxes = 3, .classes = 2, .images = 2},
                   {map(kF32, 1, 3, 4), map(kF32, 1, 3, 8), map(kI32, 1, 1, 3), map(kF32, 1, 2, 2)},
                   {map(kF32, 1, 3, 8)});
  case 2:
    return makeDsp("heatmapKeypoint", HeatmapKeypointParameters{.boxes = 2, .size = 3, .points = 2},
                   {map(kU8, 6, 3, 2), map(DataType::UInt16, 1, 2, 4)},
                   {map(kU8, 1, 2, 2), map(DataType::UInt16, 2, 2, 2)});
  default:
    RegionsParameters p;
    p.kind = static_cast<RegionKind>(random() % 2);
    p.batches = 2, p.height = 3, p.width = 4, p.channels = 2, p.regions = 3, p.outputHeight = p.outputWidth = 2;
    return makeDsp("regions", p, {map(kU8, 6, 4, 2), map(kF32, 1, 3, 4), map(kI32, 1, 1, 3)}, {map(kU8, 6, 2, 2)});
  }
}

/// Coordinates of any bits, and of any kind.
CommandBody makeScatter(const Target &, TestSram &sram, Random &random) {
  auto map = [&](DataType type, uint32_t width) {
    FeatureMap map = sram.map(type, 1, 1, 3 * width, Placement::Dense, random);
    sram.fill(map, random);
    return map;
  };
  const SliceTable shape{6, 2, 2, {3, 5}};
  const FeatureMap table = map(DataType::UInt8, 10), indices = map(DataType::Int32, 4),
                   slices = map(DataType::UInt8, 4);
  const bool isSection = random() % 2 != 0;
  auto body = random() % 2 != 0 ? makeDsp("gatherNd", shape, {table, indices}, {slices})
                                : makeDsp("scatter", ScatterParameters{shape, static_cast<ScatterKind>(random() % 5)},
                                          {table, indices, slices}, {map(DataType::UInt8, 10)});
  for (uint32_t word : packParameters(Section{1, 1, 1, 7}))
    if (isSection)
      std::get<DspCommand>(body).parameters.push_back(word);
  return body;
}

CommandBody makeSuppression(const Target &, TestSram &sram, Random &random) {
  auto map = [&](DataType type, uint32_t width) {
    FeatureMap map = sram.map(type, 3, 1, width, Placement::Dense, random);
    sram.fill(map, random);
    return map;
  };
  constexpr DataType kF32 = DataType::Float32, kI32 = DataType::Int32;
  switch (random() % 3) {
  case 0:
    return makeDsp("nonMaxSuppression", NonMaxSuppressionParameters{.boxes = 6, .results = 3},
                   {map(kF32, 8), map(kF32, 2)},
                   {map(kI32, 1), map(kF32, 1), sram.map(kI32, 1, 1, 1, Placement::Dense, random)});
  case 1:
    return makeDsp("boxNmsLimit", BoxNmsLimitParameters{.boxes = 6, .classes = 2, .results = 3, .most = 4},
                   {map(kF32, 4), map(kF32, 16), map(kI32, 2)},
                   {map(kF32, 1), map(kF32, 4), map(kI32, 1), map(kI32, 1)});
  default:
    const FeatureMap image = sram.map(kF32, 1, 1, 2, Placement::Dense, random);
    return makeDsp("generateProposals",
                   GenerateProposalsParameters{.height = 3, .width = 2, .anchors = 3, .results = 3},
                   {map(kF32, 6), map(kF32, 24), map(kF32, 4), image}, {map(kF32, 1), map(kF32, 4), map(kI32, 1)});
  }
}

struct MakerCase {
  const char *name;
  Maker make;
};

void PrintTo(const MakerCase &c, std::ostream *out) { *out << c.name; }

const MakerCase kMakers[] = {
    {"denseInt8",
     [](const Target &t, TestSram &s, Random &r) {
       return makeConv(ConvKind::Dense, OutputScaling::Requantize, DataType::Int8, DataType::Int8, t, s, r);
     }},
    {"depthwiseInt8",
     [](const Target &t, TestSram &s, Random &r) {
       return makeConv(ConvKind::Depthwise, OutputScaling::Requantize, DataType::Int8, DataType::Int8, t, s, r);
     }},
    {"denseInt16",
     [](const Target &t, TestSram &s, Random &r) {
       return makeConv(ConvKind::Dense, OutputScaling::RequantizeWide, DataType::Int16, DataType::Int16, t, s, r);
     }},
    {"depthwiseInt16",
     [](const Target &t, TestSram &s, Random &r) {
       return makeConv(ConvKind::Depthwise, OutputScaling::RequantizeWide, DataType::Int16, DataType::Int16, t, s, r);
     }},
    {"denseSums",
     [](const Target &t, TestSram &s, Random &r) {
       return makeConv(ConvKind::Dense, OutputScaling::Sums, DataType::Int8, DataType::Int32, t, s, r);
     }},
    {"depthwiseWideSums",
     [](const Target &t, TestSram &s, Random &r) {
       return makeConv(ConvKind::Depthwise, OutputScaling::SumsWide, DataType::Int16, DataType::Int64, t, s, r);
     }},
    {"denseFloat",
     [](const Target &t, TestSram &s, Random &r) {
       return makeConv(ConvKind::Dense, OutputScaling::Float, DataType::Float32, DataType::Float32, t, s, r);
     }},
    {"depthwiseFloat",
     [](const Target &t, TestSram &s, Random &r) {
       return makeConv(ConvKind::Depthwise, OutputScaling::Float, DataType::Float32, DataType::Float32, t, s, r);
     }},
    {"denseDynamic",
     [](const Target &t, TestSram &s, Random &r) {
       return makeConv(ConvKind::Dense, OutputScaling::Dynamic, DataType::Int8, DataType::Float32, t, s, r);
     }},
    {"pool", makePool},
    {"eltwise", makeEltwise},
    {"lookup", makeLookup},
    {"softmax", makeSoftmax},
    {"wide", makeWide},
    {"mean", makeMean},
    {"conversion", makeConversion},
    {"unary", makeUnary},
    {"compressed", makeCompressed},
    {"binary", makeBinary},
    {"reduce", makeReduce},
    {"argReduce", makeArgReduce},
    {"lstm", makeLstm},
    {"lstmSteps", makeLstmSteps},
    {"lines", makeLines},
    {"lstmCell", makeLstmCell},
    {"smallCell", makeSmallCell},
    {"byteLstmCell", makeByteLstmCell},
    {"byteCell", makeByteCell},
    {"multinomial", makeMultinomial},
    {"windowConv", makeWindowConv},
    {"windowPool", makeWindowPool},
    {"topK", makeTopK},
    {"realFourier", makeRealFourier},
    {"detection", makeDetection},
    {"scatter", makeScatter},
    {"suppression", makeSuppression},
};

class RobustnessTest : public testing::TestWithParam<MakerCase> {};

TEST_P(RobustnessTest, AcceptedCommandsStayInsideSram) {
  auto target = testTarget();
  int accepted = 0, rejected = 0;
  for (uint32_t seed = 0; seed < 1500; ++seed) {
    Random random(seed);
    TestSram sram(kSramBytes);
    CommandBody command = GetParam().make(*target, sram, random);
    ASSERT_TRUE(findKernel(command)->check(*target, command).isOk())
        << findKernel(command)->check(*target, command).toString();
    replaceFields(command, random);
    const Kernel *kernel = findKernel(command);
    if (!kernel || !kernel->check(*target, command).isOk() || !staysInside(command)) {
      ++rejected;
      continue;
    }
    ++accepted;
    kernel->run(*target, command, sram.bytes());
  }
  // The test is meaningless unless it has both accepted and rejected commands.
  EXPECT_GT(accepted, 100);
  EXPECT_GT(rejected, 100);
}

INSTANTIATE_TEST_SUITE_P(Kernels, RobustnessTest, testing::ValuesIn(kMakers),
                         [](const auto &info) { return info.param.name; });

} // namespace
} // namespace avocet::kernels
