//===- Elements.cpp - Types of elements -------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model/Elements.h"

#include "Onnx.pb.h"

namespace avocet::ort {

using onnx_file::TensorProto;

std::optional<firmware::DataType> borderType(int32_t element) {
  switch (element) {
  case TensorProto::FLOAT:
  case TensorProto::DOUBLE:
    return firmware::DataType::Float32;
  case TensorProto::FLOAT16:
    return firmware::DataType::Float16;
  case TensorProto::BFLOAT16:
    return firmware::DataType::BFloat16;
  case TensorProto::INT8:
    return firmware::DataType::Int8;
  case TensorProto::UINT8:
    return firmware::DataType::UInt8;
  case TensorProto::INT16:
  case TensorProto::UINT16:
    return firmware::DataType::Int16;
  case TensorProto::INT32:
  case TensorProto::UINT32:
    return firmware::DataType::Int32;
  case TensorProto::INT64:
  case TensorProto::UINT64:
    return firmware::DataType::Int64;
  case TensorProto::BOOL:
    return firmware::DataType::Bool8;
  default: // the compiler changes the bytes of others at inputs and outputs
    return std::nullopt;
  }
}

bool isFloat64(int32_t element) { return element == TensorProto::DOUBLE; }

std::string elementName(int32_t element) {
  return TensorProto::DataType_IsValid(element)
             ? TensorProto::DataType_Name(static_cast<TensorProto::DataType>(element))
             : std::to_string(element);
}

bool isStoredAlike(int32_t element) {
  return element > TensorProto::UNDEFINED && element <= TensorProto::INT4 && element != TensorProto::STRING;
}

} // namespace avocet::ort
