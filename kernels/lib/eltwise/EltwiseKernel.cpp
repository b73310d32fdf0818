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
#include "common/FeatureMapView.h"
#include "common/Kernels.h"
#include "cost/Cost.h"
#include "eltwise/EltwiseArithmetic.h"
#include "eltwise/EltwiseRow.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace avocet::kernels {

using namespace firmware;

/// Whether computeEltwiseRow supports the command, element by element in memory order.
static bool hasRowForm(const EltwiseCommand &c) {
  bool sums = c.kind == EltwiseKind::Add || c.kind == EltwiseKind::Sub || c.kind == EltwiseKind::Mul;
  return sums && sizeOf(c.output.type) <= 2 && !isFloat(c.output.type) && c.inputA.channels == c.output.channels &&
         c.inputB.channels == c.output.channels;
}

/// The vector form; false, without effect, if there is none.
static bool runRows(const EltwiseCommand &c, std::span<uint8_t> sram) {
  if (!hasRowForm(c))
    return false;
  FeatureMapView<uint8_t> a(c.inputA, sram), b(c.inputB, sram), output(c.output, sram);
  uint32_t channels = c.output.channels;
  const uint32_t pixel = channels * sizeOf(c.output.type);
  bool contiguous = c.inputA.pixelStride == pixel && c.inputB.pixelStride == pixel && c.output.pixelStride == pixel;
  // A row of contiguous pixels is one run.
  uint32_t runs = contiguous ? 1 : output.width();
  size_t count = contiguous ? size_t(output.width()) * channels : channels;
  Clamp clamp = integerClamp(c.clamp, c.output.type);
  for (uint32_t y = 0; y < output.height(); ++y)
    for (uint32_t x = 0; x < runs; ++x)
      if (!computeEltwiseRow({c, clamp, a.pixel(y, x), b.pixel(y, x), output.pixel(y, x), count}))
        return false;
  return true;
}

namespace {

/// One command with elements of type T, computing in type C (int64 or float).
template <typename T, typename C> class Eltwise {
public:
  Eltwise(const EltwiseCommand &command, C min, C max, std::span<uint8_t> sram)
      : command_(command), a_(command.inputA, sram), b_(command.inputB, sram), output_(command.output, sram), min_(min),
        max_(max) {}

  void run() const {
    for (uint32_t y = 0; y < output_.height(); ++y)
      for (uint32_t x = 0; x < output_.width(); ++x)
        runPixel(a_.pixel(y, x), b_.pixel(y, x), output_.pixel(y, x));
  }

private:
  void runPixel(const T *a, const T *b, T *out) const {
    // Channels of a one-channel input are broadcast.
    uint32_t stepA = a_.channels() == 1 ? 0 : 1, stepB = b_.channels() == 1 ? 0 : 1;
    for (uint32_t c = 0; c < output_.channels(); ++c) {
      C value = combine(command_, static_cast<C>(a[c * stepA]), static_cast<C>(b[c * stepB]));
      out[c] = static_cast<T>(std::min(std::max(value, min_), max_));
    }
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
    const auto &command = std::get<EltwiseCommand>(body);
    if (!runRows(command, sram))
      runPlain(command, sram);
  }

  TileCost cost(const Target &target, const CommandBody &body) const override {
    return eltwiseCost(target, std::get<EltwiseCommand>(body));
  }

private:
  static void runPlain(const EltwiseCommand &command, std::span<uint8_t> sram) {
    withElementType(command.output.type, [&](auto element) {
      using T = decltype(element);
      if constexpr (std::numeric_limits<T>::is_integer) {
        Clamp clamp = integerClamp(command.clamp, command.output.type);
        Eltwise<T, int64_t>(command, clamp.min, clamp.max, sram).run();
      } else {
        Eltwise<T, float>(command, std::bit_cast<float>(command.clamp.min), std::bit_cast<float>(command.clamp.max),
                          sram)
            .run();
      }
    });
  }

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

const Kernel &eltwiseKernel() {
  static const EltwiseKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels
