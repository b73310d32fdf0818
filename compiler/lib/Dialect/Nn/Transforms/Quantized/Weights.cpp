//===- Weights.cpp - Integers of dequantized weights ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Weights.h"

#include "../Recognize/RealConstants.h"

#include "mlir/IR/DialectResourceBlobManager.h"

#include <cmath>

using namespace mlir;

namespace avocet::compiler::nn {
namespace {

/// A constant of integers, whose bytes `fill` writes.
Value integerConstant(Location loc, RankedTensorType type, Type stored, size_t bytes, StringRef name,
                      llvm::function_ref<void(MutableArrayRef<char>)> fill, RewriterBase &rewriter) {
  AsmResourceBlob blob = HeapAsmResourceBlob::allocate(bytes, 16, /*dataIsMutable=*/true);
  fill(blob.getMutableData());
  const auto value =
      DenseResourceElementsAttr::get(RankedTensorType::get(type.getShape(), stored), name, std::move(blob));
  return ConstantOp::create(rewriter, loc, type, value);
}

/// The scales and zero points of a stored type of 8 bits, as those of signed numbers.
struct StoredScales {
  explicit StoredScales(Type type) {
    if (auto perAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(type)) {
      scales.assign(perAxis.getScales().begin(), perAxis.getScales().end());
      zeroPoints.assign(perAxis.getZeroPoints().begin(), perAxis.getZeroPoints().end());
      axis = perAxis.getQuantizedDimension();
    } else {
      auto perTensor = cast<quant::UniformQuantizedType>(type);
      scales = {perTensor.getScale()};
      zeroPoints = {perTensor.getZeroPoint()};
    }
    if (!cast<quant::QuantizedType>(type).isSigned())
      for (int64_t &zeroPoint : zeroPoints)
        zeroPoint -= 128;
  }

  SmallVector<double> scales;
  SmallVector<int64_t> zeroPoints;
  int64_t axis = -1;
};

/// The integers; empty: a float is no real number of theirs.
std::vector<int8_t> bytesOf(ArrayRef<float> floats, ArrayRef<int64_t> shape, const StoredScales &stored) {
  std::vector<int8_t> bytes;
  const int64_t inner = stored.axis < 0 ? 1 : llvm::product_of(shape.drop_front(stored.axis + 1), int64_t(1));
  const auto zeroPoint = static_cast<double>(stored.zeroPoints.front());
  for (auto [index, real] : llvm::enumerate(floats)) {
    const size_t channel = (index / static_cast<size_t>(inner)) % stored.scales.size();
    const double scale = static_cast<float>(stored.scales[channel]), number = std::nearbyint(real / scale);
    if (static_cast<float>(number * scale) != real || number + zeroPoint < -128 || number + zeroPoint > 127)
      return {};
    bytes.push_back(static_cast<int8_t>(number + zeroPoint));
  }
  return bytes;
}

} // namespace

QuantizedWeights quantizedWeights(Value real, RewriterBase &rewriter) {
  if (Value bytes = bytesBehind(real))
    return {bytes, {typeOfBytes(bytes).getScale()}, -1};
  const Type type = storedTypeOf(real);
  const std::optional<std::vector<float>> floats = type ? floatsOf(real) : std::nullopt;
  if (!floats || !hasEightBits(cast<quant::QuantizedType>(type)))
    return {};
  StoredScales stored(type);
  const std::vector<int8_t> bytes =
      llvm::all_equal(stored.zeroPoints) ? bytesOf(*floats, shapeOf(real), stored) : std::vector<int8_t>();
  if (bytes.empty())
    return {};
  // The scales count in the numerics of the layer.
  const auto element = quant::UniformQuantizedType::get(
      quant::QuantizationFlags::Signed, rewriter.getI8Type(), rewriter.getF32Type(),
      stored.axis < 0 ? stored.scales.front() : 1.0, stored.zeroPoints.front(), -128, 127);
  Value constant = integerConstant(
      real.getLoc(), tensorOf(real).clone(Type(element)), rewriter.getI8Type(), bytes.size(), "quantized",
      [&](MutableArrayRef<char> to) { llvm::copy(bytes, to.begin()); }, rewriter);
  return {constant, stored.scales, stored.axis};
}

double storedNumber(double real, quant::UniformQuantizedType type) {
  const float quotient = static_cast<float>(real) / static_cast<float>(type.getScale());
  return std::clamp(static_cast<double>(std::nearbyint(quotient)) + static_cast<double>(type.getZeroPoint()),
                    static_cast<double>(type.getStorageTypeMin()), static_cast<double>(type.getStorageTypeMax()));
}

bool hasNumbers(Value constant) {
  const std::optional<std::vector<float>> floats = elementOf(constant).isF32() ? floatsOf(constant) : std::nullopt;
  return floats && llvm::none_of(*floats, [](float number) { return std::isnan(number); });
}

Value quantizedConstant(Value real, quant::UniformQuantizedType type, RewriterBase &rewriter) {
  const std::optional<std::vector<float>> floats = floatsOf(real);
  const size_t width = type.getStorageTypeIntegralWidth() / 8;
  const auto fill = [&](MutableArrayRef<char> to) {
    for (auto [index, number] : llvm::enumerate(*floats)) {
      const auto integer = static_cast<int32_t>(storedNumber(number, type)); // little-endian
      std::memcpy(to.data() + index * width, &integer, width);
    }
  };
  return integerConstant(real.getLoc(), tensorOf(real).clone(Type(type)), type.getStorageType(), floats->size() * width,
                         "quantized", fill, rewriter);
}

std::optional<SmallVector<int32_t>> quantizedBias(Value real, ArrayRef<double> scales) {
  if (!real)
    return SmallVector<int32_t>();
  const std::optional<std::vector<float>> floats = floatsOf(real);
  if (!floats || (scales.size() != 1 && scales.size() != floats->size()))
    return std::nullopt;
  SmallVector<int32_t> integers;
  for (auto [index, number] : llvm::enumerate(*floats)) {
    const double integer = std::nearbyint(number / scales[scales.size() == 1 ? 0 : index]);
    if (!(std::abs(integer) <= INT32_MAX))
      return std::nullopt;
    integers.push_back(static_cast<int32_t>(integer));
  }
  return integers;
}

Value biasConstant(Value real, ArrayRef<int32_t> integers, RewriterBase &rewriter) {
  const Type i32 = rewriter.getI32Type();
  return integerConstant(
      real.getLoc(), tensorOf(real).clone(i32), i32, integers.size() * sizeof(int32_t), "quantized",
      [&](MutableArrayRef<char> to) { std::memcpy(to.data(), integers.data(), to.size()); }, rewriter);
}

} // namespace avocet::compiler::nn
