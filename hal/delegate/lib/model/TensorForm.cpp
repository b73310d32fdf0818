//===- TensorForm.cpp - Tensors of the interpreter in the file format - *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model/TensorForm.h"

#include "avocet/hal/driver/TfliteExtension.h"
#include "model/Graph.h"
#include "model/OperatorTables.h"

#include <algorithm>
#include <fmt/core.h>

namespace avocet::delegate {
namespace {

template <typename T, typename U> void assign(std::vector<T> &target, const abi::Array<U> *values) {
  const std::span<const U> list = abi::valuesOf(values);
  target.assign(list.begin(), list.end());
}

const abi::AffineQuantization *quantizationOf(const abi::Tensor &tensor) {
  return tensor.quantization.kind == abi::kAffine
             ? static_cast<const abi::AffineQuantization *>(tensor.quantization.parameters)
             : nullptr;
}

std::unique_ptr<tflite::QuantizationT> quantizationForm(const abi::Tensor &tensor) {
  auto form = std::make_unique<tflite::QuantizationT>();
  if (const abi::AffineQuantization *affine = quantizationOf(tensor)) {
    assign(form->scale, affine->scale);
    assign(form->zero_point, affine->zeroPoint);
    form->quantized_dimension = affine->axis;
    return form;
  }
  if (tensor.oldQuantization.scale == 0)
    return nullptr;
  form->scale = {tensor.oldQuantization.scale};
  form->zero_point = {tensor.oldQuantization.zeroPoint};
  return form;
}

void setIndices(tflite::SparseIndexVectorUnion &target, const abi::IntArray *values) {
  tflite::Int32VectorT list;
  assign(list.values, values);
  target.Set(std::move(list));
}

std::unique_ptr<tflite::SparsityT> sparsityForm(const abi::Sparsity &sparsity) {
  auto form = std::make_unique<tflite::SparsityT>();
  assign(form->traversal_order, sparsity.traversalOrder);
  assign(form->block_map, sparsity.blockMap);
  for (int32_t i = 0; i < sparsity.numAxes; ++i) {
    const abi::SparseAxis &from = sparsity.axes[i];
    auto &axis = *form->dim_metadata.emplace_back(std::make_unique<tflite::DimensionMetadataT>());
    axis.format = from.isCompressed != 0 ? tflite::DimensionType::SPARSE_CSR : tflite::DimensionType::DENSE;
    axis.dense_size = from.denseSize;
    if (from.isCompressed == 0)
      continue;
    setIndices(axis.array_segments, from.segments);
    setIndices(axis.array_indices, from.indices);
  }
  return form;
}

firmware::DataType dataTypeOf(abi::Type type) {
  switch (type) {
  case abi::Type::Int8:
    return firmware::DataType::Int8;
  case abi::Type::UInt8:
    return firmware::DataType::UInt8;
  case abi::Type::Int16:
    return firmware::DataType::Int16;
  case abi::Type::Int64:
    return firmware::DataType::Int64;
  case abi::Type::Float16:
    return firmware::DataType::Float16;
  case abi::Type::Float32:
    return firmware::DataType::Float32;
  case abi::Type::Bool:
    return firmware::DataType::Bool8;
  default:
    return firmware::DataType::Int32;
  }
}

/// Others have no quantization on the device.
bool isQuantized(abi::Type type) {
  return type == abi::Type::Int8 || type == abi::Type::UInt8 || type == abi::Type::Int16;
}

} // namespace

Status checkTensor(const abi::Tensor &tensor, bool isIntermediate) {
  tflite::TensorType type{};
  AVOCET_RETURN_IF_ERROR(setType(static_cast<int32_t>(tensor.type), type));
  if (isIntermediate)
    return Status::ok();
  // The interpreter decides some of these shapes while it runs.
  if (!std::ranges::all_of(valuesOf(tensor.shape), [](int32_t extent) { return extent > 0; }))
    return isConstant(tensor) ? Status::ok() : unsupported("has no elements");
  if (tensor.isVariable && isConstant(tensor))
    return unsupported("is a variable and a constant");
  return Status::ok();
}

Result<std::unique_ptr<tflite::TensorT>> tensorForm(const abi::Tensor &tensor) {
  auto form = std::make_unique<tflite::TensorT>();
  AVOCET_RETURN_IF_ERROR(setType(static_cast<int32_t>(tensor.type), form->type));
  assign(form->shape, tensor.shape);
  if (tensor.name != nullptr)
    form->name = tensor.name;
  form->quantization = quantizationForm(tensor);
  form->is_variable = tensor.isVariable;
  if (tensor.sparsity != nullptr)
    form->sparsity = sparsityForm(*tensor.sparsity);
  return form;
}

hal::Operand operandForm(const abi::Tensor &tensor, std::span<const int32_t> shape) {
  float scale = 0;
  int32_t zeroPoint = 0;
  if (isQuantized(tensor.type)) {
    scale = tensor.oldQuantization.scale;
    zeroPoint = tensor.oldQuantization.zeroPoint;
  }
  return hal::tfliteOperand(dataTypeOf(tensor.type), shape, scale, zeroPoint);
}

} // namespace avocet::delegate
