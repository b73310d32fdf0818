// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --nn-canonicalize | FileCheck %s
// Operations that change nothing become their operand.

!x = !quant.uniform<i8:f32, 0.5>

// CHECK-LABEL: func.func @moves(
// CHECK-SAME: %[[X:.*]]: tensor<2x3xf32>
func.func @moves(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = nn.transpose %x permutation [0, 1] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = nn.slice %0 begin [0, 0] size [2, 3] strides [1, 1] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = nn.tile %1 multiples [1, 1] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %3 = nn.pad %2 low [0, 0] high [0, 0] value 1.0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %4 = nn.concatenation %3 axis 0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %5 = nn.cast %4 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK-NEXT: return %[[X]]
  return %5 : tensor<2x3xf32>
}

// A slice of all elements in the other order is none.
// CHECK-LABEL: func.func @reversed(
// CHECK: nn.slice
func.func @reversed(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = nn.slice %x begin [2] size [3] strides [-1] : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: func.func @neutralIntegers(
// CHECK-SAME: %[[X:.*]]: tensor<2x3xi32>
func.func @neutralIntegers(%x: tensor<2x3xi32>) -> tensor<2x3xi32> {
  %zero = nn.constant dense<0> : tensor<3xi32>
  %one = nn.constant dense<[1, 1, 1]> : tensor<3xi32>
  %0 = nn.add %x, %zero : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  %1 = nn.add %zero, %0 : (tensor<3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  %2 = nn.sub %1, %zero : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  %3 = nn.mul %2, %one : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  %4 = nn.mul %one, %3 : (tensor<3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  %5 = nn.div %4, %one : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  %6 = nn.binary floor_div %5, %one : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  %7 = nn.binary right_shift %6, %zero : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  %8 = nn.binary bitwise_xor %zero, %7 : (tensor<3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  // CHECK-NEXT: return %[[X]]
  return %8 : tensor<2x3xi32>
}

// Not if the other operand has more elements, an activation follows, or the operand is the wrong one.
// CHECK-LABEL: func.func @notNeutral(
func.func @notNeutral(%x: tensor<3xi32>) -> (tensor<2x3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>) {
  %zeros = nn.constant dense<0> : tensor<2x3xi32>
  %zero = nn.constant dense<0> : tensor<3xi32>
  %one = nn.constant dense<1> : tensor<3xi32>
  // CHECK: nn.add
  %0 = nn.add %x, %zeros : (tensor<3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  // CHECK: nn.add
  %1 = nn.add %x, %zero activation relu : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
  // CHECK: nn.sub
  %2 = nn.sub %zero, %x : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
  // CHECK: nn.div
  %3 = nn.div %one, %x : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
  return %0, %1, %2, %3 : tensor<2x3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>
}

// -0 + 0 is 0, and quantized sums are rescaled.
// CHECK-LABEL: func.func @otherElements(
func.func @otherElements(%x: tensor<3xf32>, %q: tensor<3x!x>) -> (tensor<3xf32>, tensor<3x!x>) {
  %zero = nn.constant dense<0.0> : tensor<3xf32>
  %stored = nn.constant dense<0> : tensor<3xi8> as tensor<3x!x>
  // CHECK: nn.add
  %0 = nn.add %x, %zero : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  // CHECK: nn.add
  %1 = nn.add %q, %stored : (tensor<3x!x>, tensor<3x!x>) -> tensor<3x!x>
  return %0, %1 : tensor<3xf32>, tensor<3x!x>
}

// CHECK-LABEL: func.func @equalOperands(
// CHECK-SAME: %[[X:.*]]: tensor<3xf32>, %[[C:.*]]: tensor<3xi1>, %[[Y:.*]]: tensor<3xf32>
func.func @equalOperands(%x: tensor<3xf32>, %c: tensor<3xi1>, %y: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %true = nn.constant dense<true> : tensor<3xi1>
  %false = nn.constant dense<false> : tensor<3xi1>
  %0 = nn.minimum %x, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %1 = nn.maximum %0, %0 : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %2 = nn.select %c, %1, %1 : (tensor<3xi1>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %3 = nn.select %true, %x, %y : (tensor<3xi1>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %4 = nn.select %false, %x, %y : (tensor<3xi1>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  // CHECK-NEXT: return %[[X]], %[[X]], %[[Y]]
  return %2, %3, %4 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}

// Truth values of inputs may be any byte, and these operations make 0 or 1 of it.
// CHECK-LABEL: func.func @truth(
// CHECK-SAME: %[[X:.*]]: tensor<2xi32>, %[[C:.*]]: tensor<2xi1>
func.func @truth(%x: tensor<2xi32>, %c: tensor<2xi1>) -> (tensor<2xi1>, tensor<2xi1>, tensor<2xi1>) {
  %true = nn.constant dense<true> : tensor<2xi1>
  %false = nn.constant dense<false> : tensor<2xi1>
  %zero = nn.constant dense<0> : tensor<2xi32>
  // CHECK: %[[POSITIVE:.*]] = nn.compare greater
  %0 = nn.compare greater %x, %zero : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  %1 = nn.logical and %0, %true : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  %2 = nn.logical or %false, %1 : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  %3 = nn.logical and %2, %2 : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  %4 = nn.cast %3 : (tensor<2xi1>) -> tensor<2xi1>
  // CHECK-NEXT: %[[AND:.*]] = nn.logical and %[[C]]
  %5 = nn.logical and %c, %true : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  // CHECK-NEXT: %[[CAST:.*]] = nn.cast %[[C]]
  %6 = nn.cast %c : (tensor<2xi1>) -> tensor<2xi1>
  // CHECK-NEXT: return %[[POSITIVE]], %[[AND]], %[[CAST]]
  return %4, %5, %6 : tensor<2xi1>, tensor<2xi1>, tensor<2xi1>
}
