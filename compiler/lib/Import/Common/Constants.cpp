//===- Constants.cpp - Constants in the bytes of a file ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Constants.h"

#include "mlir/IR/DialectResourceBlobManager.h"

#include "llvm/Support/Endian.h"

#include <numeric>

using namespace mlir;

namespace avocet::compiler {

Type storedElement(RankedTensorType type) {
  auto quantized = dyn_cast<quant::QuantizedType>(type.getElementType());
  return quantized ? quantized.getStorageType() : type.getElementType();
}

ElementsAttr elementsInFile(const ImportState &state, RankedTensorType type, ArrayRef<char> data, const Twine &name) {
  // Files are mapped at page boundaries, so the low bits of address and offset are equal.
  auto address = reinterpret_cast<uintptr_t>(data.data());
  size_t alignment = std::min<size_t>(16, size_t(1) << llvm::countr_zero(address));
  auto blob =
      UnmanagedAsmResourceBlob::allocateWithAlign(data, alignment, [file = state.bytes](void *, size_t, size_t) {});
  return DenseResourceElementsAttr::get(RankedTensorType::get(type.getShape(), storedElement(type)), name.str(),
                                        std::move(blob));
}

uint64_t bytesOfElements(RankedTensorType type) {
  return static_cast<uint64_t>(type.getNumElements() * bytesOf(type.getElementType()));
}

LogicalResult checkComputedBytes(ImportedOperation &op, StringRef operand, RankedTensorType type) {
  if (const uint64_t bytes = bytesOfElements(type); bytes > kMaxComputedBytes)
    return op.refuse(operand, "number of bytes", Twine(bytes), Twine(kMaxComputedBytes));
  return success();
}

ElementsAttr computedElements(RankedTensorType type, const Twine &name,
                              llvm::function_ref<void(llvm::MutableArrayRef<char>)> fill) {
  auto stored = RankedTensorType::get(type.getShape(), storedElement(type));
  AsmResourceBlob blob = HeapAsmResourceBlob::allocate(bytesOfElements(type), 16, /*dataIsMutable=*/true);
  fill(blob.getMutableData());
  return DenseResourceElementsAttr::get(stored, name.str(), std::move(blob));
}

ElementsAttr elementsOfNibbles(RankedTensorType type, ArrayRef<char> data, const Twine &name) {
  return computedElements(type, name, [&](llvm::MutableArrayRef<char> bytes) {
    for (size_t i = 0; i < bytes.size(); ++i) {
      auto both = static_cast<uint8_t>(data[i / 2]);
      auto nibble = static_cast<int8_t>(i % 2 == 0 ? both & 15 : both >> 4);
      bytes[i] = static_cast<char>(nibble < 8 ? nibble : nibble - 16);
    }
  });
}

SmallVector<int64_t> integersOf(ArrayRef<char> data, size_t size) {
  using namespace llvm::support;
  SmallVector<int64_t> values;
  for (size_t offset = 0; offset + size <= data.size(); offset += size)
    values.push_back(size == 4 ? static_cast<int32_t>(endian::read32le(data.data() + offset))
                               : static_cast<int64_t>(endian::read64le(data.data() + offset)));
  return values;
}

template <typename T>
static Value constantOf(ImportedOperation &op, ArrayRef<int64_t> shape, Type element, ArrayRef<T> elements) {
  const auto type = RankedTensorType::get(shape, element);
  return nn::ConstantOp::create(op.builder(), op.location(), type, DenseElementsAttr::get(type, elements));
}

Value int32Constant(ImportedOperation &op, ArrayRef<int64_t> shape, ArrayRef<int32_t> elements) {
  return constantOf(op, shape, op.builder().getI32Type(), elements);
}

Value int64Constant(ImportedOperation &op, ArrayRef<int64_t> shape, ArrayRef<int64_t> elements) {
  return constantOf(op, shape, op.builder().getI64Type(), elements);
}

Value float32Constant(ImportedOperation &op, ArrayRef<int64_t> shape, ArrayRef<float> elements) {
  return constantOf(op, shape, op.builder().getF32Type(), elements);
}

Value ascending(ImportedOperation &op, ArrayRef<int64_t> shape) {
  SmallVector<int32_t> numbers(llvm::product_of(shape, int64_t(1)));
  std::iota(numbers.begin(), numbers.end(), 0);
  return int32Constant(op, shape, numbers);
}

Value float32Constant(ImportedOperation &op, float value) {
  return filled(op, RankedTensorType::get({}, op.builder().getF32Type()), op.builder().getF32FloatAttr(value));
}

Value filled(ImportedOperation &op, RankedTensorType type, Attribute element) {
  return nn::ConstantOp::create(op.builder(), op.location(), type, DenseElementsAttr::get(type, element));
}

} // namespace avocet::compiler
