//===- RealProgramsTest.cpp - The streams of whole networks -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles networks for every target and checks all pairs of commands in the artefact. If two commands of different
// engines conflict, the semaphores must order them, one way or the other.
//
//===----------------------------------------------------------------------===//

#include "StreamOrder.h"

#include "avocet/cache/ModelCache.h"
#include "avocet/compiler/Loader.h"
#include "avocet/firmware_iface/Codec.h"
#include "avocet/firmware_iface/Footprint.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace avocet::compiler {
namespace {

/// With more commands the oracle takes too long.
constexpr size_t kMaxCommands = 6000;

std::vector<Stream> streamsOf(const cache::ModelCache &model) {
  std::vector<Stream> streams;
  uint32_t source = 0;
  for (size_t i = 0; i < model.numStreams(); ++i) {
    cache::StreamView view = model.stream(i);
    Result<std::vector<firmware::Command>> commands = firmware::decodeStream(view.words);
    EXPECT_TRUE(commands.isOk()) << commands.status().toString();
    commands->pop_back(); // the End
    streams.push_back({view.engine, {}});
    for (firmware::Command &command : *commands)
      streams.back().commands.push_back({std::move(command), source++});
  }
  return streams;
}

struct Touch {
  uint32_t source;
  size_t stream;
  firmware::ByteRange range;
};

std::vector<Touch> touchesOf(const std::vector<Stream> &streams) {
  std::vector<Touch> touches;
  for (size_t s = 0; s < streams.size(); ++s)
    for (const StreamCommand &command : streams[s].commands) {
      std::vector<firmware::ByteRange> ranges;
      firmware::appendFootprint(command.command.body, ranges);
      for (const firmware::ByteRange &range : ranges)
        touches.push_back({command.source, s, range});
    }
  std::sort(touches.begin(), touches.end(), [](const Touch &a, const Touch &b) {
    return std::pair(a.range.region, a.range.begin) < std::pair(b.range.region, b.range.begin);
  });
  return touches;
}

/// The number of conflicting pairs on different streams, and how many of those are not ordered.
std::pair<size_t, size_t> countConflicts(const std::vector<Stream> &streams, const StreamOrder &order) {
  std::vector<Touch> touches = touchesOf(streams);
  size_t conflicts = 0, unordered = 0;
  for (size_t i = 0; i < touches.size(); ++i)
    for (size_t j = i + 1; j < touches.size(); ++j) {
      const Touch &a = touches[i], &b = touches[j];
      if (b.range.region != a.range.region || b.range.begin >= a.range.end)
        break;
      if (a.stream == b.stream || !(a.range.write || b.range.write))
        continue;
      ++conflicts;
      unordered += !order.isBefore(a.source, b.source) && !order.isBefore(b.source, a.source);
    }
  return {conflicts, unordered};
}

void checkModel(const std::string &path, const std::string &target) {
  Result<LoadedCompiler> compiler = LoadedCompiler::load(AVOCET_COMPILER_FILE);
  ASSERT_TRUE(compiler.isOk()) << compiler.status().toString();
  CompileRequest request;
  request.modelPath = path;
  request.target = target;
  CompileResult result = compiler->compile(request);
  ASSERT_TRUE(result.status.isOk()) << result.status.toString();
  auto model = cache::ModelCache::adopt({result.modelCache.begin(), result.modelCache.end()}, path);
  ASSERT_TRUE(model.isOk()) << model.status().toString();
  std::vector<Stream> streams = streamsOf(**model);
  size_t commands = 0;
  for (const Stream &stream : streams)
    commands += stream.commands.size();
  if (commands > kMaxCommands)
    GTEST_SKIP() << commands << " commands are too many to look at all pairs";
  StreamOrder order(streams);
  EXPECT_TRUE(order.isSound());
  auto [conflicts, unordered] = countConflicts(streams, order);
  EXPECT_GT(conflicts, 0u);
  EXPECT_EQ(unordered, 0u) << "of " << conflicts << " conflicts between " << commands << " commands";
}

class RealPrograms : public testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(RealPrograms, EveryConflictIsOrdered) {
  const auto &[model, target] = GetParam();
  std::string path = std::string(AVOCET_SOURCE_DIR) + "/tests/models/digits/" + model + ".tflite";
  if (!std::filesystem::exists(path))
    path = std::string(AVOCET_SHARED_DATA) + "/models/" + model + "/model.tflite";
  if (!std::filesystem::exists(path))
    GTEST_SKIP() << "needs AVOCET_SHARED_DATA with models/" << model;
  checkModel(path, target);
}

INSTANTIATE_TEST_SUITE_P(Models, RealPrograms,
                         testing::Combine(testing::Values("digits_int8", "digits_float32", "ic_resnet8_int8",
                                                          "kws_dscnn_hybrid", "mnist_lstm_int8", "vww_mobilenet_int8",
                                                          "mobilenet_v2_100_224_int8"),
                                          testing::Values("e256", "e256s", "m512", "p4096")),
                         [](const auto &info) { return std::get<0>(info.param) + "_" + std::get<1>(info.param); });

} // namespace
} // namespace avocet::compiler
