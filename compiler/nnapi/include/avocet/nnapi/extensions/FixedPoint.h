//===- FixedPoint.h - Codes of com.avocet.fixed_point -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An extension for numbers with a binary point (Q formats), as signal processors use them, and for HARD_SIGMOID, which
// NNAPI lacks.
//
//   TENSOR_FIXED8  int8 elements; real = stored * 2^-n. The operand's extension data is one byte, n as int8, from
//                  kMinFractionBits to kMaxFractionBits.
//
//   CONVERT        input 0: a TENSOR_FLOAT32 or TENSOR_FIXED8; output 0: the same shape, a TENSOR_FIXED8, or a
//                  TENSOR_FLOAT32 if the input is fixed. To fixed: x * 2^n rounded (attribute ROUNDING), then clamped
//                  to [-128, 127].
//   HARD_SIGMOID   input 0: x, a TENSOR_FLOAT32 or TENSOR_FIXED8; 1: alpha, 2: beta, FLOAT32; output 0: the type of x,
//                  of the same shape; two TENSOR_FIXED8 may differ in n. min(max(alpha * x + beta, 0), 1) in float32,
//                  each step rounded, then as CONVERT.
//
// Attributes:
//
//   ROUNDING       of a compilation, one byte: 0 to nearest, halves away from zero (default); 1 towards minus infinity
//   TIME_LIMIT     of an execution, int64, little endian: nanoseconds from its start. It ends with MISSED_DEADLINE_* as
//                  at a deadline. Also of a reusable execution, for each run.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_NNAPI_EXTENSIONS_FIXEDPOINT_H
#define AVOCET_NNAPI_EXTENSIONS_FIXEDPOINT_H

#include <cstdint>
#include <string_view>

namespace avocet::nnapi::fixedpoint {

inline constexpr std::string_view kName = "com.avocet.fixed_point";

/// Numbers within the extension; none ever changes.
inline constexpr uint16_t kTensorFixed8 = 0;
inline constexpr uint16_t kConvert = 0;
inline constexpr uint16_t kHardSigmoid = 1;
inline constexpr uint16_t kRounding = 0;
inline constexpr uint16_t kTimeLimit = 1;

inline constexpr int kMinFractionBits = -16;
inline constexpr int kMaxFractionBits = 23;

enum class Rounding : uint8_t { Nearest = 0, Down = 1 };

} // namespace avocet::nnapi::fixedpoint

#endif // AVOCET_NNAPI_EXTENSIONS_FIXEDPOINT_H
