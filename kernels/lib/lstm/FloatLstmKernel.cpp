//===- FloatLstmKernel.cpp - LSTM over a sequence, float32 ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/dsp/Lstm.h"
#include "common/FeatureMapView.h"
#include "common/Kernels.h"
#include "lstm/FloatCells.h"
#include "lstm/LstmShape.h"

#include <vector>

namespace avocet::kernels {
using namespace firmware;

namespace {

/// A matrix by columns, so that vectors run over the rows: each row's sum keeps the order of its products.
class ByColumns {
public:
  ByColumns(const FeatureMapView<float> &matrix, uint32_t rows, uint32_t columns)
      : rows_(rows), elements_(size_t(rows) * columns) {
    for (uint32_t row = 0; row < rows; ++row)
      for (uint32_t column = 0; column < columns; ++column)
        elements_[size_t(column) * rows + row] = matrix.row(row)[column];
  }

  /// The products of all rows with a vector.
  void multiply(const float *vector, std::vector<float> &sums) const {
    sums.assign(rows_, 0.0f);
    const float *column = elements_.data();
    for (const float *end = column + elements_.size(); column != end; column += rows_, ++vector)
      for (uint32_t row = 0; row < rows_; ++row)
        sums[row] += column[row] * *vector;
  }

private:
  uint32_t rows_;
  std::vector<float> elements_;
};

float clipOf(const DspCommand &command) { return unpackParameters<FloatLstmParameters>(command.parameters)->cellClip; }

class FloatLstm {
public:
  FloatLstm(const DspCommand &command, std::span<uint8_t> sram)
      : command_(command), sram_(sram), extents_(command), cells_(command, clipOf(command), sram) {
    for (uint32_t gate = 0; gate < kNumLstmGates; ++gate) {
      weights_.emplace_back(input(kLstmInputWeights + gate), extents_.cells, extents_.inputs);
      recurrent_.emplace_back(input(kLstmRecurrentWeights + gate), extents_.cells, extents_.cells);
    }
  }

  void run() {
    for (uint32_t step = 0; step < extents_.steps; ++step) {
      const float *x = input(kLstmSequence).row(step);
      for (uint32_t gate = 0; gate < kNumLstmGates; ++gate)
        addGate(gate, x);
      cells_.advance(step);
    }
  }

private:
  FeatureMapView<float> input(uint32_t index) const { return {command_.inputs[index], sram_}; }

  void addGate(uint32_t gate, const float *x) {
    const float *bias = input(kLstmBiases + gate).row(0);
    weights_[gate].multiply(x, sums_);
    recurrent_[gate].multiply(cells_.hidden(), recurrentSums_);
    for (uint32_t c = 0; c < extents_.cells; ++c)
      cells_.setSum(gate, c, bias[c] + sums_[c] + recurrentSums_[c]);
  }

  const DspCommand &command_;
  std::span<uint8_t> sram_;
  LstmExtents extents_;
  FloatCells cells_;
  std::vector<ByColumns> weights_, recurrent_; ///< by gate
  std::vector<float> sums_, recurrentSums_;
};

Status checkClip(const DspCommand &command) {
  AVOCET_ASSIGN_OR_RETURN(auto parameters, unpackParameters<FloatLstmParameters>(command.parameters));
  if (!(parameters.cellClip >= 0)) // also NaN
    return invalidArgument("cellClip must be 0 or more");
  return Status::ok();
}

constexpr LstmTypes kFloats = {DataType::Float32, DataType::Float32, DataType::Float32, DataType::Float32};

class FloatLstmKernel : public LstmKernel {
public:
  FloatLstmKernel() : LstmKernel(kNumLstmInputs) {}
  KernelId id() const override { return kFloatLstmKernel; }

protected:
  Status checkOperands(const DspCommand &command) const override {
    AVOCET_RETURN_IF_ERROR(checkLstmOperands(command, kFloats));
    return checkClip(command);
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    setStates(command, sram);
    FloatLstm(command, sram).run();
  }

  DspWork work(const DspCommand &command) const override { return lstmWork(command, kFloatCellOps, DataType::Float32); }
};

class FloatLstmStepsKernel : public LstmKernel {
public:
  FloatLstmStepsKernel() : LstmKernel(kNumLstmStepsInputs) {}
  KernelId id() const override { return kFloatLstmStepsKernel; }

protected:
  Status checkOperands(const DspCommand &command) const override {
    AVOCET_RETURN_IF_ERROR(checkLstmStepsOperands(command, kFloats));
    return checkClip(command);
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    setStates(command, sram);
    const FeatureMapView<float> sums(command.inputs[kLstmSums], sram);
    const FeatureMapView<float> columns(command.inputs[kLstmRecurrentColumns], sram);
    FloatCells cells(command, clipOf(command), sram);
    std::vector<float> recurrent;
    for (uint32_t step = 0; step < sums.height(); ++step) {
      addProducts(columns, cells.hidden(), recurrent);
      for (uint32_t i = 0; i < sums.channels(); ++i)
        cells.setSum(i / columns.height(), i % columns.height(), sums.row(step)[i] + recurrent[i]);
      cells.advance(step);
    }
  }

  DspWork work(const DspCommand &command) const override {
    return lstmStepsWork(command, kFloatCellOps, DataType::Float32);
  }

private:
  /// Each sum has the order of its products.
  static void addProducts(const FeatureMapView<float> &columns, const float *hidden, std::vector<float> &sums) {
    sums.assign(columns.channels(), 0.0f);
    for (uint32_t h = 0; h < columns.height(); ++h)
      for (uint32_t i = 0; i < columns.channels(); ++i)
        sums[i] += columns.row(h)[i] * hidden[h];
  }
};

} // namespace

const Kernel &floatLstmKernel() {
  static const FloatLstmKernel kKernel;
  return kKernel;
}

const Kernel &floatLstmStepsKernel() {
  static const FloatLstmStepsKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels
