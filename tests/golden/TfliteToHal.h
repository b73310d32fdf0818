//===- TfliteToHal.h - A TFLite network as an NNAPI model -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts a .tflite file as NNAPI's clients do, for the operators of our networks. Each becomes one or two NNAPI
// operations with the same numbers. For test data only: the structure is trusted after the FlatBuffers verifier.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_GOLDEN_TFLITETOHAL_H
#define AVOCET_TESTS_GOLDEN_TFLITETOHAL_H

#include "avocet/base/Status.h"
#include "avocet/hal/types/Types.h"

#include <span>

namespace avocet::golden {

/// Errors: DataLoss if `file` is no TFLite model; Unsupported with what NNAPI cannot express.
Result<hal::Model> tfliteToHal(std::span<const uint8_t> file);

} // namespace avocet::golden

#endif // AVOCET_TESTS_GOLDEN_TFLITETOHAL_H
