//===- Rules.h - Rules that signature letters cannot express ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each is a SignatureRule: it refuses with positions and values, or returns the version that the operation needs. The
// operands' counts, types and ranks (RankRules.h) have been checked before.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_TYPES_LIB_SIGNATURES_RULES_H
#define AVOCET_HAL_TYPES_LIB_SIGNATURES_RULES_H

#include "avocet/hal/types/Signatures.h"

namespace avocet::hal {

// Quantization.

/// 8 bits: the output's scale exceeds the product of the inputs' scales.
Result<Version> checkProductScale(const OperationView &operation);
/// Unsigned inputs with another quantization than the output need 1.2.
Result<Version> checkConcatenation(const OperationView &operation);
/// Padding with a zero point that is not 0 needs 1.2.
Result<Version> checkPaddedZeroPoint(const OperationView &operation);

// Convolutions. Before 1.2 the output's scale exceeds input's times filter's; scales per channel run along
// the output channels: dimension 0 of the filter; 3 of a depthwise one, whose dimension 0 is 1.

Result<Version> checkConv(const OperationView &operation);
Result<Version> checkDepthwiseConv(const OperationView &operation);
Result<Version> checkOutputChannelScales(const OperationView &operation);
/// Rank of the input at least 2; whole rows; one bias for each unit; the scale as above.
Result<Version> checkFullyConnected(const OperationView &operation);

// Shapes and types.

/// Without an axis, ranks other than 4 need 1.2.
Result<Version> checkRankFour(const OperationView &operation);
/// Without an axis, ranks other than 2 and 4 need 1.2.
Result<Version> checkSoftmaxRank(const OperationView &operation);
/// f h i u to each other, all other types to themselves (1.3); the shape stays.
Result<Version> checkCast(const OperationView &operation);
/// Equal quantization.
Result<Version> checkPack(const OperationView &operation);
/// The quantization stays.
Result<Version> checkMirrorPad(const OperationView &operation);
/// Axis tensor [1]; the quantization stays.
Result<Version> checkReverse(const OperationView &operation);

// Control flow: operands outside and inside a subgraph agree in type, quantization and all known extents.

Result<Version> checkIf(const OperationView &operation);
Result<Version> checkWhile(const OperationView &operation);

} // namespace avocet::hal

#endif // AVOCET_HAL_TYPES_LIB_SIGNATURES_RULES_H
