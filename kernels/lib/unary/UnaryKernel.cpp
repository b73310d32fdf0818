//===- UnaryKernel.cpp - Element-wise functions of one operand ------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/IntegerFunctions.h"
#include "avocet/kernels/dsp/Unary.h"
#include "common/DspKernel.h"
#include "common/Elements.h"
#include "common/Kernels.h"
#include "common/MapParts.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace avocet::kernels {

using namespace firmware;

namespace {

using RealRow = void(const float *from, float *to, size_t count, const UnaryParameters &parameters);

/// A function of single reals on a row, so that the compiler makes vector code of it.
template <auto function> void rowOf(const float *from, float *to, size_t count, const UnaryParameters &parameters) {
  const UnaryParameters copy = parameters;
  for (size_t i = 0; i < count; ++i)
    to[i] = function(from[i], copy);
}

/// One function: its form for rows of reals, integers and truth values (null: not supported), and its cost.
struct FunctionEntry {
  RealRow *real;
  uint32_t laneOps;                            ///< vector instructions per element
  int64_t (*integer)(int64_t value) = nullptr; ///< the low bits of the result count
  bool (*truth)(bool value) = nullptr;
  int64_t (*bits)(uint64_t bits, uint32_t width) = nullptr; ///< of integers, in the place of `integer`

  bool takes(DataType type) const {
    if (type == DataType::Float16 || type == DataType::Float32)
      return real != nullptr;
    if (type == DataType::Bool8)
      return truth != nullptr;
    return (integer || bits) && (type == DataType::Int16 || type == DataType::Int32 || type == DataType::Int64);
  }
};

/// Unlike the library's function, numbers in [-0.5, 0) become +0, as in the reference.
float roundedToEven(float x, const UnaryParameters &) {
  float floor = std::floor(x), rest = x - floor;
  return rest < 0.5f || (rest == 0.5f && std::fmod(floor, 2.0f) == 0) ? floor : floor + 1.0f;
}

/// Constants and order of operations are those of the reference.
float gelu(float x, const UnaryParameters &) { return 0.5f * x * std::erfc(x * -0.70710678118654752440f); }

float geluTanh(float x, const UnaryParameters &) {
  return 0.5f * x * (1.0f + std::tanh(0.79788456080286535588f * (x + 0.044715f * x * x * x)));
}

float leakyRelu(float x, const UnaryParameters &p) { return x > 0 ? x : x * p.alpha; }

/// Indexed by UnaryFunction.
constexpr std::array<FunctionEntry, kNumUnaryFunctions> kFunctions = {{
    {rowOf<[](float x, const UnaryParameters &) { return 1.0f / (1.0f + std::exp(-x)); }>, 14},
    {rowOf<[](float x, const UnaryParameters &) { return std::tanh(x); }>, 16},
    {rowOf<[](float x, const UnaryParameters &) { return std::exp(x); }>, 10},
    {rowOf<[](float x, const UnaryParameters &) { return std::abs(x); }>, 1, integerAbsolute},
    {rowOf<[](float x, const UnaryParameters &) { return -x; }>, 1, integerNegative},
    {rowOf<[](float x, const UnaryParameters &) { return std::sqrt(x); }>, 4},
    {rowOf<[](float x, const UnaryParameters &) { return 1.0f / std::sqrt(x); }>, 6},
    {rowOf<[](float x, const UnaryParameters &) { return x * std::min(6.0f, std::max(0.0f, x + 3.0f)) / 6.0f; }>, 5},
    {rowOf<[](float x, const UnaryParameters &p) { return std::min(std::max(x, p.alpha), p.beta); }>, 2},
    {rowOf<[](float x, const UnaryParameters &) { return std::floor(x); }>, 1},
    {rowOf<[](float x, const UnaryParameters &) { return std::log(x); }>, 12},
    {rowOf<[](float x, const UnaryParameters &) { return std::sin(x); }>, 16},
    {rowOf<[](float x, const UnaryParameters &p) { return x < 0 ? p.alpha * std::expm1(x) : x; }>, 14},
    {nullptr, 1, nullptr, [](bool x) { return !x; }},
    {rowOf<[](float x, const UnaryParameters &) { return std::cos(x); }>, 16},
    {rowOf<[](float x, const UnaryParameters &) { return std::ceil(x); }>, 1},
    {rowOf<roundedToEven>, 4},
    {rowOf<[](float x, const UnaryParameters &) { return float(x > 0) - float(x < 0); }>, 3, integerSign},
    {rowOf<[](float x, const UnaryParameters &) { return x * x; }>, 1, integerSquare},
    {rowOf<gelu>, 20},
    {rowOf<geluTanh>, 22},
    {rowOf<leakyRelu>, 2},
    {rowOf<[](float x, const UnaryParameters &) { return std::erf(x); }>, 18},
    {rowOf<[](float x, const UnaryParameters &) { return x / (1.0f + std::exp(-x)); }>, 15},
    {rowOf<[](float x, const UnaryParameters &p) { return std::min(std::max(p.alpha * x + 0.5f, 0.0f), 1.0f); }>, 3},
    {nullptr, 1, nullptr, nullptr, leadingZeros},
}};

const FunctionEntry &entryOf(const UnaryParameters &parameters) {
  return kFunctions[static_cast<uint32_t>(parameters.function)];
}

template <typename T> void computeReal(const DspCommand &command, std::span<uint8_t> sram) {
  auto parameters = parametersOf<UnaryParameters>(command);
  forEachRun<T, T>(command.inputs[0], command.outputs[0], sram, [&](const float *from, float *to, size_t count) {
    entryOf(parameters).real(from, to, count, parameters);
  });
}

template <typename T> void computeInteger(const DspCommand &command, std::span<uint8_t> sram) {
  const FunctionEntry &entry = entryOf(parametersOf<UnaryParameters>(command));
  forEachElement<T, T>(command.inputs[0], command.outputs[0], sram, [&](T value) {
    return static_cast<T>(entry.bits ? entry.bits(Unsigned<T>(value), 8 * sizeof(T)) : entry.integer(value));
  });
}

void computeTruth(const DspCommand &command, std::span<uint8_t> sram) {
  auto apply = entryOf(parametersOf<UnaryParameters>(command)).truth;
  forEachElement<uint8_t, uint8_t>(command.inputs[0], command.outputs[0], sram,
                                   [&](uint8_t value) -> uint8_t { return apply(value != 0); });
}

class UnaryKernel : public AlignedKernel {
public:
  KernelId id() const override { return kUnaryKernel; }

protected:
  OperandCount inputCount() const override { return 1; }
  OperandCount outputCount() const override { return 1; }

  Status checkOperands(const DspCommand &command) const override {
    AVOCET_ASSIGN_OR_RETURN(auto parameters, unpackParameters<UnaryParameters>(command.parameters));
    auto number = static_cast<uint32_t>(parameters.function);
    if (number >= kNumUnaryFunctions)
      return ruleBroken("function", number, "less than " + std::to_string(kNumUnaryFunctions));
    DataType type = command.inputs[0].type;
    if (!entryOf(parameters).takes(type))
      return unsupported("function " + std::to_string(number) + " of " + std::string(toString(type)));
    AVOCET_RETURN_IF_ERROR(checkType("output0", command.outputs[0].type, {type}));
    AVOCET_RETURN_IF_ERROR(checkSameShape("output0", command.outputs[0], "input0", command.inputs[0]));
    // Written so that NaN bounds fail.
    if (parameters.function == UnaryFunction::Clamp && !(parameters.alpha <= parameters.beta))
      return invalidArgument("alpha and beta must be numbers with alpha <= beta");
    return Status::ok();
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    switch (command.inputs[0].type) {
    case DataType::Float16:
      return computeReal<_Float16>(command, sram);
    case DataType::Float32:
      return computeReal<float>(command, sram);
    case DataType::Int16:
      return computeInteger<int16_t>(command, sram);
    case DataType::Int32:
      return computeInteger<int32_t>(command, sram);
    case DataType::Int64:
      return computeInteger<int64_t>(command, sram);
    default:
      return computeTruth(command, sram);
    }
  }

  DspWork work(const DspCommand &command) const override {
    return pointwiseWork(command, entryOf(parametersOf<UnaryParameters>(command)).laneOps, command.inputs[0].type);
  }
};

} // namespace

const Kernel &unaryKernel() {
  static const UnaryKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels
