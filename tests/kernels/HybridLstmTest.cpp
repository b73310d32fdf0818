//===- HybridLstmTest.cpp - Sequences of an LSTM with 8-bit weights -------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTestSupport.h"

#include "avocet/kernels/dsp/HybridCells.h"
#include "avocet/kernels/dsp/Lstm.h"

namespace avocet::kernels {
namespace {

using namespace firmware;

/// The same layer as a command of "hybridLstmCell", and of "hybridLstmSteps".
struct HybridCase {
  DspCommand cell, steps;
  uint32_t cells = 0;
};

class CaseMaker {
public:
  CaseMaker(bool asymmetric, TestSram &sram, Random &random)
      : sram_(sram), random_(random), steps_(extent(9)), inputs_(extent(20)), cells_(extent(20)) {
    cell_.cell.parts = kLstmInputGate;
    cell_.cell.cellClip = stepsParameters_.cellClip = 0.5f;
    cell_.asymmetric = stepsParameters_.asymmetric = asymmetric;
    for (uint32_t gate = 0; gate < kNumLstmGates; ++gate) {
      cell_.scales[gate] = stepsParameters_.input[gate] = 0.001f * static_cast<float>(gate + 1);
      cell_.scales[kNumLstmGates + gate] = stepsParameters_.recurrent[gate] = 0.002f * static_cast<float>(gate + 2);
    }
  }

  HybridCase make() {
    HybridCase made;
    made.cells = cells_;
    made.cell.kernel = *dspKernelNumber("hybridLstmCell");
    made.cell.parameters = packParameters(cell_);
    made.cell.inputs = {filled(DataType::Float32, steps_, 1, inputs_), filled(DataType::Float32, 1, 1, cells_),
                        filled(DataType::Float32, 1, 1, cells_)};
    for (uint32_t columns : {inputs_, cells_})
      for (uint32_t gate = 0; gate < kNumLstmGates; ++gate)
        made.cell.inputs.push_back(filled(DataType::Int8, 1, cells_, columns));
    for (uint32_t gate = 0; gate < kNumLstmGates; ++gate)
      made.cell.inputs.push_back(filled(DataType::Float32, 1, 1, cells_));
    made.cell.outputs = {map(DataType::Float32, 1, 1, kNumLstmGates * cells_), map(DataType::Float32, 1, 1, cells_),
                         map(DataType::Float32, 1, 1, cells_), map(DataType::Float32, steps_, 1, cells_)};
    makeSteps(made);
    return made;
  }

private:
  uint32_t extent(int64_t most) { return static_cast<uint32_t>(pick(random_, 1, most)); }

  FeatureMap map(DataType type, uint32_t height, uint32_t width, uint32_t channels) {
    return sram_.map(type, height, width, channels, Placement::Scattered, random_);
  }

  FeatureMap filled(DataType type, uint32_t height, uint32_t width, uint32_t channels) {
    const FeatureMap made = map(type, height, width, channels);
    sram_.fill(made, random_);
    return made;
  }

  void makeSteps(HybridCase &made) {
    DspCommand &steps = made.steps;
    steps.kernel = *dspKernelNumber("hybridLstmSteps");
    steps.parameters = packParameters(stepsParameters_);
    const uint32_t sums = kNumLstmGates * cells_;
    steps.inputs = {made.cell.inputs[0], map(DataType::Int8, inputs_ + cells_, 1, sums),
                    map(DataType::Float32, 1, 1, sums), made.cell.inputs[1], made.cell.inputs[2]};
    for (uint32_t channel = 0; channel < sums; ++channel)
      setChannel(made, channel);
    steps.outputs = {map(DataType::Float32, steps_, 1, cells_), map(DataType::Float32, 1, 1, cells_),
                     map(DataType::Float32, 1, 1, cells_)};
  }

  /// Weights and bias of a cell in a gate.
  void setChannel(HybridCase &made, uint32_t channel) {
    constexpr uint32_t kInputWeights = 3, kRecurrent = kInputWeights + kNumLstmGates,
                       kBiases = kRecurrent + kNumLstmGates;
    const uint32_t gate = channel / cells_, cell = channel % cells_;
    const std::vector<FeatureMap> &from = made.cell.inputs;
    const FeatureMap &columns = made.steps.inputs[kHybridLstmColumns];
    for (uint32_t i = 0; i < inputs_; ++i)
      sram_.set(columns, i, 0, channel, sram_.get(from[kInputWeights + gate], 0, cell, i));
    for (uint32_t i = 0; i < cells_; ++i)
      sram_.set(columns, inputs_ + i, 0, channel, sram_.get(from[kRecurrent + gate], 0, cell, i));
    sram_.set(made.steps.inputs[kHybridLstmBiases], 0, 0, channel, sram_.get(from[kBiases + gate], 0, 0, cell));
  }

  TestSram &sram_;
  Random &random_;
  uint32_t steps_, inputs_, cells_;
  HybridLstmCellParameters cell_;
  HybridLstmStepsParameters stepsParameters_;
};

HybridCase makeCase(bool asymmetric, TestSram &sram, Random &random) {
  return CaseMaker(asymmetric, sram, random).make();
}

TEST(HybridLstmStepsTest, EqualsTheCell) {
  for (uint32_t seed = 0; seed < 40; ++seed) {
    Random random(seed);
    TestSram sram;
    const HybridCase made = makeCase(seed % 2 == 1, sram, random);
    checkAndRun(*testTarget(), made.cell, sram);
    checkAndRun(*testTarget(), made.steps, sram);
    const size_t cellOutputs[] = {3, 1, 2}; // sequence, hidden state, cell state
    for (size_t i = 0; i < kNumLstmOutputs; ++i)
      ASSERT_EQ(sram.values(made.steps.outputs[i]), sram.values(made.cell.outputs[cellOutputs[i]])) << "seed " << seed;
  }
}

TEST(HybridLstmStepsTest, BytesAreMultipliedInLanesOfBytes) {
  Random random(1);
  TestSram sram;
  const HybridCase made = makeCase(false, sram, random);
  const FeatureMap &columns = made.steps.inputs[kHybridLstmColumns];
  const uint64_t steps = made.steps.inputs[0].height, products = uint64_t(columns.height) * columns.channels;
  const TileCost cost = findKernel(made.steps)->cost(*testTarget(), made.steps);
  EXPECT_EQ(cost.dspOperations, steps * (products + 80 * made.cells + 8 * columns.height));
}

TEST(HybridLstmStepsTest, RejectsOtherWeightsAndScales) {
  Random random(2);
  TestSram sram;
  const HybridCase made = makeCase(false, sram, random);
  const auto messageOf = [](const DspCommand &command) {
    return findKernel(command)->check(*testTarget(), command).message();
  };
  DspCommand shorter = made.steps;
  --shorter.inputs[kHybridLstmColumns].height;
  EXPECT_NE(messageOf(shorter).find("input1.height"), std::string::npos);
  DspCommand floats = made.steps;
  floats.inputs[kHybridLstmColumns].type = DataType::Float32;
  EXPECT_NE(messageOf(floats).find("input1"), std::string::npos);
  DspCommand unscaled = made.steps;
  unscaled.parameters = packParameters(HybridLstmStepsParameters());
  EXPECT_NE(messageOf(unscaled).find("scales"), std::string::npos);
}

} // namespace
} // namespace avocet::kernels
