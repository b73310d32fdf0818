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
  const Owned<abi::TensorInfo, abi::ReleaseTensorInfo> owned(info, {&runtime.api()});
  return TensorType::read(runtime.api(), info);
}

} // namespace avocet::ort
