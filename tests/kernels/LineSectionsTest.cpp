//===- LineSectionsTest.cpp - Lines in sections and as a whole -------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels that read lines in sections (AxisExtents.h) must give the bits of the command for whole lines.
//
//===----------------------------------------------------------------------===//

#include "KernelTestSupport.h"
#include "NormalizeSamples.h"

#include <algorithm>
#include <string>
#include <vector>

namespace avocet::kernels {
namespace {

using namespace firmware;

using Words = std::vector<uint32_t>;

struct Case {
  const NormalizeSample *sample;
  DataType type;

  KernelId kernel() const { return sample->kernel; }
  int32_t resultZeroPoint() const { return sample->resultZeroPoint(type); }
  Words parameters(AxisExtents extents) const { return sample->parameters(extents); }
  std::string name() const { return std::string(kernel().name).append(toString(type)); }
};

/// Each normalization that works in sections, on each of its types.
std::vector<Case> allCases() {
  std::vector<Case> cases;
  for (const NormalizeSample &sample : kNormalizeSamples)
    for (DataType type : {DataType::Float32, DataType::Float16, DataType::Int8, DataType::UInt8})
      if (linePassesOf(sample.kernel) != 0 && (isFloat(type) || sample.byteZeroPoint))
        cases.push_back({&sample, type});
  return cases;
}

void PrintTo(const Case &c, std::ostream *stream) { *stream << c.name(); }

/// Runs commands on [outer, axis, inner] tensors.
class Sections {
public:
  Sections(const Case &c, AxisExtents extents, uint32_t seed) : case_(c), extents_(extents), random_(seed) {
    input_ = map(extents.axis);
    sram_.fill(input_, random_);
    state_ =
        sram_.map(DataType::Int32, 1, 1, extents.outer * extents.inner * kLineStateWords, Placement::Dense, random_);
  }

  std::vector<double> whole() {
    FeatureMap output = map(extents_.axis);
    output.zeroPoint = case_.resultZeroPoint();
    checkAndRun(*testTarget(), DspCommand{case_.kernel().number, {input_}, {output}, case_.parameters(extents_)},
                sram_);
    return sram_.values(output);
  }

  /// The same from sections of `size` elements of each line.
  std::vector<double> inSections(uint32_t size) {
    std::vector<double> results(sram_.values(input_).size());
    const uint32_t passes = linePassesOf(case_.kernel());
    for (uint32_t pass = 0; pass <= passes; ++pass)
      for (uint32_t begin = 0; begin < extents_.axis; begin += size)
        runSection({pass, pass == 0 && begin == 0, extents_.axis}, begin, std::min(size, extents_.axis - begin),
                   pass == passes, results);
    return results;
  }

  DspCommand command(LineStep step, const FeatureMap &section, uint32_t size) {
    Words words = case_.parameters({extents_.outer, size, extents_.inner});
    for (uint32_t word : packParameters(step))
      words.push_back(word);
    DspCommand command{case_.kernel().number, {section}, {state_}, words};
    if (!step.isFirst)
      command.inputs.push_back(state_);
    return command;
  }

  FeatureMap map(uint32_t axis) {
    FeatureMap map = sram_.map(case_.type, extents_.outer, axis, extents_.inner, Placement::Dense, random_);
    map.zeroPoint = case_.type == DataType::Int8 ? 3 : case_.type == DataType::UInt8 ? 131 : 0;
    return map;
  }

private:
  void runSection(LineStep step, uint32_t begin, uint32_t size, bool finishes, std::vector<double> &results) {
    const FeatureMap section = map(size);
    std::vector<double> all = sram_.values(input_), part;
    const std::vector<size_t> positions = positionsOf(begin, size);
    for (size_t position : positions)
      part.push_back(all[position]);
    sram_.setValues(section, part);
    DspCommand c = command(step, section, size);
    if (finishes) {
      c.outputs = {section}; // results may replace the section
      c.outputs[0].zeroPoint = case_.resultZeroPoint();
    }
    checkAndRun(*testTarget(), c, sram_);
    for (size_t i = 0; finishes && i < positions.size(); ++i)
      results[positions[i]] = sram_.values(section)[i];
  }

  std::vector<size_t> positionsOf(uint32_t begin, uint32_t size) const {
    std::vector<size_t> positions;
    for (size_t outer = 0; outer < extents_.outer; ++outer)
      for (size_t axis = begin; axis < begin + size; ++axis)
        for (size_t inner = 0; inner < extents_.inner; ++inner)
          positions.push_back((outer * extents_.axis + axis) * extents_.inner + inner);
    return positions;
  }

  const Case &case_;
  const AxisExtents extents_;
  Random random_;
  TestSram sram_;
  FeatureMap input_, state_;
};

class LineSectionsTest : public testing::TestWithParam<Case> {};

TEST_P(LineSectionsTest, EqualWholeLinesBitForBit) {
  for (uint32_t size : {1u, 7u, 20u, 50u}) {
    EXPECT_EQ(Sections(GetParam(), {1, 50, 1}, 1).inSections(size), Sections(GetParam(), {1, 50, 1}, 1).whole());
    EXPECT_EQ(Sections(GetParam(), {3, 50, 2}, 2).inSections(size), Sections(GetParam(), {3, 50, 2}, 2).whole());
  }
}

TEST_P(LineSectionsTest, RejectsWrongStepsAndStates) {
  Sections sections(GetParam(), {2, 10, 3}, 3);
  const FeatureMap section = sections.map(5);
  const uint32_t passes = linePassesOf(GetParam().kernel());
  const auto isLegal = [](const DspCommand &c) { return findKernel(c)->check(*testTarget(), c).isOk(); };
  DspCommand right = sections.command({0, 0, 10}, section, 5);
  ASSERT_TRUE(isLegal(right));
  EXPECT_TRUE(isLegal(sections.command({0, 1, 10}, section, 5)));
  EXPECT_FALSE(isLegal(sections.command({0, 2, 10}, section, 5)));
  EXPECT_FALSE(isLegal(sections.command({1, 1, 10}, section, 5)));
  EXPECT_FALSE(isLegal(sections.command({passes + 1, 0, 10}, section, 5)));
  EXPECT_FALSE(isLegal(sections.command({passes, 0, 10}, section, 5))); // results have the section's shape
  EXPECT_FALSE(isLegal(sections.command({0, 0, 4}, section, 5)));
  EXPECT_FALSE(isLegal(sections.command({0, 0, 10}, section, 6)));
  DspCommand withoutState = right, shortState = right, wrongType = right;
  withoutState.inputs.pop_back();
  EXPECT_FALSE(isLegal(withoutState));
  shortState.outputs[0].channels -= 1;
  EXPECT_FALSE(isLegal(shortState));
  wrongType.inputs[1].type = DataType::Float32;
  EXPECT_FALSE(isLegal(wrongType));
}

INSTANTIATE_TEST_SUITE_P(Kernels, LineSectionsTest, testing::ValuesIn(allCases()),
                         [](const auto &info) { return info.param.name(); });

} // namespace
} // namespace avocet::kernels
