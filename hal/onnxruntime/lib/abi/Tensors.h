//===- Tensors.h - Types of tensors of the runtime --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_ONNXRUNTIME_LIB_ABI_TENSORS_H
#define AVOCET_HAL_ONNXRUNTIME_LIB_ABI_TENSORS_H

#include "abi/Runtime.h"

namespace avocet::ort {

struct TensorType {
  int32_t element = 0; ///< number of the format (TensorProto.DataType)
  std::vector<int64_t> shape;
};

Result<TensorType> typeOf(const Runtime &runtime, const abi::Value &tensor);

} // namespace avocet::ort

#endif // AVOCET_HAL_ONNXRUNTIME_LIB_ABI_TENSORS_H
