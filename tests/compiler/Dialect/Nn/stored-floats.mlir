// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --canonicalize | avocet-opt | FileCheck %s
// RUN: avocet-opt %s --emit-bytecode | avocet-opt --canonicalize | FileCheck %s

// Numbers of bf16 are moved and converted.
// CHECK-LABEL: func.func @main(
func.func @main(%p: tensor<2x3xi1>, %x: tensor<2x3xbf16>, %i: tensor<4xi32>, %at: tensor<2x1xi32>)
    -> (tensor<4x3xbf16>, tensor<4x3xbf16>, tensor<2x3xui8>, tensor<2x3xi16>) {
  // CHECK: %[[C:.*]] = nn.constant dense<{{\[\[}}1.000000e+00, -2.500000e+00, 3.375000e+00],
  %c = nn.constant dense<[[1.0, -2.5, 3.38], [0.0, 0xFF80, 0x7FC0]]> : tensor<2x3xbf16>
  // CHECK: nn.select %{{.*}}, %{{.*}}, %[[C]] : (tensor<2x3xi1>, tensor<2x3xbf16>, tensor<2x3xbf16>)
  %0 = nn.select %p, %x, %c : (tensor<2x3xi1>, tensor<2x3xbf16>, tensor<2x3xbf16>) -> tensor<2x3xbf16>
  // CHECK: nn.scatter_nd set
  %1 = nn.scatter_nd set %0 at %at, %c : (tensor<2x3xbf16>, tensor<2x1xi32>, tensor<2x3xbf16>) -> tensor<2x3xbf16>
  // CHECK: nn.gather
  %2 = nn.gather %1 at %i axis 0 : (tensor<2x3xbf16>, tensor<4xi32>) -> tensor<4x3xbf16>
  // CHECK: nn.concatenation
  %3 = nn.concatenation %0, %c axis 0 : (tensor<2x3xbf16>, tensor<2x3xbf16>) -> tensor<4x3xbf16>
  // CHECK: nn.cast %{{.*}} : (tensor<2x3xbf16>) -> tensor<2x3xui8>
  %4 = nn.cast %x : (tensor<2x3xbf16>) -> tensor<2x3xui8>
  // CHECK: nn.bitcast %{{.*}} to i16 : (tensor<2x3xbf16>) -> tensor<2x3xi16>
  %5 = nn.bitcast %x to i16 : (tensor<2x3xbf16>) -> tensor<2x3xi16>
  return %2, %3, %4, %5 : tensor<4x3xbf16>, tensor<4x3xbf16>, tensor<2x3xui8>, tensor<2x3xi16>
}
