//===- RealConstants.cpp - Constants as real numbers ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RealConstants.h"

#include "avocet/compiler/Dialect/Nn/NnDialect.h"
#include "avocet/compiler/Dialect/Nn/NnValues.h"

#include "mlir/IR/DialectResourceBlobManager.h"

#include <cmath>
#include <cstring>

using namespace mlir;

namespace avocet::compiler::nn {
namespace {

/// The stored elements, of which a splat has one; empty: they are not of whole bytes, or not known.
ArrayRef<char> storedBytes(ElementsAttr value) {
  if (auto dense = dyn_cast<DenseElementsAttr>(value))
    return dense.getElementType().getIntOrFloatBitWidth() % 8 == 0 ? dense.getRawData() : ArrayRef<char>();
  auto resource = dyn_cast<DenseResourceElementsAttr>(value);
  const AsmResourceBlob *blob = resource ? resource.getRawHandle().getBlob() : nullptr;
  return blob ? blob->getData() : ArrayRef<char>();
}

template <typename T> T elementAt(ArrayRef<char> bytes, size_t index) {
  T element;
  std::memcpy(&element, bytes.data() + index * sizeof(T), sizeof(T));
  return element;
}

/// The real number that the first bytes store as an element of the type.
std::optional<double> realOf(ArrayRef<char> bytes, Type element) {
  if (element.isF32())
    return elementAt<float>(bytes, 0);
  if (element.isF16())
    return static_cast<double>(elementAt<_Float16>(bytes, 0));
  auto quantized = dyn_cast<quant::UniformQuantizedType>(element);
  if (!quantized || quantized.getStorageTypeIntegralWidth() > 16)
    return std::nullopt;
  const bool isByte = quantized.getStorageTypeIntegralWidth() == 8, isSigned = quantized.isSigned();
  const int64_t stored = isByte ? (isSigned ? elementAt<int8_t>(bytes, 0) : elementAt<uint8_t>(bytes, 0))
                                : (isSigned ? elementAt<int16_t>(bytes, 0) : elementAt<uint16_t>(bytes, 0));
  return static_cast<double>(stored - quantized.getZeroPoint()) * quantized.getScale();
}

/// Ends at the first element that differs.
bool areEqual(ArrayRef<char> bytes, size_t elementBytes) {
  for (size_t at = elementBytes; at < bytes.size(); at += elementBytes)
    if (std::memcmp(bytes.data(), bytes.data() + at, elementBytes) != 0)
      return false;
  return true;
}

template <typename T> void store(ArrayRef<float> elements, char *bytes) {
  for (auto [index, element] : llvm::enumerate(elements)) {
    const T stored = static_cast<T>(element);
    std::memcpy(bytes + index * sizeof(T), &stored, sizeof(T));
  }
}

} // namespace

std::optional<double> splatOf(Value value) {
  auto reshape = value.getDefiningOp<ReshapeOp>();
  auto constant = (reshape ? reshape.getInput() : value).getDefiningOp<ConstantOp>();
  if (!constant || elementOf(constant).isInteger(1))
    return std::nullopt;
  const ArrayRef<char> bytes = storedBytes(constant.getValue());
  const Type element = elementOf(constant);
  const size_t width = isa<quant::QuantizedType, FloatType>(element) ? bytesOf(element) : 0;
  if (width == 0 || bytes.size() < width || !areEqual(bytes, width))
    return std::nullopt;
  return realOf(bytes, element);
}

std::optional<std::vector<float>> floatsOf(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  const Type element = elementOf(value);
  if (!constant || !(element.isF32() || element.isF16()))
    return std::nullopt;
  const ArrayRef<char> bytes = storedBytes(constant.getValue());
  const size_t width = bytesOf(element), count = static_cast<size_t>(tensorOf(value).getNumElements());
  auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
  const size_t step = dense && dense.isSplat() ? 0 : width;
  if (bytes.size() != (step ? count * width : width))
    return std::nullopt;
  std::vector<float> floats(count);
  for (size_t index = 0; index < count; ++index)
    floats[index] = static_cast<float>(*realOf(bytes.drop_front(index * step), element));
  return floats;
}

Value floatConstant(OpBuilder &builder, Location loc, RankedTensorType type, ArrayRef<float> elements) {
  const size_t bytes = elements.size() * bytesOf(type.getElementType());
  AsmResourceBlob blob = HeapAsmResourceBlob::allocate(bytes, 16, /*dataIsMutable=*/true);
  if (type.getElementType().isF32())
    store<float>(elements, blob.getMutableData().data());
  else
    store<_Float16>(elements, blob.getMutableData().data());
  return ConstantOp::create(builder, loc, type, DenseResourceElementsAttr::get(type, "computed", std::move(blob)));
}

bool isNear(double found, double wanted, Type element) {
  // Two units in the last place of the type. Quantized numbers of 8 bits have about two digits.
  const double tolerance = element.isF32() ? 0x1p-22 : element.isF16() ? 0x1p-9 : 0x1p-6;
  return std::abs(found - wanted) <= tolerance * std::abs(wanted);
}

} // namespace avocet::compiler::nn
