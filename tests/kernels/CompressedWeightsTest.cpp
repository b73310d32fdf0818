//===- CompressedWeightsTest.cpp - Convolutions with compressed weights ---===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConvTestSupport.h"

#include "avocet/firmware_iface/TargetEdit.h"
#include "avocet/firmware_iface/WeightLayout.h"
#include "avocet/firmware_iface/WeightStream.h"
#include "avocet/kernels/Kernel.h"

#include "gtest/gtest.h"

#include <algorithm>

namespace avocet::kernels {
namespace {

using namespace firmware;

WeightLayout layoutOf(const Target &target, const ConvCommand &command) {
  const Window &w = command.window;
  return *WeightLayout::create(target.mac(), command.kind,
                               {command.output.channels, w.kernelHeight, w.kernelWidth, command.input.channels},
                               sizeOf(command.weightType));
}

void checkAndRun(const Target &target, const ConvCommand &command, TestSram &sram) {
  const Kernel *kernel = findKernel(command);
  const Status status = kernel->check(target, command);
  ASSERT_TRUE(status.isOk()) << status.toString();
  kernel->run(target, command, sram.bytes());
}

struct Family {
  const char *name, *target;
  ConvFamily family;
};

ConvFamily floats(ConvKind kind, DataType type) {
  return {.kind = kind,
          .scaling = OutputScaling::Float,
          .input = type,
          .weight = type,
          .output = type,
          .areWeightsScaled = true};
}

const Family kFamilies[] = {
    {"DenseInt8", "e256", {}},
    {"DenseUInt8", "m512", {.input = DataType::UInt8, .weight = DataType::UInt8, .output = DataType::UInt8}},
    {"DenseInt16",
     "e256",
     {.scaling = OutputScaling::RequantizeWide,
      .input = DataType::Int16,
      .weight = DataType::Int16,
      .output = DataType::Int16}},
    {"DepthwiseInt8", "e256", {.kind = ConvKind::Depthwise}},
    {"Hybrid", "p4096", {.scaling = OutputScaling::Dynamic, .output = DataType::Float32}},
    {"DenseFloat32", "e256", floats(ConvKind::Dense, DataType::Float32)},
    {"DenseFloat16", "m512", floats(ConvKind::Dense, DataType::Float16)},
    {"DepthwiseFloat32", "e256", floats(ConvKind::Depthwise, DataType::Float32)},
};

class CompressedWeightsTest : public testing::TestWithParam<Family> {
protected:
  std::shared_ptr<const Target> target_ = *Target::load(GetParam().target);
};

TEST_P(CompressedWeightsTest, GiveTheBitsOfPackedOnes) {
  for (uint32_t seed = 300; seed < 330; ++seed) {
    Random random(seed);
    TestSram sram;
    ConvCommand command = makeConvCase(GetParam().family, *target_, sram, random).command;
    checkAndRun(*target_, command, sram);
    const std::vector<double> expected = sram.values(command.output);
    sram.setValues(command.output, std::vector<double>(expected.size()));
    compressWeights(*target_, command, sram);
    checkAndRun(*target_, command, sram);
    ASSERT_EQ(sram.values(command.output), expected) << "seed " << seed;
    // The parts that several host threads compute.
    sram.setValues(command.output, std::vector<double>(expected.size()));
    for (const CommandBody &share : findKernel(command)->shares(*target_, command, 3))
      findKernel(command)->run(*target_, share, sram.bytes());
    if (!findKernel(command)->shares(*target_, command, 3).empty())
      ASSERT_EQ(sram.values(command.output), expected) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Families, CompressedWeightsTest, testing::ValuesIn(kFamilies),
                         [](const auto &info) { return info.param.name; });

/// A dense convolution of 64 channels with weights that are all 1.
class CompressedSliceTest : public testing::Test {
protected:
  CompressedSliceTest() {
    Random random(7);
    conv_ = makeConvCase({.pointwise = true, .mostChannels = 24}, *target_, sram_, random);
    write(1);
  }

  void write(int8_t weight) {
    const WeightLayout layout = layoutOf(*target_, conv_.command);
    std::vector<uint8_t> plain(layout.bytes(), static_cast<uint8_t>(weight));
    const auto encoder = WeightEncoder::create(plain, {1, layout.granuleBytes(), plain.size()});
    slice_.resize(encoder->sliceBytes(0, encoder->granules()));
    encoder->encode(0, encoder->granules(), slice_);
    ConvCommand &command = conv_.command;
    if (command.weightFormat == WeightFormat::Packed)
      command.weights = sram_.allocate(slice_.size() + 64);
    command.weightFormat = WeightFormat::Compressed;
    command.weightBytes = static_cast<uint32_t>(slice_.size());
    command.sliceChannels = command.output.channels;
    std::ranges::copy(slice_, sram_.at<uint8_t>(command.weights));
  }

  std::vector<double> outputs() {
    checkAndRun(*target_, conv_.command, sram_);
    return sram_.values(conv_.command.output);
  }

  std::shared_ptr<const Target> target_ = *Target::load("e256");
  TestSram sram_;
  ConvCase conv_;
  std::vector<uint8_t> slice_;
};

TEST_F(CompressedSliceTest, OtherContentsAtTheSameAddressCount) {
  const std::vector<double> ones = outputs();
  write(2);
  const std::vector<double> twos = outputs();
  EXPECT_NE(ones, twos);
  write(1);
  EXPECT_EQ(outputs(), ones);
}

TEST_F(CompressedSliceTest, DamagedHeaderMeansZeroWeights) {
  write(0);
  const std::vector<double> zeros = outputs();
  write(1);
  ASSERT_NE(outputs(), zeros);
  sram_.at<uint8_t>(conv_.command.weights)[0] ^= 1;
  EXPECT_EQ(outputs(), zeros);
}

TEST_F(CompressedSliceTest, DamageChangesNothingButResults) {
  outputs();
  const std::vector<uint8_t> before(sram_.bytes().begin(), sram_.bytes().end());
  const std::vector<double> results = sram_.values(conv_.command.output);
  for (size_t byte = 0; byte < slice_.size(); ++byte)
    for (uint8_t bit = 1; bit; bit = static_cast<uint8_t>(bit << 1)) {
      uint8_t &damaged = sram_.at<uint8_t>(conv_.command.weights)[byte];
      damaged ^= bit;
      outputs();
      damaged ^= bit;
      sram_.setValues(conv_.command.output, results);
      ASSERT_TRUE(std::ranges::equal(sram_.bytes(), before)) << "byte " << byte;
    }
}

TEST_F(CompressedSliceTest, PortMovesTheShareOfStoredBytes) {
  ConvCommand &command = conv_.command;
  command.output.channels = 16;
  command.output.pixelStride = 16;
  command.output.rowStride = 16 * command.output.width;
  command.block = {command.output.height, command.output.width, 16};
  command.sliceChannels = 32;
  command.firstSliceChannel = 16;
  command.weightBytes = 320;
  ASSERT_TRUE(findKernel(command)->check(*target_, command).isOk());
  const TileCost cost = findKernel(command)->cost(*target_, command);
  EXPECT_EQ(cost.runs[0].weightBytes, 16u * (320 / 32 + 12)) << "10 bytes of the slice and a record per channel";
}

struct Broken {
  const char *message;
  void (*breakIt)(ConvCommand &);
};

const Broken kBroken[] = {
    {"sliceChannels", [](ConvCommand &c) { c.sliceChannels = c.output.channels - 1; }},
    {"sliceChannels", [](ConvCommand &c) { c.sliceChannels = UINT32_MAX; }},
    {"sliceChannels", [](ConvCommand &c) { c.firstSliceChannel = UINT32_MAX; }},
    {"firstSliceChannel", [](ConvCommand &c) { c.firstSliceChannel = 3, c.sliceChannels += 64; }},
    {"output.channels", [](ConvCommand &c) { c.sliceChannels = 24, c.output.channels = 12, c.block.channels = 8; }},
    {"weightFormat", [](ConvCommand &c) { c.weightFormat = static_cast<WeightFormat>(2); }},
    {"sliceChannels", [](ConvCommand &c) { c.weightFormat = WeightFormat::Packed, c.weightBytes = 0; }},
};

TEST_F(CompressedSliceTest, FloatsNeedTheirDecoder) {
  Random random(3);
  TestSram sram;
  ConvCommand command = makeConvCase(floats(ConvKind::Dense, DataType::Float32), *target_, sram, random).command;
  compressWeights(*target_, command, sram);
  EXPECT_TRUE(findKernel(command)->check(*target_, command).isOk());
  const std::string text = changedTargetText(*target_, {{{"mac.scaledDecodeRate", "0"}}}, "former", "a device").value();
  const Status status = findKernel(command)->check(**Target::parse(text, "former"), command);
  EXPECT_NE(status.toString().find("weightFormat"), std::string::npos) << status.toString();
}

TEST_F(CompressedSliceTest, ScalesTakeTimeOfTheDecoder) {
  const std::string text = changedTargetText(*target_, {{{"mac.scaledDecodeRate", "1"}}}, "slow", "a device").value();
  const Result<std::shared_ptr<const Target>> slow = Target::parse(text, "slow");
  ConvFamily family = floats(ConvKind::Dense, DataType::Float32);
  family.pointwise = true;
  uint64_t cycles = 0, slowCycles = 0;
  for (uint32_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    TestSram sram;
    ConvCommand command = makeConvCase(family, *target_, sram, random).command;
    compressWeights(*target_, command, sram);
    command.output.height = command.output.width = 1;
    command.block.height = command.block.width = 1;
    command.block.channels = command.output.channels;
    cycles += findKernel(command)->cost(*target_, command).runs[0].computeCycles;
    const uint64_t alone = findKernel(command)->cost(**slow, command).runs[0].computeCycles;
    EXPECT_GE(alone, uint64_t{command.output.channels} * command.input.channels) << "a weight per cycle";
    slowCycles += alone;
  }
  EXPECT_GT(slowCycles, cycles);
}

TEST_F(CompressedSliceTest, CheckNamesTheBrokenField) {
  for (const Broken &broken : kBroken) {
    ConvCommand command = conv_.command;
    broken.breakIt(command);
    if (command.weightFormat == WeightFormat::Packed)
      command.weightBytes = static_cast<uint32_t>(layoutOf(*target_, command).bytes());
    const Status status = findKernel(command)->check(*target_, command);
    EXPECT_FALSE(status.isOk());
    EXPECT_NE(status.toString().find(broken.message), std::string::npos) << status.toString();
  }
}

} // namespace
} // namespace avocet::kernels
