// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s -split-input-file --convert-tosa-to-nn | FileCheck %s

// Rows have a kernel, columns are products with a matrix.
// CHECK: %[[R:.*]], %[[I:.*]] = nn.rfft %arg0 points 4 : (tensor<1x2x4xf32>) -> (tensor<1x2x3xf32>, tensor<1x2x3xf32>)
// CHECK: %[[LINES:.*]] = nn.concatenation %[[R]], %[[I]] axis 1
// CHECK: %[[P:.*]] = nn.batch_matmul %{{.*}}, %[[LINES]] : (tensor<4x4xf32>, tensor<1x4x3xf32>) -> tensor<1x4x3xf32>
// CHECK: nn.slice %[[P]] begin [0, 0, 0] size [1, 2, 3]
// CHECK: nn.slice %[[P]] begin [0, 2, 0] size [1, 2, 3]
func.func @main(%x: tensor<1x2x4xf32>) -> (tensor<1x2x3xf32>, tensor<1x2x3xf32>) {
  %0, %1 = tosa.rfft2d %x : (tensor<1x2x4xf32>) -> (tensor<1x2x3xf32>, tensor<1x2x3xf32>)
  return %0, %1 : tensor<1x2x3xf32>, tensor<1x2x3xf32>
}

// -----

// The inverse transform is the conjugate of that of the conjugate.
// CHECK: nn.mul %arg1
// CHECK-COUNT-2: nn.transpose
// CHECK: nn.batch_matmul
// CHECK-COUNT-2: nn.transpose
// CHECK: nn.batch_matmul
// CHECK: nn.mul
func.func @main(%x: tensor<1x2x4xf32>, %y: tensor<1x2x4xf32>) -> (tensor<1x2x4xf32>, tensor<1x2x4xf32>) {
  %0, %1 = tosa.fft2d %x, %y {inverse = true} : (tensor<1x2x4xf32>, tensor<1x2x4xf32>) -> (tensor<1x2x4xf32>, tensor<1x2x4xf32>)
  return %0, %1 : tensor<1x2x4xf32>, tensor<1x2x4xf32>
}
