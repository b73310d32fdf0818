//===- TensorForm.h - Tensors of the interpreter in the file format - *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DELEGATE_LIB_MODEL_TENSORFORM_H
#define AVOCET_HAL_DELEGATE_LIB_MODEL_TENSORFORM_H

#include "abi/TfliteC.h"
#include "avocet/base/Status.h"
#include "avocet/hal/types/Types.h"

#include "Tflite_generated.h"

#include <memory>

namespace avocet::delegate {

/// Unsupported: why a tensor of a node cannot be passed to the compiler. An intermediate has no elements, only a
/// quantization.
Status checkTensor(const abi::Tensor &tensor, bool isIntermediate);

/// Everything but the elements of a constant. Errors as checkTensor().
Result<std::unique_ptr<tflite::TensorT>> tensorForm(const abi::Tensor &tensor);

/// How a model of the HAL declares the tensor, with this shape.
hal::Operand operandForm(const abi::Tensor &tensor, std::span<const int32_t> shape);

} // namespace avocet::delegate

#endif // AVOCET_HAL_DELEGATE_LIB_MODEL_TENSORFORM_H
