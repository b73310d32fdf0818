//===- OnnxTensor.h - Tensors of ONNX data sets -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_VALIDATION_TOOL_ONNX_ONNXTENSOR_H
#define AVOCET_VALIDATION_TOOL_ONNX_ONNXTENSOR_H

#include "avocet/base/Status.h"
#include "avocet/cache/ModelCache.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace avocet::tool {

/// A tensor as a file of a data set has it.
struct OnnxTensor {
  std::string name;
  int32_t type = 0; ///< onnx_file::TensorProto::DataType
  std::vector<int64_t> shape;
  std::vector<uint8_t> bytes; ///< elements in row-major order, little-endian

  uint64_t numElements() const;
};

/// Reads a serialized TensorProto. DataLoss: it is none, or has another number of elements than its shape; Unsupported:
/// its elements are no numbers of whole bytes.
Result<OnnxTensor> readOnnxTensor(const std::string &path);

/// Fills an input of a network. Numbers keep their values where the device has no such type (f64 becomes f32).
/// FailedPrecondition: the network wants another shape or kind of number.
Status fillOperand(const OnnxTensor &tensor, const cache::OperandView &operand, std::span<uint8_t> bytes);

/// What differs between an output and the expected tensor; empty: nothing. Floats are compared as ONNX's own runner
/// does: |actual - expected| <= absolute + relative * |expected|, NaN and infinities equal; all other types exactly.
///
/// Relative 1e-3 and absolute 1e-7 are that runner's. Sums whose terms cancel leave errors of the size of their terms:
/// to the absolute tolerance comes 1e-6 of the largest expected magnitude, and for f16, whose numbers have 11 bits,
/// 1e-3 of it.
std::string compareOperand(const OnnxTensor &expected, const cache::OperandView &operand,
                           std::span<const uint8_t> bytes);

} // namespace avocet::tool

#endif // AVOCET_VALIDATION_TOOL_ONNX_ONNXTENSOR_H
