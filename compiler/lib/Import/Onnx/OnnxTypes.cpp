//===- OnnxTypes.cpp - Element types of ONNX tensors ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OnnxTypes.h"

#include "Import/Common/Constants.h"
#include "Import/Common/ImportedOperation.h"

#include <cstring>

using namespace mlir;

namespace avocet::compiler {

using onnx_file::TensorProto;

std::string onnxTypeName(int64_t type) {
  return onnx_file::TensorProto_DataType_IsValid(static_cast<int>(type))
             ? onnx_file::TensorProto_DataType_Name(static_cast<TensorProto::DataType>(type))
             : "type " + std::to_string(type);
}

Type onnxElement(MLIRContext *context, int64_t type) {
  switch (type) {
  case TensorProto::FLOAT:
  case TensorProto::DOUBLE:
    return Float32Type::get(context);
  case TensorProto::FLOAT16:
    return Float16Type::get(context);
  case TensorProto::BFLOAT16:
    return BFloat16Type::get(context);
  case TensorProto::BOOL:
    return IntegerType::get(context, 1);
  case TensorProto::INT4:
  case TensorProto::INT8:
    return IntegerType::get(context, 8);
  case TensorProto::UINT4:
  case TensorProto::UINT8:
    return IntegerType::get(context, 8, IntegerType::Unsigned);
  case TensorProto::INT16:
    return IntegerType::get(context, 16);
  case TensorProto::INT32:
    return IntegerType::get(context, 32);
  case TensorProto::INT64:
    return IntegerType::get(context, 64);
  default:
    return {};
  }
}

static ElementsAttr narrowed(RankedTensorType type, ArrayRef<char> data, const std::string &name) {
  return computedElements(type, name, [&](MutableArrayRef<char> bytes) {
    for (size_t i = 0; i < bytes.size() / sizeof(float); ++i) {
      double wide;
      std::memcpy(&wide, data.data() + i * sizeof(double), sizeof(double));
      const auto number = static_cast<float>(wide);
      std::memcpy(bytes.data() + i * sizeof(float), &number, sizeof(float));
    }
  });
}

static ElementsAttr ofUnsignedNibbles(RankedTensorType type, ArrayRef<char> data, const std::string &name) {
  return computedElements(type, name, [&](MutableArrayRef<char> bytes) {
    for (size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = static_cast<char>(static_cast<uint8_t>(data[i / 2]) >> (i % 2 * 4) & 15);
  });
}

ElementsAttr onnxElements(const ImportState &state, const OnnxFile &file, const TensorProto &tensor,
                          RankedTensorType type) {
  const ArrayRef<char> data = file.elements(tensor);
  const bool isInFile = llvm::none_of(ArrayRef<int>{TensorProto::DOUBLE, TensorProto::INT4, TensorProto::UINT4},
                                      [&](int each) { return tensor.data_type() == each; });
  if (isInFile)
    return elementsInFile(state, type, data, tensor.name());
  if (bytesOfElements(type) > kMaxComputedBytes)
    return {};
  if (tensor.data_type() == TensorProto::DOUBLE)
    return narrowed(type, data, tensor.name());
  return tensor.data_type() == TensorProto::INT4 ? elementsOfNibbles(type, data, tensor.name())
                                                 : ofUnsignedNibbles(type, data, tensor.name());
}

} // namespace avocet::compiler
