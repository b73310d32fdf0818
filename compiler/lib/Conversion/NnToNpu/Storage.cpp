//===- Storage.cpp - Memory layout of a network's tensors -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Storage.h"

#include "avocet/compiler/Dialect/Npu/NpuDialect.h"
#include "avocet/compiler/Support/ProgramAttrs.h"
#include "avocet/kernels/Quantization.h"

#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;

namespace avocet::compiler {

StorageShape storageShape(ArrayRef<int64_t> shape) {
  StorageShape storage{1, 1, 1};
  for (auto [position, extent] : llvm::enumerate(llvm::reverse(shape)))
    storage[position == 0 ? 2 : position == 1 ? 1 : 0] *= extent;
  return storage;
}

Type storageElement(Type element) {
  auto quantized = dyn_cast<quant::QuantizedType>(element);
  if (!quantized)
    return element;
  unsigned width = quantized.getStorageTypeIntegralWidth();
  auto signedness = quantized.isSigned() ? IntegerType::Signless : IntegerType::Unsigned;
  return IntegerType::get(element.getContext(), width, signedness);
}

RankedTensorType storageType(StorageShape shape, Type element) { return RankedTensorType::get(shape, element); }

RankedTensorType storageType(RankedTensorType type) {
  return storageType(storageShape(type.getShape()), storageElement(type.getElementType()));
}

uint64_t storageBytes(RankedTensorType storage) {
  return static_cast<uint64_t>(storage.getNumElements()) * firmware::sizeOf(*npu::dataTypeOf(storage.getElementType()));
}

/// Whether the network's format keeps infinities.
static bool keepsInfinities(Value value) {
  Region *region = value.getParentRegion();
  auto module = region ? region->getParentOfType<ModuleOp>() : ModuleOp();
  return module && module->hasAttr(attrs::kKeepsInfinities);
}

Quantization quantizationOf(Value value) {
  Type element = tensorOf(value).getElementType();
  Quantization quantization;
  quantization.type = *npu::dataTypeOf(storageElement(element));
  if (auto type = dyn_cast<quant::UniformQuantizedType>(element)) {
    quantization.scale = static_cast<float>(type.getScale());
    quantization.zeroPoint = static_cast<int32_t>(type.getZeroPoint());
  }
  quantization.keepsInfinities = quantization.isFloat() && keepsInfinities(value);
  return quantization;
}

firmware::FeatureMap fullMap(RankedTensorType type, int32_t zeroPoint) {
  ArrayRef<int64_t> shape = type.getShape();
  firmware::FeatureMap map;
  map.type = *npu::dataTypeOf(type.getElementType());
  bool isTable = shape.size() == 1;
  map.height = map.ringRows = isTable ? 1 : shape[0];
  map.width = isTable ? 1 : shape[1];
  map.channels = shape.back();
  map.pixelStride = map.channels * firmware::sizeOf(map.type);
  map.rowStride = map.width * map.pixelStride;
  map.zeroPoint = zeroPoint;
  return map;
}

ArrayRef<uint8_t> constantBytes(nn::ConstantOp op, std::vector<uint8_t> &buffer) {
  ArrayRef<char> data;
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(op.getValue()))
    data = resource.getRawHandle().getBlob()->getData();
  else
    data = cast<DenseElementsAttr>(op.getValue()).getRawData();
  auto *first = reinterpret_cast<const uint8_t *>(data.data());
  auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
  if (dense && dense.getElementType().isInteger(1)) { // which are packed
    for (bool truth : dense.getValues<bool>())
      buffer.push_back(truth);
    return buffer;
  }
  if (!dense || !dense.isSplat())
    return {first, data.size()};
  for (int64_t element = 0; element < dense.getNumElements(); ++element)
    buffer.insert(buffer.end(), first, first + data.size());
  return buffer;
}

firmware::Clamp clampFor(nn::Activation activation, const Quantization &result) {
  if (result.isFloat())
    return result.keepsInfinities ? kernels::plainActivationClamp(activation)
                                  : kernels::floatActivationClamp(activation);
  return kernels::quantizedActivationClamp(activation, result.type, result.scale, result.zeroPoint);
}

firmware::Clamp plainClampFor(nn::Activation activation, const Quantization &result) {
  return result.isFloat() ? kernels::plainActivationClamp(activation) : clampFor(activation, result);
}

} // namespace avocet::compiler
