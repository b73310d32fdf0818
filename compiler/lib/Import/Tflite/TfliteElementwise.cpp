//===- TfliteElementwise.cpp - Functions of two tensors -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import/Common/Elements.h"
#include "TfliteGraph.h"

#include "avocet/kernels/Quantization.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

template <typename Options, typename BinaryOp> LogicalResult convertArithmetic(TfliteOperator &op) {
  const Options *options = op.options<Options>();
  FailureOr<nn::Activation> activation =
      op.fusedActivation(options ? options->activation() : tflite::ActivationFunction::NONE);
  return failed(activation) ? failure() : createBinary<BinaryOp>(op, *activation);
}

/// Quotients of integers are rounded towards zero.
LogicalResult convertDiv(TfliteOperator &op) {
  auto *options = op.options<tflite::DivOptions>();
  FailureOr<nn::Activation> activation =
      op.fusedActivation(options ? options->activation() : tflite::ActivationFunction::NONE);
  RankedTensorType result = op.resultType();
  if (failed(activation) || !result)
    return failure();
  return createBinary<nn::DivOp>(op, *activation, isa<IntegerType>(result.getElementType()));
}

/// Whether a type is 16-bit with a power of two as scale.
bool hasShiftScale(Type type) {
  auto element = dyn_cast<quant::UniformQuantizedType>(cast<RankedTensorType>(type).getElementType());
  return element && element.getStorageTypeIntegralWidth() == 16 &&
         kernels::scaleExponent(static_cast<float>(element.getScale()));
}

template <typename Options, typename SumOp> LogicalResult convertSum(TfliteOperator &op) {
  const Options *options = op.options<Options>();
  FailureOr<nn::Activation> activation =
      op.fusedActivation(options ? options->activation() : tflite::ActivationFunction::NONE);
  Value lhs = op.value(0, "input 0"), rhs = op.value(1, "input 1");
  RankedTensorType result = op.resultType();
  if (!lhs || !rhs || !result || failed(activation))
    return failure();
  // The option's default is true, but the reference takes this form only for such scales.
  bool shiftScales = (!options || options->pot_scale_int16()) &&
                     llvm::all_of(ArrayRef<Type>{lhs.getType(), rhs.getType(), result}, hasShiftScale);
  return createBinary<SumOp>(op, *activation, shiftScales);
}

using tflite::BuiltinOperator;
constexpr TfliteConverter kConverters[] = {
    {BuiltinOperator::ADD, 2, 2, convertSum<tflite::AddOptions, nn::AddOp>},
    {BuiltinOperator::DIV, 2, 2, convertDiv},
    {BuiltinOperator::MAXIMUM, 2, 2, shared<convertBinary<nn::MaximumOp>>},
    {BuiltinOperator::MINIMUM, 2, 2, shared<convertBinary<nn::MinimumOp>>},
    {BuiltinOperator::MUL, 2, 2, convertArithmetic<tflite::MulOptions, nn::MulOp>},
    {BuiltinOperator::POW, 2, 2, shared<convertBinary<nn::PowOp>>},
    {BuiltinOperator::PRELU, 2, 2, shared<convertBinary<nn::PreluOp>>},
    {BuiltinOperator::SUB, 2, 2, convertSum<tflite::SubOptions, nn::SubOp>},
};

} // namespace

ArrayRef<TfliteConverter> tfliteElementwiseConverters() { return kConverters; }

} // namespace avocet::compiler
