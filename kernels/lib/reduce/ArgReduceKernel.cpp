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
#include "common/ReductionWork.h"
#include "common/Sections.h"

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

/// The element that no other one beats so far, in the low bytes of `value`.
struct Best {
  uint64_t value = 0;
  int64_t position = 0;
};
static_assert(sizeof(Best) == sizeof(uint32_t) * kArgReduceStateWords);

/// Continues the search of the states in a section.
template <typename T, typename Position, typename Beats>
void findInSection(const DspCommand &command, const ArgReduceParameters &parameters, const Section &section,
                   std::span<uint8_t> sram, Beats &&beats) {
  const T *input = denseData<T>(command.inputs[0], sram);
  const uint64_t extent = parameters.extent, inner = parameters.inner;
  const uint64_t results = elementCount(command.inputs[0]) / extent;
  SectionStates<Best> states(command, section, sram);
  for (uint64_t c = 0; c < results; ++c) {
    const T *axis = input + c / inner * extent * inner + c % inner;
    const uint32_t found = firstOf(parameters.extent, [&](uint32_t i) { return axis[i * inner]; }, beats);
    Best best{0, int64_t(section.begin) + found};
    std::memcpy(&best.value, &axis[found * inner], sizeof(T));
    if (states.exist()) {
      const Best before = states.read(c);
      T value;
      std::memcpy(&value, &before.value, sizeof(T));
      best = beats(axis[found * inner], value) ? best : before;
    }
    if (section.isLast)
      denseData<Position>(command.outputs[0], sram)[c] = static_cast<Position>(best.position);
    else
      states.write(c, best);
  }
}

template <typename T, typename Position, typename Beats>
void findFirst(const DspCommand &command, std::span<uint8_t> sram, Beats &&beats) {
  const auto [parameters, section] = sectionedOf<ArgReduceParameters>(command);
  if (section)
    return findInSection<T, Position>(command, parameters, *section, sram, beats);
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
  if (sectionedOf<ArgReduceParameters>(command).parameters.smallest != 0)
    return findFirst<T, Position>(command, sram, [](T a, T b) { return a < b; });
  findFirst<T, Position>(command, sram, [](T a, T b) { return a > b; });
}

class ArgReduceKernel : public DspKernel {
public:
  KernelId id() const override { return kArgReduceKernel; }

protected:
  OperandCount inputCount() const override { return {1, 2}; }
  OperandCount outputCount() const override { return 1; }

  Status checkOperands(const DspCommand &command) const override {
    const FeatureMap &input = command.inputs[0], &output = command.outputs[0];
    AVOCET_RETURN_IF_ERROR(checkType("input0", input.type,
                                     {DataType::Int8, DataType::UInt8, DataType::Int16, DataType::Int32,
                                      DataType::Int64, DataType::Float16, DataType::Float32}));
    AVOCET_RETURN_IF_ERROR(checkType("output0", output.type, {DataType::Int32, DataType::Int64}));
    AVOCET_RETURN_IF_ERROR(checkEqual("input0.width", input.width, "one pixel", 1));
    AVOCET_RETURN_IF_ERROR(checkEqual("output0.width", output.width, "one pixel", 1));
    AVOCET_ASSIGN_OR_RETURN(const auto sectioned, unpackSectioned<ArgReduceParameters>(command.parameters));
    const auto &[parameters, section] = sectioned;
    if (parameters.smallest > 1)
      return ruleBroken("smallest", parameters.smallest, "0 or 1");
    AVOCET_RETURN_IF_ERROR(checkSection(command, section, 1, parameters.extent));
    if (section)
      return checkSectionShape(command, parameters, *section);
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

  /// Comparison and two selections. Positions have the width of the elements: those of a block of as many elements as
  /// the type can count, whose results become wider.
  DspWork work(const DspCommand &command) const override {
    const ArgReduceParameters parameters = sectionedOf<ArgReduceParameters>(command).parameters;
    const FeatureMap &input = command.inputs[0];
    const uint64_t slice = uint64_t(parameters.extent) * parameters.inner;
    return reductionWork(command,
                         {{elementCount(input) / slice, false}, {parameters.extent, true}, {parameters.inner, false}},
                         {.ops = 3, .type = input.type, .isDense = checkDense("input0", input).isOk()});
  }

  /// Parts are rows; of a single row the outer extents; of a single outer extent the inner ones.
  uint32_t partsOf(const DspCommand &command) const override {
    const FeatureMap &output = command.outputs[0];
    if (sectionedOf<ArgReduceParameters>(command).section)
      return 1;
    const uint32_t outer = output.channels / parametersOf<ArgReduceParameters>(command).inner;
    return output.height > 1 ? output.height : outer > 1 ? outer : output.channels;
  }

  DspCommand partOf(const DspCommand &command, uint32_t first, uint32_t count) const override {
    DspCommand part = command;
    if (partsOf(command) == 1)
      return part;
    auto p = parametersOf<ArgReduceParameters>(command);
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

private:
  static Status checkSectionShape(const DspCommand &command, const ArgReduceParameters &parameters,
                                  const Section &section) {
    const uint64_t elements = elementCount(command.inputs[0]), slice = uint64_t(parameters.extent) * parameters.inner;
    if (slice == 0 || elements % slice != 0)
      return ruleBroken("extent", parameters.extent, "with inner a divisor of the elements of input0");
    return checkSectionStates(command, section, elements / parameters.extent, kArgReduceStateWords);
  }
};

} // namespace

const Kernel &argReduceKernel() {
  static const ArgReduceKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels
