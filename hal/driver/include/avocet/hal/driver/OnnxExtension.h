//===- OnnxExtension.h - Networks of ONNX -----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A vendor extension of the NN HAL that passes a whole ONNX network. It has one operation and no types.
//
//   NETWORK   input 0: the bytes of the model, a constant TENSOR_QUANT8_ASYMM of one dimension, scale 1, zero point 0
//             input 1, which may be left out: more bytes in the same form, pool 0 of the model (compiler/Compiler.h)
//             other inputs: the network's inputs in its order; they are the model's inputs, in the same order
//             outputs: the network's outputs in its order; they are the model's outputs, in the same order
//
// All extents of inputs are known. An output without dimensions leaves its shape to the network: an execution with too
// little memory for an output answers OUTPUT_INSUFFICIENT_SIZE, with the shapes of all outputs. An index in the data
// that is out of its range, such as one of Gather, fails the execution with INVALID_ARGUMENT.
//
// It is the only operation of its model. Its inputs and outputs are declared as onnxOperand() does; anything else is
// INVALID_ARGUMENT.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_ONNXEXTENSION_H
#define AVOCET_HAL_DRIVER_ONNXEXTENSION_H

#include "avocet/firmware_iface/DataType.h"
#include "avocet/hal/types/Types.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace avocet::hal {

inline constexpr std::string_view kOnnxExtension = "com.avocet.onnx";
/// The operation's number within the extension.
inline constexpr uint16_t kOnnxNetwork = 0;

/// The declaration of an input or output of the model, in the form of TfliteExtension.h; BFLOAT16 is
/// TENSOR_QUANT16_ASYMM. ONNX's tensors have no scales: types that demand one have scale 1 and zero point 0, whatever
/// the network computes.
Operand onnxOperand(firmware::DataType type, std::span<const int32_t> shape);
/// An output that leaves its shape to the network.
Operand onnxOutput(firmware::DataType type);

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_ONNXEXTENSION_H
