//===- RowsTest.cpp - Vector forms of integer rows ------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InstructionSets.h"
#include "KernelTestSupport.h"

#include "common/RescaleRow.h"
#include "common/Rounding.h"
#include "common/WideTable.h"
#include "wide/WideSigmoid.h"
#include "window/WindowProducts.h"

#include <algorithm>
#include <cmath>

namespace avocet::kernels {
namespace {

using namespace firmware;

constexpr int32_t kLeast = std::numeric_limits<int32_t>::min(), kMost = std::numeric_limits<int32_t>::max();

/// Often an extreme.
int32_t anyNumber(Random &random) {
  constexpr int32_t kExtremes[] = {kLeast, kLeast + 1, -1, 0, 1, 1 << 30, kMost};
  return random() % 4 == 0 ? kExtremes[random() % std::size(kExtremes)] : static_cast<int32_t>(random());
}

Rescale anyRescale(Random &random) { return {anyNumber(random), pick(random, -31, 31)}; }

RowRescale anyRowRescale(Random &random) {
  RowRescale rescale;
  rescale.above = anyRescale(random);
  rescale.below = random() % 2 == 0 ? rescale.above : anyRescale(random);
  rescale.zeroInput = random() % 2 == 0 ? 0 : anyNumber(random);
  rescale.low = pick(random, -32768, 0);
  rescale.high = pick(random, 0, 32767);
  rescale.zeroOutput = pick(random, rescale.low, rescale.high);
  return rescale;
}

TEST(RescaleRowTest, EqualsThePlainForm) {
  onEveryInstructionSet([] {
    Random random(1);
    for (uint32_t trial = 0; trial < 400; ++trial) {
      const RowRescale rescale = anyRowRescale(random);
      std::vector<int32_t> row(random() % 70), expected;
      for (int32_t &x : row) {
        x = anyNumber(random);
        expected.push_back(rescale(x));
      }
      rescaleRow(rescale, row.data(), row.size());
      ASSERT_EQ(row, expected) << "trial " << trial;
    }
  });
}

TEST(RescaleRowTest, ConvertsRowsOfOtherTypes) {
  Random random(2);
  const RowRescale rescale = {{1 << 30, 0}, {1 << 30, 0}, -3, 5, -128, 127};
  std::vector<int16_t> row(1000);
  for (int16_t &x : row)
    x = static_cast<int16_t>(pick(random, -400, 400));
  std::vector<int8_t> results(row.size());
  rescaleRow(rescale, row.data(), results.data(), row.size());
  for (size_t i = 0; i < row.size(); ++i)
    ASSERT_EQ(results[i], rescale(row[i])) << i;
}

TEST(WideTableTest, RowsEqualSingleNumbers) {
  // Its steps exceed 16 bits.
  const WideTable jumps = makeWideTable([](double x) { return std::sin(900 * x); }, 0, 1);
  std::vector<int16_t> numbers;
  for (int32_t x = -32768; x < 32768; ++x)
    numbers.push_back(static_cast<int16_t>(x));
  numbers.resize(numbers.size() - 3);
  onEveryInstructionSet([&] {
    std::vector<int16_t> row = numbers;
    lookUpRow(jumps, row.data(), row.data(), row.size());
    for (size_t i = 0; i < row.size(); ++i)
      ASSERT_EQ(row[i], lookUp(jumps.data(), numbers[i])) << numbers[i];
  });
}

TEST(WideSigmoidRowTest, EqualsThePlainForm) {
  std::vector<int16_t> numbers;
  for (int32_t x = -32768; x < 32765; ++x)
    numbers.push_back(static_cast<int16_t>(x));
  std::vector<WideSigmoidParameters> forms;
  for (auto function : {WideSigmoidFunction::Logistic, WideSigmoidFunction::Tanh}) {
    for (float scale : {1 / 32768.0f, 1 / 4096.0f, 1 / 2048.0f, 1 / 1000.0f, 0.3f, 100.0f})
      forms.push_back(prepareWideSigmoid(function, scale));
    forms.push_back({function, 32767, 0});
    forms.push_back({function, 32767, 30});
  }
  for (const WideSigmoidParameters &parameters : forms) {
    std::vector<int16_t> expected;
    for (int16_t x : numbers)
      expected.push_back(wideSigmoid(parameters, x));
    onEveryInstructionSet([&] {
      std::vector<int16_t> row = numbers;
      wideSigmoidRow(parameters, row.data(), row.data(), row.size());
      ASSERT_EQ(row, expected) << "multiplier " << parameters.multiplier << ", shift " << parameters.shift;
    });
  }
}

/// Sums of `tap` by definition, in the order of the terms.
template <typename Input, typename Weight, typename Sum>
std::vector<Sum> sumsByDefinition(const TapProducts<Input, Weight, Sum> &tap) {
  std::vector<Sum> sums(tap.sums, tap.sums + tap.channels);
  for (size_t term = 0; term < tap.terms; ++term)
    for (size_t c = 0; c < tap.channels; ++c) {
      const auto product = static_cast<Sum>(tap.inputs[term] * tap.weights[term * tap.termStride + c]);
      sums[c] += product; // a statement of its own is not fused
    }
  return sums;
}

template <typename Input, typename Weight, typename Sum> class TapTrial {
public:
  template <typename F, typename G>
  TapTrial(Random &random, F &&input, G &&weight)
      : terms_(random() % 200), channels_(1 + random() % 150), stride_(channels_ + random() % 3), inputs_(terms_),
        weights_(terms_ * stride_), sums_(channels_) {
    std::generate(inputs_.begin(), inputs_.end(), input);
    std::generate(weights_.begin(), weights_.end(), weight);
    for (Sum &sum : sums_)
      sum = static_cast<Sum>(weight());
  }

  void expectDefinition() {
    const TapProducts<Input, Weight, Sum> tap = {inputs_.data(), terms_,       weights_.data(),
                                                 stride_,        sums_.data(), channels_};
    const std::vector<Sum> expected = sumsByDefinition(tap);
    addProducts(tap);
    EXPECT_EQ(sums_, expected) << terms_ << " terms, " << channels_ << " channels";
  }

private:
  size_t terms_, channels_, stride_;
  std::vector<Input> inputs_;
  std::vector<Weight> weights_;
  std::vector<Sum> sums_;
};

TEST(TapProductsTest, EqualTheDefinition) {
  onEveryInstructionSet([] {
    Random random(4);
    // Often the largest: their sums do not fit in 32 bits.
    auto input = [&] { return random() % 8 != 0 ? 65535 : pick(random, -65535, 65535); };
    auto weight = [&] { return static_cast<int16_t>(random() % 8 != 0 ? 255 : pick(random, -255, 255)); };
    auto real = [&] { return pickReal(random, -1, 1); };
    for (uint32_t trial = 0; trial < 20; ++trial) {
      TapTrial<float, float, float>(random, real, real).expectDefinition();
      TapTrial<int32_t, int16_t, uint32_t>(random, input, weight).expectDefinition();
      TapTrial<int32_t, int16_t, uint64_t>(random, input, weight).expectDefinition();
    }
  });
}

TEST(RoundedQuotientTest, EqualsIntegerDivision) {
  Random random(3);
  for (uint32_t trial = 0; trial < 100000; ++trial) {
    const int64_t count = pick(random, 1, trial % 2 == 0 ? 1 << 15 : 1 << 30);
    // Near the middle of two quotients.
    const int64_t sum = count * pick(random, -32768, 32767) + count / 2 + pick(random, -1, 1);
    const int64_t expected = (sum > 0 ? sum + count / 2 : sum - count / 2) / count;
    ASSERT_EQ(roundedQuotient(sum, count), expected) << sum << " / " << count;
    if (count <= 1 << 15)
      ASSERT_EQ(roundedQuotient(static_cast<int32_t>(sum), static_cast<int32_t>(count)), expected);
  }
}

} // namespace
} // namespace avocet::kernels
