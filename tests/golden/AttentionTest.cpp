//===- AttentionTest.cpp - A transformer encoder block --------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The network and the result that numpy computes come from attention.py.
//
//===----------------------------------------------------------------------===//

#include "Inference.h"

#include "avocet/base/File.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace avocet::golden {
namespace {

constexpr const char *kPath = AVOCET_ATTENTION_DIR "/attention-";

template <typename T> std::vector<T> elementsOf(const Bytes &bytes) {
  std::vector<T> elements(bytes.size() / sizeof(T));
  std::memcpy(elements.data(), bytes.data(), bytes.size());
  return elements;
}

/// Largest difference of two tensors; infinity if they differ in size or have no elements.
template <typename T> double difference(const Bytes &a, const Bytes &b) {
  if (a.size() != b.size() || a.empty())
    return INFINITY;
  const std::vector<T> left = elementsOf<T>(a), right = elementsOf<T>(b);
  double most = 0;
  for (size_t i = 0; i < left.size(); ++i)
    most = std::max(most, std::abs(double(left[i]) - double(right[i])));
  return most;
}

template <typename T> void expectNumpysAnswer(const std::string &kind, const char *target, double tolerance) {
  SCOPED_TRACE(kind + " on " + target);
  Result<session::LoadedModel> compiled = compile(kPath + kind + ".mlir", target);
  ASSERT_TRUE(compiled.isOk()) << compiled.status().toString();
  Result<Inference> inference = Inference::open(*compiled, {.functional = true, .timing = false});
  ASSERT_TRUE(inference.isOk()) << inference.status().toString();
  Result<Bytes> input = readFile(kPath + kind + ".in"), expected = readFile(kPath + kind + ".out");
  ASSERT_TRUE(input.isOk() && expected.isOk()) << input.status().toString() << expected.status().toString();
  Result<std::vector<Bytes>> outputs = inference->run({std::move(*input)});
  ASSERT_TRUE(outputs.isOk()) << outputs.status().toString();
  EXPECT_LE(difference<T>(outputs->front(), *expected), tolerance);
}

TEST(Attention, FloatBlockMatchesNumpy) {
  for (const char *target : {"e256", "e256s", "m512"})
    expectNumpysAnswer<float>("f32", target, 2e-5);
}

/// Roundings of the device and of numpy may differ by a step in each operation.
TEST(Attention, IntegerBlockMatchesNumpy) {
  for (const char *target : {"e256", "e256s", "m512"})
    expectNumpysAnswer<int8_t>("i8", target, 3);
}

TEST(Attention, MatrixProductsRunOnTheArray) {
  for (const char *kind : {"f32", "i8"}) {
    Result<session::LoadedModel> compiled = compile(std::string(kPath) + kind + ".mlir", "e256");
    ASSERT_TRUE(compiled.isOk()) << compiled.status().toString();
    const cache::ModelCache &model = *compiled->artefacts.model;
    uint64_t products = 0, macs = 0;
    for (size_t i = 0; i < model.numLayers(); ++i) {
      const cache::LayerView layer = model.layer(i);
      if (!layer.operation.starts_with("BATCH_MATMUL") && !layer.operation.starts_with("FULLY_CONNECTED"))
        continue;
      EXPECT_EQ(layer.engine, firmware::EngineKind::Mac) << layer.operation;
      products += layer.operation.starts_with("BATCH_MATMUL") ? 1 : 0;
      macs += layer.macs;
    }
    EXPECT_EQ(products, 2u);
    // Four layers of 48 x 48, two of 48 x 80 and two products of 12 x 12 x 48, for 12 tokens.
    EXPECT_EQ(macs, 12u * (4 * 48 * 48 + 2 * 48 * 80) + 2 * 12 * 12 * 48);
  }
}

} // namespace
} // namespace avocet::golden
