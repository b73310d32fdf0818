//===- ArgReduceKernel.cpp - Position of the largest element ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/dsp/Reduce.h"
#include "common/DspKernel.h"
#include "common/Elements.h"
#include "common/FeatureMapView.h"
#include "common/Kernels.h"
#include "common/MapParts.h"

namespace avocet::kernels {

using namespace firmware;

namespace {

/// Whether the single row is a matrix with a row for each position: its rows may have gaps between them.
bool isMatrix(const ArgReduceParameters &parameters, const DspCommand &command) {
  const FeatureMap &input = command.inputs[0], &output = command.outputs[0];
  return output.height == 1 && output.channels == parameters.inner && input.height == parameters.extent &&
         input.channels == parameters.inner;
}

/// The first position along the axis whose element, at(position), no other element beats.
template <typename At, typename Beats> uint32_t firstOf(uint32_t extent, At &&at, Beats &&beats) {
  uint32_t best = 0;
  for (uint32_t i = 1; i < extent; ++i)
    if (beats(at(i), at(best)))
      best = i;
  return best;
}

template <typename T, typename Position, typename Beats>
void findFirst(const DspCommand &command, std::span<uint8_t> sram, Beats &&beats) {
  auto parameters = parametersOf<ArgReduceParameters>(command);
  FeatureMapView<T> input(command.inputs[0], sram);
  FeatureMapView<Position> output(command.outputs[0], sram);
  const uint64_t extent = parameters.extent, inner = parameters.inner;
  const bool isRows = isMatrix(parameters, command);
  for (uint32_t y = 0; y < output.height(); ++y)
    for (uint32_t c = 0; c < output.channels(); ++c) {
      const T *axis = input.row(y) + c / inner * extent * inner + c % inner;
      auto at = [&](uint32_t i) { return isRows ? input.row(i)[c] : axis[i * inner]; };
      output.row(y)[c] = static_cast<Position>(firstOf(parameters.extent, at, beats));
    }
}

template <typename T, typename Position> void findPositions(const DspCommand &command, std::span<uint8_t> sram) {
  if (parametersOf<ArgReduceParameters>(command).smallest != 0)
    return findFirst<T, Position>(command, sram, [](T a, T b) { return a < b; });
  findFirst<T, Position>(command, sram, [](T a, T b) { return a > b; });
}

class ArgReduceKernel : public DspKernel {
public:
  KernelId id() const override { return kArgReduceKernel; }

protected:
  OperandCount inputCount() const override { return 1; }
  OperandCount outputCount() const override { return 1; }

  Status checkOperands(const DspCommand &command) const override {
    const FeatureMap &input = command.inputs[0], &output = command.outputs[0];
    AVOCET_RETURN_IF_ERROR(checkType("input0", input.type,
                                     {DataType::Int8, DataType::UInt8, DataType::Int16, DataType::Int32,
                                      DataType::Int64, DataType::Float16, DataType::Float32}));
    AVOCET_RETURN_IF_ERROR(checkType("output0", output.type, {DataType::Int32, DataType::Int64}));
    AVOCET_RETURN_IF_ERROR(checkEqual("input0.width", input.width, "one pixel", 1));
    AVOCET_RETURN_IF_ERROR(checkEqual("output0.width", output.width, "one pixel", 1));
    AVOCET_ASSIGN_OR_RETURN(auto parameters, unpackParameters<ArgReduceParameters>(command.parameters));
    if (parameters.smallest > 1)
      return ruleBroken("smallest", parameters.smallest, "0 or 1");
    if (parameters.extent == 0 || parameters.inner == 0 || output.channels % parameters.inner != 0)
      return ruleBroken("inner", parameters.inner, "a divisor of a row of output0, and extent 1 or more");
    if (isMatrix(parameters, command))
      return Status::ok();
    AVOCET_RETURN_IF_ERROR(checkEqual("output0.height", output.height, "input0.height", input.height));
    return checkEqual("a row of input0", input.channels, "extent times a row of output0",
                      uint64_t(parameters.extent) * output.channels);
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    withNumberType(command.inputs[0].type, [&](auto element) {
      using T = decltype(element);
      if (command.outputs[0].type == DataType::Int32)
        return findPositions<T, int32_t>(command, sram);
      findPositions<T, int64_t>(command, sram);
    });
  }

  DspWork work(const DspCommand &command) const override {
    bool isWide = command.inputs[0].type == DataType::Int64;
    return elementWork(command, 3, isWide ? DataType::Int64 : DataType::Int32);
  }

  /// Parts are rows; of a single row the outer extents; of a single outer extent the inner ones.
  uint32_t partsOf(const DspCommand &command) const override {
    const FeatureMap &output = command.outputs[0];
    const uint32_t outer = output.channels / parametersOf<ArgReduceParameters>(command).inner;
    return output.height > 1 ? output.height : outer > 1 ? outer : output.channels;
  }

  DspCommand partOf(const DspCommand &command, uint32_t first, uint32_t count) const override {
    auto p = parametersOf<ArgReduceParameters>(command);
    DspCommand part = command;
    FeatureMap &input = part.inputs[0], &output = part.outputs[0];
    if (output.height > 1) {
      input = sliceOf(input, MapAxis::Rows, first, count);
      output = sliceOf(output, MapAxis::Rows, first, count);
    } else if (output.channels > p.inner) {
      const uint32_t slice = p.extent * p.inner;
      input = sliceOf(input, MapAxis::Channels, first * slice, count * slice);
      output = sliceOf(output, MapAxis::Channels, first * p.inner, count * p.inner);
    } else {
      input = matrixColumns(input, p.extent, p.inner, first, count);
      output = sliceOf(output, MapAxis::Channels, first, count);
      p.inner = count;
    }
    part.parameters = packParameters(p);
    return part;
  }
};

} // namespace

const Kernel &argReduceKernel() {
  static const ArgReduceKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels
