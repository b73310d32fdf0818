//===- ByteCellsTest.cpp - Recurrent layers with 8-bit weights ------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Hybrid cells equal those of floats for vectors that 8 bits represent exactly. Integer cells are close to the real
// equations; without optional parts they equal the kernel of whole sequences.
//
//===----------------------------------------------------------------------===//

#include "KernelTestSupport.h"

#include "avocet/kernels/Quantization.h"
#include "avocet/kernels/dsp/HybridCells.h"
#include "avocet/kernels/dsp/IntegerCells.h"
#include "avocet/kernels/dsp/Lstm.h"

#include <algorithm>
#include <cmath>

namespace avocet::kernels {
namespace {

using namespace firmware;

using Row = std::vector<double>;
constexpr DataType kF32 = DataType::Float32, kI8 = DataType::Int8, kI16 = DataType::Int16, kI32 = DataType::Int32;
constexpr uint32_t kFeatures = 5, kCells = 4, kBatch = 2;

bool isLegal(const DspCommand &command) { return findKernel(command)->check(*testTarget(), command).isOk(); }

/// A command whose operands are matrices.
struct Fixture {
  Fixture(const char *kernel, uint32_t seed) : random(seed) { command.kernel = *dspKernelNumber(kernel); }

  FeatureMap matrix(DataType type, uint32_t rows, uint32_t columns, uint32_t height = 1) {
    return sram.map(type, height, rows, columns, Placement::Scattered, random);
  }
  /// An input with random stored values in [low, high].
  size_t add(DataType type, uint32_t rows, uint32_t columns, int low, int high, double scale = 1) {
    FeatureMap map = matrix(type, rows, columns);
    Row values;
    for (uint32_t i = 0; i < rows * columns; ++i)
      values.push_back(pick(random, low, high) * scale);
    sram.setValues(map, values);
    command.inputs.push_back(map);
    return command.inputs.size() - 1;
  }
  double at(size_t input, uint32_t row, uint32_t column) { return sram.get(command.inputs[input], 0, row, column); }

  Random random;
  TestSram sram;
  DspCommand command;
};

/// Makes the first element of each row of an input the largest number that 8 bits hold, so that the scale is `scale`.
void setPeaks(Fixture &f, size_t input, double scale) {
  for (uint32_t row = 0; row < f.command.inputs[input].width; ++row)
    f.sram.set(f.command.inputs[input], 0, row, 0, 127 * scale);
}

/// The same command with weights of floats.
DspCommand withFloatWeights(Fixture &f, const char *kernel, std::span<const float> scales) {
  DspCommand plain = f.command;
  plain.kernel = *dspKernelNumber(kernel);
  size_t weights = 0;
  for (FeatureMap &map : plain.inputs)
    if (map.type == kI8) {
      Row values = f.sram.values(map);
      for (double &value : values)
        value *= scales[weights];
      ++weights;
      map = f.matrix(kF32, map.width, map.channels);
      f.sram.setValues(map, values);
    }
  for (FeatureMap &map : plain.outputs)
    map = f.matrix(kF32, map.width, map.channels, map.height);
  return plain;
}

void expectSameOutputs(Fixture &f, const DspCommand &plain) {
  checkAndRun(*testTarget(), f.command, f.sram);
  checkAndRun(*testTarget(), plain, f.sram);
  for (size_t i = 0; i < plain.outputs.size(); ++i) {
    const Row found = f.sram.values(f.command.outputs[i]), expected = f.sram.values(plain.outputs[i]);
    for (size_t e = 0; e < expected.size(); ++e)
      ASSERT_NEAR(found[e], expected[e], 2e-5) << "output " << i << " element " << e;
  }
}

TEST(HybridCellTest, RnnEqualsFloatsForExactVectors) {
  for (uint32_t seed = 0; seed < 20; ++seed) {
    Fixture f("hybridRnnCell", seed);
    setPeaks(f, f.add(kF32, kBatch, kFeatures, -127, 127, 0.01), 0.01);
    f.add(kI8, kCells, kFeatures, -127, 127);
    f.add(kI8, kCells, kCells, -127, 127);
    f.add(kF32, 1, kCells, -9, 9, 0.1);
    setPeaks(f, f.add(kF32, kBatch, kCells, -127, 127, 0.02), 0.02);
    f.command.outputs = {f.matrix(kF32, kBatch, kCells), f.matrix(kF32, kBatch, kCells)};
    const HybridRnnCellParameters p{{CellActivation::Tanh}, 0, {0.002f, 0.003f}};
    f.command.parameters = packParameters(p);
    DspCommand plain = withFloatWeights(f, "rnnCell", p.scales);
    plain.parameters = packParameters(p.cell);
    expectSameOutputs(f, plain);
  }
}

TEST(HybridCellTest, LstmEqualsFloatsForExactVectors) {
  for (uint32_t seed = 0; seed < 20; ++seed) {
    const bool isCoupled = seed % 2 == 0;
    const uint32_t gates = isCoupled ? 3 : 4;
    Fixture f("hybridLstmCell", seed);
    setPeaks(f, f.add(kF32, kBatch, kFeatures, -127, 127, 0.01), 0.01);
    setPeaks(f, f.add(kF32, kBatch, kCells, -127, 127, 0.02), 0.02);
    f.add(kF32, kBatch, kCells, -9, 9, 0.1);
    for (uint32_t columns : {kFeatures, kCells})
      for (uint32_t gate = 0; gate < gates; ++gate)
        f.add(kI8, kCells, columns, -127, 127);
    for (uint32_t gate = 0; gate < gates; ++gate)
      f.add(kF32, 1, kCells, -9, 9, 0.1);
    for (uint32_t columns : {gates * kCells, kCells, kCells, kCells})
      f.command.outputs.push_back(f.matrix(kF32, kBatch, columns));
    HybridLstmCellParameters p{{isCoupled ? 0u : uint32_t(kLstmInputGate)}};
    for (size_t i = 0; i < p.scales.size(); ++i)
      p.scales[i] = 0.001f * static_cast<float>(i + 1);
    f.command.parameters = packParameters(p);
    DspCommand plain = withFloatWeights(f, "lstmCell", p.scales);
    plain.parameters = packParameters(p.cell);
    expectSameOutputs(f, plain);
  }
}

TEST(HybridCellTest, SvdfEqualsFloatsForExactVectors) {
  for (uint32_t seed = 0; seed < 20; ++seed) {
    Fixture f("hybridSvdf", seed);
    setPeaks(f, f.add(kF32, kBatch, kFeatures, -127, 127, 0.01), 0.01);
    f.add(kI8, 4, kFeatures, -127, 127);
    f.add(kF32, 4, 3, -9, 9, 0.1);
    f.add(kF32, 1, 2, -9, 9, 0.1);
    f.add(kF32, kBatch, 12, -9, 9, 0.1);
    f.command.outputs = {f.matrix(kF32, kBatch, 12), f.matrix(kF32, kBatch, 2)};
    const HybridSvdfParameters p{{2, CellActivation::Relu}, 0, {0.002f}};
    f.command.parameters = packParameters(p);
    DspCommand plain = withFloatWeights(f, "svdf", p.scales);
    plain.parameters = packParameters(p.cell);
    expectSameOutputs(f, plain);
  }
}

/// A range of 255 steps from the zero point is exact too, but not without it.
TEST(HybridCellTest, AsymmetricVectorsUseTheirWholeRange) {
  Fixture f("hybridRnnCell", 3);
  f.add(kF32, 1, 3, 0, 0);
  f.sram.setValues(f.command.inputs[0], {2.55, 0.01, 1.27});
  f.add(kI8, 1, 3, 100, 100);
  f.add(kI8, 1, 1, 0, 0);
  f.add(kF32, 1, 1, 0, 0);
  f.add(kF32, 1, 1, 0, 0);
  f.command.outputs = {f.matrix(kF32, 1, 1), f.matrix(kF32, 1, 1)};
  f.command.parameters = packParameters(HybridRnnCellParameters{{}, 1, {0.01f, 0.01f}});
  checkAndRun(*testTarget(), f.command, f.sram);
  EXPECT_NEAR(f.sram.values(f.command.outputs[1])[0], 2.55 + 0.01 + 1.27, 1e-5);
  f.command.parameters = packParameters(HybridRnnCellParameters{{}, 0, {0.01f, 0.01f}});
  checkAndRun(*testTarget(), f.command, f.sram);
  EXPECT_GT(std::abs(f.sram.values(f.command.outputs[1])[0] - 3.83), 0.005);
}

TEST(HybridCellTest, RefusesScalesThatAreNotPositive) {
  Fixture f("hybridRnnCell", 1);
  for (auto [type, rows, columns] : {std::tuple(kF32, kBatch, kFeatures),
                                     {kI8, kCells, kFeatures},
                                     {kI8, kCells, kCells},
                                     {kF32, 1u, kCells},
                                     {kF32, kBatch, kCells}})
    f.add(type, rows, columns, 0, 0);
  f.command.outputs = {f.matrix(kF32, kBatch, kCells), f.matrix(kF32, kBatch, kCells)};
  HybridRnnCellParameters p{{}, 0, {0.1f, 0.1f}};
  f.command.parameters = packParameters(p);
  EXPECT_TRUE(isLegal(f.command));
  for (float scale : {0.0f, -1.0f, NAN, INFINITY}) {
    p.scales[1] = scale;
    f.command.parameters = packParameters(p);
    EXPECT_FALSE(isLegal(f.command)) << scale;
  }
  f.command.parameters = packParameters(HybridRnnCellParameters{{}, 2, {0.1f, 0.1f}});
  EXPECT_FALSE(isLegal(f.command));
}

//===----------------------------------------------------------------------===//
// Integer LSTM
//===----------------------------------------------------------------------===//

IntegerLstmCellScales typicalScales(uint32_t parts) {
  IntegerLstmCellScales scales;
  const bool hasNorm = parts & kLstmLayerNorm;
  for (size_t gate = parts & kLstmInputGate ? 0 : 1; gate < 4; ++gate)
    scales.gates[gate] = {0.004f, 0.003f, parts & kLstmPeepholes ? 3e-5f : 0, hasNorm ? 3e-5f : 0,
                          hasNorm ? 0.0005f : 1.0f / 4096};
  scales.input = scales.outputState = scales.hidden = 1.0f / 128;
  scales.projection = parts & kLstmProjection ? 0.004f : 0;
  scales.cellState = 1.0f / 4096;
  return scales;
}

/// One step of a cell whose values are the stored ones times the scales.
struct IntegerCell : Fixture {
  IntegerCell(uint32_t parts, uint32_t seed)
      : Fixture("integerLstmCell", seed), layout(parts), scales(typicalScales(parts)),
        outputs(parts & kLstmProjection ? 3 : kCells) {
    auto prepared = prepareIntegerLstmCell(scales);
    EXPECT_TRUE(prepared.isOk()) << prepared.status().toString();
    parameters = *prepared;
    parameters.parts = parts;
    command.parameters = packParameters(parameters);
    add(kI8, kBatch, kFeatures, -128, 127);
    add(kI8, kBatch, outputs, -128, 127);
    add(kI16, kBatch, kCells, -9000, 9000);
    addMany(layout.gates, kI8, kCells, kFeatures, 127);
    addMany(layout.gates, kI8, kCells, outputs, 127);
    addMany(layout.biases - layout.peepholes, kI16, 1, kCells, 32767);
    addMany(layout.gates, kI32, 1, kCells, parts & kLstmLayerNorm ? 9000000 : 9000);
    addMany(layout.projectionBias - layout.projection, kI8, outputs, kCells, 127);
    addMany(layout.layerNorm - layout.projectionBias, kI32, 1, outputs, 9000);
    addMany(layout.count - layout.layerNorm, kI16, 1, kCells, 32767);
    for (auto [type, columns] :
         {std::pair(kI16, layout.gates * kCells), {kI8, outputs}, {kI16, kCells}, {kI8, outputs}})
      command.outputs.push_back(matrix(type, kBatch, columns));
  }

  void addMany(uint32_t count, DataType type, uint32_t rows, uint32_t columns, int range) {
    for (uint32_t i = 0; i < count; ++i)
      add(type, rows, columns, -range, range);
  }

  bool has(LstmCellPart part) const { return parameters.parts & part; }

  /// A gate, numbered in the order input, forget, cell, output.
  Row gate(uint32_t gate, uint32_t batch, const Row &cell) {
    const uint32_t n = gate + layout.gates - 4;
    const auto &real = scales.gates[gate];
    const double biasScale = has(kLstmLayerNorm) ? real.norm / 1024 : real.inputWeights * scales.input;
    Row sums(kCells);
    for (uint32_t c = 0; c < kCells; ++c) {
      for (uint32_t i = 0; i < kFeatures; ++i)
        sums[c] += at(layout.inputWeights + n, c, i) * real.inputWeights * at(0, batch, i) * scales.input;
      for (uint32_t i = 0; i < outputs; ++i)
        sums[c] += at(layout.recurrentWeights + n, c, i) * real.recurrentWeights * at(1, batch, i) * scales.outputState;
      if (has(kLstmPeepholes) && gate != 2)
        sums[c] += at(layout.peepholes + n - (gate == 3 ? 1 : 0), 0, c) * real.peephole * cell[c];
    }
    if (has(kLstmLayerNorm))
      normalize(sums, n, real.norm);
    for (uint32_t c = 0; c < kCells; ++c) {
      const double sum = sums[c] + at(layout.biases + n, 0, c) * biasScale;
      sums[c] = gate == 2 ? std::tanh(sum) : 1 / (1 + std::exp(-sum));
    }
    return sums;
  }

  void normalize(Row &sums, uint32_t n, double scale) {
    double mean = 0, variance = 0;
    for (double sum : sums)
      mean += sum / kCells;
    for (double sum : sums)
      variance += (sum - mean) * (sum - mean) / kCells;
    for (uint32_t c = 0; c < kCells; ++c)
      sums[c] = (sums[c] - mean) / std::sqrt(variance) * at(layout.layerNorm + n, 0, c) * scale;
  }

  void expectBatch(uint32_t batch) {
    Row cell, hidden;
    for (uint32_t c = 0; c < kCells; ++c)
      cell.push_back(at(2, batch, c) * scales.cellState);
    const Row forget = gate(1, batch, cell), update = gate(2, batch, cell);
    const Row input = has(kLstmInputGate) ? gate(0, batch, cell) : Row();
    for (uint32_t c = 0; c < kCells; ++c)
      cell[c] = forget[c] * cell[c] + (input.empty() ? 1 - forget[c] : input[c]) * update[c];
    const Row output = gate(3, batch, cell);
    for (uint32_t c = 0; c < kCells; ++c) {
      hidden.push_back(output[c] * std::tanh(cell[c]));
      ASSERT_NEAR(sram.get(command.outputs[2], 0, batch, c) * scales.cellState, cell[c], 0.01) << "cell " << c;
      ASSERT_NEAR(sram.get(command.outputs[0], 0, batch, command.outputs[0].channels - kCells + c) / 32768, output[c],
                  0.01);
    }
    expectOutput(batch, hidden);
  }

  void expectOutput(uint32_t batch, const Row &hidden) {
    for (uint32_t o = 0; o < outputs; ++o) {
      double expected = has(kLstmProjection) ? 0 : hidden[o];
      for (uint32_t c = 0; c < kCells && has(kLstmProjection); ++c)
        expected += at(layout.projection, o, c) * scales.projection * hidden[c];
      if (has(kLstmProjectionBias))
        expected += at(layout.projectionBias, 0, o) * scales.projection * scales.hidden;
      const double stored = std::clamp(expected * 128, -128.0, 127.0);
      ASSERT_NEAR(sram.get(command.outputs[3], 0, batch, o), stored, 3) << "output " << o;
      ASSERT_EQ(sram.get(command.outputs[1], 0, batch, o), sram.get(command.outputs[3], 0, batch, o));
    }
  }

  LstmCellLayout layout;
  IntegerLstmCellScales scales;
  IntegerLstmCellParameters parameters;
  uint32_t outputs;
};

TEST(IntegerLstmCellTest, IsCloseToRealCellForAllParts) {
  for (uint32_t parts = 0; parts <= kLstmAllParts; ++parts)
    for (uint32_t seed = 0; seed < 4; ++seed) {
      if ((parts & kLstmProjectionBias) && !(parts & kLstmProjection))
        continue;
      IntegerCell cell(parts, seed + 4 * parts);
      checkAndRun(*testTarget(), cell.command, cell.sram);
      for (uint32_t batch = 0; batch < kBatch; ++batch)
        cell.expectBatch(batch);
      if (::testing::Test::HasFatalFailure())
        FAIL() << "parts " << parts << " seed " << seed;
    }
}

TEST(IntegerLstmCellTest, ClipsStatesAndProjection) {
  IntegerCell cell(kLstmInputGate | kLstmProjection, 7);
  cell.parameters.cellClip = 100;
  cell.parameters.projectionClip = 3;
  cell.command.parameters = packParameters(cell.parameters);
  checkAndRun(*testTarget(), cell.command, cell.sram);
  for (double value : cell.sram.values(cell.command.outputs[2]))
    EXPECT_LE(std::abs(value), 100);
  for (double value : cell.sram.values(cell.command.outputs[3]))
    EXPECT_LE(std::abs(value), 3);
}

TEST(IntegerLstmCellTest, RefusesOtherShapesAndParameters) {
  const IntegerCell cell(kLstmAllParts, 1);
  ASSERT_TRUE(isLegal(cell.command));
  for (size_t i = 0; i < cell.command.inputs.size(); ++i) {
    DspCommand command = cell.command;
    ++command.inputs[i].channels;
    command.inputs[i].pixelStride += 64;
    command.inputs[i].rowStride += 64 * 64;
    EXPECT_FALSE(isLegal(command)) << "operand " << i;
  }
  for (auto change :
       {+[](IntegerLstmCellParameters &p) { p.parts = 32; }, +[](IntegerLstmCellParameters &p) { p.cellExponent = -8; },
        +[](IntegerLstmCellParameters &p) { p.hiddenZeroPoint = 128; },
        +[](IntegerLstmCellParameters &p) { p.projectionClip = -1; },
        +[](IntegerLstmCellParameters &p) { p.gates[1].leastVariance = 0; },
        +[](IntegerLstmCellParameters &p) { p.order = static_cast<StepOrder>(2); }}) {
    IntegerLstmCellParameters parameters = cell.parameters;
    change(parameters);
    DspCommand command = cell.command;
    command.parameters = packParameters(parameters);
    EXPECT_FALSE(isLegal(command));
  }
}

TEST(IntegerLstmCellTest, CellScaleMayBeRounded) {
  IntegerLstmCellScales scales = typicalScales(kLstmInputGate);
  scales.cellState = 3.05176e-05f; // 2^-15 as files write it
  auto parameters = prepareIntegerLstmCell(scales);
  ASSERT_TRUE(parameters.isOk());
  EXPECT_EQ(parameters->cellExponent, -15);
  scales.cellState = 3.1e-05f;
  EXPECT_FALSE(prepareIntegerLstmCell(scales).isOk());
}

//===----------------------------------------------------------------------===//
// The other integer cells
//===----------------------------------------------------------------------===//

TEST(Quantized16BitLstmTest, IsCloseToRealCell) {
  constexpr DataType kU8 = DataType::UInt8;
  constexpr double kWeightScale = 0.004;
  for (uint32_t seed = 0; seed < 20; ++seed) {
    Fixture f("quantized16BitLstm", seed);
    f.add(kU8, kBatch, kFeatures, 0, 255);
    f.add(kU8, kBatch, kCells, 0, 255);
    f.add(kI16, kBatch, kCells, -4000, 4000);
    for (uint32_t columns : {kFeatures, kCells})
      for (int gate = 0; gate < 4; ++gate)
        f.add(kU8, kCells, columns, 0, 255);
    for (int gate = 0; gate < 4; ++gate)
      f.add(kI32, 1, kCells, -20000, 20000);
    for (size_t i = 0; i < 11; ++i)
      f.command.inputs[i].zeroPoint = i < 2 ? 128 : i == 2 ? 0 : 100;
    f.command.outputs = {f.matrix(kI16, kBatch, kCells), f.matrix(kU8, kBatch, kCells)};
    f.command.parameters = packParameters(Quantized16BitLstmParameters{quantizeMultiplier(4096 * kWeightScale / 128)});
    checkAndRun(*testTarget(), f.command, f.sram);
    for (uint32_t batch = 0; batch < kBatch; ++batch)
      for (uint32_t c = 0; c < kCells; ++c) {
        std::array<double, 4> gates;
        for (uint32_t gate = 0; gate < 4; ++gate) {
          double sum = f.at(11 + gate, 0, c);
          for (uint32_t i = 0; i < kFeatures; ++i)
            sum += (f.at(3 + gate, c, i) - 100) * (f.at(0, batch, i) - 128);
          for (uint32_t i = 0; i < kCells; ++i)
            sum += (f.at(7 + gate, c, i) - 100) * (f.at(1, batch, i) - 128);
          sum *= kWeightScale / 128;
          gates[gate] = gate == 2 ? std::tanh(sum) : 1 / (1 + std::exp(-sum));
        }
        const double state = gates[1] * f.at(2, batch, c) / 2048 + gates[0] * gates[2];
        ASSERT_NEAR(f.sram.get(f.command.outputs[0], 0, batch, c) / 2048, state, 0.005) << "seed " << seed;
        ASSERT_NEAR(f.sram.get(f.command.outputs[1], 0, batch, c) - 128, gates[3] * std::tanh(state) * 128, 1.5);
      }
  }
}

TEST(IntegerSvdfTest, ByteStatesHaveZeroPointAndWrap) {
  // One feature, one filter, a memory of two: activations 2 x, results (3 old + 4 new) / 16.
  const auto stepOf = [](double x, double old) {
    Fixture f("integerSvdf", 1);
    for (uint32_t width : {1, 1, 2})
      f.add(kI8, 1, width, 0, 0);
    f.add(kI8, 1, 2, 0, 0);
    f.sram.setValues(f.command.inputs[0], {x});
    f.sram.setValues(f.command.inputs[1], {2});
    f.sram.setValues(f.command.inputs[2], {3, 4});
    f.sram.setValues(f.command.inputs[3], {old, 0});
    f.command.outputs = {f.matrix(kI8, 1, 2), f.matrix(kI8, 1, 1)};
    f.command.inputs[3].zeroPoint = f.command.outputs[0].zeroPoint = -50;
    f.command.parameters =
        packParameters(IntegerSvdfParameters{1, quantizeMultiplier(1), quantizeMultiplier(1.0 / 16)});
    checkAndRun(*testTarget(), f.command, f.sram);
    return std::vector{f.sram.get(f.command.outputs[0], 0, 0, 0), f.sram.get(f.command.outputs[1], 0, 0, 0)};
  };
  // (3 * 30 + 4 * 40) / 16 = 15.6.
  EXPECT_EQ(stepOf(20, -20), (std::vector<double>{-10, 16}));
  // The sum -100 - 50 is stored as 106, so the activation is 156: (3 * 30 + 4 * 156) / 16 = 44.6.
  EXPECT_EQ(stepOf(-50, -20), (std::vector<double>{106, 45}));
}

TEST(IntegerSvdfTest, EqualsTheDefinition) {
  constexpr uint32_t kUnits = 2, kRank = 2, kMemory = 3, kFilters = kUnits * kRank;
  for (uint32_t seed = 0; seed < 20; ++seed) {
    Fixture f("integerSvdf", seed);
    f.add(kI8, kBatch, kFeatures, -128, 127);
    f.add(kI8, kFilters, kFeatures, -127, 127);
    f.add(kI16, kFilters, kMemory, -3000, 3000);
    f.add(kI32, 1, kUnits, -99999, 99999);
    f.add(kI16, kBatch, kFilters * kMemory, -9000, 9000);
    f.command.inputs[0].zeroPoint = 4;
    f.command.outputs = {f.matrix(kI16, kBatch, kFilters * kMemory), f.matrix(kI8, kBatch, kUnits)};
    f.command.outputs[1].zeroPoint = -9;
    // Powers of two, so that the definition rounds as the kernel does.
    f.command.parameters =
        packParameters(IntegerSvdfParameters{kRank, quantizeMultiplier(0.5), quantizeMultiplier(1.0 / (1 << 19))});
    checkAndRun(*testTarget(), f.command, f.sram);
    for (uint32_t batch = 0; batch < kBatch; ++batch)
      for (uint32_t unit = 0; unit < kUnits; ++unit) {
        double sum = f.at(3, 0, unit);
        for (uint32_t filter = unit * kRank; filter < (unit + 1) * kRank; ++filter) {
          double newest = 0;
          for (uint32_t i = 0; i < kFeatures; ++i)
            newest += f.at(1, filter, i) * (f.at(0, batch, i) - 4);
          newest = std::clamp(std::floor(newest / 2 + 0.5), -32768.0, 32767.0);
          for (uint32_t m = 0; m + 1 < kMemory; ++m) {
            const double value = f.at(4, batch, filter * kMemory + m);
            sum += f.at(2, filter, m) * value;
            const double next = m == 0 ? f.at(4, batch, filter * kMemory + 1) : newest;
            ASSERT_NEAR(f.sram.get(f.command.outputs[0], 0, batch, filter * kMemory + m), next, m == 0 ? 0 : 1);
          }
          sum += f.at(2, filter, kMemory - 1) * newest;
          ASSERT_EQ(f.sram.get(f.command.outputs[0], 0, batch, filter * kMemory + kMemory - 1), 0);
        }
        const double stored = std::clamp(sum / (1 << 19) - 9, -128.0, 127.0);
        ASSERT_NEAR(f.sram.get(f.command.outputs[1], 0, batch, unit), stored, 0.6) << "seed " << seed;
      }
  }
}

} // namespace
} // namespace avocet::kernels
