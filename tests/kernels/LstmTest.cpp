//===- LstmTest.cpp - LSTM against its definition -------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTestSupport.h"

#include "avocet/kernels/Quantization.h"
#include "avocet/kernels/dsp/Lstm.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace avocet::kernels {
namespace {

using namespace firmware;

/// Operands of one random LSTM.
struct LstmCase {
  DspCommand command;
  uint32_t steps, inputs, cells;
};

LstmCase makeLstm(bool integers, TestSram &sram, Random &random) {
  LstmCase lstm;
  lstm.steps = static_cast<uint32_t>(pick(random, 1, 12));
  lstm.inputs = static_cast<uint32_t>(pick(random, 1, 20));
  lstm.cells = static_cast<uint32_t>(pick(random, 1, 20));
  DataType activation = integers ? DataType::Int8 : DataType::Float32;
  DataType bias = integers ? DataType::Int32 : DataType::Float32;
  auto map = [&](DataType type, uint32_t rows, uint32_t channels) {
    return sram.map(type, rows, 1, channels, Placement::Scattered, random);
  };
  DspCommand &c = lstm.command;
  c.kernel = *dspKernelNumber(integers ? "integerLstm" : "floatLstm");
  c.inputs.push_back(map(activation, lstm.steps, lstm.inputs));
  for (uint32_t gate = 0; gate < kNumLstmGates; ++gate)
    c.inputs.push_back(map(activation, lstm.cells, lstm.inputs));
  for (uint32_t gate = 0; gate < kNumLstmGates; ++gate)
    c.inputs.push_back(map(activation, lstm.cells, lstm.cells));
  for (uint32_t gate = 0; gate < kNumLstmGates; ++gate)
    c.inputs.push_back(map(bias, 1, lstm.cells));
  c.outputs = {map(activation, lstm.steps, lstm.cells), map(activation, 1, lstm.cells),
               map(integers ? DataType::Int16 : DataType::Float32, 1, lstm.cells)};
  for (size_t i = 0; i < c.inputs.size(); ++i)
    if (i < kLstmBiases || !integers)
      sram.fill(c.inputs[i], random);
  for (uint32_t gate = 0; integers && gate < kNumLstmGates; ++gate)
    for (uint32_t cell = 0; cell < lstm.cells; ++cell)
      sram.set(c.inputs[kLstmBiases + gate], 0, 0, cell, pick(random, -2000, 2000));
  return lstm;
}

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

/// The real LSTM on operands scaled to real numbers.
struct RealLstm {
  const LstmCase &lstm;
  TestSram &sram;
  std::array<double, kNumLstmInputs> scales; ///< real value of one step of each input
  double hiddenScale, cellClip;
  std::vector<double> hidden, cell;

  double input(uint32_t index, uint32_t row, uint32_t c) const {
    const FeatureMap &map = lstm.command.inputs[index];
    return (sram.get(map, row, 0, c) - map.zeroPoint) * scales[index];
  }

  double gateSum(uint32_t gate, uint32_t step, uint32_t c) const {
    double sum = input(kLstmBiases + gate, 0, c);
    for (uint32_t i = 0; i < lstm.inputs; ++i)
      sum += input(kLstmInputWeights + gate, c, i) * input(kLstmSequence, step, i);
    for (uint32_t i = 0; i < lstm.cells; ++i)
      sum += input(kLstmRecurrentWeights + gate, c, i) * hidden[i];
    return sum;
  }

  /// The hidden states of all steps.
  std::vector<double> run() {
    std::vector<double> sequence;
    hidden.assign(lstm.cells, 0);
    cell.assign(lstm.cells, 0);
    for (uint32_t step = 0; step < lstm.steps; ++step) {
      std::vector<double> next(lstm.cells);
      for (uint32_t c = 0; c < lstm.cells; ++c) {
        cell[c] =
            logistic(gateSum(1, step, c)) * cell[c] + logistic(gateSum(0, step, c)) * std::tanh(gateSum(2, step, c));
        if (cellClip > 0)
          cell[c] = std::clamp(cell[c], -cellClip, cellClip);
        next[c] = logistic(gateSum(3, step, c)) * std::tanh(cell[c]);
      }
      hidden = next;
      sequence.insert(sequence.end(), next.begin(), next.end());
    }
    return sequence;
  }
};

TEST(FloatLstmTest, EqualsTheDefinition) {
  auto target = testTarget();
  for (uint32_t seed = 0; seed < 30; ++seed) {
    Random random(seed);
    TestSram sram;
    LstmCase lstm = makeLstm(false, sram, random);
    float clip = seed % 2 == 0 ? 0.0f : 0.7f;
    lstm.command.parameters = packParameters(FloatLstmParameters{clip});
    checkAndRun(*target, lstm.command, sram);
    RealLstm real{lstm, sram, {}, 1, clip, {}, {}};
    real.scales.fill(1);
    std::vector<double> expected = real.run(), actual = sram.values(lstm.command.outputs[kLstmOutputSequence]);
    for (size_t i = 0; i < expected.size(); ++i)
      ASSERT_NEAR(actual[i], expected[i], 1e-4) << "seed " << seed;
    std::vector<double> states = sram.values(lstm.command.outputs[kLstmCellState]);
    for (size_t i = 0; i < states.size(); ++i)
      ASSERT_NEAR(states[i], real.cell[i], 1e-4);
  }
}

IntegerLstmScales typicalScales() {
  IntegerLstmScales scales;
  scales.input = 1.0f / 128;
  scales.hiddenState = scales.hiddenIntermediate = 1.0f / 128;
  scales.cellState = std::ldexp(1.0f, -12);
  scales.inputWeights.fill(0.004f);
  scales.recurrentWeights.fill(0.003f);
  return scales;
}

TEST(IntegerLstmTest, IsCloseToRealLstm) {
  auto target = testTarget();
  for (uint32_t seed = 0; seed < 30; ++seed) {
    Random random(seed);
    TestSram sram;
    LstmCase lstm = makeLstm(true, sram, random);
    IntegerLstmScales scales = typicalScales();
    scales.cellClip = seed % 3 == 0 ? 0.5f : 0.0f;
    Result<IntegerLstmParameters> parameters = prepareIntegerLstm(scales);
    ASSERT_TRUE(parameters.isOk()) << parameters.status().toString();
    lstm.command.parameters = packParameters(*parameters);
    lstm.command.inputs[kLstmSequence].zeroPoint = 5;
    for (uint32_t output : {kLstmOutputSequence, kLstmHiddenState})
      lstm.command.outputs[output].zeroPoint = -3;
    sram.setValues(lstm.command.outputs[kLstmHiddenState], std::vector<double>(lstm.cells, -3));
    checkAndRun(*target, lstm.command, sram);
    RealLstm real{lstm, sram, {}, scales.hiddenState, scales.cellClip, {}, {}};
    real.scales.fill(double(scales.inputWeights[0]) * scales.input); // of the biases
    real.scales[kLstmSequence] = scales.input;
    for (uint32_t gate = 0; gate < kNumLstmGates; ++gate) {
      real.scales[kLstmInputWeights + gate] = scales.inputWeights[gate];
      real.scales[kLstmRecurrentWeights + gate] = scales.recurrentWeights[gate];
    }
    std::vector<double> expected = real.run(), actual = sram.values(lstm.command.outputs[kLstmOutputSequence]);
    for (size_t i = 0; i < expected.size(); ++i)
      ASSERT_NEAR((actual[i] + 3) * scales.hiddenState, expected[i], 0.03) << "seed " << seed;
  }
}

LstmCase makeTypicalLstm(bool integers, TestSram &sram, Random &random) {
  LstmCase lstm = makeLstm(integers, sram, random);
  lstm.command.parameters =
      integers ? packParameters(*prepareIntegerLstm(typicalScales())) : packParameters(FloatLstmParameters());
  return lstm;
}

/// The state lets a sequence be split over commands.
TEST(LstmStateTest, SplitSequenceEqualsWholeSequence) {
  auto target = testTarget();
  for (bool integers : {false, true})
    for (uint32_t seed = 0; seed < 10; ++seed) {
      Random random(seed);
      TestSram sram;
      LstmCase lstm = makeTypicalLstm(integers, sram, random);
      const std::vector<double> zeros(lstm.cells);
      auto reset = [&] {
        sram.setValues(lstm.command.outputs[kLstmHiddenState], zeros);
        sram.setValues(lstm.command.outputs[kLstmCellState], zeros);
      };
      checkAndRun(*target, lstm.command, sram);
      std::vector<double> expected = sram.values(lstm.command.outputs[kLstmOutputSequence]);
      reset();
      uint32_t half = lstm.steps / 2;
      for (auto [first, count] : {std::pair(0u, half), std::pair(half, lstm.steps - half)}) {
        if (count == 0)
          continue;
        DspCommand part = lstm.command;
        for (FeatureMap *map : {&part.inputs[kLstmSequence], &part.outputs[kLstmOutputSequence]}) {
          map->firstRow = (map->firstRow + first) % map->ringRows;
          map->height = count;
        }
        checkAndRun(*target, part, sram);
      }
      ASSERT_EQ(sram.values(lstm.command.outputs[kLstmOutputSequence]), expected);
    }
}

/// The second of two commands gets the states of the first as inputs.
TEST(LstmStateTest, InitialStatesContinueASequence) {
  auto target = testTarget();
  for (bool integers : {false, true})
    for (uint32_t seed = 0; seed < 10; ++seed) {
      Random random(seed);
      TestSram sram;
      LstmCase lstm = makeTypicalLstm(integers, sram, random);
      DspCommand next = lstm.command;
      for (uint32_t state : {kLstmHiddenState, kLstmCellState}) {
        const FeatureMap &map = lstm.command.outputs[state];
        next.inputs.push_back(sram.map(map.type, 1, 1, lstm.cells, Placement::Scattered, random));
      }
      checkAndRun(*target, lstm.command, sram);
      for (uint32_t state : {kLstmHiddenState, kLstmCellState})
        sram.setValues(next.inputs[kNumLstmInputs + state - kLstmHiddenState],
                       sram.values(lstm.command.outputs[state]));
      checkAndRun(*target, lstm.command, sram);
      const std::vector<double> expected = sram.values(lstm.command.outputs[kLstmOutputSequence]);
      for (const FeatureMap &map : lstm.command.outputs)
        sram.fill(map, random);
      checkAndRun(*target, next, sram);
      ASSERT_EQ(sram.values(lstm.command.outputs[kLstmOutputSequence]), expected);
    }
}

/// The command of steps for the same network: `map` places a new operand, and the sums are filled by `setSums`.
class StepsCase {
public:
  StepsCase(const LstmCase &whole, bool integers, TestSram &sram, Random &random)
      : whole_(whole), integers_(integers), sram_(sram), command_(whole.command) {
    const uint32_t sums = kNumLstmGates * whole.cells;
    command_.kernel = *dspKernelNumber(integers ? "integerLstmSteps" : "floatLstmSteps");
    auto map = [&](DataType type, uint32_t rows, uint32_t channels) {
      return sram.map(type, rows, 1, channels, Placement::Scattered, random);
    };
    command_.inputs = {map(integers ? DataType::Int16 : DataType::Float32, whole.steps, sums),
                       map(integers ? DataType::Int8 : DataType::Float32, whole.cells, sums)};
    for (FeatureMap &output : command_.outputs)
      output = map(output.type, output.height, output.channels);
    if (integers)
      command_.parameters = packParameters<IntegerLstmStepsParameters>(
          *unpackParameters<IntegerLstmParameters>(whole.command.parameters));
    for (uint32_t gate = 0; gate < kNumLstmGates; ++gate)
      for (uint32_t cell = 0; cell < whole.cells; ++cell)
        setChannel(gate, cell);
  }

  DspCommand &command() { return command_; }

private:
  double input(uint32_t index, uint32_t row, uint32_t channel) const {
    return sram_.get(whole_.command.inputs[index], row, 0, channel);
  }

  double sumOf(uint32_t gate, uint32_t cell, uint32_t step) const {
    const double bias = input(kLstmBiases + gate, 0, cell);
    if (!integers_) {
      float sum = 0;
      for (uint32_t i = 0; i < whole_.inputs; ++i)
        sum += static_cast<float>(input(kLstmInputWeights + gate, cell, i)) *
               static_cast<float>(input(kLstmSequence, step, i));
      return static_cast<float>(bias) + sum;
    }
    double sum = bias;
    for (uint32_t i = 0; i < whole_.inputs; ++i)
      sum += input(kLstmInputWeights + gate, cell, i) *
             (input(kLstmSequence, step, i) - whole_.command.inputs[kLstmSequence].zeroPoint);
    const Rescale rescale = unpackParameters<IntegerLstmParameters>(whole_.command.parameters)->input[gate];
    const int32_t scaled = multiplyByQuantizedMultiplier(static_cast<int32_t>(sum), rescale.multiplier, rescale.shift);
    return std::clamp(scaled, -32768, 32767);
  }

  void setChannel(uint32_t gate, uint32_t cell) {
    const uint32_t channel = gate * whole_.cells + cell;
    for (uint32_t step = 0; step < whole_.steps; ++step)
      sram_.set(command_.inputs[kLstmSums], step, 0, channel, sumOf(gate, cell, step));
    for (uint32_t hidden = 0; hidden < whole_.cells; ++hidden)
      sram_.set(command_.inputs[kLstmRecurrentColumns], hidden, 0, channel,
                input(kLstmRecurrentWeights + gate, cell, hidden));
  }

