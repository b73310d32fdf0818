//===- CastKernel.cpp - Numbers in another type --------------- -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/dsp/Cast.h"
#include "common/DspKernel.h"
#include "common/ElementLoop.h"
#include "common/Elements.h"
#include "common/Kernels.h"
#include "common/MapParts.h"

#include <algorithm>
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

template <typename T> constexpr bool kIsReal = std::is_same_v<T, float> || std::is_same_v<T, _Float16>;

template <typename F> void withStoredType(DataType type, F &&f) {
  if (type == DataType::Bool8)
    return f(Truth());
  if (type == DataType::UInt16)
    return f(uint16_t());
  withElementType(type, f);
}

/// A double holds every element exactly: integers have at most 32 bits.
template <typename T> double numberOf(T element) {
  if constexpr (std::is_same_v<T, Truth>)
    return element.byte != 0 ? 1 : 0;
  else
    return static_cast<double>(element);
}

template <typename T> T elementOf(double number) {
  if constexpr (std::is_same_v<T, Truth>) {
    return Truth{static_cast<uint8_t>(number != 0 ? 1 : 0)};
  } else if constexpr (kIsReal<T>) {
    return static_cast<T>(static_cast<float>(number));
  } else {
    constexpr double kLow = std::numeric_limits<T>::min(), kHigh = std::numeric_limits<T>::max();
    return std::isnan(number) ? T(0) : static_cast<T>(std::clamp(number, kLow, kHigh));
  }
}

template <typename In> void castFrom(const DspCommand &command, std::span<uint8_t> sram) {
  withStoredType(command.outputs[0].type, [&](auto element) {
    using Out = decltype(element);
    forEachElement<In, Out>(command.inputs[0], command.outputs[0], sram,
                            [](In value) { return elementOf<Out>(numberOf(value)); });
  });
}

class CastKernel : public AlignedKernel {
public:
  KernelId id() const override { return kCastKernel; }

protected:
  OperandCount inputCount() const override { return 1; }
  OperandCount outputCount() const override { return 1; }

  Status checkOperands(const DspCommand &command) const override {
    AVOCET_RETURN_IF_ERROR(checkEqual("parameters", command.parameters.size(), "none", 0));
    AVOCET_RETURN_IF_ERROR(checkNumber("input0", command.inputs[0].type));
    AVOCET_RETURN_IF_ERROR(checkNumber("output0", command.outputs[0].type));
    return checkSameShape("output0", command.outputs[0], "input0", command.inputs[0]);
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    withStoredType(command.inputs[0].type, [&](auto element) { castFrom<decltype(element)>(command, sram); });
  }

  DspWork work(const DspCommand &command) const override {
    DataType from = command.inputs[0].type, to = command.outputs[0].type;
    return elementWork(command, 2, sizeOf(from) > sizeOf(to) ? from : to);
  }

private:
  static Status checkNumber(std::string_view name, DataType type) {
    return checkType(name, type,
                     {DataType::Int8, DataType::UInt8, DataType::Int16, DataType::UInt16, DataType::Int32,
                      DataType::Float16, DataType::Float32, DataType::Bool8});
  }
};

} // namespace

const Kernel &castKernel() {
  static const CastKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels
