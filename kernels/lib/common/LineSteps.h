//===- LineSteps.h - Lines as a whole or in sections -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A rule defines what a kernel does with each line of elements E. The same rule serves whole lines and sections
// (AxisExtents.h):
//
//   State first() const                                            kLineStateWords words
//   static constexpr uint32_t kPasses
//   void fold(uint32_t pass, State &, std::span<const E>) const    adds the next section of a line
//   void finish(const State &, std::span<E>) const                 replaces a section by its results
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_COMMON_LINESTEPS_H
#define AVOCET_KERNELS_LIB_COMMON_LINESTEPS_H

#include "avocet/kernels/dsp/Normalize.h"
#include "common/Lines.h"

#include <cstring>
#include <optional>

namespace avocet::kernels {

/// The parameters of a line kernel's command.
template <typename Parameters> struct LineCommand {
  Parameters parameters;
  std::optional<LineStep> step; ///< of a command for a section

  /// Elements of a whole line.
  uint32_t length() const { return step ? step->length : parameters.extents.axis; }
};

template <typename Parameters> Result<LineCommand<Parameters>> unpackLineCommand(std::span<const uint32_t> words) {
  const size_t count = parameterCount<Parameters>();
  LineCommand<Parameters> command;
  if (words.size() != count + parameterCount<LineStep>()) {
    AVOCET_ASSIGN_OR_RETURN(command.parameters, unpackParameters<Parameters>(words));
    return command;
  }
  AVOCET_ASSIGN_OR_RETURN(command.parameters, unpackParameters<Parameters>(words.first(count)));
  AVOCET_ASSIGN_OR_RETURN(command.step, unpackParameters<LineStep>(words.subspan(count)));
  return command;
}

/// Ok if the maps and the step are those of a command for a section. `passes`: of the kernel.
Status checkLineStep(const firmware::DspCommand &command, const AxisExtents &extents, const LineStep &step,
                     uint32_t passes);

template <typename T, typename Rule> class LineStepper {
  using State = decltype(std::declval<Rule>().first());
  static_assert(sizeof(State) == sizeof(uint32_t) * kLineStateWords);

public:
  LineStepper(const firmware::DspCommand &command, const AxisExtents &extents, const LineStep &step,
              std::span<uint8_t> sram, const Rule &rule)
      : extents_(extents), step_(step), rule_(rule), section_(extents.axis),
        input_(denseData<T>(command.inputs[0], sram)), output_(denseData<uint8_t>(command.outputs[0], sram)),
        before_(step.isFirst ? nullptr : denseData<uint8_t>(command.inputs[1], sram)) {}

  void run() {
    for (uint64_t outer = 0; outer < extents_.outer; ++outer)
      for (uint64_t inner = 0; inner < extents_.inner; ++inner)
        advance(outer * extents_.inner + inner, outer * extents_.axis * extents_.inner + inner);
  }

private:
  /// Line number `line`, whose first element is at `first`.
  void advance(uint64_t line, uint64_t first) {
    section_.read([&](size_t a) { return input_ + first + a * extents_.inner; });
    State state = rule_.first();
    if (before_)
      std::memcpy(&state, before_ + line * sizeof(State), sizeof(State));
    if (step_.pass < Rule::kPasses) {
      rule_.fold(step_.pass, state, std::span<const Computed<T>>(section_.line()));
      std::memcpy(output_ + line * sizeof(State), &state, sizeof(State));
      return;
    }
    rule_.finish(state, section_.line());
    section_.write([&](size_t a) { return reinterpret_cast<T *>(output_) + first + a * extents_.inner; });
  }

  const AxisExtents &extents_;
  const LineStep &step_;
  const Rule &rule_;
  LineBuffer<T> section_;
  const T *const input_;
  uint8_t *const output_;
  const uint8_t *const before_; ///< states to continue; null: none
};

/// Runs the rule on each line, or on the section of each line.
template <typename T, typename Parameters, typename Rule>
void runLines(const firmware::DspCommand &command, const LineCommand<Parameters> &line, std::span<uint8_t> sram,
              const Rule &rule) {
  const AxisExtents &extents = line.parameters.extents;
  if (line.step)
    return LineStepper<T, Rule>(command, extents, *line.step, sram, rule).run();
  forEachLine<T>(command, extents, sram, [&](auto whole) {
    auto state = rule.first();
    for (uint32_t pass = 0; pass < Rule::kPasses; ++pass)
      rule.fold(pass, state, whole);
    rule.finish(state, whole);
  });
}

/// The same for f32 and f16, with a rule for floats.
template <typename Parameters, typename Rule>
void runFloatLines(const firmware::DspCommand &command, const LineCommand<Parameters> &line, std::span<uint8_t> sram,
                   const Rule &rule) {
  if (command.inputs[0].type == firmware::DataType::Float16)
    return runLines<_Float16>(command, line, sram, rule);
  runLines<float>(command, line, sram, rule);
}

/// A kernel with one input and one output of the same type and shape, whose parameters have `extents`.
template <typename Parameters> class LineKernel : public DspKernel {
protected:
  OperandCount inputCount() const override { return {1, passes() ? 2u : 1u}; }
  OperandCount outputCount() const override { return 1; }

  /// Checks types, parameters and zero points of a command for whole lines.
  virtual Status checkLine(const firmware::DspCommand &command, const Parameters &parameters) const = 0;
  /// The zero point of integer results.
  virtual int32_t resultZeroPoint(firmware::DataType, const Parameters &) const { return 0; }
  /// Of sections; 0: the kernel does not work in sections.
  virtual uint32_t passes() const { return linePassesOf(id()); }

  Status checkOperands(const firmware::DspCommand &command) const override {
    AVOCET_ASSIGN_OR_RETURN(const auto line, unpackLineCommand<Parameters>(command.parameters));
    if (!line.step) {
      AVOCET_RETURN_IF_ERROR(checkEqual("input operands", command.inputs.size(), "that of whole lines", 1));
      AVOCET_RETURN_IF_ERROR(checkLine(command, line.parameters));
      return checkLines(command, line.parameters.extents);
    }
    AVOCET_RETURN_IF_ERROR(checkLineStep(command, line.parameters.extents, *line.step, passes()));
    return checkLine(sectionOnly(command, line), line.parameters);
  }

  uint32_t partsOf(const firmware::DspCommand &command) const override {
    const auto line = *unpackLineCommand<Parameters>(command.parameters);
    return line.step ? 1 : linePartsOf(command, line.parameters.extents);
  }

  firmware::DspCommand partOf(const firmware::DspCommand &command, uint32_t first, uint32_t count) const override {
    firmware::DspCommand part = command;
    if (partsOf(command) == 1)
      return part;
    auto parameters = parametersOf<Parameters>(command);
    selectLines(part, parameters.extents, first, count);
    part.parameters = packParameters(parameters);
    return part;
  }

private:
  /// The command without the states.
  firmware::DspCommand sectionOnly(firmware::DspCommand command, const LineCommand<Parameters> &line) const {
    command.inputs.resize(1);
    if (line.step->pass < passes()) {
      command.outputs = command.inputs;
      command.outputs[0].zeroPoint = resultZeroPoint(command.inputs[0].type, line.parameters);
    }
    return command;
  }
};

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_COMMON_LINESTEPS_H
