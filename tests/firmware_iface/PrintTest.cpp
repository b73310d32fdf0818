//===- PrintTest.cpp - Commands as text ------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RandomCommand.h"
#include "avocet/firmware_iface/Codec.h"

#include <gtest/gtest.h>

#include <set>

using namespace avocet::firmware;

namespace {

TEST(Print, SynchronizationIsShort) {
  EXPECT_EQ(print({kNoLayer, EndCommand{}}), "end");
  EXPECT_EQ(print({kNoLayer, YieldCommand{3, {{0x40, 64}}}}), "yield point=3 live=[0x40+64]");
  EXPECT_EQ(print({4, WaitCommand{2, 7}}), "wait semaphore=2 value=7 layer=4");
  EXPECT_EQ(print({kNoLayer, SignalCommand{2}}), "signal semaphore=2");
}

TEST(Print, DmaShowsBothEnds) {
  DmaCommand dma;
  dma.source = {3, 0x4000, 96, 0, 0};
  dma.destination = {kSramRegion, 0x80, 64, 1, 2};
  dma.runBytes = 64;
  dma.count0 = 14;
  EXPECT_EQ(print({12, dma}), "dma kind=copy source={region2+0x4000 strides 96,0,0} destination={sram+0x80 strides "
                              "64,1,2} runBytes=64 count0=14 count1=1 count2=1 fillValue=0 layer=12");
}

TEST(Print, ConvShowsEveryField) {
  ConvCommand conv;
  conv.kind = ConvKind::Depthwise;
  conv.input = {DataType::Int8, 0x1000, 14, 14, 96, 16, 3, 1344, 96, -128};
  conv.output = {DataType::Int8, 0x8000, 7, 7, 96, 7, 0, 672, 96, 0};
  conv.window = {3, 3, 2, 2, 1, 1, 0, 1};
  conv.weights = 256;
  conv.weightBytes = 864;
  conv.channelRecords = 2048;
  conv.clamp = {-128, 127};
  conv.block = {7, 7, 16};
  EXPECT_EQ(
      print({0, conv}),
      "conv kind=depthwise scaling=requantize rounding=double input={i8[14x14x96]@0x1000+3/16 strides 1344,96 zp -128} "
      "output={i8[7x7x96]@0x8000+0/7 strides 672,96} window={k3x3 s2x2 p0,1} weightType=i8 weightFormat=packed "
      "weights=256 weightBytes=864 sliceChannels=0 firstSliceChannel=0 weightZeroPoint=0 channelRecords=2048 "
      "dynamicScale=none clamp=[-128,127] "
      "lookupTable=none block=7x7x16 residual=none layer=0");
  conv.residual.addend = {DataType::Int8, 0x9000, 7, 7, 96, 7, 0, 672, 96, 4};
  conv.residual.zeroPoint = -3;
  conv.residual.leftShift = 20;
  conv.residual.rescaleResult = {1 << 30, -1};
  conv.residual.rescaleAddend = {5, 0};
  conv.residual.rescaleOutput = {6, -18};
  conv.residual.clamp = {-128, 127};
  EXPECT_NE(print({0, conv}).find("residual={{i8[7x7x96]@0x9000+0/7 strides 672,96 zp 4} zp -3 << 20 result "
                                  "1073741824*2^-1 addend 5*2^0 output 6*2^-18 double [-128,127]}"),
            std::string::npos);
}

TEST(Print, EltwiseAndDsp) {
  EltwiseCommand add;
  add.leftShift = 20;
  add.rescaleA = {1 << 30, -1};
  std::string text = print({kNoLayer, add});
  EXPECT_NE(text.find("eltwise kind=add"), text.npos);
  EXPECT_NE(text.find("leftShift=20 rescaleA=1073741824*2^-1"), text.npos);
  DspCommand dsp;
  dsp.kernel = 3;
  dsp.inputs.resize(2);
  dsp.parameters = {1, 2};
  EXPECT_EQ(print({kNoLayer, dsp}), "dsp kernel=3 inputs=[{i8[0x0x0]@0x0+0/0 strides 0,0} {i8[0x0x0]@0x0+0/0 strides "
                                    "0,0}] outputs=[] parameters=[1 2]");
}

/// Commands that differ have different texts: no field is missing.
TEST(Print, DifferentCommandsHaveDifferentText) {
  RandomFields random(6);
  std::set<std::vector<uint32_t>> encoded;
  std::set<std::string> texts;
  for (int i = 0; i < 5000; ++i) {
    Command command = random.command();
    encoded.insert(encodeStream({&command, 1}));
    texts.insert(print(command));
  }
  EXPECT_EQ(texts.size(), encoded.size());
}

TEST(Print, EveryCommandHasItsName) {
  EXPECT_EQ(nameOf(EndCommand{}), "end");
  EXPECT_EQ(nameOf(DmaCommand{}), "dma");
  EXPECT_EQ(nameOf(ConvCommand{}), "conv");
  EXPECT_EQ(nameOf(PoolCommand{}), "pool");
  EXPECT_EQ(nameOf(EltwiseCommand{}), "eltwise");
  EXPECT_EQ(nameOf(LookupCommand{}), "lookup");
  EXPECT_EQ(nameOf(DspCommand{}), "dsp");
}

} // namespace
