// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --split-input-file --verify-diagnostics

func.func @coordinates(%x: tensor<2x3xf32>, %i: tensor<5x3xi32>) {
  // expected-error @+1 {{indices have the shape [5, 3], the last axis must have 1 to 2 coordinates}}
  %0 = nn.gather_nd %x at %i : (tensor<2x3xf32>, tensor<5x3xi32>) -> tensor<5xf32>
  return
}

// -----

func.func @updates(%x: tensor<2x3xf32>, %i: tensor<5x1xi32>, %u: tensor<5x2xf32>) {
  // expected-error @+1 {{updates has the shape [5, 2], must have [5, 3]}}
  %0 = nn.scatter_nd sum %x at %i, %u : (tensor<2x3xf32>, tensor<5x1xi32>, tensor<5x2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @storedFloats(%x: tensor<2x3xbf16>, %i: tensor<5x1xi32>, %u: tensor<5x3xbf16>) {
  // expected-error @+1 {{there is no max of 'bf16'}}
  %0 = nn.scatter_nd max %x at %i, %u : (tensor<2x3xbf16>, tensor<5x1xi32>, tensor<5x3xbf16>) -> tensor<2x3xbf16>
  return
}

// -----

func.func @truth(%x: tensor<2x3xi1>, %i: tensor<5x1xi32>, %u: tensor<5x3xi1>) {
  // expected-error @+1 {{there is no sum of 'i1'}}
  %0 = nn.scatter_nd sum %x at %i, %u : (tensor<2x3xi1>, tensor<5x1xi32>, tensor<5x3xi1>) -> tensor<2x3xi1>
  return
}
