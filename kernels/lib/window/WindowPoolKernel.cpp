//===- WindowPoolKernel.cpp - Pools over batches of images ----------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/dsp/Window.h"
#include "common/Computed.h"
#include "common/DspKernel.h"
#include "common/Elements.h"
#include "common/Kernels.h"
#include "common/Rounding.h"
#include "window/PoolWork.h"
#include "window/WindowParts.h"

#include <bit>
#include <cmath>
#include <limits>

namespace avocet::kernels {

using namespace firmware;

namespace {

/// Elements of a window in sections: sums of bytes fit in 32 bits.
constexpr uint64_t kMostSummed = uint64_t(1) << 23;

/// The accumulator of a channel while the window is read.
template <typename T> using Accumulator = std::conditional_t<std::numeric_limits<T>::is_integer, int64_t, float>;

/// One way to combine the elements of a window: start, add each, finish.
template <typename A> struct MaxOf {
  static A start() { return least<A>(); }
  static A add(A sum, A element) { return largerOf(sum, element); }
  A finish(A sum, uint64_t) const { return sum; }
};

template <typename A> struct MeanOf {
  A center; ///< halves are rounded away from it
  static A start() { return 0; }
  static A add(A sum, A element) { return sum + element; }
  A finish(A sum, uint64_t count) const {
    if constexpr (std::numeric_limits<A>::is_integer) {
      const auto n = static_cast<int64_t>(count);
      return roundedQuotient(sum - n * center, n) + center;
    } else {
      return sum / static_cast<A>(count);
    }
  }
};

struct RootMeanSquareOf {
  static float start() { return 0; }
  static float add(float sum, float element) { return sum + element * element; }
  float finish(float sum, uint64_t count) const { return std::sqrt(sum / static_cast<float>(count)); }
};

template <typename T, typename Function> class WindowPool {
  using A = Accumulator<T>;

public:
  WindowPool(const DspCommand &command, std::span<uint8_t> sram, Function function)
      : parameters_(sectionedOf<WindowPoolParameters>(command).parameters),
        section_(sectionedOf<WindowPoolParameters>(command).section), input_(command.inputs[0]),
        output_(command.outputs[0]), elements_(input_, sram), results_(output_, sram), states_(command, section_, sram),
        function_(function), accumulators_(output_.channels) {
    if constexpr (std::numeric_limits<T>::is_integer) {
      Clamp clamp = integerClamp(parameters_.clamp, input_.type);
      min_ = clamp.min;
      max_ = clamp.max;
    } else {
      min_ = std::bit_cast<float>(parameters_.clamp.min);
      max_ = std::bit_cast<float>(parameters_.clamp.max);
    }
  }

  void run() {
    uint32_t outputHeight = output_.height / parameters_.batch, inputHeight = input_.height / parameters_.batch;
    for (uint32_t row = 0; row < output_.height; ++row) {
      directTaps(heightOf(parameters_.window, inputHeight), row % outputHeight, rows_);
      for (WindowTap &tap : rows_)
        tap.input += row / outputHeight * inputHeight;
      for (uint32_t x = 0; x < output_.width; ++x) {
        directTaps(widthOf(parameters_.window, input_.width), x, columns_);
        runPixel(row, x);
      }
    }
  }

private:
  void runPixel(uint32_t y, uint32_t x) {
    states_.start(y, x, accumulators_, Function::start());
    for (const WindowTap &row : rows_)
      for (const WindowTap &column : columns_) {
        const Computed<T> *pixel = reader_.read(elements_.pixel(row.input, column.input), output_.channels);
        for (uint32_t c = 0; c < output_.channels; ++c)
          accumulators_[c] = Function::add(accumulators_[c], static_cast<A>(pixel[c]));
      }
    if (!states_.isLast())
      return states_.handOn(y, x, accumulators_);
    const uint64_t count = (section_ ? section_->length : uint64_t(rows_.size())) * columns_.size();
    T *result = results_.pixel(y, x);
    Computed<T> *computed = writer_.begin(result, output_.channels);
    for (uint32_t c = 0; c < output_.channels; ++c) {
      A value = function_.finish(accumulators_[c], count);
      computed[c] = static_cast<Computed<T>>(std::min(std::max(value, min_), max_));
    }
    writer_.store(result, output_.channels);
  }

  const WindowPoolParameters parameters_;
  const std::optional<Section> section_;
  const FeatureMap &input_, &output_;
  FeatureMapView<T> elements_, results_;
  const WindowStates<WindowState<T>> states_;
  ComputedInput<T> reader_;
  ComputedOutput<T> writer_;
  Function function_;
  std::vector<A> accumulators_;
  std::vector<WindowTap> rows_, columns_;
  A min_, max_;
};

template <typename T> void runPool(const DspCommand &command, std::span<uint8_t> sram) {
  using A = Accumulator<T>;
  const WindowPoolKind kind = sectionedOf<WindowPoolParameters>(command).parameters.kind;
  if (kind == WindowPoolKind::Max)
    return WindowPool<T, MaxOf<A>>(command, sram, {}).run();
  if constexpr (!std::numeric_limits<T>::is_integer)
    if (kind == WindowPoolKind::L2)
      return WindowPool<T, RootMeanSquareOf>(command, sram, {}).run();
  bool shifted = kind == WindowPoolKind::AverageCentered && command.inputs[0].type == DataType::UInt8;
  WindowPool<T, MeanOf<A>>(command, sram, {static_cast<A>(shifted ? 128 : 0)}).run();
}

class WindowPoolKernel : public DspKernel {
public:
  KernelId id() const override { return kWindowPoolKernel; }

protected:
  OperandCount inputCount() const override { return {1, 2}; }
  OperandCount outputCount() const override { return 1; }

  Status checkOperands(const DspCommand &command) const override {
    AVOCET_ASSIGN_OR_RETURN(const auto sectioned, unpackSectioned<WindowPoolParameters>(command.parameters));
    const auto &[parameters, section] = sectioned;
    if (!section) {
      AVOCET_RETURN_IF_ERROR(checkEqual("input operands", command.inputs.size(), "that of the whole", 1));
      return checkWhole(command, parameters);
    }
    AVOCET_RETURN_IF_ERROR(
        checkEqual("input operands", command.inputs.size(), "that of a section", 2 - section->isFirst));
    AVOCET_ASSIGN_OR_RETURN(const DspCommand whole, withoutStates(command, *section));
    AVOCET_RETURN_IF_ERROR(checkWhole(whole, parameters));
    return checkRowsOfSection(whole, parameters, *section);
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    switch (command.inputs[0].type) {
    case DataType::Int8:
      return runPool<int8_t>(command, sram);
    case DataType::UInt8:
      return runPool<uint8_t>(command, sram);
    case DataType::Int16:
      return runPool<int16_t>(command, sram);
    case DataType::Float16:
      return runPool<_Float16>(command, sram);
    default:
      return runPool<float>(command, sram);
    }
  }

  DspWork work(const DspCommand &command) const override {
    return poolWork(command, sectionedOf<WindowPoolParameters>(command).parameters);
  }

  uint32_t partsOf(const DspCommand &command) const override {
    const uint32_t batch = sectionedOf<WindowPoolParameters>(command).parameters.batch;
    if (batch > 1)
      return batch;
    const auto axis = outermostAxis(command.outputs[0], MapAxis::Channels);
    return axis ? extentOf(command.outputs[0], *axis) : 1;
  }

  DspCommand partOf(const DspCommand &command, uint32_t first, uint32_t count) const override {
    auto sectioned = sectionedOf<WindowPoolParameters>(command);
    WindowPoolParameters &parameters = sectioned.parameters;
    const auto axis = outermostAxis(command.outputs[0], MapAxis::Channels);
    DspCommand part = command;
    if (parameters.batch > 1)
      selectImages(part, parameters.batch, first, count);
    else if (axis && *axis != MapAxis::Channels)
      selectDirect(part, parameters.window, *axis, first, count);
    else if (axis)
      for (FeatureMap *map : {&part.inputs[0], &part.outputs[0]})
        *map = sliceOf(*map, *axis, first, count);
    if (axis && part.inputs.size() > 1) // the state has the shape of the results
      part.inputs[1] = sliceOf(part.inputs[1], *axis, first, count);
    part.parameters = packSectioned(sectioned);
    return part;
  }

private:
  static Status checkWhole(const DspCommand &command, const WindowPoolParameters &p) {
    const FeatureMap &input = command.inputs[0], &output = command.outputs[0];
    AVOCET_RETURN_IF_ERROR(
        checkType("input0", input.type,
                  {DataType::Int8, DataType::UInt8, DataType::Int16, DataType::Float16, DataType::Float32}));
    AVOCET_RETURN_IF_ERROR(checkType("output0", output.type, {input.type}));
    if (static_cast<uint32_t>(p.kind) > (isFloat(input.type) ? 3 : 2))
      return ruleBroken("kind", static_cast<uint32_t>(p.kind), "0 to 2, or 3 for floats");
    AVOCET_RETURN_IF_ERROR(checkImages("input0", input, p.batch));
    AVOCET_RETURN_IF_ERROR(checkImages("output0", output, p.batch));
    AVOCET_RETURN_IF_ERROR(checkEqual("output0.channels", output.channels, "input0.channels", input.channels));
    if (p.window.dilationHeight != 1 || p.window.dilationWidth != 1)
      return invalidArgument("dilation must be 1");
    // Every window overlaps the image, so that the divisor is never 0.
    AVOCET_RETURN_IF_ERROR(checkWindow(p.window, imageOf(input, p.batch), imageOf(output, p.batch)));
    return checkClamp(p.clamp, output.type);
  }

  /// Ok if all rows of all windows of a section lie on the image, and sums of bytes fit in the state.
  static Status checkRowsOfSection(const DspCommand &command, const WindowPoolParameters &p, const Section &section) {
    AVOCET_RETURN_IF_ERROR(checkSectionFields(section, p.window.kernelHeight));
    AVOCET_RETURN_IF_ERROR(checkEqual("batch of a section", p.batch, "one image", 1));
    AVOCET_RETURN_IF_ERROR(checkEqual("padTop of a section", p.window.padTop, "none", 0));
    const uint64_t rows = uint64_t(command.outputs[0].height - 1) * p.window.strideHeight + p.window.kernelHeight;
    if (rows > command.inputs[0].height)
      return ruleBroken("input0.height", command.inputs[0].height, "the rows of all windows of a section");
    if (uint64_t(section.length) * p.window.kernelWidth > kMostSummed)
      return ruleBroken("length", section.length, "rows of at most 2^23 elements");
    return Status::ok();
  }
};

} // namespace

const Kernel &windowPoolKernel() {
  static const WindowPoolKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels
