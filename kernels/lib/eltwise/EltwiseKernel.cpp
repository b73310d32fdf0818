//===- EltwiseKernel.cpp - Element-wise operations of two inputs ----------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/MacKernels.h"
#include "avocet/kernels/Quantization.h"
#include "common/Checks.h"
#include "common/Elements.h"
#include "common/Kernels.h"
#include "common/RunEltwise.h"
#include "common/Shares.h"
#include "cost/Cost.h"
#include "eltwise/EltwiseRow.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace avocet::kernels {

using namespace firmware;

namespace {

/// Elements T under a clamp in the type in which they are computed.
template <typename T> class Eltwise {
  using C = Computed<T>;

public:
  Eltwise(const EltwiseCommand &command, C min, C max, std::span<uint8_t> sram, std::span<uint8_t> memoryOfB)
      : command_(command), a_(command.inputA, sram), b_(command.inputB, memoryOfB), output_(command.output, sram),
        min_(min), max_(max) {}

  void run() {
    if (command_.kind == EltwiseKind::Min)
      return runRows([](C a, C b) { return smallerOf(a, b); });
    if (command_.kind == EltwiseKind::Max)
      return runRows([](C a, C b) { return largerOf(a, b); });
    if constexpr (std::numeric_limits<C>::is_integer)
      forEachRow([&](auto... row) { computeQuantizedPairs<T>(command_, {min_, max_}, row...); });
    else if (command_.kind == EltwiseKind::Add)
      runRows([](float a, float b) { return combine<EltwiseKind::Add>(a, b); });
    else if (command_.kind == EltwiseKind::Sub)
      runRows([](float a, float b) { return combine<EltwiseKind::Sub>(a, b); });
    else
      runRows([](float a, float b) { return combine<EltwiseKind::Mul>(a, b); });
  }

private:
  template <typename F> void runRows(F &&f) {
    PairRows<T, T> rows;
    const C min = min_, max = max_;
    forEachRow(
        [&](auto... row) { rows.compute(row..., [&](C a, C b) { return std::min(std::max(f(a, b), min), max); }); });
  }

  /// Calls f(a, b, output, count) for each row of contiguous pixels, else for each pixel.
  template <typename F> void forEachRow(F &&f) const {
    auto isWhole = [&](const FeatureMap &map) { return hasDenseRows(map) && map.channels == command_.output.channels; };
    const bool whole = isWhole(command_.inputA) && isWhole(command_.inputB) && isWhole(command_.output);
    const uint32_t runs = whole ? 1 : output_.width();
    const size_t count = size_t(output_.channels()) * (whole ? output_.width() : 1);
    // Channels of a one-channel input are broadcast.
    const uint64_t stepA = a_.channels() == 1 && !whole ? 0 : 1, stepB = b_.channels() == 1 && !whole ? 0 : 1;
    for (uint32_t y = 0; y < output_.height(); ++y)
      for (uint32_t x = 0; x < runs; ++x)
        f(SpacedRow<T>{a_.pixel(y, x), stepA}, SpacedRow<T>{b_.pixel(y, x), stepB}, output_.pixel(y, x), count);
  }

  const EltwiseCommand &command_;
  FeatureMapView<T> a_, b_, output_;
  C min_, max_;
};

class EltwiseKernel : public Kernel {
public:
  KernelId id() const override { return kEltwiseKernel; }

  Status check(const Target &target, const CommandBody &body) const override {
    return checkCommand(target, std::get<EltwiseCommand>(body)).withContext(kEltwiseKernel.name);
  }

  void run(const Target &, const CommandBody &body, std::span<uint8_t> sram) const override {
    runEltwise(std::get<EltwiseCommand>(body), sram, sram);
  }

  TileCost cost(const Target &target, const CommandBody &body) const override {
    return eltwiseCost(target, std::get<EltwiseCommand>(body));
  }

protected:
  std::vector<CommandBody> divide(const Target &, const CommandBody &body, uint32_t most) const override {
    const auto &command = std::get<EltwiseCommand>(body);
    const MapAxis axis = command.output.height > 1 ? MapAxis::Rows : MapAxis::Columns;
    std::vector<CommandBody> shares;
    forEachShare(extentOf(command.output, axis), 1, most, [&](uint32_t first, uint32_t count) {
      EltwiseCommand share = command;
      for (FeatureMap *map : {&share.inputA, &share.inputB, &share.output})
        *map = sliceOf(*map, axis, first, count);
      shares.push_back(share);
    });
    return shares;
  }

private:
  static Status checkInput(std::string_view name, const FeatureMap &input, const FeatureMap &output) {
    AVOCET_RETURN_IF_ERROR(checkMap(name, input, Broadcast::Yes));
    AVOCET_RETURN_IF_ERROR(checkType(name, input.type, {output.type}));
    FeatureMap shape = input;
    if (shape.channels == 1)
      shape.channels = output.channels;
    return checkSameShape(name, shape, "output", output);
  }

  static Status checkRescales(const EltwiseCommand &c) {
    if (c.leftShift > 30)
      return ruleBroken("leftShift", c.leftShift, "at most 30");
    AVOCET_RETURN_IF_ERROR(checkRounding("rounding", c.rounding));
    AVOCET_RETURN_IF_ERROR(checkRescale("rescaleA", c.rescaleA));
    AVOCET_RETURN_IF_ERROR(checkRescale("rescaleB", c.rescaleB));
    return checkRescale("rescaleOutput", c.rescaleOutput);
  }

  static Status checkCommand(const Target &target, const EltwiseCommand &c) {
    if (static_cast<uint32_t>(c.kind) > static_cast<uint32_t>(EltwiseKind::Max))
      return ruleBroken("kind", static_cast<uint32_t>(c.kind), "0 to 4");
    AVOCET_RETURN_IF_ERROR(checkMap("output", c.output));
    AVOCET_RETURN_IF_ERROR(checkType(
        "output", c.output.type,
        {DataType::Int8, DataType::UInt8, DataType::Int16, DataType::Int32, DataType::Float16, DataType::Float32}));
    AVOCET_RETURN_IF_ERROR(checkArrayType(target, c.output.type));
    AVOCET_RETURN_IF_ERROR(checkInput("inputA", c.inputA, c.output));
    AVOCET_RETURN_IF_ERROR(checkInput("inputB", c.inputB, c.output));
    AVOCET_RETURN_IF_ERROR(checkRescales(c));
    AVOCET_RETURN_IF_ERROR(checkClamp(c.clamp, c.output.type));
    return checkBlock(target, c.block, c);
  }
};

} // namespace

void runEltwise(const EltwiseCommand &command, std::span<uint8_t> sram, std::span<uint8_t> memoryOfB) {
  withElementType(command.output.type, [&](auto element) {
    using T = decltype(element);
    if constexpr (std::numeric_limits<T>::is_integer) {
      Clamp clamp = integerClamp(command.clamp, command.output.type);
      Eltwise<T>(command, static_cast<T>(clamp.min), static_cast<T>(clamp.max), sram, memoryOfB).run();
    } else {
      Eltwise<T>(command, std::bit_cast<float>(command.clamp.min), std::bit_cast<float>(command.clamp.max), sram,
                 memoryOfB)
          .run();
    }
  });
}

const Kernel &eltwiseKernel() {
  static const EltwiseKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels
