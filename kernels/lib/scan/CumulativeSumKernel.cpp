//===- CumulativeSumKernel.cpp - Running sums of lines --------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/dsp/Scan.h"
#include "common/DspKernel.h"
#include "common/Kernels.h"
#include "common/Lines.h"

namespace avocet::kernels {

using namespace firmware;

namespace {

/// Integers are added without a sign, because an overflow of the sum must wrap.
template <typename T> void accumulate(std::span<T> line, const CumulativeSumParameters &parameters) {
  using Sum = std::conditional_t<std::is_integral_v<T>, uint32_t, T>;
  Sum sum = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    T &x = line[parameters.reverse ? line.size() - 1 - i : i];
    const Sum before = sum;
    sum += static_cast<Sum>(x);
    x = static_cast<T>(parameters.exclusive ? before : sum);
  }
}

class CumulativeSumKernel : public DspKernel {
public:
  KernelId id() const override { return kCumulativeSumKernel; }

protected:
  OperandCount inputCount() const override { return 1; }
  OperandCount outputCount() const override { return 1; }

  Status checkOperands(const DspCommand &command) const override {
    AVOCET_ASSIGN_OR_RETURN(auto parameters, unpackParameters<CumulativeSumParameters>(command.parameters));
    const DataType type = command.inputs[0].type;
    AVOCET_RETURN_IF_ERROR(checkType("input0", type, {DataType::Float32, DataType::Float16, DataType::Int32}));
    AVOCET_RETURN_IF_ERROR(checkType("output0", command.outputs[0].type, {type}));
    if (parameters.exclusive > 1 || parameters.reverse > 1)
      return ruleBroken("exclusive, reverse", std::max(parameters.exclusive, parameters.reverse), "0 or 1");
    return checkLines(command, parameters.extents);
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    const auto parameters = parametersOf<CumulativeSumParameters>(command);
    const auto sumLine = [&](auto line) { accumulate(line, parameters); };
    if (command.inputs[0].type == DataType::Int32)
      return forEachLine<int32_t>(command, parameters.extents, sram, sumLine);
    forEachFloatLine(command, parameters.extents, sram, sumLine);
  }

  uint32_t partsOf(const DspCommand &command) const override {
    return linePartsOf(command, parametersOf<CumulativeSumParameters>(command).extents);
  }

  DspCommand partOf(const DspCommand &command, uint32_t first, uint32_t count) const override {
    auto parameters = parametersOf<CumulativeSumParameters>(command);
    DspCommand part = command;
    selectLines(part, parameters.extents, first, count);
    part.parameters = packParameters(parameters);
    return part;
  }

  DspWork work(const DspCommand &command) const override {
    return elementWork(command, 2, command.inputs[0].type == DataType::Int32 ? DataType::Int32 : DataType::Float32);
  }
};

} // namespace

const Kernel &cumulativeSumKernel() {
  static const CumulativeSumKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels
