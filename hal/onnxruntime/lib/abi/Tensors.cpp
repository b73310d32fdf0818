//===- Tensors.cpp - Types of tensors of the runtime ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "abi/Tensors.h"

namespace avocet::ort {

Result<TensorType> typeOf(const Runtime &runtime, const abi::Value &tensor) {
  abi::TensorInfo *info = nullptr;
  AVOCET_RETURN_IF_ERROR(runtime.call<abi::GetTensorTypeAndShape>(&tensor, &info));
  TensorType type;
  size_t rank = 0;
  Status status = runtime.call<abi::GetTensorElementType>(info, &type.element);
  if (status.isOk())
    status = runtime.call<abi::GetDimensionsCount>(info, &rank);
  type.shape.resize(rank);
  if (status.isOk())
    status = runtime.call<abi::GetDimensions>(info, type.shape.data(), rank);
  runtime.get<abi::ReleaseTensorInfo>(info);
  AVOCET_RETURN_IF_ERROR(status);
  return type;
}

} // namespace avocet::ort
