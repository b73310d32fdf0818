//===- BinaryKernel.cpp - Element-wise functions of two operands ----------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/dsp/Binary.h"
#include "binary/BinaryFunctions.h"
#include "binary/BroadcastLoop.h"
#include "binary/QuantizedQuotient.h"
#include "common/DspKernel.h"
#include "common/Kernels.h"
#include "common/MapParts.h"
#include "eltwise/EltwiseRow.h"

#include <bit>
#include <functional>

namespace avocet::kernels {

using namespace firmware;

namespace {

using Compute = void (*)(const BinaryParameters &parameters, const BinaryMaps &maps);

/// One kind: its function by type of the inputs (null: not supported), and its cost.
struct KindEntry {
  std::array<Compute, kNumDataTypes> compute{};
  uint32_t laneOps = 1;      ///< vector instructions per element
  uint32_t rescalingOps = 0; ///< those of types that are computed in 32 bits and rescaled; 0: as many

  constexpr KindEntry &with(DataType type, Compute function) {
    compute[static_cast<uint32_t>(type)] = function;
    return *this;
  }
};

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// f16 and f32, without a clamp.
template <typename F, typename T> void computeReal(const BinaryParameters &parameters, const BinaryMaps &maps) {
  forEachPair<T, T>(parameters.shape, maps, [](float a, float b) { return F()(a, b); });
}

template <typename F, typename T> void computeClampedReal(const BinaryParameters &parameters, const BinaryMaps &maps) {
  float low = std::bit_cast<float>(parameters.clamp.min), high = std::bit_cast<float>(parameters.clamp.max);
  forEachPair<T, T>(parameters.shape, maps, [=](float a, float b) { return std::min(std::max(F()(a, b), low), high); });
}

/// Integers as they are stored.
template <typename F, typename T> void computeStored(const BinaryParameters &parameters, const BinaryMaps &maps) {
  forEachPair<T, T>(parameters.shape, maps, F());
}

/// The ends of the 32-bit range do not bound integers of 64 bits.
template <typename T> T lowestOf(const Clamp &clamp) {
  return clamp.min == std::numeric_limits<int32_t>::min() ? std::numeric_limits<T>::min() : T(clamp.min);
}
template <typename T> T highestOf(const Clamp &clamp) {
  return clamp.max == std::numeric_limits<int32_t>::max() ? std::numeric_limits<T>::max() : T(clamp.max);
}

template <typename F, typename T>
void computeClampedInteger(const BinaryParameters &parameters, const BinaryMaps &maps) {
  T low = lowestOf<T>(parameters.clamp), high = highestOf<T>(parameters.clamp);
  forEachPair<T, T>(parameters.shape, maps, [=](T a, T b) { return std::min(std::max(F()(a, b), low), high); });
}

/// Quantized sums and products, as the array computes them.
template <EltwiseKind kind, typename T>
void computeQuantized(const BinaryParameters &parameters, const BinaryMaps &maps) {
  EltwiseCommand command;
  command.kind = kind;
  command.output.type = maps.output.type;
  command.inputA.zeroPoint = maps.a.zeroPoint;
  command.inputB.zeroPoint = maps.b.zeroPoint;
  command.output.zeroPoint = maps.output.zeroPoint;
  command.leftShift = parameters.leftShift;
  command.rescaleA = parameters.rescaleA;
  command.rescaleB = parameters.rescaleB;
  command.rescaleOutput = parameters.rescaleOutput;
  command.rounding = parameters.rounding;
  Clamp clamp = integerClamp(parameters.clamp, maps.output.type);
  forEachPairRun<T, T>(parameters.shape, maps,
                       [&](const T *a, uint64_t stepA, const T *b, uint64_t stepB, T *to, size_t count) {
                         computeQuantizedPairs<T>(command, clamp, {a, stepA}, {b, stepB}, to, count);
                       });
}

int32_t rescaled(int32_t stored, int32_t zeroPoint, uint32_t leftShift, const Rescale &rescale) {
  auto shifted = static_cast<int32_t>(static_cast<uint32_t>(stored - zeroPoint) << leftShift);
  return multiplyByQuantizedMultiplier(shifted, rescale.multiplier, rescale.shift);
}

template <typename T>
void computeQuantizedSquaredDifference(const BinaryParameters &parameters, const BinaryMaps &maps) {
  forEachPair<T, T>(parameters.shape, maps, [&](T a, T b) {
    int32_t square =
        SquaredDifferenceFunction()(rescaled(a, maps.a.zeroPoint, parameters.leftShift, parameters.rescaleA),
                                    rescaled(b, maps.b.zeroPoint, parameters.leftShift, parameters.rescaleB));
    int64_t result = rescaled(square, 0, 0, parameters.rescaleOutput);
    return static_cast<T>(std::clamp<int64_t>(result + maps.output.zeroPoint, std::numeric_limits<T>::min(),
                                              std::numeric_limits<T>::max()));
  });
}

template <typename T> void computeQuantizedDiv(const BinaryParameters &parameters, const BinaryMaps &maps) {
  const QuantizedQuotient quotient(parameters.rescaleOutput);
  const Clamp clamp = integerClamp(parameters.clamp, maps.output.type);
  forEachPair<T, T>(parameters.shape, maps, [&](T a, T b) {
    const int64_t result = quotient(a - maps.a.zeroPoint, b - maps.b.zeroPoint) + maps.output.zeroPoint;
    return static_cast<T>(std::clamp<int64_t>(result, clamp.min, clamp.max));
  });
}

/// Values of 0 or more are rescaled by rescaleA, others by the scale of the product.
template <typename T> void computeQuantizedPrelu(const BinaryParameters &parameters, const BinaryMaps &maps) {
  int32_t zeroA = maps.a.zeroPoint, zeroB = maps.b.zeroPoint, zeroOutput = maps.output.zeroPoint;
  forEachPair<T, T>(parameters.shape, maps, [&](T a, T b) {
    int32_t value = a - zeroA;
    const Rescale &rescale = value >= 0 ? parameters.rescaleA : parameters.rescaleOutput;
    int32_t factor = value >= 0 ? 1 : b - zeroB;
    const int64_t scaled = multiplyRounded(value * factor, rescale, parameters.rounding);
    return static_cast<T>(
        std::clamp<int64_t>(scaled + zeroOutput, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
  });
}

//===----------------------------------------------------------------------===//
// Truth values
//===----------------------------------------------------------------------===//

template <typename Predicate, typename T> void compare(const BinaryParameters &parameters, const BinaryMaps &maps) {
  forEachPair<T, uint8_t>(parameters.shape, maps,
                          [](Computed<T> a, Computed<T> b) -> uint8_t { return Predicate()(a, b); });
}

template <typename Predicate> void compareTruth(const BinaryParameters &parameters, const BinaryMaps &maps) {
  forEachPair<uint8_t, uint8_t>(parameters.shape, maps,
                                [](uint8_t a, uint8_t b) -> uint8_t { return Predicate()(a != 0, b != 0); });
}

template <typename Predicate, typename T>
void compareFixedPoint(const BinaryParameters &parameters, const BinaryMaps &maps) {
  forEachPair<T, uint8_t>(parameters.shape, maps, [&](T a, T b) -> uint8_t {
    return Predicate()(rescaled(a, maps.a.zeroPoint, parameters.leftShift, parameters.rescaleA),
                       rescaled(b, maps.b.zeroPoint, parameters.leftShift, parameters.rescaleB));
  });
}

template <typename Predicate, typename T>
void compareQuantized(const BinaryParameters &parameters, const BinaryMaps &maps) {
  if (parameters.leftShift != 0)
    return compareFixedPoint<Predicate, T>(parameters, maps);
  auto real = [](T stored, const FeatureMap &map, float scale) {
    return scale * static_cast<float>(stored - map.zeroPoint);
  };
  forEachPair<T, uint8_t>(parameters.shape, maps, [&](T a, T b) -> uint8_t {
    return Predicate()(real(a, maps.a, parameters.scaleA), real(b, maps.b, parameters.scaleB));
  });
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

template <typename F> constexpr KindEntry reals(uint32_t laneOps) {
  KindEntry entry{{}, laneOps};
  return entry.with(DataType::Float16, computeReal<F, _Float16>).with(DataType::Float32, computeReal<F, float>);
}

template <typename F> constexpr KindEntry clampedNumbers(uint32_t laneOps, uint32_t rescalingOps) {
  KindEntry entry{{}, laneOps, rescalingOps};
  return entry.with(DataType::Float16, computeClampedReal<F, _Float16>)
      .with(DataType::Float32, computeClampedReal<F, float>)
      .with(DataType::Int32, computeClampedInteger<F, int32_t>)
      .with(DataType::Int64, computeClampedInteger<F, int64_t>);
}

constexpr KindEntry div() {
  // The reciprocal of a quantized divisor is computed by three steps of Newton's method.
  return clampedNumbers<DivFunction>(10, 40)
      .with(DataType::Int8, computeQuantizedDiv<int8_t>)
      .with(DataType::UInt8, computeQuantizedDiv<uint8_t>);
}

constexpr KindEntry truncatedDiv() {
  KindEntry entry{{}, 10};
  return entry.with(DataType::Int32, computeClampedInteger<TruncatedQuotient, int32_t>)
      .with(DataType::Int64, computeClampedInteger<TruncatedQuotient, int64_t>);
}

/// One instruction, and two for the clamp. Quantized operands and results are rescaled.
template <typename F, EltwiseKind kind> constexpr KindEntry arithmetic(uint32_t rescalingOps) {
  return clampedNumbers<F>(3, rescalingOps)
      .with(DataType::Int8, computeQuantized<kind, int8_t>)
      .with(DataType::UInt8, computeQuantized<kind, uint8_t>)
      .with(DataType::Int16, computeQuantized<kind, int16_t>);
}

/// Adds the integers of every width, as they are stored.
template <typename F> constexpr KindEntry withIntegers(KindEntry entry) {
  return entry.with(DataType::Int64, computeStored<F, int64_t>)
      .with(DataType::Int32, computeStored<F, int32_t>)
      .with(DataType::Int8, computeStored<F, int8_t>)
      .with(DataType::UInt8, computeStored<F, uint8_t>)
      .with(DataType::Int16, computeStored<F, int16_t>);
}

template <typename F> constexpr KindEntry numbers(uint32_t laneOps) { return withIntegers<F>(reals<F>(laneOps)); }

template <typename F> constexpr KindEntry bits(uint32_t laneOps = 1) { return withIntegers<F>({{}, laneOps}); }

constexpr KindEntry squaredDifference() {
  return reals<SquaredDifferenceFunction>(2)
      .with(DataType::Int32, computeStored<SquaredDifferenceFunction, int32_t>)
      .with(DataType::Int64, computeStored<SquaredDifferenceFunction, int64_t>)
      .with(DataType::Int8, computeQuantizedSquaredDifference<int8_t>);
}

constexpr KindEntry pow() { return reals<PowFunction>(24).with(DataType::Int32, computeStored<PowFunction, int32_t>); }

constexpr KindEntry prelu() {
  return reals<PreluFunction>(3)
      .with(DataType::Int8, computeQuantizedPrelu<int8_t>)
      .with(DataType::UInt8, computeQuantizedPrelu<uint8_t>);
}

template <typename Predicate> constexpr KindEntry comparison() {
  KindEntry entry{{}, 3};
  return entry.with(DataType::Float16, compare<Predicate, _Float16>)
      .with(DataType::Float32, compare<Predicate, float>)
      .with(DataType::Int32, compare<Predicate, int32_t>)
      .with(DataType::Int64, compare<Predicate, int64_t>)
      .with(DataType::Bool8, compareTruth<Predicate>)
      .with(DataType::Int8, compareQuantized<Predicate, int8_t>)
      .with(DataType::UInt8, compareQuantized<Predicate, uint8_t>)
      .with(DataType::Int16, compareQuantized<Predicate, int16_t>);
}

template <typename Predicate> constexpr KindEntry logical() {
  KindEntry entry{{}, 1};
  return entry.with(DataType::Bool8, compareTruth<Predicate>);
}

/// Indexed by BinaryKind.
constexpr std::array<KindEntry, kNumBinaryKinds> kKinds = {
    arithmetic<AddFunction, EltwiseKind::Add>(12),
    arithmetic<SubFunction, EltwiseKind::Sub>(12),
    arithmetic<MulFunction, EltwiseKind::Mul>(8),
    div(),
    numbers<MinimumFunction>(1),
    numbers<MaximumFunction>(1),
    pow(),
    prelu(),
    comparison<std::equal_to<>>(),
    comparison<std::not_equal_to<>>(),
    comparison<std::less<>>(),
    comparison<std::less_equal<>>(),
    comparison<std::greater<>>(),
    comparison<std::greater_equal<>>(),
    logical<std::logical_and<>>(),
    logical<std::logical_or<>>(),
    reals<Atan2Function>(24),
    numbers<FloorDivFunction>(10),
    numbers<FloorModFunction>(12),
    squaredDifference(),
    bits<BitwiseExclusiveOr>(),
    bits<ClampedRightShift>(),
    truncatedDiv(),
    reals<HypotFunction>(10),
    bits<BitwiseConjunction>(),
    bits<BitwiseDisjunction>(),
    bits<LeftShift>(),
    bits<LogicalRightShift>(),
    bits<RoundingRightShift>(3),
};

class BinaryKernel : public AlignedKernel {
public:
  KernelId id() const override { return kBinaryKernel; }

protected:
  OperandCount inputCount() const override { return 2; }
  OperandCount outputCount() const override { return 1; }

  Status checkOperands(const DspCommand &command) const override {
    AVOCET_ASSIGN_OR_RETURN(BinaryParameters parameters, unpackParameters<BinaryParameters>(command.parameters));
    auto number = static_cast<uint32_t>(parameters.kind);
    if (number >= kNumBinaryKinds)
      return ruleBroken("kind", number, "less than " + std::to_string(kNumBinaryKinds));
    AVOCET_RETURN_IF_ERROR(checkTypes(parameters.kind, command));
    AVOCET_RETURN_IF_ERROR(checkNumbers(parameters, command.outputs[0].type));
    return checkBroadcast(parameters.shape, command.inputs[0], command.inputs[1], command.outputs[0]);
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    auto parameters = parametersOf<BinaryParameters>(command);
    computeOf(parameters.kind,
              command.inputs[0].type)(parameters, {command.inputs[0], command.inputs[1], command.outputs[0], sram});
  }

  DspWork work(const DspCommand &command) const override {
    auto parameters = parametersOf<BinaryParameters>(command);
    const KindEntry &entry = kKinds[static_cast<uint32_t>(parameters.kind)];
    DataType type = command.inputs[0].type;
    bool widened = sizeOf(type) <= 2 && !isFloat(type) && type != DataType::Bool8;
    const uint32_t laneOps = widened && entry.rescalingOps != 0 ? entry.rescalingOps : entry.laneOps;
    DspWork work = elementWork(command, laneOps, widened ? DataType::Int32 : type);
    work.elementOps = laneOps * elementCount(command.outputs[0]);
    work.rows = loopsOf(command.inputs[0], command.inputs[1], command.outputs[0]);
    return work;
  }

  uint32_t partsOf(const DspCommand &command) const override {
    const BroadcastShape shape = parametersOf<BinaryParameters>(command).shape;
    if (shape.rank == 0 || command.outputs[0].height > 1)
      return AlignedKernel::partsOf(command);
    const uint32_t axis = outermostOf(shape);
    return axis < shape.rank ? shape.extents[axis] : 1;
  }

  DspCommand partOf(const DspCommand &command, uint32_t first, uint32_t count) const override {
    auto parameters = parametersOf<BinaryParameters>(command);
    if (parameters.shape.rank == 0 || command.outputs[0].height > 1)
      return AlignedKernel::partOf(command, first, count);
    DspCommand part = command;
    selectOfRow(part, parameters.shape, first, count);
    part.parameters = packParameters(parameters);
    return part;
  }

private:
  /// One for each run of elements at equal distances in all maps.
  static uint64_t loopsOf(const FeatureMap &a, const FeatureMap &b, const FeatureMap &output) {
    if (!hasWholeRows(a, b, output))
      return uint64_t(output.height) * output.width;
    const bool isOneRun = a.height == output.height && b.height == output.height && isDense(a) && isDense(b);
    return isOneRun && isDense(output) ? 1 : output.height;
  }

  static uint32_t outermostOf(const BroadcastShape &shape) {
    uint32_t axis = 0;
    while (axis < shape.rank && shape.extents[axis] == 1)
      ++axis;
    return axis;
  }

  /// Selects a part of the one row, along its outermost axis.
  static void selectOfRow(DspCommand &part, BroadcastShape &shape, uint32_t first, uint32_t count) {
    const uint32_t axis = outermostOf(shape);
    if (axis == shape.rank)
      return;
    const uint32_t elements = part.outputs[0].channels / shape.extents[axis];
    shape.extents[axis] = count;
    part.outputs[0] = sliceOf(part.outputs[0], MapAxis::Channels, first * elements, count * elements);
    part.inputs[0] = inputOfRow(part.inputs[0], shape, shape.stridesA, first * shape.stridesA[axis]);
    part.inputs[1] = inputOfRow(part.inputs[1], shape, shape.stridesB, first * shape.stridesB[axis]);
  }

  /// The elements of an input that a shape reads.
  static FeatureMap inputOfRow(const FeatureMap &map, const BroadcastShape &shape,
                               const std::array<uint32_t, BroadcastShape::kMaxAxes> &strides, uint32_t begin) {
    uint32_t elements = 1;
    for (uint32_t axis = 0; axis < shape.rank; ++axis)
      elements += (shape.extents[axis] - 1) * strides[axis];
    return sliceOf(map, MapAxis::Channels, begin, elements);
  }

  static Compute computeOf(BinaryKind kind, DataType type) {
    return kKinds[static_cast<uint32_t>(kind)].compute[static_cast<uint32_t>(type)];
  }

  static bool isClamped(BinaryKind kind) { return kind <= BinaryKind::Div || kind == BinaryKind::TruncatedDiv; }

  static Status checkTypes(BinaryKind kind, const DspCommand &command) {
    DataType type = command.inputs[0].type;
    if (!computeOf(kind, type))
      return unsupported("kind " + std::to_string(static_cast<uint32_t>(kind)) + " of " + std::string(toString(type)));
    AVOCET_RETURN_IF_ERROR(checkType("input1", command.inputs[1].type, {type}));
    bool isTruth = kind >= BinaryKind::Equal && kind <= BinaryKind::Or;
    return checkType("output0", command.outputs[0].type, {isTruth ? DataType::Bool8 : type});
  }

  static Status checkNumbers(const BinaryParameters &parameters, DataType output) {
    if (parameters.leftShift > 30)
      return ruleBroken("leftShift", parameters.leftShift, "at most 30");
    AVOCET_RETURN_IF_ERROR(checkRounding("rounding", parameters.rounding));
    if (parameters.rounding != Rounding::Double && parameters.kind > BinaryKind::Mul &&
        parameters.kind != BinaryKind::Prelu)
      return ruleBroken("rounding", static_cast<uint32_t>(parameters.rounding), "0 for kinds above 2 but 7");
    AVOCET_RETURN_IF_ERROR(checkRescale("rescaleA", parameters.rescaleA));
    AVOCET_RETURN_IF_ERROR(checkRescale("rescaleB", parameters.rescaleB));
    AVOCET_RETURN_IF_ERROR(checkRescale("rescaleOutput", parameters.rescaleOutput));
    if (!std::isfinite(parameters.scaleA) || !std::isfinite(parameters.scaleB))
      return invalidArgument("scaleA and scaleB must be finite");
    return isClamped(parameters.kind) ? checkClamp(parameters.clamp, output) : Status::ok();
  }
};

} // namespace

const Kernel &binaryKernel() {
  static const BinaryKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels
