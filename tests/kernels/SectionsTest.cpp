//===- SectionsTest.cpp - Reductions and look-ups in sections --------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Commands for sections (dsp/Section.h) must together give the bits of the command for the whole.
//
//===----------------------------------------------------------------------===//

#include "KernelTestSupport.h"

#include "avocet/kernels/Quantization.h"
#include "avocet/kernels/dsp/Gather.h"
#include "avocet/kernels/dsp/Mean.h"
#include "avocet/kernels/dsp/Reduce.h"
#include "avocet/kernels/dsp/Section.h"

#include <algorithm>
#include <functional>

namespace avocet::kernels {
namespace {

using namespace firmware;

using Words = std::vector<uint32_t>;

/// A tensor [kExtent, kInner] of which the first axis is reduced or looked up.
constexpr uint32_t kExtent = 50, kInner = 3, kIndices = 8;

struct Case {
  const char *name;
  KernelId kernel;
  DataType type, resultType;
  DataType stateType;
  uint32_t results, stateElements;
  std::function<Words(uint32_t)> parameters; ///< for an extent
};

std::function<Words(uint32_t)> reduceWords(ReduceKind kind) {
  return [kind](uint32_t extent) {
    const MeanParameters mean = prepareMean(0.5f, 0.25f, kExtent);
    ReduceParameters parameters{kind, mean.multiplier, mean.shift, 2, {extent, kInner}, 1};
    return packParameters(parameters);
  };
}

Case reduce(const char *name, ReduceKind kind, DataType type) {
  return {name, kReduceKernel, type, type, DataType::Int32, kInner, kInner * kReduceStateWords, reduceWords(kind)};
}

/// The factors keep products of many bytes inside the range.
Case quantizedProduct(const char *name, DataType type, int32_t shift) {
  Case c = reduce(name, ReduceKind::Prod, type);
  c.parameters = [shift](uint32_t extent) {
    return packParameters(ReduceParameters{ReduceKind::Prod, 1 << 30, shift, 2, {extent, kInner}, 1});
  };
  return c;
}

Case argReduce(const char *name, bool smallest, DataType type, DataType position) {
  return {name,
          kArgReduceKernel,
          type,
          position,
          DataType::Int32,
          kInner,
          kInner * kArgReduceStateWords,
          [smallest](uint32_t extent) { return packParameters(ArgReduceParameters{smallest, extent, kInner}); }};
}

Case gather(const char *name, DataType type) {
  return {name, kGatherKernel, type, type, type, kIndices * kInner, kIndices * kInner, [](uint32_t extent) {
            return packParameters(GatherParameters{1, extent, kInner});
          }};
}

const Case kCases[] = {
    reduce("sumF32", ReduceKind::Sum, DataType::Float32),
    reduce("sumF16", ReduceKind::Sum, DataType::Float16),
    reduce("sumI64", ReduceKind::Sum, DataType::Int64),
    reduce("sumI16", ReduceKind::Sum, DataType::Int16),
    reduce("productF32", ReduceKind::Prod, DataType::Float32),
    quantizedProduct("productI8", DataType::Int8, -5),
    quantizedProduct("productI16", DataType::Int16, -13),
    reduce("meanF32", ReduceKind::Mean, DataType::Float32),
    reduce("meanI8", ReduceKind::Mean, DataType::Int8),
    reduce("meanU8", ReduceKind::Mean, DataType::UInt8),
    reduce("meanI32", ReduceKind::Mean, DataType::Int32),
    reduce("maxF32", ReduceKind::Max, DataType::Float32),
    reduce("maxI8", ReduceKind::Max, DataType::Int8),
    reduce("minI64", ReduceKind::Min, DataType::Int64),
    reduce("anyBool", ReduceKind::Max, DataType::Bool8),
    reduce("allBool", ReduceKind::Min, DataType::Bool8),
    argReduce("smallestF32", true, DataType::Float32, DataType::Int32),
    argReduce("largestI8", false, DataType::Int8, DataType::Int32),
    argReduce("largestI64", false, DataType::Int64, DataType::Int64),
    gather("gatherF32", DataType::Float32),
    gather("gatherI8", DataType::Int8),
};

void PrintTo(const Case &c, std::ostream *stream) { *stream << c.name; }

class Runner {
public:
  explicit Runner(const Case &c) : case_(c), random_(5) {
    whole_ = row(c.type, kExtent * kInner);
    sram_.fill(whole_, random_);
    indices_ = row(DataType::Int32, kIndices);
    sram_.setValues(indices_, {-7, 0, 49, 48, 20, 20, 3, 1000}); // those outside select the nearest element
    result_ = row(c.resultType, c.results);
    state_ = row(c.stateType, c.stateElements);
  }

  std::vector<double> whole() {
    checkAndRun(*testTarget(), DspCommand{case_.kernel.number, inputs(whole_), {result_}, case_.parameters(kExtent)},
                sram_);
    return sram_.values(result_);
  }

  std::vector<double> inSections(uint32_t size) {
    for (uint32_t begin = 0; begin < kExtent; begin += size) {
      const uint32_t count = std::min(size, kExtent - begin);
      checkAndRun(*testTarget(), command({begin == 0, begin + count == kExtent, begin, kExtent}, count), sram_);
    }
    return sram_.values(result_);
  }

  DspCommand command(Section section, uint32_t count) {
    FeatureMap map = row(case_.type, count * kInner);
    const std::vector<double> all = sram_.values(whole_);
    const auto first = all.begin() + std::min(section.begin, kExtent - count) * kInner;
    sram_.setValues(map, {first, first + count * kInner});
    Words words = case_.parameters(count);
    for (uint32_t word : packParameters(section))
      words.push_back(word);
    DspCommand command{case_.kernel.number, inputs(map), {section.isLast ? result_ : state_}, words};
    if (!section.isFirst)
      command.inputs.push_back(state_);
    return command;
  }

private:
  FeatureMap row(DataType type, uint32_t elements) {
    return sram_.map(type, 1, 1, elements, Placement::Dense, random_);
  }
  std::vector<FeatureMap> inputs(const FeatureMap &first) const {
    return case_.kernel == kGatherKernel ? std::vector<FeatureMap>{first, indices_} : std::vector<FeatureMap>{first};
  }

  const Case &case_;
  Random random_;
  TestSram sram_;
  FeatureMap whole_, indices_, result_, state_;
};

class SectionsTest : public testing::TestWithParam<Case> {};

TEST_P(SectionsTest, EqualTheWholeBitForBit) {
  const std::vector<double> expected = Runner(GetParam()).whole();
  for (uint32_t size : {1u, 7u, 25u, 50u})
    EXPECT_EQ(Runner(GetParam()).inSections(size), expected) << size;
}

TEST_P(SectionsTest, RejectsWrongSectionsAndStates) {
  Runner runner(GetParam());
  const auto isLegal = [](const DspCommand &c) { return findKernel(c)->check(*testTarget(), c).isOk(); };
  const DspCommand right = runner.command({0, 0, 10, kExtent}, 5);
  ASSERT_TRUE(isLegal(right));
  EXPECT_TRUE(isLegal(runner.command({1, 0, 0, kExtent}, 5)));
  EXPECT_TRUE(isLegal(runner.command({0, 1, 45, kExtent}, 5)));
  EXPECT_FALSE(isLegal(runner.command({2, 0, 0, kExtent}, 5)));
  EXPECT_FALSE(isLegal(runner.command({0, 2, 0, kExtent}, 5)));
  EXPECT_FALSE(isLegal(runner.command({0, 0, kExtent, kExtent}, 5)));
  EXPECT_FALSE(isLegal(runner.command({0, 0, 0, 0}, 5)));
  DspCommand withoutState = right, shortState = right, wrongResult = right;
  withoutState.inputs.pop_back();
  EXPECT_FALSE(isLegal(withoutState));
  shortState.inputs.back().channels -= 1;
  EXPECT_FALSE(isLegal(shortState));
  wrongResult.outputs[0].channels += 1;
  EXPECT_FALSE(isLegal(wrongResult));
}

INSTANTIATE_TEST_SUITE_P(Kernels, SectionsTest, testing::ValuesIn(kCases),
                         [](const auto &info) { return info.param.name; });

} // namespace
} // namespace avocet::kernels
