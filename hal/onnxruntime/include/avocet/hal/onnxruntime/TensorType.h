//===- TensorType.h - Types of tensors of the runtime -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_ONNXRUNTIME_TENSORTYPE_H
#define AVOCET_HAL_ONNXRUNTIME_TENSORTYPE_H

#include "avocet/hal/onnxruntime/Api.h"

#include <vector>

namespace avocet::ort {

struct TensorType {
  int32_t element = 0;        ///< number of the format (TensorProto.DataType)
  std::vector<int64_t> shape; ///< -1: an unknown extent

  static Result<TensorType> read(const Api &api, const abi::TensorInfo *info) {
    TensorType type;
    size_t rank = 0;
    AVOCET_RETURN_IF_ERROR(api.call<abi::GetTensorElementType>(info, &type.element));
    AVOCET_RETURN_IF_ERROR(api.call<abi::GetDimensionsCount>(info, &rank));
    type.shape.resize(rank);
    AVOCET_RETURN_IF_ERROR(api.call<abi::GetDimensions>(info, type.shape.data(), rank));
    return type;
  }
};

/// The names of extents of a tensor of this rank; empty texts: none.
inline Result<std::vector<std::string>> readExtentNames(const Api &api, const abi::TensorInfo *info, size_t rank) {
  std::vector<const char *> names(rank);
  AVOCET_RETURN_IF_ERROR(api.call<abi::GetSymbolicDimensions>(info, names.data(), rank));
  std::vector<std::string> texts;
  for (const char *name : names)
    texts.emplace_back(name == nullptr ? "" : name);
  return texts;
}

} // namespace avocet::ort

#endif // AVOCET_HAL_ONNXRUNTIME_TENSORTYPE_H
