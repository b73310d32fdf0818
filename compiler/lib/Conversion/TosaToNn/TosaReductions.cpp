//===- TosaReductions.cpp - Reductions along one axis -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TosaGraph.h"

#include "Import/Common/Create.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

template <typename Source, nn::ReduceKind kind> LogicalResult convertReduce(TosaOperation &op, Source source) {
  const std::array<int64_t, 1> axes{source.getAxis()};
  return finish<nn::ReduceOp>(op, op.value(0, "input"), kind, axes, /*keepDims=*/true);
}

LogicalResult convertArgMax(TosaOperation &op, tosa::ArgMaxOp source) {
  Value input = op.value(0, "input");
  const Type i32 = op.builder().getI32Type();
  return input ? op.finish(createAs<nn::ArgReduceOp>(op, i32, input, nn::ArgReduceKind::Max,
                                                     static_cast<uint64_t>(source.getAxis()), /*keepDims=*/false))
               : failure();
}

constexpr TosaConverter kConverters[] = {
    kConverts<convertArgMax>,
    kConverts<convertReduce<tosa::ReduceAllOp, nn::ReduceKind::All>>,
    kConverts<convertReduce<tosa::ReduceAnyOp, nn::ReduceKind::Any>>,
    kConverts<convertReduce<tosa::ReduceMaxOp, nn::ReduceKind::Max>>,
    kConverts<convertReduce<tosa::ReduceMinOp, nn::ReduceKind::Min>>,
    kConverts<convertReduce<tosa::ReduceProductOp, nn::ReduceKind::Prod>>,
    kConverts<convertReduce<tosa::ReduceSumOp, nn::ReduceKind::Sum>>,
};

} // namespace

ArrayRef<TosaConverter> tosaReductionConverters() { return kConverters; }

} // namespace avocet::compiler
