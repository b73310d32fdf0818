// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --nn-canonicalize | FileCheck %s

!x = !quant.uniform<i8:f32, 0.5>

// CHECK-LABEL: func.func @reshapes(
// CHECK-SAME: %[[X:.*]]: tensor<2x3x4xf32>
func.func @reshapes(%x: tensor<2x3x4xf32>) -> (tensor<24xf32>, tensor<2x3x4xf32>) {
  // CHECK-NEXT: %[[R:.*]] = nn.reshape %[[X]] to [24] : (tensor<2x3x4xf32>) -> tensor<24xf32>
  %0 = nn.reshape %x to [6, 4] : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
  %1 = nn.reshape %0 to [24] : (tensor<6x4xf32>) -> tensor<24xf32>
  %2 = nn.reshape %1 to [2, 3, 4] : (tensor<24xf32>) -> tensor<2x3x4xf32>
  // CHECK-NEXT: return %[[R]], %[[X]]
  return %1, %2 : tensor<24xf32>, tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @nothingToDo(
// CHECK-SAME: %[[X:.*]]: tensor
func.func @nothingToDo(%x: tensor<2x3x!x>) -> tensor<2x3x!x> {
  %0 = nn.pad %x low [0, 0] high [0, 0] : (tensor<2x3x!x>) -> tensor<2x3x!x>
  %1 = nn.concatenation %0 axis 1 : (tensor<2x3x!x>) -> tensor<2x3x!x>
  %2 = nn.quantize %1 : (tensor<2x3x!x>) -> tensor<2x3x!x>
  %3 = nn.reshape %2 to [2, 3] : (tensor<2x3x!x>) -> tensor<2x3x!x>
  // CHECK-NEXT: return %[[X]]
  return %3 : tensor<2x3x!x>
}

// CHECK-LABEL: func.func @deadCode(
func.func @deadCode(%x: tensor<2xf32>) -> tensor<2xf32> {
  // CHECK-NOT: nn.constant
  %c = nn.constant dense<1.0> : tensor<2xf32>
  %0 = nn.add %x, %c : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  // CHECK: return
  return %x : tensor<2xf32>
}
