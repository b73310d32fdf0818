//===- CumulativeSumKernel.cpp - Running sums of lines --------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/dsp/Scan.h"
#include "common/DspKernel.h"
#include "common/Kernels.h"
#include "common/LineSteps.h"

namespace avocet::kernels {

using namespace firmware;

namespace {

/// The state of a line is the sum of the sections before. Integers are added without a sign, because an overflow of the
/// sum must wrap.
template <typename T> struct SumRule {
  using Sum = typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>, std::type_identity<T>>::type;
  /// As many words as a state has (kLineStateWords).
  struct alignas(uint64_t) State {
    Sum sum = 0;
  };
  static constexpr uint32_t kPasses = 1;

  State first() const { return {}; }

  void fold(uint32_t, State &state, std::span<const T> section) const {
    for (size_t i = 0; i < section.size(); ++i)
      state.sum += static_cast<Sum>(section[place(i, section.size())]);
  }

  void finish(const State &state, std::span<T> section) const {
    Sum sum = state.sum;
    for (size_t i = 0; i < section.size(); ++i) {
      T &x = section[place(i, section.size())];
      const Sum before = sum;
      sum += static_cast<Sum>(x);
      x = static_cast<T>(parameters.exclusive ? before : sum);
    }
  }

  size_t place(size_t i, size_t size) const { return parameters.reverse ? size - 1 - i : i; }

  const CumulativeSumParameters &parameters;
};

class CumulativeSumKernel : public LineKernel<CumulativeSumParameters> {
public:
  KernelId id() const override { return kCumulativeSumKernel; }

protected:
  uint32_t passes() const override { return 1; }

  Status checkLine(const DspCommand &command, const CumulativeSumParameters &parameters) const override {
    const DataType type = command.inputs[0].type;
    AVOCET_RETURN_IF_ERROR(
        checkType("input0", type, {DataType::Float32, DataType::Float16, DataType::Int32, DataType::Int64}));
    AVOCET_RETURN_IF_ERROR(checkType("output0", command.outputs[0].type, {type}));
    if (parameters.exclusive > 1 || parameters.reverse > 1)
      return ruleBroken("exclusive, reverse", std::max(parameters.exclusive, parameters.reverse), "0 or 1");
    return Status::ok();
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    const auto line = *unpackLineCommand<CumulativeSumParameters>(command.parameters);
    if (command.inputs[0].type == DataType::Int32)
      return sumLines<int32_t>(command, line, sram);
    if (command.inputs[0].type == DataType::Int64)
      return sumLines<int64_t>(command, line, sram);
    if (command.inputs[0].type == DataType::Float16)
      return sumLines<_Float16>(command, line, sram);
    sumLines<float>(command, line, sram);
  }

  DspWork work(const DspCommand &command) const override {
    const DataType type = command.inputs[0].type;
    return elementWork(command, 2, isFloat(type) ? DataType::Float32 : type);
  }

private:
  using Line = LineCommand<CumulativeSumParameters>;

  /// Whole lines start with the first state, which no pass changes.
  template <typename T> static void sumLines(const DspCommand &command, const Line &line, std::span<uint8_t> sram) {
    const SumRule<Computed<T>> rule{line.parameters};
    if (line.step)
      return runLines<T>(command, line, sram, rule);
    forEachLine<T>(command, line.parameters.extents, sram, [&](auto whole) { rule.finish(rule.first(), whole); });
  }
};

} // namespace

const Kernel &cumulativeSumKernel() {
  static const CumulativeSumKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels
