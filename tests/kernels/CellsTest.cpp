//===- CellsTest.cpp - Recurrent layers -----------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares each cell with its equations in doubles, for every combination of parts, in both float types.
//
//===----------------------------------------------------------------------===//

#include "KernelTestSupport.h"

#include "avocet/kernels/dsp/Cells.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace avocet::kernels {
namespace {

using namespace firmware;

using Row = std::vector<double>;

bool isLegal(const DspCommand &command) { return findKernel(command)->check(*testTarget(), command).isOk(); }

double activatedByDefinition(CellActivation activation, double x) {
  switch (activation) {
  case CellActivation::Relu:
    return x > 0 ? x : 0;
  case CellActivation::ReluN1To1:
    return x > 1 ? 1 : x < -1 ? -1 : x;
  case CellActivation::Relu6:
    return x > 6 ? 6 : x < 0 ? 0 : x;
  case CellActivation::Tanh:
    return (std::exp(2 * x) - 1) / (std::exp(2 * x) + 1);
  case CellActivation::Sigmoid:
    return 1 / (1 + std::exp(-x));
  default:
    return x;
  }
}

constexpr CellActivation kActivations[] = {CellActivation::None,  CellActivation::Relu, CellActivation::ReluN1To1,
                                           CellActivation::Relu6, CellActivation::Tanh, CellActivation::Sigmoid};

/// A command whose operands are matrices of one type, scattered in memory.
class CellFixture {
public:
  CellFixture(const char *kernel, DataType type, uint32_t seed) : random(seed), type_(type) {
    command.kernel = *dspKernelNumber(kernel);
  }

  void addInput(uint32_t rows, uint32_t columns, uint32_t height = 1) {
    command.inputs.push_back(matrix(rows, columns, height));
    sram.fill(command.inputs.back(), random);
    inputs.push_back(sram.values(command.inputs.back()));
  }
  void addOutput(uint32_t rows, uint32_t columns, uint32_t height = 1) {
    command.outputs.push_back(matrix(rows, columns, height));
  }

  double at(size_t input, uint32_t row, uint32_t column) {
    return inputs[input][row * command.inputs[input].channels + column];
  }

  /// sum over i of input `matrix`[row, i] * x[i]
  double product(size_t matrix, uint32_t row, const Row &x) {
    double sum = 0;
    for (uint32_t i = 0; i < x.size(); ++i)
      sum += at(matrix, row, i) * x[i];
    return sum;
  }

  Row row(size_t input, uint32_t row) {
    const uint32_t columns = command.inputs[input].channels;
    return Row(inputs[input].begin() + row * columns, inputs[input].begin() + (row + 1) * columns);
  }

  void expectRow(size_t output, uint32_t row, const Row &expected) {
    const FeatureMap &map = command.outputs[output];
    ASSERT_EQ(map.channels, expected.size());
    for (uint32_t c = 0; c < expected.size(); ++c) {
      double magnitude = std::max(1.0, std::fabs(expected[c]));
      double tolerance = type_ == DataType::Float16 ? magnitude / 1024 : magnitude * 1e-5;
      ASSERT_NEAR(sram.get(map, row / map.width, row % map.width, c), expected[c], tolerance)
          << "output " << output << " column " << c;
    }
  }

  DspCommand command;
  TestSram sram;
  Random random;
  std::vector<Row> inputs; ///< values of the inputs before the command

private:
  FeatureMap matrix(uint32_t rows, uint32_t columns, uint32_t height) {
    return sram.map(type_, height, rows, columns, Placement::Scattered, random);
  }
  DataType type_;
};

class CellTest : public testing::TestWithParam<DataType> {};
INSTANTIATE_TEST_SUITE_P(Types, CellTest, testing::Values(DataType::Float32, DataType::Float16));

//===----------------------------------------------------------------------===//
// LSTM
//===----------------------------------------------------------------------===//

constexpr uint32_t kFeatures = 5, kCells = 4, kBatch = 3;

/// Index of the pixel of one step and element of the batch.
uint32_t sequenceRow(StepOrder order, uint32_t step, uint32_t steps, uint32_t element, uint32_t batch) {
  return order == StepOrder::TimeMajor ? step * batch + element : element * steps + step;
}

struct Lstm : CellFixture {
  Lstm(uint32_t parts, DataType type, uint32_t seed)
      : CellFixture("lstmCell", type, seed), layout(parts), outputs(parts & kLstmProjection ? 6 : kCells) {
    parameters.parts = parts;
    parameters.activation = kActivations[seed % 6];
    parameters.cellClip = seed % 3 == 0 ? 0.5f : 0;
    parameters.projectionClip = seed % 2 == 0 ? 0.4f : 0;
    parameters.order = seed % 5 < 2 ? StepOrder::BatchMajor : StepOrder::TimeMajor;
    steps = 1 + seed % 4;
    command.parameters = packParameters(parameters);
    const bool timeMajor = parameters.order == StepOrder::TimeMajor;
    const uint32_t width = timeMajor ? kBatch : steps, height = timeMajor ? steps : kBatch;
    addInput(width, kFeatures, height);
    addInput(kBatch, outputs);
    addInput(kBatch, kCells);
    addMany(layout.gates, kCells, kFeatures);
    addMany(layout.gates, kCells, outputs);
    addMany(parts & kLstmPeepholes ? layout.gates - 1 : 0, 1, kCells);
    addMany(layout.gates, 1, kCells);
    addMany(parts & kLstmProjection ? 1 : 0, outputs, kCells);
    addMany(parts & kLstmProjectionBias ? 1 : 0, 1, outputs);
    addMany(parts & kLstmLayerNorm ? layout.gates : 0, 1, kCells);
    for (uint32_t columns : {layout.gates * kCells, outputs, kCells})
      addOutput(kBatch, columns);
    addOutput(width, outputs, height);
  }

  void addMany(uint32_t count, uint32_t rows, uint32_t columns) {
    for (uint32_t i = 0; i < count; ++i)
      addInput(rows, columns);
  }

  /// Gate number `gate` in the order of the operands; `peephole` is the number of its peephole, or -1.
  Row gate(uint32_t gate, int peephole, CellActivation activation, const Row &x, const Row &h, const Row &cell) {
    Row sums;
    for (uint32_t c = 0; c < kCells; ++c) {
      sums.push_back(product(layout.inputWeights + gate, c, x) + product(layout.recurrentWeights + gate, c, h));
      if ((parameters.parts & kLstmPeepholes) && peephole >= 0)
        sums[c] += at(layout.peepholes + peephole, 0, c) * cell[c];
    }
    if (parameters.parts & kLstmLayerNorm) {
      double mean = 0, variance = 0;
      for (double sum : sums)
        mean += sum / kCells;
      for (double sum : sums)
        variance += (sum - mean) * (sum - mean) / kCells;
      for (uint32_t c = 0; c < kCells; ++c)
        sums[c] = (sums[c] - mean) / std::sqrt(variance + 1e-8) * at(layout.layerNorm + gate, 0, c);
    }
    for (uint32_t c = 0; c < kCells; ++c)
      sums[c] = activatedByDefinition(activation, sums[c] + at(layout.biases + gate, 0, c));
    return sums;
  }

  static double clipped(double x, double limit) { return limit > 0 ? std::clamp(x, -limit, limit) : x; }

  /// Replaces the states by those after the step; returns the gates in the order of the operands.
  Row step(const Row &x, Row &h, Row &cell) {
    const bool coupled = !(parameters.parts & kLstmInputGate);
    const uint32_t first = coupled ? 0 : 1;
    const auto sigmoid = CellActivation::Sigmoid;
    Row hidden(kCells), gates, output(outputs);
    Row input = coupled ? Row() : gate(0, 0, sigmoid, x, h, cell);
    Row forget = gate(first, static_cast<int>(first), sigmoid, x, h, cell);
    Row update = gate(first + 1, -1, parameters.activation, x, h, cell);
    for (uint32_t c = 0; c < kCells; ++c)
      cell[c] = clipped(forget[c] * cell[c] + (coupled ? 1 - forget[c] : input[c]) * update[c], parameters.cellClip);
    Row out = gate(first + 2, static_cast<int>(first + 1), sigmoid, x, h, cell);
    for (uint32_t c = 0; c < kCells; ++c)
      hidden[c] = out[c] * activatedByDefinition(parameters.activation, cell[c]);
    for (uint32_t o = 0; o < outputs; ++o) {
      output[o] = parameters.parts & kLstmProjection ? product(layout.projection, o, hidden) : hidden[o];
      if (parameters.parts & kLstmProjectionBias)
        output[o] += at(layout.projectionBias, 0, o);
      if (parameters.parts & kLstmProjection)
        output[o] = clipped(output[o], parameters.projectionClip);
    }
    h = output;
    for (const Row &part : {input, forget, update, out})
      gates.insert(gates.end(), part.begin(), part.end());
    return gates;
  }

  void expectBatch(uint32_t batch) {
    Row h = row(1, batch), cell = row(2, batch), gates;
    for (uint32_t time = 0; time < steps; ++time) {
      const uint32_t pixel = sequenceRow(parameters.order, time, steps, batch, kBatch);
      gates = step(row(0, pixel), h, cell);
      expectRow(3, pixel, h);
    }
    expectRow(0, batch, gates);
    expectRow(1, batch, h);
    expectRow(2, batch, cell);
  }

  LstmCellParameters parameters;
  LstmCellLayout layout;
  uint32_t outputs, steps;
};

bool isConsistent(uint32_t parts) { return !(parts & kLstmProjectionBias) || (parts & kLstmProjection); }

TEST_P(CellTest, LstmMatchesEquationsForAllParts) {
  for (uint32_t parts = 0; parts <= kLstmAllParts; ++parts)
    for (uint32_t seed = 0; seed < 6 && isConsistent(parts); ++seed) {
      Lstm lstm(parts, GetParam(), seed + 6 * parts);
      checkAndRun(*testTarget(), lstm.command, lstm.sram);
      for (uint32_t batch = 0; batch < kBatch; ++batch)
        lstm.expectBatch(batch);
      if (HasFatalFailure())
        FAIL() << "parts " << parts << " seed " << seed;
    }
}

TEST(LstmCellTest, StatesMayBeReplacedInPlace) {
  Lstm lstm(kLstmAllParts, DataType::Float32, 5);
  lstm.command.outputs[1] = lstm.command.inputs[1];
  lstm.command.outputs[2] = lstm.command.inputs[2];
  checkAndRun(*testTarget(), lstm.command, lstm.sram);
  for (uint32_t batch = 0; batch < kBatch; ++batch)
    lstm.expectBatch(batch);
}

TEST(LstmCellTest, RejectsOperandsThatDoNotMatchParts) {
  const Lstm full(kLstmAllParts, DataType::Float32, 1);
  EXPECT_TRUE(isLegal(full.command));
  for (uint32_t parts : {0u, kLstmAllParts - kLstmPeepholes, 32u + kLstmAllParts, 0xFFFFFFFFu}) {
    DspCommand command = full.command;
    command.parameters[0] = parts;
    EXPECT_FALSE(isLegal(command)) << parts;
  }
  Lstm plain(kLstmInputGate, DataType::Float32, 1);
  plain.addInput(1, kCells);
  plain.command.parameters[0] |= kLstmProjectionBias;
  EXPECT_FALSE(isLegal(plain.command));
}

TEST(LstmCellTest, RejectsOperandsOfWrongShapeOrType) {
  for (uint32_t parts : {0u, uint32_t(kLstmAllParts)}) {
    const Lstm lstm(parts, DataType::Float32, 2);
    ASSERT_TRUE(isLegal(lstm.command));
    for (size_t i = 0; i < lstm.command.inputs.size() + lstm.command.outputs.size(); ++i)
      for (int field = 0; field < 4; ++field) {
        DspCommand command = lstm.command;
        const size_t inputs = command.inputs.size();
        FeatureMap &map = i < inputs ? command.inputs[i] : command.outputs[i - inputs];
        if (field == 3)
          map.type = DataType::Float16;
        else
          ++(field == 0 ? map.height : field == 1 ? map.width : map.channels);
        map.ringRows += 1;
        map.pixelStride += 64;
        map.rowStride += 64 * 64;
        EXPECT_FALSE(isLegal(command)) << "operand " << i << " field " << field;
      }
  }
}

TEST(LstmCellTest, UnknownActivationsAreRefused) {
  Lstm lstm(0, DataType::Float32, 2);
  for (uint32_t code : {5u, 7u, 0xFFFFFFFFu}) {
    lstm.command.parameters[1] = code;
    EXPECT_FALSE(isLegal(lstm.command));
  }
}

//===----------------------------------------------------------------------===//
// RNN
//===----------------------------------------------------------------------===//

TEST_P(CellTest, RnnMatchesEquations) {
  for (uint32_t seed = 0; seed < 30; ++seed) {
    CellFixture rnn("rnnCell", GetParam(), seed);
    const auto batch = static_cast<uint32_t>(pick(rnn.random, 1, 4));
    const auto features = static_cast<uint32_t>(pick(rnn.random, 1, 9));
    const auto units = static_cast<uint32_t>(pick(rnn.random, 1, 9));
    const CellActivation activation = kActivations[seed % 6];
    const auto steps = static_cast<uint32_t>(pick(rnn.random, 1, 3));
    const auto order = seed % 2 == 0 ? StepOrder::TimeMajor : StepOrder::BatchMajor;
    const uint32_t width = seed % 2 == 0 ? batch : steps, height = seed % 2 == 0 ? steps : batch;
    rnn.addInput(width, features, height);
    rnn.addInput(units, features);
    rnn.addInput(units, units);
    rnn.addInput(1, units);
    rnn.addInput(batch, units);
    rnn.addOutput(batch, units);
    rnn.addOutput(width, units, height);
    rnn.command.parameters = packParameters(RnnCellParameters{activation, order});
    checkAndRun(*testTarget(), rnn.command, rnn.sram);
    for (uint32_t b = 0; b < batch; ++b) {
      Row state = rnn.row(4, b);
      for (uint32_t time = 0; time < steps; ++time) {
        const uint32_t pixel = sequenceRow(order, time, steps, b, batch);
        Row next;
        for (uint32_t u = 0; u < units; ++u)
          next.push_back(activatedByDefinition(activation, rnn.product(1, u, rnn.row(0, pixel)) +
                                                               rnn.product(2, u, state) + rnn.at(3, 0, u)));
        state = next;
        rnn.expectRow(1, pixel, state);
      }
      rnn.expectRow(0, b, state);
    }
    if (HasFatalFailure())
      FAIL() << "seed " << seed;
    rnn.command.parameters[1] = 2;
    EXPECT_FALSE(isLegal(rnn.command));
    rnn.command.parameters[1] = static_cast<uint32_t>(order);
    for (FeatureMap &map : std::span(rnn.command.inputs).subspan(1)) {
      std::swap(map.height, map.width);
      EXPECT_EQ(isLegal(rnn.command), map.height == 1);
      std::swap(map.height, map.width);
    }
  }
}

//===----------------------------------------------------------------------===//
// SVDF
//===----------------------------------------------------------------------===//

struct Svdf : CellFixture {
  Svdf(DataType type, uint32_t seed) : CellFixture("svdf", type, seed) {
    auto any = [&](int32_t most) { return static_cast<uint32_t>(pick(random, 1, most)); };
    batch = any(4), features = any(6), rank = any(3), units = any(5), memory = any(6);
    hasBias = seed % 2 == 0;
    activation = kActivations[seed % 6];
    addInput(batch, features);
    addInput(filters(), features);
    addInput(filters(), memory);
    if (hasBias)
      addInput(1, units);
    addInput(batch, filters() * memory);
    addOutput(batch, filters() * memory);
    addOutput(batch, units);
    command.parameters = packParameters(SvdfParameters{rank, activation});
  }

  uint32_t filters() const { return units * rank; }

  void expectBatch(uint32_t b) {
    const size_t state = command.inputs.size() - 1;
    Row newState, output;
    for (uint32_t u = 0; u < units; ++u) {
      double sum = hasBias ? at(3, 0, u) : 0;
      for (uint32_t filter = u * rank; filter < (u + 1) * rank; ++filter)
        for (uint32_t m = 0; m < memory; ++m) {
          bool newest = m + 1 == memory;
          double value = newest ? product(1, filter, row(0, b)) : at(state, b, filter * memory + m);
          sum += at(2, filter, m) * value;
          if (m > 0)
            newState.push_back(value);
          if (newest)
            newState.push_back(0);
        }
      output.push_back(activatedByDefinition(activation, sum));
    }
    expectRow(0, b, newState);
    expectRow(1, b, output);
  }

  uint32_t batch, features, rank, units, memory;
  bool hasBias;
  CellActivation activation;
};

TEST_P(CellTest, SvdfMatchesEquations) {
  for (uint32_t seed = 0; seed < 60; ++seed) {
    Svdf svdf(GetParam(), seed);
    checkAndRun(*testTarget(), svdf.command, svdf.sram);
    for (uint32_t b = 0; b < svdf.batch; ++b)
      svdf.expectBatch(b);
    if (HasFatalFailure())
      FAIL() << "seed " << seed;
  }
}

TEST(SvdfTest, RankMustDivideTheFilters) {
  Svdf svdf(DataType::Float32, 3);
  ASSERT_TRUE(isLegal(svdf.command));
  for (uint32_t rank : {0u, svdf.filters() + 1, 0xFFFFFFFFu}) {
    svdf.command.parameters[0] = rank;
    EXPECT_FALSE(isLegal(svdf.command)) << rank;
  }
}

} // namespace
} // namespace avocet::kernels
