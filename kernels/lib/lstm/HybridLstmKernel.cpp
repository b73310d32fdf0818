//===- HybridLstmKernel.cpp - LSTM over a sequence, 8-bit weights ---------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/dsp/Lstm.h"
#include "common/DynamicScale.h"
#include "common/FeatureMapView.h"
#include "common/Kernels.h"
#include "lstm/FloatCells.h"
#include "lstm/LstmShape.h"

#include <vector>

namespace avocet::kernels {

using namespace firmware;

namespace {

class HybridLstm {
public:
  HybridLstm(const DspCommand &command, const HybridLstmStepsParameters &parameters, std::span<uint8_t> sram)
      : extents_(command), parameters_(parameters), sequence_(command.inputs[kLstmSequence], sram),
        columns_(command.inputs[kHybridLstmColumns], sram), biases_(command.inputs[kHybridLstmBiases], sram),
        cells_(command, parameters.cellClip, sram) {}

  void run() {
    for (uint32_t step = 0; step < extents_.steps; ++step) {
      sums_.assign(size_t(kNumLstmGates) * extents_.cells, 0.0f);
      addProducts(sequence_.row(step), extents_.inputs, 0, parameters_.input);
      addProducts(cells_.hidden(), extents_.cells, extents_.inputs, parameters_.recurrent);
      for (uint32_t i = 0; i < sums_.size(); ++i)
        cells_.setSum(i / extents_.cells, i % extents_.cells, sums_[i] + biases_.row(0)[i]);
      cells_.advance(step);
    }
  }

private:
  /// The products of a vector with the rows of weights from `firstRow` on.
  void addProducts(const float *vector, uint32_t count, uint32_t firstRow,
                   const std::array<float, kNumLstmGates> &scales) {
    FloatRange range;
    for (uint32_t i = 0; i < count; ++i)
      range.add(vector[i]);
    const DynamicScale scale(range, parameters_.asymmetric != 0);
    products_.assign(sums_.size(), 0);
    for (uint32_t i = 0; i < count; ++i) {
      const int32_t value = scale.quantized(vector[i]) - scale.record().zeroPoint;
      const int8_t *weights = columns_.row(firstRow + i);
      for (size_t c = 0; c < products_.size(); ++c)
        products_[c] += static_cast<uint32_t>(value * weights[c]);
    }
    for (uint32_t c = 0; c < sums_.size(); ++c)
      sums_[c] +=
          static_cast<float>(static_cast<int32_t>(products_[c])) * (scale.record().scale * scales[c / extents_.cells]);
  }

  LstmExtents extents_;
  const HybridLstmStepsParameters &parameters_;
  FeatureMapView<float> sequence_;
  FeatureMapView<int8_t> columns_;
  FeatureMapView<float> biases_;
  FloatCells cells_;
  std::vector<float> sums_;
  std::vector<uint32_t> products_; ///< modulo 2^32
};

class HybridLstmStepsKernel final : public LstmKernel {
public:
  HybridLstmStepsKernel() : LstmKernel(kNumHybridLstmInputs) {}
  KernelId id() const override { return kHybridLstmStepsKernel; }

protected:
  Status checkOperands(const DspCommand &command) const override {
    AVOCET_ASSIGN_OR_RETURN(auto parameters, unpackParameters<HybridLstmStepsParameters>(command.parameters));
    if (!(parameters.cellClip >= 0)) // also NaN
      return invalidArgument("cellClip must be 0 or more");
    for (const auto &scales : {parameters.input, parameters.recurrent})
      AVOCET_RETURN_IF_ERROR(checkHybrid(parameters.asymmetric, scales));
    return checkHybridLstmOperands(command);
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    setStates(command, sram);
    const auto parameters = *unpackParameters<HybridLstmStepsParameters>(command.parameters);
    HybridLstm(command, parameters, sram).run();
  }

  DspWork work(const DspCommand &command) const override {
    const LstmExtents e(command);
    DspWork work = lstmStepsWork(command, kFloatCellOps, DataType::Float32);
    work.elementOps += kRoundingOps * e.steps * (uint64_t(e.inputs) + e.cells);
    return work;
  }
};

} // namespace

const Kernel &hybridLstmStepsKernel() {
  static const HybridLstmStepsKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels
