//===- TfliteExtension.h - Networks that NNAPI cannot express -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A vendor extension of the NN HAL that passes a whole TFLite network: quantised weights with float activations,
// integer LSTMs and other constructs that NNAPI's operations cannot express. The extension has one operation and no
// types.
//
//   NETWORK   input 0: the bytes of the .tflite file, a constant TENSOR_QUANT8_ASYMM of one dimension, scale 1, zero
//             point 0
//             other inputs: the network's inputs in its order; they are the model's inputs, in the same order
//             outputs: the network's outputs in its order; they are the model's outputs, in the same order
//
// Variables of the network are neither inputs nor outputs: each execution starts from their initial values.
//
// It is the only operation of its model. Types, dimensions, scales and zero points of inputs and outputs are those of
// the file, INT8 being TENSOR_QUANT8_ASYMM_SIGNED; anything else is INVALID_ARGUMENT.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_TFLITEEXTENSION_H
#define AVOCET_HAL_DRIVER_TFLITEEXTENSION_H

#include "avocet/firmware_iface/DataType.h"
#include "avocet/hal/types/Types.h"

#include <optional>
#include <string_view>

namespace avocet::hal {

inline constexpr std::string_view kTfliteExtension = "com.avocet.tflite";
/// The operation's number within the extension.
inline constexpr uint16_t kTfliteNetwork = 0;

/// The type of an input or output of the model, from that of the network. Empty: no operand has it.
std::optional<OperandType> operandTypeOf(firmware::DataType type);

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_TFLITEEXTENSION_H
