//===- Elements.h - Types of elements ---------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_ONNXRUNTIME_LIB_MODEL_ELEMENTS_H
#define AVOCET_HAL_ONNXRUNTIME_LIB_MODEL_ELEMENTS_H

#include "avocet/firmware_iface/DataType.h"

#include <cstdint>
#include <optional>
#include <string>

namespace avocet::ort {

/// The device's type of an input or output of a network, with the same bits, but float32 for float64. Numbers are those
/// of the format, which the runtime uses too. Empty: no network has such inputs and outputs.
std::optional<firmware::DataType> borderType(int32_t element);

bool isFloat64(int32_t element);

/// "FLOAT"; numbers that have no name as they are.
std::string elementName(int32_t element);

/// Whether elements of constants of this type have the same bytes in the runtime as in a file.
bool isStoredAlike(int32_t element);

} // namespace avocet::ort

#endif // AVOCET_HAL_ONNXRUNTIME_LIB_MODEL_ELEMENTS_H
