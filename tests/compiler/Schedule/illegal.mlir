// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --split-input-file --verify-diagnostics --npu-schedule=target=e256

// The array has no 64-bit integers, so the operation is refused before planning.
func.func @type(%in: tensor<4x4x8xi64>) -> tensor<4x4x8xi64> attributes {npu.layers = [{}]} {
  // expected-error @below {{i64}}
  %0 = npu.pool %in {} layer 0 : tensor<4x4x8xi64> -> tensor<4x4x8xi64>
  return %0 : tensor<4x4x8xi64>
}

// -----

func.func @notPlaced(%in: tensor<4x4x8xi8>) -> tensor<4x4x8xi8> attributes {npu.layers = [{}]} {
  // expected-error @below {{is not allowed at the placed level}}
  %0 = builtin.unrealized_conversion_cast %in : tensor<4x4x8xi8> to tensor<4x4x8xi8>
  return %0 : tensor<4x4x8xi8>
}
