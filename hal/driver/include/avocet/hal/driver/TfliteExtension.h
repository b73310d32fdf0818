//===- TfliteExtension.h - Networks that NNAPI cannot express -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A vendor extension of the NN HAL that passes a whole TFLite network: quantized weights with float activations,
// integer LSTMs and other constructs that NNAPI's operations cannot express. The extension has one operation and no
// types.
//
//   NETWORK   input 0: the bytes of the .tflite file, a constant TENSOR_QUANT8_ASYMM of one dimension, scale 1, zero
//             point 0
//             other inputs: the network's inputs in its order; they are the model's inputs, in the same order
//             outputs: the network's outputs in its order; they are the model's outputs, in the same order
//
// Variables of the network are either neither inputs nor outputs, and each execution starts from their initial values;
// or they are the last inputs and outputs of the model, in the order in which the network's operators first use them:
// an execution reads the old values and writes the new ones.
//
// An index in the data that is out of its range, such as one of GATHER, fails the execution with INVALID_ARGUMENT, as
// in TensorFlow Lite; operations of NNAPI leave such values open.
//
// It is the only operation of its model. Its inputs and outputs are declared as tfliteOperand() does; anything else is
// INVALID_ARGUMENT.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_TFLITEEXTENSION_H
#define AVOCET_HAL_DRIVER_TFLITEEXTENSION_H

#include "avocet/firmware_iface/DataType.h"
#include "avocet/hal/types/Types.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace avocet::hal {

inline constexpr std::string_view kTfliteExtension = "com.avocet.tflite";
/// The operation's number within the extension.
inline constexpr uint16_t kTfliteNetwork = 0;

/// The declaration of an input or output of the model, whose bytes are those of the network's tensor. INT8 is
/// TENSOR_QUANT8_ASYMM_SIGNED. INT64 is TENSOR_INT32 with one more axis of extent 2, the low halves first. A tensor
/// without axes has one axis of extent 1, and a type that demands a scale has scale 1 if the tensor has none: HAL
/// models cannot say otherwise.
Operand tfliteOperand(firmware::DataType type, std::span<const int32_t> shape, float scale, int32_t zeroPoint);

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_TFLITEEXTENSION_H
