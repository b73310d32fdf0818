//===- UnaryKernel.cpp - Element-wise functions of floats -----------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/dsp/Unary.h"
#include "common/DspKernel.h"
#include "common/ElementLoop.h"
#include "common/Kernels.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace avocet::kernels {

using namespace firmware;

namespace {

/// One function: what it computes and what it costs.
struct FunctionEntry {
  float (*apply)(float value, const UnaryParameters &parameters);
  uint32_t lanesOps; ///< vector instructions per element
};

/// In the order of UnaryFunction.
constexpr std::array<FunctionEntry, kNumUnaryFunctions> kFunctions = {{
    {[](float x, const UnaryParameters &) { return 1.0f / (1.0f + std::exp(-x)); }, 14},
    {[](float x, const UnaryParameters &) { return std::tanh(x); }, 16},
    {[](float x, const UnaryParameters &) { return std::exp(x); }, 10},
    {[](float x, const UnaryParameters &) { return std::abs(x); }, 1},
    {[](float x, const UnaryParameters &) { return -x; }, 1},
    {[](float x, const UnaryParameters &) { return std::sqrt(x); }, 4},
    {[](float x, const UnaryParameters &) { return 1.0f / std::sqrt(x); }, 6},
    {[](float x, const UnaryParameters &) { return x * std::min(6.0f, std::max(0.0f, x + 3.0f)) / 6.0f; }, 5},
    {[](float x, const UnaryParameters &p) { return std::min(std::max(x, p.alpha), p.beta); }, 2},
    {[](float x, const UnaryParameters &) { return std::floor(x); }, 1},
    {[](float x, const UnaryParameters &) { return std::log(x); }, 12},
}};

class UnaryKernel : public DspKernel {
public:
  std::string_view name() const override { return "unary"; }

protected:
  OperandCount inputCount() const override { return 1; }
  OperandCount outputCount() const override { return 1; }

  Status checkOperands(const DspCommand &command) const override {
    AVOCET_RETURN_IF_ERROR(checkType("input0", command.inputs[0].type, {DataType::Float32}));
    AVOCET_RETURN_IF_ERROR(checkType("output0", command.outputs[0].type, {DataType::Float32}));
    AVOCET_RETURN_IF_ERROR(checkSameShape("output0", command.outputs[0], "input0", command.inputs[0]));
    AVOCET_ASSIGN_OR_RETURN(auto parameters, unpackParameters<UnaryParameters>(command.parameters));
    auto number = static_cast<uint32_t>(parameters.function);
    if (number >= kNumUnaryFunctions)
      return ruleBroken("function", number, "less than " + std::to_string(kNumUnaryFunctions));
    // Written so that NaN bounds fail.
    if (parameters.function == UnaryFunction::Clamp && !(parameters.alpha <= parameters.beta))
      return invalidArgument("alpha and beta must be numbers with alpha <= beta");
    return Status::ok();
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    auto parameters = parametersOf<UnaryParameters>(command);
    auto apply = kFunctions[static_cast<uint32_t>(parameters.function)].apply;
    forEachElement<float, float>(command.inputs[0], command.outputs[0], sram,
                                 [&](float value) { return apply(value, parameters); });
  }

  DspWork work(const DspCommand &command) const override {
    auto parameters = parametersOf<UnaryParameters>(command);
    return elementWork(command, kFunctions[static_cast<uint32_t>(parameters.function)].lanesOps, DataType::Float32);
  }
};

} // namespace

const Kernel &unaryKernel() {
  static const UnaryKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels
