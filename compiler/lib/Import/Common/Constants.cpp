//===- Constants.cpp - Constants in the bytes of a file ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Constants.h"

#include "ImportTypes.h"
#include "avocet/compiler/Support/UnusedConstants.h"

#include "mlir/IR/DialectResourceBlobManager.h"

#include "llvm/Support/Endian.h"

#include <cstring>
#include <numeric>

using namespace mlir;

namespace avocet::compiler {

Type storedElement(RankedTensorType type) {
  if (auto quantized = dyn_cast<quant::QuantizedType>(type.getElementType()))
    return quantized.getStorageType();
  const Type stored = storageOfImported(type.getElementType());
  return stored ? stored : type.getElementType();
}

ElementsAttr elementsInFile(const ImportState &state, RankedTensorType type, ArrayRef<char> data, const Twine &name,
                            bool isMapped) {
  // Files are mapped at page boundaries, so the low bits of address and offset are equal.
  auto address = reinterpret_cast<uintptr_t>(data.data());
  size_t alignment = std::min<size_t>(16, size_t(1) << llvm::countr_zero(address));
  auto blob = UnmanagedAsmResourceBlob::allocateWithAlign(
      data, alignment, [file = state.bytes, isMapped](void *bytes, size_t size, size_t) {
        if (isMapped)
          returnPages({static_cast<const char *>(bytes), size});
      });
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

ElementsAttr narrowedElements(RankedTensorType type, ArrayRef<char> data, const Twine &name) {
  return computedElements(type, name, [&](llvm::MutableArrayRef<char> bytes) {
    for (size_t i = 0; i < bytes.size() / sizeof(float); ++i) {
      double wide;
      std::memcpy(&wide, data.data() + i * sizeof(double), sizeof(double));
      const auto number = static_cast<float>(wide);
      std::memcpy(bytes.data() + i * sizeof(float), &number, sizeof(float));
    }
  });
}

ElementsAttr unpackedElements(RankedTensorType type, ArrayRef<char> data, unsigned width, bool isSigned,
                              const Twine &name) {
  return computedElements(type, name, [&](llvm::MutableArrayRef<char> bytes) {
    const unsigned perByte = 8 / width;
    for (size_t i = 0; i < bytes.size(); ++i) {
      const unsigned bits = static_cast<uint8_t>(data[i / perByte]) >> (i % perByte * width) & ((1u << width) - 1);
      bytes[i] = static_cast<char>(isSigned ? llvm::SignExtend32(bits, width) : static_cast<int32_t>(bits));
    }
  });
}

ArrayRef<char> bytesOf(nn::ConstantOp constant) {
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(constant.getValue())) {
    const AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    return blob ? blob->getData() : ArrayRef<char>();
  }
  auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
  return dense && !dense.isSplat() ? dense.getRawData() : ArrayRef<char>();
}

SmallVector<int64_t> integersOf(ArrayRef<char> data, size_t size) {
  using namespace llvm::support;
  SmallVector<int64_t> values;
  for (size_t offset = 0; offset + size <= data.size(); offset += size)
    values.push_back(size == 4 ? static_cast<int32_t>(endian::read32le(data.data() + offset))
                               : static_cast<int64_t>(endian::read64le(data.data() + offset)));
  return values;
}

Value constantOf(ImportedOperation &op, RankedTensorType type, ElementsAttr elements) {
  return nn::ConstantOp::create(op.builder(), op.location(), type, elements);
}

template <typename T>
static Value ofNumbers(ImportedOperation &op, ArrayRef<int64_t> shape, Type element, ArrayRef<T> numbers) {
  const auto type = RankedTensorType::get(shape, element);
  return constantOf(op, type, DenseElementsAttr::get(type, numbers));
}

Value int32Constant(ImportedOperation &op, ArrayRef<int64_t> shape, ArrayRef<int32_t> elements) {
  return ofNumbers(op, shape, op.builder().getI32Type(), elements);
}

Value int64Constant(ImportedOperation &op, ArrayRef<int64_t> shape, ArrayRef<int64_t> elements) {
  return ofNumbers(op, shape, op.builder().getI64Type(), elements);
}

Value float32Constant(ImportedOperation &op, ArrayRef<int64_t> shape, ArrayRef<float> elements) {
  return ofNumbers(op, shape, op.builder().getF32Type(), elements);
}

Value ascending(ImportedOperation &op, ArrayRef<int64_t> shape) {
  SmallVector<int32_t> numbers(llvm::product_of(shape, int64_t(1)));
  std::iota(numbers.begin(), numbers.end(), 0);
  return int32Constant(op, shape, numbers);
}

Value float32Constant(ImportedOperation &op, float value) { return filled(op, {}, op.builder().getF32Type(), value); }

Value withoutElements(ImportedOperation &op, RankedTensorType type) {
  const ElementsAttr none = computedElements(type, "empty", [](llvm::MutableArrayRef<char>) {});
  return nn::ConstantOp::create(op.builder(), op.location(), type, none);
}

Value filled(ImportedOperation &op, RankedTensorType type, Attribute element) {
  return constantOf(op, type, DenseElementsAttr::get(type, element));
}

Value filled(ImportedOperation &op, ArrayRef<int64_t> shape, Type element, double number) {
  const auto integer = dyn_cast<IntegerType>(element);
  const auto bits = [&] {
    return APInt(integer.getWidth(), static_cast<uint64_t>(static_cast<int64_t>(number)), true, /*implicitTrunc=*/true);
  };
  return filled(op, RankedTensorType::get(shape, element),
                integer ? Attribute(IntegerAttr::get(integer, bits())) : op.builder().getFloatAttr(element, number));
}

} // namespace avocet::compiler
