// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --split-input-file --verify-diagnostics

func.func @window(%in: tensor<4x4x8xi8>) -> tensor<4x4x8xi8> attributes {npu.layers = [{}]} {
  // expected-error @below {{output height is 4, the window gives 2}}
  %0 = npu.pool %in {window = {kernelHeight = 3}} layer 0 : tensor<4x4x8xi8> -> tensor<4x4x8xi8>
  return %0 : tensor<4x4x8xi8>
}

// -----

func.func @weights(%in: tensor<4x4x8xi8>) -> tensor<4x4x16xi8> attributes {npu.layers = [{}]} {
  %w = npu.constant dense<1> : tensor<100xi8> : tensor<100xi8>
  %r = npu.constant dense<0> : tensor<192xi8> : tensor<192xi8>
  // expected-error @below {{weights have 100 bytes, must have 128}}
  %0 = npu.conv %in, %w, %r {} layer 0 : tensor<4x4x8xi8>, tensor<100xi8>, tensor<192xi8> -> tensor<4x4x16xi8>
  return %0 : tensor<4x4x16xi8>
}

// -----

func.func @shapes(%in: tensor<4x4x8xi8>) -> tensor<4x4x8xi8> attributes {npu.layers = [{}]} {
  // expected-error @below {{must not have shapes, addresses or a block}}
  %0 = npu.pool %in {input = {height = 4}} layer 0 : tensor<4x4x8xi8> -> tensor<4x4x8xi8>
  return %0 : tensor<4x4x8xi8>
}

// -----

func.func @weightAddress(%in: tensor<4x4x8xi8>) -> tensor<4x4x16xi8> attributes {npu.layers = [{}]} {
  %w = npu.constant dense<1> : tensor<128xi8> : tensor<128xi8>
  %r = npu.constant dense<0> : tensor<192xi8> : tensor<192xi8>
  // expected-error @below {{must not have shapes, addresses or a block}}
  %0 = npu.conv %in, %w, %r {weights = 64} layer 0 : tensor<4x4x8xi8>, tensor<128xi8>, tensor<192xi8> -> tensor<4x4x16xi8>
  return %0 : tensor<4x4x16xi8>
}

// -----

func.func @tableAddress(%in: tensor<4x4x8xi8>) -> tensor<4x4x8xi8> attributes {npu.layers = [{}]} {
  %t = npu.constant dense<0> : tensor<256xi8> : tensor<256xi8>
  // expected-error @below {{must not have shapes, addresses or a block}}
  %0 = npu.lookup %in, %t {table = 64} layer 0 : tensor<4x4x8xi8>, tensor<256xi8> -> tensor<4x4x8xi8>
  return %0 : tensor<4x4x8xi8>
}

// -----

func.func @view(%in: tensor<4x4x8xi8>) -> tensor<1x1x127xi8> attributes {npu.layers = []} {
  // expected-error @below {{same number of bytes}}
  %0 = npu.view %in : tensor<4x4x8xi8> -> tensor<1x1x127xi8>
  return %0 : tensor<1x1x127xi8>
}

// -----

func.func @kernel(%in: tensor<4x4x8xi8>) -> tensor<4x4x8xi8> attributes {npu.layers = [{}]} {
  // expected-error @below {{noSuchKernel}}
  %0 = npu.dsp "noSuchKernel"(%in) zero_points [0] -> [0] layer 0 : (tensor<4x4x8xi8>) -> tensor<4x4x8xi8>
  return %0 : tensor<4x4x8xi8>
}

// -----

func.func @field(%in: tensor<4x4x8xi8>) -> tensor<4x4x8xi8> attributes {npu.layers = [{}]} {
  // expected-error @below {{command has no field 'kernels'}}
  %0 = npu.pool %in {kernels = 1} layer 0 : tensor<4x4x8xi8> -> tensor<4x4x8xi8>
  return %0 : tensor<4x4x8xi8>
}

// -----

func.func @residualWithoutAddend(%in: tensor<4x4x8xi8>) -> tensor<4x4x16xi8> attributes {npu.layers = [{}]} {
  %w = npu.constant dense<1> : tensor<128xi8> : tensor<128xi8>
  %r = npu.constant dense<0> : tensor<192xi8> : tensor<192xi8>
  // expected-error @below {{a residual addition needs an addend}}
  %0 = npu.conv %in, %w, %r {residual = {leftShift = 20}} layer 0 : tensor<4x4x8xi8>, tensor<128xi8>, tensor<192xi8> -> tensor<4x4x16xi8>
  return %0 : tensor<4x4x16xi8>
}

// -----

func.func @addendOfOtherType(%in: tensor<4x4x8xi8>) -> tensor<4x4x16xi8> attributes {npu.layers = [{}]} {
  %w = npu.constant dense<1> : tensor<128xi8> : tensor<128xi8>
  %r = npu.constant dense<0> : tensor<192xi8> : tensor<192xi8>
  // expected-error @below {{addend 'tensor<4x4x8xi8>' must have the type of the result, 'tensor<4x4x16xi8>'}}
  %0 = npu.conv %in, %w, %r add %in {residual = {leftShift = 20}} layer 0 : tensor<4x4x8xi8>, tensor<128xi8>, tensor<192xi8> add tensor<4x4x8xi8> -> tensor<4x4x16xi8>
  return %0 : tensor<4x4x16xi8>
}
