//===- Attributes.h - Attributes of the runtime in the file format *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_ONNXRUNTIME_LIB_MODEL_ATTRIBUTES_H
#define AVOCET_HAL_ONNXRUNTIME_LIB_MODEL_ATTRIBUTES_H

#include "Onnx.pb.h"
#include "abi/Runtime.h"

namespace avocet::ort {

/// Adds the attribute to the node. Graphs, which the runtime shows in another way, are left out. Unsupported: the
/// runtime does not show attributes of this type.
Status addAttribute(const Runtime &runtime, const abi::OpAttr &attribute, onnx_file::NodeProto &node);

} // namespace avocet::ort

#endif // AVOCET_HAL_ONNXRUNTIME_LIB_MODEL_ATTRIBUTES_H
