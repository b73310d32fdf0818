// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --convert-nn-to-npu="target=e256" --split-input-file --verify-diagnostics

!tiny = !quant.uniform<i8:f32, 1.0e-30>

// All refusals of a network are reported at once; errors that only follow from them are not reported.
func.func @allAtOnce(%x: tensor<2x2x!quant.uniform<i8:f32, 0.5:-3>>) -> tensor<1x2x!tiny> {
  // expected-error @+1 {{REDUCE is not supported: input: the ratio of scales for each factor is a multiplier of the device}}
  %0 = nn.reduce prod %x axes [0] keep_dims : (tensor<2x2x!quant.uniform<i8:f32, 0.5:-3>>) -> tensor<1x2x!tiny>
  %1 = nn.reshape %0 to [2, 1] : (tensor<1x2x!tiny>) -> tensor<2x1x!tiny>
  // expected-error @+1 {{REDUCE is not supported: input: ratio of scales, found 5e+29, accepted: below 2^30}}
  %2 = nn.reduce sum %x axes [0] keep_dims : (tensor<2x2x!quant.uniform<i8:f32, 0.5:-3>>) -> tensor<1x2x!tiny>
  return %2 : tensor<1x2x!tiny>
}

// -----

!w = !quant.uniform<i8:f32, 0.125>
func.func @computedHybridFilter(%x: tensor<1x4x4x2xf32>, %w: tensor<2x3x3x2x!w>) -> tensor<1x2x2x2xf32> {
  // expected-error @+1 {{CONV_2D is not supported: filter must be constant for an input that is quantized at run time}}
  %0 = nn.conv_2d %x, %w : (tensor<1x4x4x2xf32>, tensor<2x3x3x2x!w>) -> tensor<1x2x2x2xf32>
  return %0 : tensor<1x2x2x2xf32>
}

// -----

!x = !quant.uniform<i8:f32, 0.5:-3>
!l = !quant.uniform<i8:f32, 0.0625:127>
func.func @logarithmBeta(%x: tensor<2x!x>) -> tensor<2x!l> {
  // expected-error @+1 {{LOG_SOFTMAX is not supported: beta must be positive}}
  %0 = nn.log_softmax %x beta -1.0 : (tensor<2x!x>) -> tensor<2x!l>
  return %0 : tensor<2x!l>
}

// -----

func.func @kernelRule(%x: tensor<1x50xf32>) -> tensor<1x50xf32> {
  // expected-error @+1 {{SOFTMAX is not supported: softmax: beta must be finite}}
  %0 = nn.softmax %x beta 0x7F800000 : (tensor<1x50xf32>) -> tensor<1x50xf32>
  return %0 : tensor<1x50xf32>
}

// -----

// expected-error @+1 {{operand type 'tensor<?x2xf32>' is no tensor of 1 to 2^31 - 1 elements}}
func.func @dynamic(%x: tensor<?x2xf32>) -> tensor<?x2xf32> {
  return %x : tensor<?x2xf32>
}

// -----

// expected-error @+1 {{operand type 'tensor<2xi4>' has elements that the device cannot store}}
func.func @element(%x: tensor<2xi4>) -> tensor<2xi4> {
  return %x : tensor<2xi4>
}

// -----

func.func @hybridRows(%x: tensor<513x2xf32>) -> tensor<513x2xf32> {
  %w = nn.constant dense<1> : tensor<2x2xi8> as tensor<2x2x!quant.uniform<i8:f32, 1.0>>
  // expected-error @+1 {{FULLY_CONNECTED is not supported: input: rows with a run-time scale, found 513, limit 512}}
  %0 = nn.fully_connected %x, %w : (tensor<513x2xf32>, tensor<2x2x!quant.uniform<i8:f32, 1.0>>) -> tensor<513x2xf32>
  return %0 : tensor<513x2xf32>
}

// -----

// A gather has no limit of its own.
func.func @bytes(%x: tensor<1073741824xf32>, %i: tensor<i32>) -> tensor<f32> {
  // expected-error @+1 {{GATHER is not supported: tensors of at most 2^31 bytes, found 4294967296}}
  %0 = nn.gather %x at %i axis 0 : (tensor<1073741824xf32>, tensor<i32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// Reshapes may have any rank, other operations at most 8.
func.func @rank(%x: tensor<2x2x2x2x2x2x2x2x2xf32>) -> tensor<2x2x2x2x2x2x2x2x2xf32> {
  %0 = nn.reshape %x to [1, 2, 2, 2, 2, 2, 2, 2, 2, 2] : (tensor<2x2x2x2x2x2x2x2x2xf32>) -> tensor<1x2x2x2x2x2x2x2x2x2xf32>
  // expected-error @+1 {{TRANSPOSE is not supported: rank of a tensor, found 10, limit 8}}
  %1 = nn.transpose %0 permutation [9, 8, 7, 6, 5, 4, 3, 2, 1, 0] : (tensor<1x2x2x2x2x2x2x2x2x2xf32>) -> tensor<2x2x2x2x2x2x2x2x2x1xf32>
  %2 = nn.reshape %1 to [2, 2, 2, 2, 2, 2, 2, 2, 2] : (tensor<2x2x2x2x2x2x2x2x2x1xf32>) -> tensor<2x2x2x2x2x2x2x2x2xf32>
  return %2 : tensor<2x2x2x2x2x2x2x2x2xf32>
}
