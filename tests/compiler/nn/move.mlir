// RUN: avocet-opt %s --canonicalize | avocet-opt | FileCheck %s

// Orders of axes compose, and vanish when they cancel.
// CHECK-LABEL: func.func @transposes(
// CHECK-SAME: %[[X:.*]]: tensor<1x2x3x4xf16>
func.func @transposes(%x: tensor<1x2x3x4xf16>) -> (tensor<1x2x3x4xf16>, tensor<4x3x2x1xf16>) {
  %0 = nn.transpose %x permutation [0, 2, 3, 1] : (tensor<1x2x3x4xf16>) -> tensor<1x3x4x2xf16>
  %1 = nn.transpose %0 permutation [0, 3, 1, 2] : (tensor<1x3x4x2xf16>) -> tensor<1x2x3x4xf16>
  // CHECK: %[[T:.*]] = nn.transpose %[[X]] permutation [3, 2, 1, 0] : (tensor<1x2x3x4xf16>) -> tensor<4x3x2x1xf16>
  %2 = nn.transpose %0 permutation [2, 1, 3, 0] : (tensor<1x3x4x2xf16>) -> tensor<4x3x2x1xf16>
  // CHECK: return %[[X]], %[[T]]
  return %1, %2 : tensor<1x2x3x4xf16>, tensor<4x3x2x1xf16>
}
