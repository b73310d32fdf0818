//===- DigitsTest.cpp - Accuracy of the digits network --------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Inference.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace avocet::golden {
namespace {

constexpr const char *kModel = AVOCET_SOURCE_DIR "/tests/models/digits/digits_int8.tflite";

/// Images that the numpy evaluation of the same network classifies correctly (README.md of tests/models/digits).
constexpr size_t kHits = 978;

TEST(Digits, ClassifiesUnseenFontsAsNumpyDoes) {
  Result<DigitSet> set = loadDigits();
  ASSERT_TRUE(set.isOk()) << set.status().toString();
  Result<session::LoadedModel> compiled = compile(kModel, "e256");
  ASSERT_TRUE(compiled.isOk()) << compiled.status().toString();
  Result<Inference> inference = Inference::open(*compiled, {.functional = true, .timing = false});
  ASSERT_TRUE(inference.isOk()) << inference.status().toString();
  size_t hits = 0;
  for (size_t i = 0; i < set->labels.size(); ++i) {
    Result<std::vector<Bytes>> outputs = inference->run({digitInput(set->images[i], false)});
    ASSERT_TRUE(outputs.isOk()) << outputs.status().toString();
    const auto *scores = reinterpret_cast<const int8_t *>(outputs->front().data());
    hits += std::max_element(scores, scores + 10) - scores == set->labels[i];
  }
  EXPECT_EQ(hits, kHits) << "of " << set->labels.size();
}

TEST(Digits, CompilesToIdenticalBytes) {
  Result<session::LoadedModel> first = compile(kModel, "m512");
  Result<session::LoadedModel> second = compile(kModel, "m512");
  ASSERT_TRUE(first.isOk() && second.isOk()) << first.status().toString();
  EXPECT_TRUE(std::ranges::equal(first->artefacts.model->bytes(), second->artefacts.model->bytes()));
  EXPECT_TRUE(std::ranges::equal(first->artefacts.data->bytes(), second->artefacts.data->bytes()));
}

} // namespace
} // namespace avocet::golden
