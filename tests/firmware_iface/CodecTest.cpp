//===- CodecTest.cpp - Encoding and decoding commands ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/firmware_iface/Codec.h"
#include "RandomCommand.h"
#include "avocet/base/File.h"
#include "avocet/firmware_iface/Control.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>

using namespace avocet;
using namespace avocet::firmware;
using testing::HasSubstr;

namespace {

std::vector<uint32_t> words(const Command &command) {
  std::vector<uint32_t> result;
  encode(command, result);
  return result;
}

Status decodeError(std::span<const uint32_t> stream) {
  size_t position = 0;
  Result<Command> command = decode(stream, position);
  EXPECT_FALSE(command);
  EXPECT_EQ(position, 0u);
  EXPECT_EQ(command.status().code(), StatusCode::DataLoss);
  return command.status();
}

TEST(Codec, DecodeInvertsEncode) {
  RandomFields random(1);
  for (int i = 0; i < 20000; ++i) {
    Command command = random.command();
    std::vector<uint32_t> stream = words(command);
    size_t position = 0;
    Result<Command> decoded = decode(stream, position);
    ASSERT_TRUE(decoded) << decoded.status().toString() << " in " << print(command);
    ASSERT_EQ(*decoded, command) << print(command);
    ASSERT_EQ(position, stream.size());
  }
}

TEST(Codec, DecodedStreamEqualsEncodedCommands) {
  RandomFields random(2);
  for (int i = 0; i < 200; ++i) {
    std::vector<Command> commands;
    for (uint32_t count = random.below(20); commands.size() < count;)
      if (Command command = random.command(); !std::holds_alternative<EndCommand>(command.body))
        commands.push_back(command);
    commands.push_back({3, EndCommand{}});
    Result<std::vector<Command>> decoded = decodeStream(encodeStream(commands));
    ASSERT_TRUE(decoded) << decoded.status().toString();
    ASSERT_EQ(*decoded, commands);
  }
}

TEST(Codec, EveryTruncationIsRefused) {
  RandomFields random(3);
  for (int i = 0; i < 300; ++i) {
    std::vector<uint32_t> stream = words(random.command());
    for (size_t size = 0; size < stream.size(); ++size)
      ASSERT_FALSE(decodeError(std::span(stream).first(size)));
  }
}

/// A flipped bit gives another command or an error; an accepted command must encode to exactly the words read.
TEST(Codec, BitFlipIsRefusedOrDecodesCanonically) {
  RandomFields random(4);
  for (int i = 0; i < 150; ++i) {
    std::vector<uint32_t> stream = words(random.command());
    for (size_t bit = 0; bit < stream.size() * 32; ++bit) {
      stream[bit / 32] ^= 1u << bit % 32;
      size_t position = 0;
      if (Result<Command> command = decode(stream, position))
        ASSERT_EQ(words(*command), std::vector(stream.begin(), stream.begin() + position));
      else
        ASSERT_EQ(position, 0u);
      stream[bit / 32] ^= 1u << bit % 32;
    }
  }
}

TEST(Codec, RandomWordsAreRefusedOrDecodeCanonically) {
  RandomFields random(5);
  for (int i = 0; i < 20000; ++i) {
    std::vector<uint32_t> stream(2 + random.below(64));
    for (uint32_t &word : stream)
      random("word", word);
    stream[0] = random.below(12) | static_cast<uint32_t>(stream.size()) << 8;
    size_t position = 0;
    if (Result<Command> command = decode(stream, position)) {
      ASSERT_EQ(words(*command), stream);
    }
  }
}

TEST(Codec, EncodingMatchesDocumentedLayout) {
  DmaCommand dma;
  dma.source = {2, 0x123456789Aull, 3, 4, 5};
  dma.runBytes = 6;
  std::vector<uint32_t> stream = words({9, dma});
  EXPECT_THAT(stream, testing::ElementsAre(4u | 20u << 8, 9u,                  // dma, 20 words, layer
                                           0u,                                 // kind
                                           2u, 0x3456789Au, 0x12u, 3u, 4u, 5u, // source
                                           0u, 0u, 0u, 0u, 0u, 0u,             // destination
                                           6u, 1u, 1u, 1u, 0u));               // run, counts, fill
  EXPECT_THAT(words({1, EndCommand{}}), testing::ElementsAre(0u | 2u << 8, 1u));
}

TEST(Codec, AbsentResidualTakesOneWord) {
  ConvCommand conv;
  std::vector<uint32_t> stream = words({0, conv});
  const size_t last = stream.size() - 1;
  EXPECT_EQ(stream[last], 0u);
  conv.residual.zeroPoint = 7;
  EXPECT_EQ(words({0, conv}).size(), stream.size() + 21); // map, zero point, shift, rescales, rounding, clamp
  stream[last] = 2;
  EXPECT_THAT(decodeError(stream).message(), HasSubstr("conv.residual begins with 2, must begin with 0 or 1"));
  conv.residual = {};
  stream = words({0, conv});
  conv.residual.zeroPoint = 1;
  std::vector<uint32_t> present = words({0, conv});
  present[last + 11] = 0; // the zero point: all fields are defaults now
  EXPECT_THAT(decodeError(present).message(), HasSubstr("has all fields at their defaults"));
}

TEST(Codec, ErrorsNameWordFieldAndRule) {
  std::vector<uint32_t> stream = words({0, ConvCommand{}});
  stream[5] = 77;
  EXPECT_THAT(decodeError(stream).message(), HasSubstr("word 5: conv.input.type is 77, must be 0 to 9"));
  stream = words({0, DspCommand{}});
  stream[3] = 65;
  EXPECT_THAT(decodeError(stream).message(), HasSubstr("word 3: dsp.inputs has 65 entries, at most 64 are allowed"));
  stream[3] = 1;
  EXPECT_THAT(decodeError(stream).message(), HasSubstr("word 6: dsp.inputs.entry.height is beyond the end"));
}

TEST(Codec, RefusesBadHeaders) {
  EXPECT_THAT(decodeError({}).message(), HasSubstr("word 0: stream ends without a command"));
  std::vector<uint32_t> unknown = {10u | 2u << 8, 0};
  EXPECT_THAT(decodeError(unknown).message(), HasSubstr("operation code is 10, must be 0 to 9"));
  std::vector<uint32_t> tooShort = {0u | 1u << 8, 0};
  EXPECT_THAT(decodeError(tooShort).message(), HasSubstr("command length is 1, must be 2 to 2"));
  std::vector<uint32_t> tooLong = {0u | 3u << 8, 0, 0};
  EXPECT_THAT(decodeError(tooLong).message(), HasSubstr("its length includes 1 more words"));
}

/// The fuzz target would reject such seeds at once and test nothing with them.
TEST(Codec, CountsCommandsUpToFirstBadLength) {
  std::vector<uint32_t> stream;
  for (int i = 0; i < 3; ++i)
    encode({0, WaitCommand{}}, stream);
  const size_t third = stream.size() * 2 / 3;
  encode({0, EndCommand{}}, stream);
  EXPECT_EQ(countCommands(stream), 4u);
  EXPECT_EQ(countCommands({}), 0u);
  EXPECT_EQ(countCommands(std::span(stream).first(stream.size() - 1)), 3u);
  stream[third] = 0;
  EXPECT_EQ(countCommands(stream), 2u);
}

TEST(Codec, SeedsOfTheFuzzTargetAreValid) {
  size_t seeds = 0;
  for (const auto &entry : std::filesystem::directory_iterator(AVOCET_DECODER_SEEDS)) {
    std::vector<uint8_t> bytes = readFile(entry.path().string()).value();
    std::vector<uint32_t> stream(bytes.size() / sizeof(uint32_t));
    std::memcpy(stream.data(), bytes.data(), stream.size() * sizeof(uint32_t));
    bool isControl = entry.path().filename() == "control";
    Status decoded = isControl ? decodeControl(stream).status() : decodeStream(stream).status();
    EXPECT_TRUE(decoded.isOk()) << entry.path() << ": " << decoded.toString() << "; run avocetMakeSeeds";
    ++seeds;
  }
  EXPECT_GE(seeds, std::variant_size_v<CommandBody>);
}

TEST(Codec, RefusesStreamsWithoutOneEnd) {
  EXPECT_THAT(decodeStream({}).status().message(), HasSubstr("without a command"));
  std::vector<Command> noEnd = {{0, YieldCommand{}}};
  EXPECT_FALSE(decodeStream(encodeStream(noEnd)));
  std::vector<Command> twoEnds = {{0, EndCommand{}}, {0, EndCommand{}}};
  EXPECT_THAT(decodeStream(encodeStream(twoEnds)).status().message(),
              HasSubstr("word 2: found data after the end command"));
}

} // namespace
