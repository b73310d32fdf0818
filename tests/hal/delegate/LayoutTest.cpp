//===- LayoutTest.cpp - Our declarations against TensorFlow Lite's headers - *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "abi/TfliteC.h"

#include <gtest/gtest.h>

#if AVOCET_HAS_TFLITE_HEADERS
#include "tensorflow/lite/c/common.h"

namespace avocet::delegate {
namespace {

#define EXPECT_SAME_PLACE(ours, ourMember, theirs, theirMember)                                                        \
  EXPECT_EQ(offsetof(ours, ourMember), offsetof(theirs, theirMember));                                                 \
  EXPECT_EQ(sizeof(ours::ourMember), sizeof(theirs::theirMember))

TEST(Layout, TensorIsThatOfTheHeaders) {
  EXPECT_EQ(sizeof(abi::Tensor), sizeof(TfLiteTensor));
  EXPECT_SAME_PLACE(abi::Tensor, type, TfLiteTensor, type);
  EXPECT_SAME_PLACE(abi::Tensor, data, TfLiteTensor, data);
  EXPECT_SAME_PLACE(abi::Tensor, shape, TfLiteTensor, dims);
  EXPECT_SAME_PLACE(abi::Tensor, oldQuantization, TfLiteTensor, params);
  EXPECT_SAME_PLACE(abi::Tensor, allocation, TfLiteTensor, allocation_type);
  EXPECT_SAME_PLACE(abi::Tensor, bytes, TfLiteTensor, bytes);
  EXPECT_SAME_PLACE(abi::Tensor, name, TfLiteTensor, name);
  EXPECT_SAME_PLACE(abi::Tensor, delegate, TfLiteTensor, delegate);
  EXPECT_SAME_PLACE(abi::Tensor, bufferHandle, TfLiteTensor, buffer_handle);
  EXPECT_SAME_PLACE(abi::Tensor, isStale, TfLiteTensor, data_is_stale);
  EXPECT_SAME_PLACE(abi::Tensor, isVariable, TfLiteTensor, is_variable);
  EXPECT_SAME_PLACE(abi::Tensor, quantization, TfLiteTensor, quantization);
  EXPECT_SAME_PLACE(abi::Tensor, sparsity, TfLiteTensor, sparsity);
  EXPECT_SAME_PLACE(abi::Tensor, signature, TfLiteTensor, dims_signature);
}

TEST(Layout, QuantizationIsThatOfTheHeaders) {
  EXPECT_EQ(sizeof(abi::IntArray), sizeof(TfLiteIntArray));
  EXPECT_EQ(sizeof(abi::FloatArray), sizeof(TfLiteFloatArray));
  EXPECT_SAME_PLACE(abi::OldQuantization, zeroPoint, TfLiteQuantizationParams, zero_point);
  EXPECT_SAME_PLACE(abi::Quantization, parameters, TfLiteQuantization, params);
  EXPECT_SAME_PLACE(abi::AffineQuantization, zeroPoint, TfLiteAffineQuantization, zero_point);
  EXPECT_SAME_PLACE(abi::AffineQuantization, axis, TfLiteAffineQuantization, quantized_dimension);
  EXPECT_SAME_PLACE(abi::Sparsity, axes, TfLiteSparsity, dim_metadata);
  EXPECT_SAME_PLACE(abi::Sparsity, numAxes, TfLiteSparsity, dim_metadata_size);
  EXPECT_EQ(sizeof(abi::SparseAxis), sizeof(TfLiteDimensionMetadata));
  EXPECT_SAME_PLACE(abi::SparseAxis, indices, TfLiteDimensionMetadata, array_indices);
}

TEST(Layout, NodeIsThatOfTheHeaders) {
  EXPECT_EQ(sizeof(abi::Node), sizeof(TfLiteNode));
  EXPECT_SAME_PLACE(abi::Node, intermediates, TfLiteNode, intermediates);
  EXPECT_SAME_PLACE(abi::Node, userData, TfLiteNode, user_data);
  EXPECT_SAME_PLACE(abi::Node, parameters, TfLiteNode, builtin_data);
  EXPECT_SAME_PLACE(abi::Node, customOptions, TfLiteNode, custom_initial_data);
  EXPECT_SAME_PLACE(abi::Node, customOptionsBytes, TfLiteNode, custom_initial_data_size);
  EXPECT_SAME_PLACE(abi::Node, delegate, TfLiteNode, delegate);
  EXPECT_EQ(sizeof(abi::DelegateParameters), sizeof(TfLiteDelegateParams));
  EXPECT_SAME_PLACE(abi::DelegateParameters, nodes, TfLiteDelegateParams, nodes_to_replace);
  EXPECT_SAME_PLACE(abi::DelegateParameters, outputs, TfLiteDelegateParams, output_tensors);
}

TEST(Layout, ContextIsThatOfTheHeaders) {
  EXPECT_EQ(sizeof(abi::Context), sizeof(TfLiteContext));
  EXPECT_SAME_PLACE(abi::Context, getExecutionPlan, TfLiteContext, GetExecutionPlan);
  EXPECT_SAME_PLACE(abi::Context, tensors, TfLiteContext, tensors);
  EXPECT_SAME_PLACE(abi::Context, resizeTensor, TfLiteContext, ResizeTensor);
  EXPECT_SAME_PLACE(abi::Context, reportError, TfLiteContext, ReportError);
  EXPECT_SAME_PLACE(abi::Context, getNode, TfLiteContext, GetNodeAndRegistration);
  EXPECT_SAME_PLACE(abi::Context, replaceNodes, TfLiteContext, ReplaceNodeSubsetsWithDelegateKernels);
  EXPECT_SAME_PLACE(abi::Context, previewPartitions, TfLiteContext, PreviewDelegatePartitioning);
  EXPECT_SAME_PLACE(abi::Context, getMetadata, TfLiteContext, GetModelMetadata);
}

TEST(Layout, DelegateIsThatOfTheHeaders) {
  EXPECT_EQ(offsetof(abi::Registration, later), sizeof(TfLiteRegistration));
  EXPECT_SAME_PLACE(abi::Registration, invoke, TfLiteRegistration, invoke);
  EXPECT_SAME_PLACE(abi::Registration, code, TfLiteRegistration, builtin_code);
  EXPECT_SAME_PLACE(abi::Registration, customName, TfLiteRegistration, custom_name);
  EXPECT_SAME_PLACE(abi::Registration, version, TfLiteRegistration, version);
  EXPECT_EQ(offsetof(abi::Delegate, later), sizeof(TfLiteDelegate));
  EXPECT_SAME_PLACE(abi::Delegate, prepare, TfLiteDelegate, Prepare);
  EXPECT_SAME_PLACE(abi::Delegate, flags, TfLiteDelegate, flags);
}

TEST(Layout, NumbersAreThoseOfTheHeaders) {
  EXPECT_EQ(static_cast<int>(abi::Type::Float32), kTfLiteFloat32);
  EXPECT_EQ(static_cast<int>(abi::Type::Int32), kTfLiteInt32);
  EXPECT_EQ(static_cast<int>(abi::Type::UInt8), kTfLiteUInt8);
  EXPECT_EQ(static_cast<int>(abi::Type::Int64), kTfLiteInt64);
  EXPECT_EQ(static_cast<int>(abi::Type::Bool), kTfLiteBool);
  EXPECT_EQ(static_cast<int>(abi::Type::Int16), kTfLiteInt16);
  EXPECT_EQ(static_cast<int>(abi::Type::Int8), kTfLiteInt8);
  EXPECT_EQ(static_cast<int>(abi::Type::Float16), kTfLiteFloat16);
  EXPECT_EQ(static_cast<int>(abi::Allocation::ReadOnly), kTfLiteMmapRo);
  EXPECT_EQ(static_cast<int>(abi::Allocation::Arena), kTfLiteArenaRw);
  EXPECT_EQ(static_cast<int>(abi::Allocation::ArenaPersistent), kTfLiteArenaRwPersistent);
  EXPECT_EQ(static_cast<int>(abi::Allocation::Dynamic), kTfLiteDynamic);
  EXPECT_EQ(static_cast<int>(abi::Allocation::Custom), kTfLiteCustom);
  EXPECT_EQ(abi::kAffine, kTfLiteAffineQuantization);
  EXPECT_EQ(abi::kAllowDynamicTensors, kTfLiteDelegateFlagsAllowDynamicTensors);
  EXPECT_EQ(abi::kRequirePropagatedShapes, kTfLiteDelegateFlagsRequirePropagatedShapes);
}

} // namespace
} // namespace avocet::delegate
#else
TEST(Layout, IsThatOfTheHeaders) {
  GTEST_SKIP() << "TensorFlow Lite's headers are not installed; install them with scripts/setup --clients";
}
#endif
