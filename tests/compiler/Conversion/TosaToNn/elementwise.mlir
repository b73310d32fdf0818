// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s -split-input-file --convert-tosa-to-nn | FileCheck %s

// Functions of the same operands have no other form.
// CHECK-LABEL: func.func @main
func.func @main(%a: tensor<2x3xf32>, %b: tensor<1x3xf32>, %p: tensor<2x3xi1>) -> (tensor<2x3xf32>, tensor<2x3xi1>) {
  // CHECK: nn.unary abs %{{.*}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %0 = tosa.abs %a : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: nn.logistic
  %1 = tosa.sigmoid %0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: nn.pow %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  %2 = tosa.pow %1, %b : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  // CHECK: nn.compare greater
  %3 = tosa.greater %2, %b : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xi1>
  // CHECK: nn.compare not_equal %{{.*}}, %{{.*}} : (tensor<2x3xi1>, tensor<2x3xi1>)
  %4 = tosa.logical_xor %3, %p : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<2x3xi1>
  // The operands of a selection have one shape.
  // CHECK: %[[B:.*]] = nn.tile %arg1 multiples [2, 1]
  // CHECK: nn.select %{{.*}}, %{{.*}}, %[[B]]
  %5 = tosa.select %4, %2, %b : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  // CHECK: %[[ONE:.*]] = nn.constant dense<1.0
  // CHECK: nn.div %[[ONE]], %{{.*}} : (tensor<f32>, tensor<2x3xf32>)
  %6 = tosa.reciprocal %5 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %6, %4 : tensor<2x3xf32>, tensor<2x3xi1>
}

// -----

// NaN is propagated without further operations, and ignored with them.
// CHECK-LABEL: func.func @main
func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  // CHECK-NEXT: %[[MAX:.*]] = nn.maximum %arg0, %arg1
  %0 = tosa.maximum %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  // CHECK-NEXT: %[[A:.*]] = nn.compare not_equal %arg0, %arg0
  // CHECK-NEXT: %[[MIN:.*]] = nn.minimum %arg0, %arg1
  // CHECK-NEXT: %[[EITHER:.*]] = nn.select %[[A]], %arg1, %[[MIN]]
  // CHECK-NEXT: %[[B:.*]] = nn.compare not_equal %arg1, %arg1
  // CHECK-NEXT: nn.select %[[B]], %arg0, %[[EITHER]]
  %1 = tosa.minimum %a, %b {nan_mode = IGNORE} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}

// -----

// Floats are rounded to even numbers before they become integers; integers keep their low bits.
// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<4xf16>) -> tensor<4xi8> {
  // CHECK-NEXT: %[[ROUNDED:.*]] = nn.unary round %arg0
  // CHECK-NEXT: %[[WIDE:.*]] = nn.cast %[[ROUNDED]] wraps : (tensor<4xf16>) -> tensor<4xi32>
  %0 = tosa.cast %x : (tensor<4xf16>) -> tensor<4xi32>
  // CHECK-NEXT: nn.cast %[[WIDE]] wraps : (tensor<4xi32>) -> tensor<4xi8>
  %1 = tosa.cast %0 : (tensor<4xi32>) -> tensor<4xi8>
  return %1 : tensor<4xi8>
}

// -----

// CHECK-LABEL: func.func @main
func.func @main(%a: tensor<4xi32>, %b: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>) {
  %zero = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %three = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
  // CHECK-NEXT: nn.mul %arg0, %arg1 : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %0 = tosa.mul %a, %b, %zero : (tensor<4xi32>, tensor<4xi32>, tensor<1xi8>) -> tensor<4xi32>
  // A product that is shifted has 64 bits.
  // CHECK-DAG: %[[A:.*]] = nn.cast %arg0 : (tensor<4xi32>) -> tensor<4xi64>
  // CHECK-DAG: %[[B:.*]] = nn.cast %arg1 : (tensor<4xi32>) -> tensor<4xi64>
  // CHECK: %[[PRODUCT:.*]] = nn.mul %[[A]], %[[B]]
  // CHECK: %[[SHIFTED:.*]] = nn.binary rounding_right_shift %[[PRODUCT]]
  // CHECK: nn.cast %[[SHIFTED]] wraps : (tensor<4xi64>) -> tensor<4xi32>
  %1 = tosa.mul %a, %b, %three : (tensor<4xi32>, tensor<4xi32>, tensor<1xi8>) -> tensor<4xi32>
  return %0, %1 : tensor<4xi32>, tensor<4xi32>
}

// -----

// A clamp has its operand's zero point, so that it fuses with the operation before it.
// CHECK: !perTensor = !quant.uniform<i8:f32, 1.000000e+00>
// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<1x4x4x2xi8>) -> tensor<1x2x2x2xi8> {
  // CHECK-NEXT: %[[Q:.*]] = nn.bitcast %arg0 to !perTensor
  // CHECK-NEXT: %[[POOL:.*]] = nn.max_pool_2d %[[Q]] kernel [2, 2] stride [2, 2]
  // CHECK-NEXT: %[[CLAMP:.*]] = nn.clamp from -3.000000e+00 to 9.900000e+01 %[[POOL]]
  // CHECK-NEXT: %[[Y:.*]] = nn.bitcast %[[CLAMP]] to i8
  // CHECK-NEXT: return %[[Y]]
  %0 = tosa.max_pool2d %x {kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>}
      : (tensor<1x4x4x2xi8>) -> tensor<1x2x2x2xi8>
  %1 = tosa.clamp %0 {min_val = -3 : i8, max_val = 99 : i8} : (tensor<1x2x2x2xi8>) -> tensor<1x2x2x2xi8>
  return %1 : tensor<1x2x2x2xi8>
}
