//===- CastKernel.cpp - Numbers in another type --------------- -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/firmware_iface/BFloat16.h"
#include "avocet/kernels/IntegerFunctions.h"
#include "avocet/kernels/dsp/Cast.h"
#include "common/DspKernel.h"
#include "common/Elements.h"
#include "common/Kernels.h"
#include "common/MapParts.h"

#include <cmath>
#include <limits>
#include <type_traits>

namespace avocet::kernels {

using namespace firmware;

namespace {

/// A bool8 element. Every byte but 0 reads as 1.
struct Truth {
  uint8_t byte = 0;
};

template <typename F> void withStoredType(DataType type, F &&f) {
  if (type == DataType::Bool8)
    return f(Truth());
  if (type == DataType::BFloat16)
    return f(BFloat16());
  withNumberType(type, f);
}

/// The integer nearest to a float after rounding towards zero.
template <typename T> T integerOf(float number) {
  if (std::isnan(number))
    return 0;
  // The bounds are powers of two (or 0), which floats hold exactly; the upper one is the first outside of the type.
  constexpr auto kLow = static_cast<float>(std::numeric_limits<T>::min());
  constexpr float kEnd = 2.0f * static_cast<float>((std::numeric_limits<T>::max() >> 1) + 1);
  if (number <= kLow)
    return std::numeric_limits<T>::min();
  return number >= kEnd ? std::numeric_limits<T>::max() : static_cast<T>(number);
}

template <typename Out, bool wraps, typename In> Out converted(In number) {
  if constexpr (std::is_same_v<In, Truth>)
    return converted<Out, wraps>(static_cast<uint8_t>(number.byte != 0 ? 1 : 0));
  else if constexpr (std::is_same_v<Out, Truth>)
    return Truth{static_cast<uint8_t>(number != 0 ? 1 : 0)};
  else if constexpr (std::is_same_v<Out, float>)
    return static_cast<float>(number);
  else if constexpr (std::is_same_v<In, float>)
    return integerOf<Out>(number);
  else if constexpr (wraps)
    return static_cast<Out>(number);
  else
    return nearestInteger<Out>(number);
}

template <typename In> void castFrom(const DspCommand &command, std::span<uint8_t> sram) {
  const bool wraps = !command.parameters.empty();
  withStoredType(command.outputs[0].type, [&](auto element) {
    using Out = decltype(element);
    auto convert = [&](auto wrapping) {
      forEachElement<In, Out>(command.inputs[0], command.outputs[0], sram,
                              converted<Computed<Out>, wrapping.value, Computed<In>>);
    };
    // Between integers of one width or another only; the other conversions have one form.
    if constexpr (std::is_integral_v<In> && std::is_integral_v<Out>)
      if (wraps)
        return convert(std::true_type());
    convert(std::false_type());
  });
}

class CastKernel : public AlignedKernel {
public:
  KernelId id() const override { return kCastKernel; }

protected:
  OperandCount inputCount() const override { return 1; }
  OperandCount outputCount() const override { return 1; }

  Status checkOperands(const DspCommand &command) const override {
    if (!command.parameters.empty() && command.parameters != std::vector<uint32_t>{kCastWraps})
      return invalidArgument("parameters: must be none or the word 1");
    return checkSameShape("output0", command.outputs[0], "input0", command.inputs[0]);
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    withStoredType(command.inputs[0].type, [&](auto element) { castFrom<decltype(element)>(command, sram); });
  }

  DspWork work(const DspCommand &command) const override {
    DataType from = command.inputs[0].type, to = command.outputs[0].type;
    return pointwiseWork(command, 2, sizeOf(from) > sizeOf(to) ? from : to);
  }
};

} // namespace

const Kernel &castKernel() {
  static const CastKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels
