// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s | avocet-opt | FileCheck %s
// RUN: avocet-opt %s --emit-bytecode | avocet-opt | FileCheck %s

!q = !quant.uniform<i8:f32, 0.5:-3>
!r = !quant.uniform<i8:f32, 0.25:7>

// CHECK-LABEL: func.func @products
func.func @products(%a: tensor<2x1x3x4xf32>, %b: tensor<5x4x6xf32>, %c: tensor<4x3xf16>, %d: tensor<6x4xf16>, %q: tensor<3x4x!q>, %r: tensor<4x2x!r>) {
  // CHECK: nn.batch_matmul %arg0, %arg1 : (tensor<2x1x3x4xf32>, tensor<5x4x6xf32>) -> tensor<2x5x3x6xf32>
  %0 = nn.batch_matmul %a, %b : (tensor<2x1x3x4xf32>, tensor<5x4x6xf32>) -> tensor<2x5x3x6xf32>
  // CHECK: nn.batch_matmul %arg2, %arg3 transpose_lhs transpose_rhs :
  %1 = nn.batch_matmul %c, %d transpose_lhs transpose_rhs : (tensor<4x3xf16>, tensor<6x4xf16>) -> tensor<3x6xf16>
  // CHECK: nn.batch_matmul %arg4, %arg5 :
  %2 = nn.batch_matmul %q, %r : (tensor<3x4x!q>, tensor<4x2x!r>) -> tensor<3x2x!q>
  return
}
