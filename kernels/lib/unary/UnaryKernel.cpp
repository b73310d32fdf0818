//===- UnaryKernel.cpp - Element-wise functions of one operand ------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/dsp/Unary.h"
#include "common/DspKernel.h"
#include "common/ElementLoop.h"
#include "common/Kernels.h"
#include "common/MapParts.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace avocet::kernels {

using namespace firmware;

namespace {

/// One function: its form for reals, integers and truth values (null: not supported), and its cost.
struct FunctionEntry {
  float (*real)(float value, const UnaryParameters &parameters);
  uint32_t laneOps; ///< vector instructions per element
  int32_t (*integer)(int32_t value) = nullptr;
  bool (*truth)(bool value) = nullptr;

  bool takes(DataType type) const {
    if (isFloat(type))
      return real != nullptr;
    return type == DataType::Int32 ? integer != nullptr : type == DataType::Bool8 && truth != nullptr;
  }
};

int32_t negated(int32_t x) { return static_cast<int32_t>(0 - static_cast<uint32_t>(x)); }

/// Indexed by UnaryFunction.
constexpr std::array<FunctionEntry, kNumUnaryFunctions> kFunctions = {{
    {[](float x, const UnaryParameters &) { return 1.0f / (1.0f + std::exp(-x)); }, 14},
    {[](float x, const UnaryParameters &) { return std::tanh(x); }, 16},
    {[](float x, const UnaryParameters &) { return std::exp(x); }, 10},
    {[](float x, const UnaryParameters &) { return std::abs(x); }, 1, [](int32_t x) { return x < 0 ? negated(x) : x; }},
    {[](float x, const UnaryParameters &) { return -x; }, 1, negated},
    {[](float x, const UnaryParameters &) { return std::sqrt(x); }, 4},
    {[](float x, const UnaryParameters &) { return 1.0f / std::sqrt(x); }, 6},
    {[](float x, const UnaryParameters &) { return x * std::min(6.0f, std::max(0.0f, x + 3.0f)) / 6.0f; }, 5},
    {[](float x, const UnaryParameters &p) { return std::min(std::max(x, p.alpha), p.beta); }, 2},
    {[](float x, const UnaryParameters &) { return std::floor(x); }, 1},
    {[](float x, const UnaryParameters &) { return std::log(x); }, 12},
    {[](float x, const UnaryParameters &) { return std::sin(x); }, 16},
    {[](float x, const UnaryParameters &p) { return x < 0 ? p.alpha * std::expm1(x) : x; }, 14},
    {nullptr, 1, nullptr, [](bool x) { return !x; }},
}};

const FunctionEntry &entryOf(const UnaryParameters &parameters) {
  return kFunctions[static_cast<uint32_t>(parameters.function)];
}

template <typename T> void computeReal(const DspCommand &command, std::span<uint8_t> sram) {
  auto parameters = parametersOf<UnaryParameters>(command);
  auto apply = entryOf(parameters).real;
  forEachElement<T, T>(command.inputs[0], command.outputs[0], sram,
                       [&](T value) { return static_cast<T>(apply(static_cast<float>(value), parameters)); });
}

void computeInteger(const DspCommand &command, std::span<uint8_t> sram) {
  auto apply = entryOf(parametersOf<UnaryParameters>(command)).integer;
  forEachElement<int32_t, int32_t>(command.inputs[0], command.outputs[0], sram, apply);
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
    case DataType::Int32:
      return computeInteger(command, sram);
    default:
      return computeTruth(command, sram);
    }
  }

  DspWork work(const DspCommand &command) const override {
    return elementWork(command, entryOf(parametersOf<UnaryParameters>(command)).laneOps, command.inputs[0].type);
  }
};

} // namespace

const Kernel &unaryKernel() {
  static const UnaryKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels
