//===- PoolKernel.cpp - Max and average pools -----------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/MacKernels.h"
#include "common/Checks.h"
#include "common/Computed.h"
#include "common/Elements.h"
#include "common/FeatureMapView.h"
#include "common/Kernels.h"
#include "common/Rounding.h"
#include "common/Shares.h"
#include "common/WindowRange.h"
#include "cost/Cost.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <vector>

namespace avocet::kernels {

using namespace firmware;

namespace {

/// Bounds of the clamp in the computing type.
template <typename T> struct Bounds {
  float min, max;
  Bounds(const Clamp &clamp, DataType) : min(std::bit_cast<float>(clamp.min)), max(std::bit_cast<float>(clamp.max)) {}
};
template <typename T>
  requires std::numeric_limits<T>::is_integer
struct Bounds<T> {
  int32_t min, max;
  Bounds(const Clamp &clamp, DataType type) : min(integerClamp(clamp, type).min), max(integerClamp(clamp, type).max) {}
};

/// The sum of a window of at most kNarrowWindow integers has 32 bits.
constexpr uint64_t kNarrowWindow = 1 << 15;

template <typename S> S meanOf(S sum, uint64_t count) {
  if constexpr (std::numeric_limits<S>::is_integer)
    return roundedQuotient(sum, static_cast<S>(count));
  else
    return sum / static_cast<float>(count);
}

/// Elements T, accumulated in S.
template <typename T, typename S> class Pool {
public:
  Pool(const PoolCommand &command, std::span<uint8_t> sram)
      : command_(command), input_(command.input, sram), output_(command.output, sram),
        bounds_(command.clamp, command.output.type), accumulators_(command.output.channels) {}

  void run() {
    for (uint32_t y = 0; y < output_.height(); ++y)
      for (uint32_t x = 0; x < output_.width(); ++x)
        runPixel(y, x);
  }

private:
  void runPixel(uint32_t y, uint32_t x) {
    const Window &w = command_.window;
    WindowRange rows(y, w.kernelHeight, w.strideHeight, 1, w.padTop, input_.height());
    WindowRange columns(x, w.kernelWidth, w.strideWidth, 1, w.padLeft, input_.width());
    bool isMax = command_.kind == PoolKind::Max;
    std::fill(accumulators_.begin(), accumulators_.end(), isMax ? least<S>() : S(0));
    for (uint32_t ky = rows.begin; ky < rows.end; ++ky)
      for (uint32_t kx = columns.begin; kx < columns.end; ++kx)
        accumulate(input_.pixel(static_cast<uint32_t>(rows.origin + ky), static_cast<uint32_t>(columns.origin + kx)));
    const uint64_t count = uint64_t(rows.count()) * columns.count();
    if (isMax)
      store(output_.pixel(y, x), [](S largest) { return largest; });
    else
      store(output_.pixel(y, x), [=](S sum) { return meanOf(sum, count); });
  }

  void accumulate(const T *stored) {
    const Computed<T> *pixel = reader_.read(stored, accumulators_.size());
    if (command_.kind == PoolKind::Max)
      for (size_t c = 0; c < accumulators_.size(); ++c)
        accumulators_[c] = largerOf(accumulators_[c], static_cast<S>(pixel[c]));
    else
      for (size_t c = 0; c < accumulators_.size(); ++c)
        accumulators_[c] += static_cast<S>(pixel[c]);
  }

  template <typename F> void store(T *stored, F &&finish) {
    const S min = bounds_.min, max = bounds_.max;
    Computed<T> *pixel = writer_.begin(stored, accumulators_.size());
    for (size_t c = 0; c < accumulators_.size(); ++c)
      pixel[c] = static_cast<Computed<T>>(std::min(std::max(finish(accumulators_[c]), min), max));
    writer_.store(stored, accumulators_.size());
  }

  const PoolCommand &command_;
  FeatureMapView<T> input_, output_;
  Bounds<T> bounds_;
  ComputedInput<T> reader_;
  ComputedOutput<T> writer_;
  std::vector<S> accumulators_;
};

class PoolKernel : public Kernel {
public:
  KernelId id() const override { return kPoolKernel; }

  Status check(const Target &target, const CommandBody &body) const override {
    return checkCommand(target, std::get<PoolCommand>(body)).withContext(kPoolKernel.name);
  }

  void run(const Target &, const CommandBody &body, std::span<uint8_t> sram) const override {
    const auto &command = std::get<PoolCommand>(body);
    const bool narrow = uint64_t(command.window.kernelHeight) * command.window.kernelWidth <= kNarrowWindow;
    withElementType(command.input.type, [&](auto element) {
      using T = decltype(element);
      if constexpr (!std::numeric_limits<T>::is_integer)
        Pool<T, float>(command, sram).run();
      else if (narrow)
        Pool<T, int32_t>(command, sram).run();
      else
        Pool<T, int64_t>(command, sram).run();
    });
  }

  TileCost cost(const Target &target, const CommandBody &body) const override {
    return poolCost(target, std::get<PoolCommand>(body));
  }

protected:
  std::vector<CommandBody> divide(const Target &, const CommandBody &body, uint32_t most) const override {
    return divideWindowRows(std::get<PoolCommand>(body), most);
  }

private:
  static Status checkCommand(const Target &target, const PoolCommand &c) {
    if (c.kind != PoolKind::Max && c.kind != PoolKind::Average)
      return ruleBroken("kind", static_cast<uint32_t>(c.kind), "0 or 1");
    AVOCET_RETURN_IF_ERROR(checkMap("input", c.input));
    AVOCET_RETURN_IF_ERROR(checkMap("output", c.output));
    AVOCET_RETURN_IF_ERROR(
        checkType("input", c.input.type,
                  {DataType::Int8, DataType::UInt8, DataType::Int16, DataType::Float16, DataType::Float32}));
    AVOCET_RETURN_IF_ERROR(checkType("output", c.output.type, {c.input.type}));
    AVOCET_RETURN_IF_ERROR(checkArrayType(target, c.input.type));
    AVOCET_RETURN_IF_ERROR(checkEqual("output.channels", c.output.channels, "input.channels", c.input.channels));
    if (c.window.dilationHeight != 1 || c.window.dilationWidth != 1)
      return invalidArgument("window dilation must be 1");
    AVOCET_RETURN_IF_ERROR(checkWindow(c.window, c.input, c.output));
    AVOCET_RETURN_IF_ERROR(checkClamp(c.clamp, c.output.type));
    return checkBlock(target, c.block, c);
  }
};

} // namespace

const Kernel &poolKernel() {
  static const PoolKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels
