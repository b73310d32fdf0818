//===- Recurrent.cpp - Operands of the recurrent operations ---------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "Rules.h"

namespace avocet::hal {

using enum OperationType;
using enum Version;

static constexpr Form kLstm[] = {{"t20IFF", "t4", V1_0}, {"t20IFFt4", "t4", V1_2}};
static constexpr Form kRnn[] = {{"t5I", "tt", V1_0}};
static constexpr Form kSvdf[] = {{"t5II", "tt", V1_0}};
// Outputs: both directions or merged; then the same with the states.
static constexpr Form kBidirectionalLstm[] = {
    {"t48IFFBBt8", "tt", V1_2}, {"t48IFFBBt8", "t", V1_2}, {"t48IFFBBt8", "t6", V1_3}, {"t48IFFBBt8", "t5", V1_3}};
static constexpr Form kBidirectionalRnn[] = {
    {"t12IBB", "tt", V1_2}, {"t12IBB", "t", V1_2}, {"t12IBB", "t4", V1_3}, {"t12IBB", "t3", V1_3}};
static constexpr Form kUnidirectionalLstm[] = {{"t20IFFBt4", "t", V1_2}, {"t20IFFBt4", "t3", V1_3}};
static constexpr Form kUnidirectionalRnn[] = {{"t5II", "t", V1_2}, {"t5II", "tt", V1_3}};
static constexpr Form kQuantized16BitLstm[] = {{"u9i4qu", "qu", V1_2}};
static constexpr Form kQuantizedLstm[] = {{"sy8q3i4yisqq4F6IF", "sqs", V1_3}};

static constexpr OperationSignature kRows[] = {
    {Lstm, "f1 h3", kLstm},
    {Rnn, "f1 h3", kRnn},
    {Svdf, "f1 h3", kSvdf},
    {BidirectionalSequenceLstm, "f3 h3", kBidirectionalLstm},
    {BidirectionalSequenceRnn, "f3 h3", kBidirectionalRnn},
    {Quantized16bitLstm, "u3", kQuantized16BitLstm},
    {UnidirectionalSequenceLstm, "f3 h3", kUnidirectionalLstm},
    {UnidirectionalSequenceRnn, "f3 h3", kUnidirectionalRnn},
    {QuantizedLstm, "s4", kQuantizedLstm},
};

std::span<const OperationSignature> recurrentSignatures() { return kRows; }

} // namespace avocet::hal
