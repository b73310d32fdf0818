//===- CellCommands.h - Random commands of recurrent layers ---------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_KERNELS_CELLCOMMANDS_H
#define AVOCET_TESTS_KERNELS_CELLCOMMANDS_H

#include "KernelTestSupport.h"

#include "avocet/kernels/dsp/HybridCells.h"
#include "avocet/kernels/dsp/IntegerCells.h"
#include "avocet/kernels/dsp/Lstm.h"
#include "avocet/kernels/dsp/Random.h"

#include <utility>
#include <vector>

namespace avocet::kernels {

template <typename Parameters>
firmware::CommandBody makeDsp(const char *name, const Parameters &parameters, std::vector<firmware::FeatureMap> inputs,
                              std::vector<firmware::FeatureMap> outputs) {
  firmware::DspCommand c;
  c.kernel = *dspKernelNumber(name);
  c.parameters = packParameters(parameters);
  c.inputs = std::move(inputs);
  c.outputs = std::move(outputs);
  return c;
}

inline firmware::CommandBody makeLstm(const firmware::Target &, TestSram &sram, Random &random) {
  constexpr uint32_t kSteps = 3, kInputs = 5, kCells = 4;
  auto map = [&](firmware::DataType type, uint32_t rows, uint32_t channels) {
    return sram.map(type, rows, 1, channels, Placement::Scattered, random);
  };
  std::vector<firmware::FeatureMap> inputs = {map(firmware::DataType::Int8, kSteps, kInputs)};
  for (uint32_t i = 0; i < kNumLstmGates; ++i)
    inputs.push_back(map(firmware::DataType::Int8, kCells, kInputs));
  for (uint32_t i = 0; i < kNumLstmGates; ++i)
    inputs.push_back(map(firmware::DataType::Int8, kCells, kCells));
  for (uint32_t i = 0; i < kNumLstmGates; ++i)
    inputs.push_back(map(firmware::DataType::Int32, 1, kCells));
  if (pick(random, 0, 1) == 1) {
    inputs.push_back(map(firmware::DataType::Int8, 1, kCells));
    inputs.push_back(map(firmware::DataType::Int16, 1, kCells));
  }
  return makeDsp("integerLstm", IntegerLstmParameters(), inputs,
                 {map(firmware::DataType::Int8, kSteps, kCells), map(firmware::DataType::Int8, 1, kCells),
                  map(firmware::DataType::Int16, 1, kCells)});
}

inline firmware::CommandBody makeLstmSteps(const firmware::Target &, TestSram &sram, Random &random) {
  using firmware::DataType;
  constexpr uint32_t kSteps = 3, kCells = 4, kSums = kNumLstmGates * kCells;
  auto map = [&](DataType type, uint32_t rows, uint32_t channels) {
    return sram.map(type, rows, 1, channels, Placement::Scattered, random);
  };
  std::vector<firmware::FeatureMap> inputs = {map(DataType::Int16, kSteps, kSums), map(DataType::Int8, kCells, kSums)};
  if (pick(random, 0, 1) == 1) {
    inputs.push_back(map(DataType::Int8, 1, kCells));
    inputs.push_back(map(DataType::Int16, 1, kCells));
  }
  return makeDsp(
      "integerLstmSteps", IntegerLstmStepsParameters(), inputs,
      {map(DataType::Int8, kSteps, kCells), map(DataType::Int8, 1, kCells), map(DataType::Int16, 1, kCells)});
}

inline firmware::CommandBody makeLstmCell(const firmware::Target &, TestSram &sram, Random &random) {
  constexpr uint32_t kFeatures = 5, kCells = 4;
  std::vector<firmware::FeatureMap> inputs, outputs;
  auto add = [&](std::vector<firmware::FeatureMap> &maps, uint32_t count, uint32_t rows, uint32_t columns) {
    for (uint32_t i = 0; i < count; ++i)
      maps.push_back(sram.map(firmware::DataType::Float16, 1, rows, columns, Placement::Scattered, random));
  };
  add(inputs, 1, 2, kFeatures);
  add(inputs, 2, 2, kCells);
  add(inputs, 4, kCells, kFeatures);
  add(inputs, 4, kCells, kCells);
  add(inputs, 7, 1, kCells);
  add(outputs, 1, 2, 4 * kCells);
  add(outputs, 3, 2, kCells);
  return makeDsp("lstmCell", LstmCellParameters{kLstmInputGate | kLstmPeepholes}, inputs, outputs);
}

inline firmware::CommandBody makeSmallCell(const firmware::Target &, TestSram &sram, Random &random) {
  constexpr uint32_t kUnits = 4, kFeatures = 5;
  auto map = [&](uint32_t rows, uint32_t columns) {
    return sram.map(firmware::DataType::Float32, 1, rows, columns, Placement::Scattered, random);
  };
  if (random() % 2 != 0)
    return makeDsp("rnnCell", RnnCellParameters{},
                   {map(2, kFeatures), map(kUnits, kFeatures), map(kUnits, kUnits), map(1, kUnits), map(2, kUnits)},
                   {map(2, kUnits), map(2, kUnits)});
  return makeDsp(
      "svdf", SvdfParameters{2},
      {map(2, kFeatures), map(2 * kUnits, kFeatures), map(2 * kUnits, 3), map(1, kUnits), map(2, 6 * kUnits)},
      {map(2, 6 * kUnits), map(2, kUnits)});
}

/// An LSTM cell with 8-bit weights: hybrid or of integers.
inline firmware::CommandBody makeByteLstmCell(const firmware::Target &, TestSram &sram, Random &random) {
  constexpr uint32_t kFeatures = 5, kCells = 4;
  const bool isHybrid = random() % 2 == 0;
  const firmware::DataType value = isHybrid ? firmware::DataType::Float32 : firmware::DataType::Int8,
                           cell = isHybrid ? value : firmware::DataType::Int16;
  std::vector<firmware::FeatureMap> inputs, outputs;
  auto add = [&](std::vector<firmware::FeatureMap> &maps, uint32_t count, firmware::DataType type, uint32_t rows,
                 uint32_t columns) {
    for (uint32_t i = 0; i < count; ++i)
      maps.push_back(sram.map(type, 1, rows, columns, Placement::Scattered, random));
  };
  add(inputs, 1, value, 2, kFeatures);
  add(inputs, 1, value, 2, kCells);
  add(inputs, 1, cell, 2, kCells);
  add(inputs, 4, firmware::DataType::Int8, kCells, kFeatures);
  add(inputs, 4, firmware::DataType::Int8, kCells, kCells);
  add(inputs, 3, cell, 1, kCells);
  add(inputs, 4, isHybrid ? value : firmware::DataType::Int32, 1, kCells);
  add(outputs, 1, cell, 2, 4 * kCells);
  add(outputs, 1, value, 2, kCells);
  add(outputs, 1, cell, 2, kCells);
  add(outputs, 1, value, 2, kCells);
  HybridLstmCellParameters hybrid{{kLstmInputGate | kLstmPeepholes}};
  hybrid.scales.fill(0.1f);
  IntegerLstmCellParameters integer;
  integer.parts = kLstmInputGate | kLstmPeepholes;
  return isHybrid ? makeDsp("hybridLstmCell", hybrid, inputs, outputs)
                  : makeDsp("integerLstmCell", integer, inputs, outputs);
}

/// The other cells with 8-bit weights.
inline firmware::CommandBody makeByteCell(const firmware::Target &, TestSram &sram, Random &random) {
  constexpr uint32_t kUnits = 4, kFeatures = 5;
  constexpr firmware::DataType kF32 = firmware::DataType::Float32, kI8 = firmware::DataType::Int8,
                               kI16 = firmware::DataType::Int16, kI32 = firmware::DataType::Int32,
                               kU8 = firmware::DataType::UInt8;
  auto map = [&](firmware::DataType type, uint32_t rows, uint32_t columns) {
    return sram.map(type, 1, rows, columns, Placement::Scattered, random);
  };
  switch (random() % 4) {
  case 0:
    return makeDsp("hybridRnnCell", HybridRnnCellParameters{{}, 0, {0.1f, 0.1f}},
                   {map(kF32, 2, kFeatures), map(kI8, kUnits, kFeatures), map(kI8, kUnits, kUnits),
                    map(kF32, 1, kUnits), map(kF32, 2, kUnits)},
                   {map(kF32, 2, kUnits), map(kF32, 2, kUnits)});
  case 1:
    return makeDsp("hybridSvdf", HybridSvdfParameters{{2}, 1, {0.1f}},
                   {map(kF32, 2, kFeatures), map(kI8, 2 * kUnits, kFeatures), map(kF32, 2 * kUnits, 3),
                    map(kF32, 1, kUnits), map(kF32, 2, 6 * kUnits)},
                   {map(kF32, 2, 6 * kUnits), map(kF32, 2, kUnits)});
  case 2:
    return makeDsp("integerSvdf", IntegerSvdfParameters{2, {}, {}},
                   {map(kI8, 2, kFeatures), map(kI8, 2 * kUnits, kFeatures), map(kI16, 2 * kUnits, 3),
                    map(kI32, 1, kUnits), map(kI16, 2, 6 * kUnits)},
                   {map(kI16, 2, 6 * kUnits), map(kI8, 2, kUnits)});
  default:
    std::vector<firmware::FeatureMap> inputs = {map(kU8, 2, kFeatures), map(kU8, 2, kUnits), map(kI16, 2, kUnits)};
    for (uint32_t columns : {kFeatures, kUnits})
      for (int gate = 0; gate < 4; ++gate)
        inputs.push_back(map(kU8, kUnits, columns));
    for (int gate = 0; gate < 4; ++gate)
      inputs.push_back(map(kI32, 1, kUnits));
    return makeDsp("quantized16BitLstm", Quantized16BitLstmParameters{}, inputs,
                   {map(kI16, 2, kUnits), map(kU8, 2, kUnits)});
  }
}

inline firmware::CommandBody makeMultinomial(const firmware::Target &, TestSram &sram, Random &random) {
  auto map = [&](firmware::DataType type, uint32_t rows, uint32_t columns) {
    return sram.map(type, 1, rows, columns, Placement::Scattered, random);
  };
  return makeDsp("randomMultinomial", RandomMultinomialParameters{},
                 {map(random() % 2 == 0 ? firmware::DataType::Float32 : firmware::DataType::Float16, 3, 5),
                  map(firmware::DataType::Int32, 1, 2)},
                 {map(firmware::DataType::Int32, 3, 7)});
}

} // namespace avocet::kernels

#endif // AVOCET_TESTS_KERNELS_CELLCOMMANDS_H
