// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --split-input-file --verify-diagnostics

func.func @gatherShape(%x: tensor<2x3xf32>, %i: tensor<5xi32>) {
  // expected-error @+1 {{result 0 has the shape [5, 3], operands and attributes give [2, 5]}}
  %0 = nn.gather %x at %i axis 1 : (tensor<2x3xf32>, tensor<5xi32>) -> tensor<5x3xf32>
  return
}

// -----

func.func @gatherAxis(%x: tensor<f32>, %i: tensor<5xi32>) {
  // expected-error @+1 {{axis 0 is outside of rank 0}}
  %0 = nn.gather %x at %i axis 0 : (tensor<f32>, tensor<5xi32>) -> tensor<5xf32>
  return
}

// -----

func.func @keys(%l: tensor<4xi32>, %k: tensor<2xi32>, %v: tensor<3x2xf32>) {
  // expected-error @+1 {{keys has the shape [2], must have [3]}}
  %0, %1 = nn.hashtable_lookup %l in %k, %v : (tensor<4xi32>, tensor<2xi32>, tensor<3x2xf32>) -> (tensor<4x2xf32>, tensor<4xi1>)
  return
}

// -----

func.func @bits(%s: tensor<1x33xf32>, %x: tensor<3x2xi32>) {
  // expected-error @+1 {{a hash has 33 bits, must have at most 32}}
  %0 = nn.lsh_projection dense %s, %x : (tensor<1x33xf32>, tensor<3x2xi32>) -> tensor<33xi32>
  return
}

// -----

func.func @grids(%x: tensor<1x3x4x5xf32>) {
  // expected-error @+1 {{align_corners and half_pixel_centers exclude each other}}
  %0 = nn.resize nearest %x to [6, 8] align_corners half_pixel_centers : (tensor<1x3x4x5xf32>) -> tensor<1x6x8x5xf32>
  return
}

// -----

func.func @channels(%x: tensor<1x3x4x5xf32>) {
  // expected-error @+1 {{result 0 has the shape [1, 6, 8, 6], operands and attributes give [1, 6, 8, 5]}}
  %0 = nn.resize nearest %x to [6, 8] : (tensor<1x3x4x5xf32>) -> tensor<1x6x8x6xf32>
  return
}

// -----

func.func @topkCount(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{takes 4 of 3 elements}}
  %0:2 = nn.topk_v2 %x k 4 : (tensor<2x3xf32>) -> (tensor<2x4xf32>, tensor<2x4xi32>)
  return
}

// -----

func.func @topkIndices(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{result 1 has the shape [2, 3], operands and attributes give [2, 2]}}
  %0:2 = nn.topk_v2 %x k 2 : (tensor<2x3xf32>) -> (tensor<2x2xf32>, tensor<2x3xi32>)
  return
}
