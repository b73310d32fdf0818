//===- OnnxTypes.cpp - Element types of ONNX tensors ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OnnxTypes.h"

#include "Import/Common/Constants.h"
#include "OnnxGraph.h"

using namespace mlir;

namespace avocet::compiler {

using onnx_file::TensorProto;

std::string onnxTypeName(int64_t type) {
  return onnx_file::TensorProto_DataType_IsValid(static_cast<int>(type))
             ? onnx_file::TensorProto_DataType_Name(static_cast<TensorProto::DataType>(type))
             : "type " + std::to_string(type);
}

Type onnxElement(MLIRContext *context, int64_t type) {
  const std::string full = onnxTypeName(type);
  StringRef name = full;
  const bool isUnsigned = name.consume_front("U");
  if (unsigned width = 0; name.consume_front("INT") && !name.getAsInteger(10, width))
    return IntegerType::get(context, width, isUnsigned ? IntegerType::Unsigned : IntegerType::Signless);
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
    return IntegerType::get(context, 1);
  default:
    return {};
  }
}

ElementsAttr onnxElements(const OnnxImport &import, const TensorProto &tensor, RankedTensorType type) {
  const ArrayRef<char> data = import.file.elements(tensor);
  const unsigned width = type.getElementTypeBitWidth();
  const bool isDouble = tensor.data_type() == TensorProto::DOUBLE;
  if (!isDouble && (width >= 8 || width == 1))
    // Pools are memory of the caller, which must not lose its pages.
    return elementsInFile(import, type, data, tensor.name(),
                          /*isMapped=*/tensor.stored_file() > import.options.pools.size());
  if (bytesOfElements(type) > kMaxComputedBytes)
    return {};
  return isDouble ? narrowedElements(type, data, tensor.name())
                  : unpackedElements(type, data, width, type.getElementType().isSignlessInteger(), tensor.name());
}

} // namespace avocet::compiler