  const LstmCase &whole_;
  bool integers_;
  TestSram &sram_;
  DspCommand command_;
};

TEST(LstmStepsTest, EqualsTheWholeLstm) {
  auto target = testTarget();
  for (bool integers : {false, true})
    for (uint32_t seed = 0; seed < 20; ++seed) {
      Random random(seed);
      TestSram sram;
      const LstmCase lstm = makeTypicalLstm(integers, sram, random);
      StepsCase steps(lstm, integers, sram, random);
      for (const DspCommand *command : {&lstm.command, &std::as_const(steps.command())})
        for (uint32_t state : {kLstmHiddenState, kLstmCellState})
          sram.setValues(command->outputs[state], std::vector<double>(lstm.cells));
      checkAndRun(*target, lstm.command, sram);
      checkAndRun(*target, steps.command(), sram);
      for (size_t i = 0; i < kNumLstmOutputs; ++i)
        ASSERT_EQ(sram.values(steps.command().outputs[i]), sram.values(lstm.command.outputs[i])) << "seed " << seed;
    }
}

TEST(LstmStepsTest, ZeroPointCostsOnePass) {
  Random random(0);
  TestSram sram;
  const LstmCase lstm = makeTypicalLstm(true, sram, random);
  StepsCase steps(lstm, true, sram, random);
  const uint64_t products = uint64_t(kNumLstmGates) * lstm.cells * lstm.cells, cellOps = uint64_t(160) * lstm.cells;
  for (int32_t zeroPoint : {0, 3}) {
    steps.command().outputs[kLstmHiddenState].zeroPoint = zeroPoint;
    const TileCost cost = findKernel(steps.command())->cost(*testTarget(), steps.command());
    EXPECT_EQ(cost.dspOperations, lstm.steps * (products + cellOps) + (zeroPoint ? products : 0));
  }
}

TEST(LstmStepsTest, RejectsSumsOfOtherNumbersOfCells) {
  Random random(0);
  TestSram sram;
  const LstmCase lstm = makeTypicalLstm(true, sram, random);
  StepsCase steps(lstm, true, sram, random);
  ++steps.command().inputs[kLstmSums].channels;
  const Status status = findKernel(steps.command())->check(*testTarget(), steps.command());
  EXPECT_NE(status.message().find("input0.channels"), std::string::npos) << status.toString();
}

TEST(LstmStateTest, RejectsOneInitialState) {
  Random random(0);
  TestSram sram;
  LstmCase lstm = makeLstm(false, sram, random);
  lstm.command.parameters = packParameters(FloatLstmParameters());
  lstm.command.inputs.push_back(lstm.command.outputs[kLstmHiddenState]);
  const Status status = findKernel(lstm.command)->check(*testTarget(), lstm.command);
  EXPECT_NE(status.message().find("both initial states or none"), std::string::npos) << status.toString();
}

TEST(IntegerLstmParametersTest, ParametersMatchManualCalculation) {
  IntegerLstmScales scales = typicalScales();
  scales.inputWeights[0] = 0.5f; // 0.5 / 128 * 4096 = 16
  scales.cellClip = 2;
  Result<IntegerLstmParameters> parameters = prepareIntegerLstm(scales);
  ASSERT_TRUE(parameters.isOk());
  EXPECT_EQ(parameters->input[0], quantizeMultiplier(16));
  EXPECT_EQ(parameters->hidden, quantizeMultiplier(std::ldexp(1.0, -23)));
  EXPECT_EQ(parameters->cellExponent, -12);
  EXPECT_EQ(parameters->cellClip, 8192);
}

TEST(IntegerLstmParametersTest, RejectsUnsupportedScales) {
  IntegerLstmScales scales = typicalScales();
  scales.cellState = 0.3f;
  EXPECT_FALSE(prepareIntegerLstm(scales).isOk());
  scales.cellState = std::ldexp(1.0f, -16);
  EXPECT_FALSE(prepareIntegerLstm(scales).isOk());
  scales = typicalScales();
  scales.input = -1;
  EXPECT_FALSE(prepareIntegerLstm(scales).isOk());
  scales = typicalScales();
  scales.hiddenIntermediate = 0;
  EXPECT_FALSE(prepareIntegerLstm(scales).isOk());
}

} // namespace
} // namespace avocet::kernels
