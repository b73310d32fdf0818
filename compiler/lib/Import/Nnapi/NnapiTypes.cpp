//===- NnapiTypes.cpp - Operand types of NNAPI in MLIR ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NnapiTypes.h"

#include "avocet/compiler/Dialect/Nn/NnDialect.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace avocet::compiler {
namespace {

/// Per-tensor quantisation; symmetric types have no zero point.
struct QuantizedForm {
  unsigned width;
  bool isSigned;
  bool symmetric;
  int64_t min() const { return isSigned ? -(int64_t(1) << (width - 1)) : 0; }
  int64_t max() const { return isSigned ? (int64_t(1) << (width - 1)) - 1 : (int64_t(1) << width) - 1; }
};

std::optional<QuantizedForm> quantizedForm(NnapiType type) {
  switch (type) {
  case NnapiType::TensorQuant8Asymm:
    return QuantizedForm{8, false, false};
  case NnapiType::TensorQuant8AsymmSigned:
    return QuantizedForm{8, true, false};
  case NnapiType::TensorQuant8Symm:
    return QuantizedForm{8, true, true};
  case NnapiType::TensorQuant16Symm:
    return QuantizedForm{16, true, true};
  case NnapiType::TensorQuant16Asymm:
    return QuantizedForm{16, false, false};
  default:
    return std::nullopt;
  }
}

NnapiElement perTensor(MLIRContext *context, const nnapi::Operand &operand, QuantizedForm form) {
  if (!std::isnormal(operand.scale()) || operand.scale() <= 0)
    return {{}, "the scale is a positive normal number, found " + std::to_string(operand.scale())};
  int64_t zeroPoint = operand.zero_point();
  if (zeroPoint < (form.symmetric ? 0 : form.min()) || zeroPoint > (form.symmetric ? 0 : form.max()))
    return {{}, "the zero point is a value of the type, found " + std::to_string(zeroPoint)};
  unsigned flags = form.isSigned ? quant::QuantizationFlags::Signed : 0;
  return {quant::UniformQuantizedType::get(flags, IntegerType::get(context, form.width), Float32Type::get(context),
                                           operand.scale(), zeroPoint, form.min(), form.max()),
          ""};
}

NnapiElement perChannel(MLIRContext *context, const nnapi::Operand &operand) {
  SmallVector<double> scales(operand.channel_scales()->begin(), operand.channel_scales()->end());
  SmallVector<int64_t> zeroPoints(scales.size(), 0);
  return {quant::UniformQuantizedPerAxisType::get(quant::QuantizationFlags::Signed, IntegerType::get(context, 8),
                                                  Float32Type::get(context), scales, zeroPoints, operand.channel_dim(),
                                                  -128, 127),
          ""};
}

} // namespace

NnapiElement elementTypeOf(MLIRContext *context, const nnapi::Operand &operand) {
  NnapiType type = typeOf(operand);
  if (std::optional<QuantizedForm> form = quantizedForm(type))
    return perTensor(context, operand, *form);
  switch (type) {
  case NnapiType::TensorQuant8SymmPerChannel:
    return perChannel(context, operand);
  case NnapiType::Float32:
  case NnapiType::TensorFloat32:
    return {Float32Type::get(context), ""};
  case NnapiType::Float16:
  case NnapiType::TensorFloat16:
    return {Float16Type::get(context), ""};
  case NnapiType::Int32:
  case NnapiType::UInt32:
  case NnapiType::TensorInt32:
    return {IntegerType::get(context, 32), ""};
  case NnapiType::Bool:
  case NnapiType::TensorBool8:
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
