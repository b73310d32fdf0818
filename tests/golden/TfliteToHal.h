//===- TfliteToHal.h - A TFLite network as an NNAPI model -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What NNAPI's clients do with a .tflite file, for the operators of our networks: each becomes one or two NNAPI
// operations with the same numbers. Reads files of the test data only; it trusts their structure after the verifier.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_GOLDEN_TFLITETOHAL_H
#define AVOCET_TESTS_GOLDEN_TFLITETOHAL_H

#include "avocet/base/Status.h"
#include "avocet/hal/Types.h"

#include <span>

namespace avocet::golden {

/// Unsupported names the operator or tensor that has no counterpart in NNAPI.
Result<hal::Model> tfliteToHal(std::span<const uint8_t> file);

} // namespace avocet::golden

#endif // AVOCET_TESTS_GOLDEN_TFLITETOHAL_H
