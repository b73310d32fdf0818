//===- Elements.cpp - Converters of element-wise operations -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Elements.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "llvm/ADT/SmallVectorExtras.h"

#include <cmath>

using namespace mlir;

namespace avocet::compiler {

std::optional<nn::Activation> fusedClamp(int64_t code) {
  constexpr const nn::Activation *kClamps[] = {&nn::Activation::kNone, &nn::Activation::kRelu,
                                               &nn::Activation::kReluN1To1, &nn::Activation::kRelu6};
  return code >= 0 && code < std::ssize(kClamps) ? std::optional(*kClamps[code]) : std::nullopt;
}

Value requantized(ImportedOperation &op, Value value, Type element) {
  Type own = elementOf(value);
  if (own == element || !isa<quant::UniformQuantizedType>(own) || !isa<quant::UniformQuantizedType>(element))
    return value;
  return createAs<nn::QuantizeOp>(op, element, value, FloatAttr());
}

static unsigned flagsOf(QuantizedStorage storage) { return storage.isSigned ? quant::QuantizationFlags::Signed : 0; }

Type QuantizedStorage::perTensor(MLIRContext *context, double scale, int64_t zeroPoint) const {
  return quant::UniformQuantizedType::get(flagsOf(*this), IntegerType::get(context, width), Float32Type::get(context),
                                          scale, zeroPoint, min(), max());
}

Type QuantizedStorage::perAxis(MLIRContext *context, ArrayRef<double> scales, ArrayRef<int64_t> zeroPoints,
                               int32_t axis) const {
  constexpr double kZeroInFloat = 0x1p-200;
  const auto stored = llvm::map_to_vector(scales, [](double scale) { return scale == 0 ? kZeroInFloat : scale; });
  return quant::UniformQuantizedPerAxisType::get(flagsOf(*this), IntegerType::get(context, width),
                                                 Float32Type::get(context), stored, zeroPoints, axis, min(), max());
}

bool isScale(float scale) { return std::isnormal(scale) && scale > 0; }
bool isAxisScale(float scale) { return scale == 0 || isScale(scale); }

} // namespace avocet::compiler
