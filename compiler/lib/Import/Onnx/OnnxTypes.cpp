//===- OnnxTypes.cpp - Element types of ONNX tensors ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OnnxTypes.h"

#include "Import/Common/Constants.h"
#include "Import/Common/ImportedOperation.h"

using namespace mlir;

namespace avocet::compiler {

using onnx_file::TensorProto;

std::string onnxTypeName(int64_t type) {
  return onnx_file::TensorProto_DataType_IsValid(static_cast<int>(type))
             ? onnx_file::TensorProto_DataType_Name(static_cast<TensorProto::DataType>(type))
             : "type " + std::to_string(type);
}

Type onnxElement(MLIRContext *context, int64_t type) {
  const auto integer = [&](unsigned width, bool isUnsigned = false) {
    return IntegerType::get(context, width, isUnsigned ? IntegerType::Unsigned : IntegerType::Signless);
  };
  switch (type) {
  case TensorProto::FLOAT:
  case TensorProto::DOUBLE:
    return Float32Type::get(context);
  case TensorProto::FLOAT16:
    return Float16Type::get(context);
  case TensorProto::BFLOAT16:
    return BFloat16Type::get(context);
  case TensorProto::FLOAT8E4M3FN:
    return Float8E4M3FNType::get(context);
  case TensorProto::FLOAT8E4M3FNUZ:
    return Float8E4M3FNUZType::get(context);
  case TensorProto::FLOAT8E5M2:
    return Float8E5M2Type::get(context);
  case TensorProto::FLOAT8E5M2FNUZ:
    return Float8E5M2FNUZType::get(context);
  case TensorProto::FLOAT8E8M0:
    return Float8E8M0FNUType::get(context);
  case TensorProto::FLOAT4E2M1:
    return Float4E2M1FNType::get(context);
  case TensorProto::BOOL:
    return integer(1);
  case TensorProto::INT2:
  case TensorProto::UINT2:
    return integer(2, type == TensorProto::UINT2);
  case TensorProto::INT4:
  case TensorProto::UINT4:
    return integer(4, type == TensorProto::UINT4);
  case TensorProto::INT8:
  case TensorProto::UINT8:
    return integer(8, type == TensorProto::UINT8);
  case TensorProto::INT16:
  case TensorProto::UINT16:
    return integer(16, type == TensorProto::UINT16);
  case TensorProto::INT32:
  case TensorProto::UINT32:
    return integer(32, type == TensorProto::UINT32);
  case TensorProto::INT64:
  case TensorProto::UINT64:
    return integer(64, type == TensorProto::UINT64);
  default:
    return {};
  }
}

ElementsAttr onnxElements(const ImportState &state, const OnnxFile &file, const TensorProto &tensor,
                          RankedTensorType type) {
  const ArrayRef<char> data = file.elements(tensor);
  const unsigned width = type.getElementTypeBitWidth();
  const bool isDouble = tensor.data_type() == TensorProto::DOUBLE;
  if (!isDouble && (width >= 8 || width == 1))
    return elementsInFile(state, type, data, tensor.name());
  if (bytesOfElements(type) > kMaxComputedBytes)
    return {};
  return isDouble ? narrowedElements(type, data, tensor.name())
                  : unpackedElements(type, data, width, type.getElementType().isSignlessInteger(), tensor.name());
}

} // namespace avocet::compiler
