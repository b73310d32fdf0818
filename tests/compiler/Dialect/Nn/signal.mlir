// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s | avocet-opt | FileCheck %s

// A shorter line continues with zeros, a longer one is cut off.
// CHECK-LABEL: func.func @rfft(
func.func @rfft(%x: tensor<2x3x6xf32>) -> (tensor<2x3x5xf32>, tensor<2x3x5xf32>, tensor<2x3x1xf32>) {
  // CHECK: nn.rfft %{{.*}} points 8 : (tensor<2x3x6xf32>) -> (tensor<2x3x5xf32>, tensor<2x3x5xf32>)
  %real, %imaginary = nn.rfft %x points 8 : (tensor<2x3x6xf32>) -> (tensor<2x3x5xf32>, tensor<2x3x5xf32>)
  // CHECK: nn.rfft %{{.*}} points 1 :
  %mean, %zero = nn.rfft %x points 1 : (tensor<2x3x6xf32>) -> (tensor<2x3x1xf32>, tensor<2x3x1xf32>)
  return %real, %imaginary, %mean : tensor<2x3x5xf32>, tensor<2x3x5xf32>, tensor<2x3x1xf32>
}
