//===- NnapiTypes.cpp - Operand types of NNAPI in MLIR ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NnapiTypes.h"

#include "Import/Common/QuantizedStorage.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// Per-tensor quantisation; symmetric types have no zero point.
struct QuantizedForm {
  QuantizedStorage storage;
  bool symmetric;
};

std::optional<QuantizedForm> quantizedForm(OperandType type) {
  switch (type) {
  case OperandType::TensorQuant8Asymm:
    return QuantizedForm{{8, false}, false};
  case OperandType::TensorQuant8AsymmSigned:
    return QuantizedForm{{8, true}, false};
  case OperandType::TensorQuant8Symm:
    return QuantizedForm{{8, true}, true};
  case OperandType::TensorQuant16Symm:
    return QuantizedForm{{16, true}, true};
  case OperandType::TensorQuant16Asymm:
    return QuantizedForm{{16, false}, false};
  default:
    return std::nullopt;
  }
}

NnapiElement perTensor(MLIRContext *context, const nnapi::Operand &operand, QuantizedForm form) {
  if (!isScale(operand.scale()))
    return {{}, "the scale is a positive normal number, found " + std::to_string(operand.scale())};
  int64_t zeroPoint = operand.zero_point();
  if (zeroPoint < (form.symmetric ? 0 : form.storage.min()) || zeroPoint > (form.symmetric ? 0 : form.storage.max()))
    return {{}, "the zero point is a value of the type, found " + std::to_string(zeroPoint)};
  return {form.storage.perTensor(context, operand.scale(), zeroPoint), ""};
}

NnapiElement perChannel(MLIRContext *context, const nnapi::Operand &operand) {
  SmallVector<double> scales(operand.channel_scales()->begin(), operand.channel_scales()->end());
  SmallVector<int64_t> zeroPoints(scales.size(), 0);
  return {QuantizedStorage{8, true}.perAxis(context, scales, zeroPoints, operand.channel_dim()), ""};
}

} // namespace

NnapiElement elementTypeOf(MLIRContext *context, const nnapi::Operand &operand) {
  OperandType type = typeOf(operand);
  if (std::optional<QuantizedForm> form = quantizedForm(type))
    return perTensor(context, operand, *form);
  switch (type) {
  case OperandType::TensorQuant8SymmPerChannel:
    return perChannel(context, operand);
  case OperandType::Float32:
  case OperandType::TensorFloat32:
    return {Float32Type::get(context), ""};
  case OperandType::Float16:
  case OperandType::TensorFloat16:
    return {Float16Type::get(context), ""};
  case OperandType::Int32:
  case OperandType::UInt32:
  case OperandType::TensorInt32:
    return {IntegerType::get(context, 32), ""};
  case OperandType::Bool:
  case OperandType::TensorBool8:
    return {IntegerType::get(context, 1), ""};
  default:
    return {{}, "the type is one of values, found " + typeNameOf(type)};
  }
}

SmallVector<int64_t> dimensionsOf(const nnapi::Operand &operand) {
  if (!operand.dimensions())
    return {};
  return SmallVector<int64_t>(operand.dimensions()->begin(), operand.dimensions()->end());
}

} // namespace avocet::compiler
