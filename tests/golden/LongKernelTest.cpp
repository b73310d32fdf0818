//===- LongKernelTest.cpp - Kernels split into commands -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels over operands so large that the compiler splits their commands, through the whole stack. The parts, with
// yields between them, must give the result of a reference in double precision.
//
//===----------------------------------------------------------------------===//

#include "Inference.h"

#include "avocet/firmware_iface/Codec.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace avocet::golden {
namespace {

constexpr size_t kRows = 256, kColumns = 128;

using Values = std::vector<float>;

Values valuesOf(const Bytes &bytes) {
  Values values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
  return values;
}

size_t countYields(const cache::ModelCache &model) {
  size_t count = 0;
  for (size_t i = 0; i < model.numStreams(); ++i) {
    const cache::StreamView stream = model.stream(i);
    auto commands = firmware::decodeStream(stream.words);
    EXPECT_TRUE(commands.isOk());
    if (stream.engine.kind == firmware::EngineKind::Dsp)
      count += static_cast<size_t>(std::ranges::count_if(*commands, [](const firmware::Command &command) {
        return std::holds_alternative<firmware::YieldCommand>(command.body);
      }));
  }
  return count;
}

class LongKernelTest : public testing::TestWithParam<std::string> {};

TEST_P(LongKernelTest, SplitKernelsMatchReference) {
  Result<session::LoadedModel> model = compile(longKernels().path, GetParam());
  ASSERT_TRUE(model.isOk()) << model.status().toString();
  if (GetParam() == "e256" || GetParam() == "e256s") // the other targets are faster and need fewer yields
    EXPECT_GE(countYields(*model->artefacts.model), 8u);
  const Bytes input = loadCases(longKernels())->front().inputs.front();
  const Values x = valuesOf(input);
  std::vector<std::vector<Bytes>> results;
  for (bool timing : {false, true}) {
    Result<Inference> inference = Inference::open(*model, {.functional = true, .timing = timing});
    ASSERT_TRUE(inference.isOk()) << inference.status().toString();
    auto outputs = inference->run({input});
    ASSERT_TRUE(outputs.isOk()) << outputs.status().toString();
    results.push_back(std::move(*outputs));
  }
  EXPECT_EQ(results[0], results[1]);
  const Values transposed = valuesOf(results[0][0]), largest = valuesOf(results[0][1]);
  ASSERT_EQ(transposed.size(), x.size());
  ASSERT_EQ(largest.size(), kRows);
  for (size_t row = 0; row < kRows; ++row) {
    double sum = 0;
    float most = 0;
    for (size_t c = 0; c < kColumns; ++c) {
      sum += std::exp(double(x[row * kColumns + c]));
      most = std::max(most, transposed[c * kRows + row]);
    }
    for (size_t c = 0; c < kColumns; ++c)
      ASSERT_NEAR(transposed[c * kRows + row], std::exp(double(x[row * kColumns + c])) / sum, 1e-6) << row << ", " << c;
    ASSERT_EQ(largest[row], most) << row;
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, LongKernelTest, testing::ValuesIn(firmware::Target::shippedNames()),
                         [](const auto &info) { return info.param; });

} // namespace
} // namespace avocet::golden
