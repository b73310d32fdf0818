//===- NnValues.cpp - Types of the values of a network ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Dialect/Nn/NnValues.h"

using namespace mlir;

std::string avocet::compiler::nameOf(Type element) {
  auto quantized = dyn_cast<quant::QuantizedType>(element);
  const Type stored = quantized ? quantized.getStorageType() : element;
  const std::string width = std::to_string(stored.getIntOrFloatBitWidth());
  if (quantized)
    return (quantized.isSigned() ? "q" : "uq") + width + (isa<quant::UniformQuantizedPerAxisType>(element) ? "c" : "");
  return (element.isBF16() ? "bf" : isa<FloatType>(element) ? "f" : element.isUnsignedInteger() ? "ui" : "i") + width;
}
