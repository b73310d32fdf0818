//===- ReduceKernel.cpp - Reductions of axes ------------------ -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/Quantization.h"
#include "avocet/kernels/dsp/Reduce.h"
#include "common/Computed.h"
#include "common/DspKernel.h"
#include "common/Elements.h"
#include "common/FeatureMapView.h"
#include "common/Kernels.h"
#include "common/ReductionWork.h"
#include "common/Sections.h"
#include "reduce/ReduceShape.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>

namespace avocet::kernels {

using namespace firmware;

namespace {

//===----------------------------------------------------------------------===//
// Reductions: the type of an accumulator, its first value, how an element is added to it, and the result.
//===----------------------------------------------------------------------===//

/// Sums and products of reals.
struct SumOf {
  using Accumulator = float;
  SumOf(const DspCommand &, uint64_t) {}
  float first() const { return 0; }
  float join(float sum, float element) const { return sum + element; }
  float finish(float sum) const { return sum; }
};

struct ProductOf {
  using Accumulator = float;
  ProductOf(const DspCommand &, uint64_t) {}
  float first() const { return 1; }
  float join(float product, float element) const { return product * element; }
  float finish(float product) const { return product; }
};

struct MeanOf {
  using Accumulator = float;
  MeanOf(const DspCommand &, uint64_t count) : count_(static_cast<float>(count)) {}
  float first() const { return 0; }
  float join(float sum, float element) const { return sum + element; }
  float finish(float sum) const { return sum / count_; }

private:
  float count_;
};

/// Sums of integers, which wrap around.
template <typename T> struct IntegerSumOf {
  using Accumulator = uint64_t;
  IntegerSumOf(const DspCommand &, uint64_t) {}
  uint64_t first() const { return 0; }
  uint64_t join(uint64_t sum, T element) const { return sum + static_cast<uint64_t>(int64_t(element)); }
  T finish(uint64_t sum) const { return static_cast<T>(sum); }
};

template <typename T> struct IntegerProductOf : IntegerSumOf<T> {
  using IntegerSumOf<T>::IntegerSumOf;
  uint64_t first() const { return 1; }
  uint64_t join(uint64_t product, T element) const { return product * static_cast<uint64_t>(int64_t(element)); }
};

template <typename T> struct IntegerMeanOf : IntegerSumOf<T> {
  IntegerMeanOf(const DspCommand &command, uint64_t count)
      : IntegerSumOf<T>(command, count), count_(static_cast<int64_t>(count)) {}
  T finish(uint64_t sum) const { return static_cast<T>(static_cast<int64_t>(sum) / count_); }

private:
  int64_t count_;
};

/// Sums of quantized numbers; without a ratio those of the stored values.
template <typename T> class QuantizedSumOf {
public:
  using Accumulator = int32_t;
  QuantizedSumOf(const DspCommand &command, uint64_t count)
      : ratio_(std::bit_cast<float>(sectionedOf<ReduceParameters>(command).parameters.multiplier)),
        zeroOutput_(command.outputs[0].zeroPoint),
        bias_(static_cast<float>(-command.inputs[0].zeroPoint) * ratio_ * static_cast<float>(count)) {}
  int32_t first() const { return 0; }
  int32_t join(int32_t sum, T element) const {
    return static_cast<int32_t>(static_cast<uint32_t>(sum) + static_cast<uint32_t>(int32_t(element)));
  }
  T finish(int32_t sum) const {
    if (ratio_ == 0)
      return static_cast<T>(sum);
    constexpr float kFar = 1.0e9f;
    float rounded = std::clamp(std::round(static_cast<float>(sum) * ratio_ + bias_), -kFar, kFar);
    return static_cast<T>(static_cast<int32_t>(rounded) + zeroOutput_);
  }

private:
  float ratio_;
  int32_t zeroOutput_;
  float bias_;
};

/// Products of quantized numbers, rescaled after each factor but the first, and at the end.
template <typename T> class QuantizedProductOf {
public:
  struct Accumulator {
    int32_t product = 0;
    uint32_t isStarted = 0;
  };
  QuantizedProductOf(const DspCommand &command, uint64_t)
      : parameters_(sectionedOf<ReduceParameters>(command).parameters), zeroInput_(command.inputs[0].zeroPoint),
        zeroOutput_(command.outputs[0].zeroPoint) {}
  Accumulator first() const { return {}; }
  Accumulator join(Accumulator sofar, T element) const {
    const int32_t factor = element - zeroInput_;
    return {sofar.isStarted ? rescaled(int64_t(sofar.product) * factor) : factor, 1};
  }
  T finish(Accumulator all) const {
    return static_cast<T>(std::clamp<int64_t>(int64_t(rescaled(all.product)) + zeroOutput_,
                                              std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
  }

private:
  int32_t rescaled(int64_t product) const {
    return multiplyByQuantizedMultiplier64(product, parameters_.multiplier, parameters_.shift);
  }

  ReduceParameters parameters_;
  int32_t zeroInput_, zeroOutput_;
};

/// Means of quantized numbers.
template <typename T> class QuantizedMeanOf {
public:
  using Accumulator = int64_t;
  QuantizedMeanOf(const DspCommand &command, uint64_t count)
      : parameters_(sectionedOf<ReduceParameters>(command).parameters), zeroOutput_(command.outputs[0].zeroPoint),
        zeroSum_(int64_t(command.inputs[0].zeroPoint) * static_cast<int64_t>(count)) {}
  int64_t first() const { return 0; }
  int64_t join(int64_t sum, T element) const { return sum + element; }
  T finish(int64_t sum) const {
    const Rescale factor{parameters_.multiplier, parameters_.shift};
    const int64_t scaled = multiplyRounded(static_cast<int32_t>(sum - zeroSum_), factor, parameters_.rounding);
    return static_cast<T>(
        std::clamp<int64_t>(scaled + zeroOutput_, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
  }

private:
  ReduceParameters parameters_;
  int32_t zeroOutput_;
  int64_t zeroSum_;
};

template <typename T> struct MaxOf {
  using Accumulator = T;
  MaxOf(const DspCommand &, uint64_t) {}
  T first() const { return kernels::least<T>(); }
  T join(T most, T element) const { return largerOf(most, element); }
  T finish(T most) const { return most; }
};

template <typename T> struct MinOf {
  using Accumulator = T;
  MinOf(const DspCommand &, uint64_t) {}
  T first() const { return kernels::most<T>(); }
  T join(T least, T element) const { return smallerOf(least, element); }
  T finish(T least) const { return least; }
};

/// Any and all of truth values.
struct AnyOf {
  using Accumulator = bool;
  AnyOf(const DspCommand &, uint64_t) {}
  bool first() const { return false; }
  bool join(bool any, uint8_t element) const { return any || element != 0; }
  uint8_t finish(bool any) const { return any; }
};

struct AllOf {
  using Accumulator = bool;
  AllOf(const DspCommand &, uint64_t) {}
  bool first() const { return true; }
  bool join(bool all, uint8_t element) const { return all && element != 0; }
  uint8_t finish(bool all) const { return all; }
};

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

/// Joins `count` elements to results that are `step`, 0 or 1, apart.
template <typename Reduction, typename E, typename A>
void joinRun(const Reduction &reduction, const E *elements, size_t count, uint32_t step, A *results) {
  if (step == 1) {
    for (size_t i = 0; i < count; ++i)
      results[i] = reduction.join(results[i], elements[i]);
    return;
  }
  A result = *results;
  for (size_t i = 0; i < count; ++i)
    result = reduction.join(result, elements[i]);
  *results = result;
}

template <typename Reduction, typename T>
void joinRow(const Reduction &reduction, const ReduceParameters &parameters, const T *row, uint64_t elements,
             typename Reduction::Accumulator *results) {
  ReduceCursor cursor(parameters);
  ComputedInput<T> input;
  const size_t most = computedRun<T>(cursor.run());
  for (const T *end = row + elements; row != end; row += cursor.run(), cursor.advance())
    for (size_t first = 0; first < cursor.run(); first += most) {
      const size_t count = std::min<size_t>(most, cursor.run() - first);
      joinRun(reduction, input.read(row + first, count), count, cursor.step(),
              results + cursor.result() + first * cursor.step());
    }
}

/// Joins the rows of a matrix in order, as if they were contiguous in one row.
template <typename Reduction, typename T>
void joinMatrix(const Reduction &reduction, const FeatureMapView<T> &matrix, typename Reduction::Accumulator *results) {
  ComputedInput<T> input;
  for (uint32_t row = 0; row < matrix.height(); ++row)
    joinRun(reduction, input.read(matrix.row(row), matrix.channels()), matrix.channels(), 1, results);
}

/// Adds a section to the accumulators in the states, or computes the results.
template <typename Reduction, typename T>
void reduceSection(const DspCommand &command, const ReduceParameters &parameters, const Section &section,
                   std::span<uint8_t> sram) {
  const Reduction reduction(command, section.length);
  const uint64_t count = reducedElements(parameters);
  auto results = std::make_unique<typename Reduction::Accumulator[]>(count);
  SectionStates<std::array<uint32_t, kReduceStateWords>> states(command, section, sram);
  for (uint64_t i = 0; i < count; ++i) {
    results[i] = reduction.first();
    if (states.exist()) // void: g++ warns of members with initial values
      std::memcpy(static_cast<void *>(&results[i]), states.read(i).data(), sizeof(results[i]));
  }
  joinRow(reduction, parameters, denseData<T>(command.inputs[0], sram), elementCount(command.inputs[0]), results.get());
  for (uint64_t i = 0; i < count; ++i) {
    if (section.isLast) {
      denseData<T>(command.outputs[0], sram)[i] = static_cast<T>(reduction.finish(results[i]));
      continue;
    }
    std::array<uint32_t, kReduceStateWords> state{};
    std::memcpy(state.data(), &results[i], sizeof(results[i]));
    states.write(i, state);
  }
}

template <typename Reduction, typename T> void reduceRows(const DspCommand &command, std::span<uint8_t> sram) {
  const auto [parameters, section] = sectionedOf<ReduceParameters>(command);
  if (section)
    return reduceSection<Reduction, T>(command, parameters, *section, sram);
  const Reduction reduction(command, elementCount(command.inputs[0]) / elementCount(command.outputs[0]));
  FeatureMapView<T> input(command.inputs[0], sram), output(command.outputs[0], sram);
  const bool isMatrix = isReducedMatrix(parameters, command);
  ComputedOutput<T> computed;
  // An array, because the bools of std::vector have no addresses.
  auto results = std::make_unique<typename Reduction::Accumulator[]>(output.channels());
  for (uint32_t y = 0; y < output.height(); ++y) {
    std::fill_n(results.get(), output.channels(), reduction.first());
    if (isMatrix)
      joinMatrix(reduction, input, results.get());
    else
      joinRow(reduction, parameters, input.row(y), input.channels(), results.get());
    Computed<T> *finished = computed.begin(output.row(y), output.channels());
    for (uint32_t c = 0; c < output.channels(); ++c)
      finished[c] = reduction.finish(results[c]);
    computed.store(output.row(y), output.channels());
  }
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

struct Row {
  ReduceKind kind;
  DataType type;
  void (*compute)(const DspCommand &command, std::span<uint8_t> sram);
};

constexpr Row kRows[] = {
    {ReduceKind::Sum, DataType::Float16, reduceRows<SumOf, _Float16>},
    {ReduceKind::Sum, DataType::Float32, reduceRows<SumOf, float>},
    {ReduceKind::Sum, DataType::Int32, reduceRows<IntegerSumOf<int32_t>, int32_t>},
    {ReduceKind::Sum, DataType::Int64, reduceRows<IntegerSumOf<int64_t>, int64_t>},
    {ReduceKind::Sum, DataType::Int8, reduceRows<QuantizedSumOf<int8_t>, int8_t>},
    {ReduceKind::Sum, DataType::UInt8, reduceRows<QuantizedSumOf<uint8_t>, uint8_t>},
    {ReduceKind::Sum, DataType::Int16, reduceRows<QuantizedSumOf<int16_t>, int16_t>},
    {ReduceKind::Prod, DataType::Int8, reduceRows<QuantizedProductOf<int8_t>, int8_t>},
    {ReduceKind::Prod, DataType::Int16, reduceRows<QuantizedProductOf<int16_t>, int16_t>},
    {ReduceKind::Prod, DataType::Int32, reduceRows<IntegerProductOf<int32_t>, int32_t>},
    {ReduceKind::Prod, DataType::Int64, reduceRows<IntegerProductOf<int64_t>, int64_t>},
    {ReduceKind::Prod, DataType::Float16, reduceRows<ProductOf, _Float16>},
    {ReduceKind::Prod, DataType::Float32, reduceRows<ProductOf, float>},
    {ReduceKind::Mean, DataType::Float16, reduceRows<MeanOf, _Float16>},
    {ReduceKind::Mean, DataType::Float32, reduceRows<MeanOf, float>},
    {ReduceKind::Mean, DataType::Int32, reduceRows<IntegerMeanOf<int32_t>, int32_t>},
    {ReduceKind::Mean, DataType::Int64, reduceRows<IntegerMeanOf<int64_t>, int64_t>},
    {ReduceKind::Mean, DataType::Int8, reduceRows<QuantizedMeanOf<int8_t>, int8_t>},
    {ReduceKind::Mean, DataType::UInt8, reduceRows<QuantizedMeanOf<uint8_t>, uint8_t>},
    {ReduceKind::Mean, DataType::Int16, reduceRows<QuantizedMeanOf<int16_t>, int16_t>},
    {ReduceKind::Max, DataType::Float16, reduceRows<MaxOf<float>, _Float16>},
    {ReduceKind::Max, DataType::Float32, reduceRows<MaxOf<float>, float>},
    {ReduceKind::Max, DataType::Int32, reduceRows<MaxOf<int32_t>, int32_t>},
    {ReduceKind::Max, DataType::Int64, reduceRows<MaxOf<int64_t>, int64_t>},
    {ReduceKind::Max, DataType::Int8, reduceRows<MaxOf<int8_t>, int8_t>},
    {ReduceKind::Max, DataType::UInt8, reduceRows<MaxOf<uint8_t>, uint8_t>},
    {ReduceKind::Max, DataType::Int16, reduceRows<MaxOf<int16_t>, int16_t>},
    {ReduceKind::Max, DataType::Bool8, reduceRows<AnyOf, uint8_t>},
    {ReduceKind::Min, DataType::Float16, reduceRows<MinOf<float>, _Float16>},
    {ReduceKind::Min, DataType::Float32, reduceRows<MinOf<float>, float>},
    {ReduceKind::Min, DataType::Int32, reduceRows<MinOf<int32_t>, int32_t>},
    {ReduceKind::Min, DataType::Int64, reduceRows<MinOf<int64_t>, int64_t>},
    {ReduceKind::Min, DataType::Int8, reduceRows<MinOf<int8_t>, int8_t>},
    {ReduceKind::Min, DataType::UInt8, reduceRows<MinOf<uint8_t>, uint8_t>},
    {ReduceKind::Min, DataType::Int16, reduceRows<MinOf<int16_t>, int16_t>},
    {ReduceKind::Min, DataType::Bool8, reduceRows<AllOf, uint8_t>},
};

const Row *findRow(ReduceKind kind, DataType type) {
  for (const Row &row : kRows)
    if (row.kind == kind && row.type == type)
      return &row;
  return nullptr;
}

class ReduceKernel : public DspKernel {
public:
  KernelId id() const override { return kReduceKernel; }

protected:
  OperandCount inputCount() const override { return {1, 2}; }
  OperandCount outputCount() const override { return 1; }

  Status checkOperands(const DspCommand &command) const override {
    const FeatureMap &input = command.inputs[0], &output = command.outputs[0];
    AVOCET_ASSIGN_OR_RETURN(const auto sectioned, unpackSectioned<ReduceParameters>(command.parameters));
    const auto &[parameters, section] = sectioned;
    if (!findRow(parameters.kind, input.type))
      return unsupported("reduction " + std::to_string(static_cast<uint32_t>(parameters.kind)) + " of " +
                         std::string(toString(input.type)));
    if (!section || section->isLast)
      AVOCET_RETURN_IF_ERROR(checkType("output0", output.type, {input.type}));
    AVOCET_RETURN_IF_ERROR(checkRescale("parameters", {parameters.multiplier, parameters.shift}));
    if (parameters.kind == ReduceKind::Sum && !std::isfinite(std::bit_cast<float>(parameters.multiplier)))
      return invalidArgument("the ratio of the scales must be finite");
    AVOCET_RETURN_IF_ERROR(checkRounding("rounding", parameters.rounding));
    if (parameters.rounding != Rounding::Double && (parameters.kind != ReduceKind::Mean || !isNarrow(input.type)))
      return ruleBroken("rounding", static_cast<uint32_t>(parameters.rounding),
                        "0 for all but means of i8, u8 and i16");
    AVOCET_RETURN_IF_ERROR(checkEqual("input0.width", input.width, "one pixel", 1));
    AVOCET_RETURN_IF_ERROR(checkEqual("output0.width", output.width, "one pixel", 1));
    AVOCET_RETURN_IF_ERROR(checkSection(command, section, 1, 1));
    if (section)
      return checkSectionShape(command, parameters, *section);
    if (isReducedMatrix(parameters, command))
      return checkReduceShape(parameters, elementCount(input), output.channels);
    AVOCET_RETURN_IF_ERROR(checkEqual("output0.height", output.height, "input0.height", input.height));
    return checkReduceShape(parameters, input.channels, output.channels);
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    findRow(sectionedOf<ReduceParameters>(command).parameters.kind, command.inputs[0].type)->compute(command, sram);
  }

  DspWork work(const DspCommand &command) const override {
    const ReduceParameters parameters = sectionedOf<ReduceParameters>(command).parameters;
    return reductionWork(command, reducedAxes(parameters, command), combinationOf(parameters.kind, command.inputs[0]));
  }

  uint32_t partsOf(const DspCommand &command) const override {
    if (sectionedOf<ReduceParameters>(command).section)
      return 1;
    const uint32_t rows = command.outputs[0].height;
    return rows > 1 ? rows : reduceParts(parametersOf<ReduceParameters>(command), command);
  }

  DspCommand partOf(const DspCommand &command, uint32_t first, uint32_t count) const override {
    DspCommand part = command;
    if (partsOf(command) == 1)
      return part;
    auto parameters = parametersOf<ReduceParameters>(command);
    if (command.outputs[0].height > 1)
      for (FeatureMap *map : {&part.inputs[0], &part.outputs[0]})
        *map = sliceOf(*map, MapAxis::Rows, first, count);
    else
      selectReduced(part, parameters, first, count);
    part.parameters = packParameters(parameters);
    return part;
  }

private:
  static bool isNarrow(DataType type) { return sizeOf(type) == 1 || type == DataType::Int16; }

  static Combination combinationOf(ReduceKind kind, const FeatureMap &input) {
    const DataType type = input.type;
    const bool isProduct = kind == ReduceKind::Prod, isSum = kind == ReduceKind::Mean || kind == ReduceKind::Sum;
    Combination how;
    how.isDense = checkDense("input0", input).isOk();
    how.sumsBytes = isSum && sizeOf(type) == 1;
    how.inAnyOrder = !isProduct && !(isSum && isFloat(type));
    if (isProduct && sizeOf(type) < 4 && !isFloat(type)) // a product and a rescale for each element
      how.ops = 4;
    const DataType wider = sizeOf(type) == 1 && isSum ? DataType::Int16 : DataType::Int32;
    how.type = isNarrow(type) && (isSum || how.ops > 1) ? wider : type;
    return how;
  }

  static Status checkSectionShape(const DspCommand &command, const ReduceParameters &parameters,
                                  const Section &section) {
    const uint64_t elements = elementCount(command.inputs[0]);
    const uint64_t results = reducedElements(parameters);
    AVOCET_RETURN_IF_ERROR(checkReduceShape(parameters, elements, results));
    return checkSectionStates(command, section, results, kReduceStateWords);
  }
};

} // namespace

const Kernel &reduceKernel() {
  static const ReduceKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels
