//===- PoolKernel.cpp - Max and average pools -----------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/MacKernels.h"
#include "common/Checks.h"
#include "common/Elements.h"
#include "common/FeatureMapView.h"
#include "common/Kernels.h"
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

/// The accumulator of a channel while the window is read.
template <typename T> using Accumulator = std::conditional_t<std::numeric_limits<T>::is_integer, int64_t, float>;

template <typename T> Accumulator<T> finish(PoolKind kind, Accumulator<T> sum, uint64_t count) {
  if (kind == PoolKind::Max)
    return sum;
  if constexpr (std::numeric_limits<T>::is_integer) {
    auto n = static_cast<int64_t>(count);
    return sum > 0 ? (sum + n / 2) / n : (sum - n / 2) / n;
  } else {
    return sum / static_cast<float>(count);
  }
}

template <typename T> class Pool {
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
    std::fill(accumulators_.begin(), accumulators_.end(),
              isMax ? std::numeric_limits<Accumulator<T>>::lowest() : Accumulator<T>(0));
    for (uint32_t ky = rows.begin; ky < rows.end; ++ky)
      for (uint32_t kx = columns.begin; kx < columns.end; ++kx)
        accumulate(input_.pixel(static_cast<uint32_t>(rows.origin + ky), static_cast<uint32_t>(columns.origin + kx)));
    store(output_.pixel(y, x), uint64_t(rows.count()) * columns.count());
  }

  void accumulate(const T *pixel) {
    if (command_.kind == PoolKind::Max)
      for (size_t c = 0; c < accumulators_.size(); ++c)
        accumulators_[c] = std::max(accumulators_[c], static_cast<Accumulator<T>>(pixel[c]));
    else
      for (size_t c = 0; c < accumulators_.size(); ++c)
        accumulators_[c] += static_cast<Accumulator<T>>(pixel[c]);
  }

  void store(T *pixel, uint64_t count) const {
    for (size_t c = 0; c < accumulators_.size(); ++c) {
      Accumulator<T> value = finish<T>(command_.kind, accumulators_[c], count);
      value = std::min<Accumulator<T>>(std::max<Accumulator<T>>(value, bounds_.min), bounds_.max);
      pixel[c] = static_cast<T>(value);
    }
  }

  const PoolCommand &command_;
  FeatureMapView<T> input_, output_;
  Bounds<T> bounds_;
  std::vector<Accumulator<T>> accumulators_;
};

class PoolKernel : public Kernel {
public:
  KernelId id() const override { return kPoolKernel; }

  Status check(const Target &target, const CommandBody &body) const override {
    return checkCommand(target, std::get<PoolCommand>(body)).withContext(kPoolKernel.name);
  }

  void run(const Target &, const CommandBody &body, std::span<uint8_t> sram) const override {
    const auto &command = std::get<PoolCommand>(body);
    withElementType(command.input.type, [&](auto element) { Pool<decltype(element)>(command, sram).run(); });
  }

  TileCost cost(const Target &target, const CommandBody &body) const override {
    return poolCost(target, std::get<PoolCommand>(body));
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
