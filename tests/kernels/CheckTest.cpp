//===- CheckTest.cpp - Legality of commands, and the registry -------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConvTestSupport.h"

#include "avocet/firmware_iface/Codec.h"
#include "avocet/kernels/Quantization.h"
#include "avocet/kernels/dsp/Softmax.h"

#include <gmock/gmock.h>

#include <bit>
#include <functional>
#include <limits>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace avocet::kernels {
namespace {

using namespace firmware;
using testing::HasSubstr;

//===----------------------------------------------------------------------===//
// Registry
//===----------------------------------------------------------------------===//

TEST(RegistryTest, FindsTheKernelOfEachCommand) {
  EXPECT_EQ(findKernel(ConvCommand())->name(), "conv");
  EXPECT_EQ(findKernel(PoolCommand())->name(), "pool");
  EXPECT_EQ(findKernel(EltwiseCommand())->name(), "eltwise");
  EXPECT_EQ(findKernel(LookupCommand())->name(), "lookup");
  EXPECT_EQ(findKernel(WaitCommand()), nullptr);
  EXPECT_EQ(findKernel(DmaCommand()), nullptr);
  DspCommand unknown;
  unknown.kernel = 0xFFFF;
  EXPECT_EQ(findKernel(unknown), nullptr);
}

/// Every compiled model contains these numbers: they must never change, and a new kernel needs a line here.
constexpr std::pair<std::string_view, uint32_t> kDspNumbers[] = {
    {"softmax", 1},
    {"mean", 2},
    {"quantize", 3},
    {"dequantize", 4},
    {"requantize", 5},
    {"dynamicQuantize", 6},
    {"unary", 7},
    {"integerLstm", 8},
    {"floatLstm", 9},
    {"rearrange", 10},
    {"gather", 11},
    {"hashtableLookup", 12},
    {"lshProjection", 13},
    {"resize", 14},
    {"binary", 20},
    {"select", 21},
    {"cast", 22},
    {"reduce", 23},
    {"argReduce", 24},
    {"windowConv", 30},
    {"windowPool", 31},
    {"softmaxNd", 40},
    {"l2Normalize", 41},
    {"localResponse", 42},
    {"instanceNormalize", 43},
    {"lstmCell", 44},
    {"rnnCell", 45},
    {"svdf", 46},
    {"logSoftmax", 47},
    {"rmsNormalize", 48},
    {"integerLstmCell", 50},
    {"quantized16BitLstm", 51},
    {"hybridLstmCell", 52},
    {"hybridRnnCell", 53},
    {"hybridSvdf", 54},
    {"integerSvdf", 55},
    {"randomMultinomial", 56},
    {"topK", 60},
    {"detectionPostprocess", 61},
    {"boxTransform", 62},
    {"boxNmsLimit", 63},
    {"generateProposals", 64},
    {"heatmapKeypoint", 65},
    {"regions", 66},
    {"cumulativeSum", 67},
    {"gatherNd", 70},
    {"scatter", 71},
    {"nonMaxSuppression", 75},
    {"wideSigmoid", 80},
    {"integerLstmSteps", 81},
    {"floatLstmSteps", 82},
    {"rowRange", 83},
    {"dynamicRecord", 84},
    {"dynamicValues", 85},
    {"hybridLstmSteps", 86},
    {"realFourier", 90},
};

TEST(RegistryTest, DspNumbersAreStable) {
  std::vector<std::pair<std::string_view, uint32_t>> found;
  for (const Kernel *kernel : allKernels())
    if (kernel->id().number != 0)
      found.emplace_back(kernel->name(), kernel->id().number);
  EXPECT_THAT(found, testing::ElementsAreArray(kDspNumbers));
}

TEST(RegistryTest, FindsDspKernelByNumberAndName) {
  for (const auto &[name, number] : kDspNumbers) {
    Result<uint32_t> found = dspKernelNumber(name);
    ASSERT_TRUE(found.isOk()) << found.status().toString();
    EXPECT_EQ(*found, number);
    DspCommand command;
    command.kernel = number;
    ASSERT_NE(findKernel(command), nullptr);
    EXPECT_EQ(findKernel(command)->name(), name);
  }
  EXPECT_THAT(dspKernelNumber("nonsense").status().message(), HasSubstr("softmax"));
  EXPECT_EQ(findKernel(DspCommand()), nullptr) << "number 0";
}

TEST(RegistryTest, MacKernelHasTheNameOfItsCommand) {
  for (const CommandBody &body : {CommandBody(ConvCommand()), CommandBody(PoolCommand()), CommandBody(EltwiseCommand()),
                                  CommandBody(LookupCommand())}) {
    EXPECT_EQ(findKernel(body)->name(), nameOf(body));
    EXPECT_FALSE(dspKernelNumber(nameOf(body)).isOk());
  }
}

/// Code that compares identities, and the names in the IR, rely on it.
TEST(RegistryTest, NamesAndNumbersAreUnique) {
  std::set<std::string_view> names;
  std::set<uint32_t> numbers;
  size_t dspKernels = 0;
  for (const Kernel *kernel : allKernels()) {
    EXPECT_TRUE(names.insert(kernel->name()).second) << kernel->name();
    if (kernel->id().number == 0)
      continue;
    ++dspKernels;
    EXPECT_TRUE(numbers.insert(kernel->id().number).second) << kernel->name();
  }
  EXPECT_EQ(numbers.size(), dspKernels);
}

//===----------------------------------------------------------------------===//
// One broken rule at a time
//===----------------------------------------------------------------------===//

ConvCase legalConv() {
  auto target = testTarget();
  Random random(1);
  static TestSram sram;
  return makeConvCase({}, *target, sram, random);
}

struct BrokenConv {
  const char *field; ///< must occur in the message
  std::function<void(ConvCommand &)> breakIt;
};

void PrintTo(const BrokenConv &broken, std::ostream *out) { *out << broken.field; }

const BrokenConv kBrokenConvs[] = {
    {"input.height", [](ConvCommand &c) { c.input.height = 0; }},
    {"input.height", [](ConvCommand &c) { c.input.height = c.input.ringRows + 1; }},
    {"input.width", [](ConvCommand &c) { c.input.width = 0; }},
    {"input.channels", [](ConvCommand &c) { c.input.channels = 0; }},
    {"input.firstRow", [](ConvCommand &c) { c.input.firstRow = c.input.ringRows; }},
    {"input.type", [](ConvCommand &c) { c.input.type = DataType::Bool8, c.input.zeroPoint = 0; }},
    {"input.type", [](ConvCommand &c) { c.input.type = static_cast<DataType>(77); }},
    {"input.zeroPoint", [](ConvCommand &c) { c.input.zeroPoint = 128; }},
    {"input.rowStride", [](ConvCommand &c) { c.input.height = c.input.ringRows = 2, c.input.rowStride = 0; }},
    {"output.pixelStride", [](ConvCommand &c) { c.output.width = 2, c.output.pixelStride = 0; }},
    {"input.type",
     [](ConvCommand &c) {
       c.scaling = OutputScaling::Float, c.input.zeroPoint = c.output.zeroPoint = c.weightZeroPoint = 0;
       c.input.type = c.weightType = c.output.type = DataType::BFloat16;
       c.input.pixelStride *= 2, c.input.rowStride *= 2, c.output.pixelStride *= 2, c.output.rowStride *= 2;
     }},
    {"output.type", [](ConvCommand &c) { c.output.type = DataType::Bool8, c.output.zeroPoint = 0; }},
    {"weights.type", [](ConvCommand &c) { c.weightType = DataType::Int16; }},
    {"weightBytes", [](ConvCommand &c) { ++c.weightBytes; }},
    {"weightZeroPoint", [](ConvCommand &c) { c.weightZeroPoint = -129; }},
    {"weightFormat", [](ConvCommand &c) { c.weightFormat = static_cast<WeightFormat>(9); }},
    {"channelRecords", [](ConvCommand &c) { c.channelRecords = 6; }},
    {"kind", [](ConvCommand &c) { c.kind = static_cast<ConvKind>(5); }},
    {"scaling", [](ConvCommand &c) { c.scaling = static_cast<OutputScaling>(6); }},
    {"rounding", [](ConvCommand &c) { c.rounding = static_cast<Rounding>(3); }},
    {"dynamicScale",
     [](ConvCommand &c) {
       c.scaling = OutputScaling::Dynamic, c.input.zeroPoint = 0;
       c.output.type = DataType::Float32, c.output.zeroPoint = 0, c.output.address = 64;
       c.output.pixelStride = c.output.channels * 4;
       c.output.rowStride = c.output.width * c.output.pixelStride;
     }},
    {"kernelHeight", [](ConvCommand &c) { c.window.kernelHeight = 0; }},
    {"strideWidth", [](ConvCommand &c) { c.window.strideWidth = 0; }},
    {"dilationWidth", [](ConvCommand &c) { c.window.dilationWidth = 0; }},
    {"padding", [](ConvCommand &c) { c.window.padTop = c.window.kernelHeight * c.window.dilationHeight; }},
    {"output Height",
     [](ConvCommand &c) {
       c.output.height = c.output.ringRows = 1000;
       c.output.rowStride = c.output.width * c.output.pixelStride;
     }},
    {"clamp", [](ConvCommand &c) { c.clamp = {5, 4}; }},
    {"clamp", [](ConvCommand &c) { c.clamp = {500, 600}; }},
    {"block.height", [](ConvCommand &c) { c.block.height = 0; }},
    {"block.width", [](ConvCommand &c) { c.block.width = 65; }},
    {"block.channels", [](ConvCommand &c) { c.block.channels = 129; }},
};

class BrokenConvTest : public testing::TestWithParam<BrokenConv> {};

TEST_P(BrokenConvTest, IsRejectedByName) {
  auto target = testTarget();
  ConvCommand command = legalConv().command;
  ASSERT_TRUE(findKernel(command)->check(*target, command).isOk());
  GetParam().breakIt(command);
  Status status = findKernel(command)->check(*target, command);
  ASSERT_FALSE(status.isOk());
  EXPECT_THAT(status.message(), HasSubstr(GetParam().field));
  EXPECT_THAT(status.message(), testing::StartsWith("conv: "));
}

INSTANTIATE_TEST_SUITE_P(Rules, BrokenConvTest, testing::ValuesIn(kBrokenConvs));

TEST(CheckTest, DepthwiseChannelsMustDivide) {
  auto target = testTarget();
  ConvCommand command = legalConv().command;
  command.kind = ConvKind::Depthwise;
  command.input.channels = 2;
  command.output.channels = 3;
  EXPECT_THAT(findKernel(command)->check(*target, command).message(), HasSubstr("multiple of input.channels"));
}

TEST(CheckTest, PoolRejectsDilationAndOtherShapes) {
  auto target = testTarget();
  Random random(1);
  TestSram sram;
  PoolCommand c;
  c.input = sram.map(DataType::Int8, 4, 4, 8, Placement::Dense, random);
  c.output = sram.map(DataType::Int8, 4, 4, 8, Placement::Dense, random);
  const Kernel *kernel = findKernel(c);
  ASSERT_TRUE(kernel->check(*target, c).isOk());
  PoolCommand dilated = c;
  dilated.window.dilationHeight = 2;
  EXPECT_FALSE(kernel->check(*target, dilated).isOk());
  PoolCommand narrow = c;
  narrow.output.channels = 7;
  EXPECT_FALSE(kernel->check(*target, narrow).isOk());
  PoolCommand nan = c;
  nan.input.type = nan.output.type = DataType::Float16;
  nan.clamp = {std::bit_cast<int32_t>(std::numeric_limits<float>::quiet_NaN()), 0};
  EXPECT_FALSE(kernel->check(*target, nan).isOk());
}

TEST(CheckTest, DspOperandCountsAndParameters) {
  auto target = testTarget();
  Random random(1);
  TestSram sram;
  DspCommand c;
  c.kernel = *dspKernelNumber("softmax");
  c.inputs = {sram.map(DataType::Int8, 1, 1, 10, Placement::Dense, random)};
  c.outputs = {sram.map(DataType::Int8, 1, 1, 10, Placement::Dense, random)};
  c.outputs[0].zeroPoint = -128;
  c.parameters = packParameters(prepareSoftmax(1, 0.1f));
  const Kernel *kernel = findKernel(c);
  ASSERT_TRUE(kernel->check(*target, c).isOk()) << kernel->check(*target, c).toString();
  DspCommand twoInputs = c;
  twoInputs.inputs.push_back(c.inputs[0]);
  EXPECT_THAT(kernel->check(*target, twoInputs).message(), HasSubstr("input operands"));
  DspCommand noOutput = c;
  noOutput.outputs.clear();
  EXPECT_THAT(kernel->check(*target, noOutput).message(), HasSubstr("output operands"));
  DspCommand oneWord = c;
  oneWord.parameters.resize(1);
  EXPECT_THAT(kernel->check(*target, oneWord).message(), HasSubstr("parameters"));
  DspCommand shift = c;
  shift.parameters[1] = 32;
  EXPECT_THAT(kernel->check(*target, shift).message(), HasSubstr("shift"));
}

} // namespace
} // namespace avocet::kernels
