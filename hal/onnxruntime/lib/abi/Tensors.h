//===- Tensors.h - Types of tensors of the runtime --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_ONNXRUNTIME_LIB_ABI_TENSORS_H
#define AVOCET_HAL_ONNXRUNTIME_LIB_ABI_TENSORS_H

#include "abi/Runtime.h"
#include "avocet/hal/onnxruntime/TensorType.h"

namespace avocet::ort {

Result<TensorType> typeOf(const Runtime &runtime, const abi::Value &tensor);

} // namespace avocet::ort

#endif // AVOCET_HAL_ONNXRUNTIME_LIB_ABI_TENSORS_H
