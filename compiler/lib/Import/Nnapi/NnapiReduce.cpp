//===- NnapiReduce.cpp - Reductions of axes ------------------- -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import/Common/Reductions.h"
#include "NnapiGraph.h"
#include "ValueChoices.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// NNAPI's tensors have no rank 0.
constexpr size_t kLeastRank = 1;

LogicalResult convertMean(NnapiOperation &op) {
  FailureOr<int64_t> keep = op.integer(2, "keepDims");
  return failed(keep) ? failure() : finishMean(op, {*keep > 0, kLeastRank});
}

template <nn::ReduceKind kind> LogicalResult convertReduce(NnapiOperation &op) {
  FailureOr<bool> keep = op.boolean(2, "keepDims");
  return failed(keep) ? failure() : finishReduce(op, kind, {*keep, kLeastRank});
}

template <nn::ArgReduceKind kind> LogicalResult convertArgReduce(NnapiOperation &op) {
  return finishArgReduce(op, kind, kLeastRank);
}

constexpr uint64_t kAxes = 1 << 1, kAxesAndKeepDims = kAxes | 1 << 2;

constexpr NnapiConverter kConverters[] = {
    {OperationType::Mean, 3, 3, kAxesAndKeepDims, convertMean, axisSetChoices},
    {OperationType::Argmax, 2, 2, kAxes, convertArgReduce<nn::ArgReduceKind::Max>, axisChoices},
    {OperationType::Argmin, 2, 2, kAxes, convertArgReduce<nn::ArgReduceKind::Min>, axisChoices},
    {OperationType::ReduceAll, 3, 3, kAxesAndKeepDims, convertReduce<nn::ReduceKind::All>, axisSetChoices},
    {OperationType::ReduceAny, 3, 3, kAxesAndKeepDims, convertReduce<nn::ReduceKind::Any>, axisSetChoices},
    {OperationType::ReduceMax, 3, 3, kAxesAndKeepDims, convertReduce<nn::ReduceKind::Max>, axisSetChoices},
    {OperationType::ReduceMin, 3, 3, kAxesAndKeepDims, convertReduce<nn::ReduceKind::Min>, axisSetChoices},
    {OperationType::ReduceProd, 3, 3, kAxesAndKeepDims, convertReduce<nn::ReduceKind::Prod>, axisSetChoices},
    {OperationType::ReduceSum, 3, 3, kAxesAndKeepDims, convertReduce<nn::ReduceKind::Sum>, axisSetChoices},
};

} // namespace

ArrayRef<NnapiConverter> nnapiReduceConverters() { return kConverters; }

} // namespace avocet::compiler
