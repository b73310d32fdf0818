// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s -split-input-file --convert-nn-to-tosa | FileCheck %s

!x = !quant.uniform<i8:f32, 0.5:-3>
!y = !quant.uniform<i8:f32, 0.25:5>
!w = !quant.uniform<i8:f32:0, {0.5, 0.0625}>

// The multiplier is 31 bits of 0.5 * 0.5 / 0.25, and of 0.125. Row and column after the last window are cut off.
// CHECK: module attributes {tosa.target_env = #tosa.target_env<specification_version = "1.0",
// CHECK: func.func @main(%[[X:.*]]: tensor<1x4x4x1xi8> {nn.name = "in"}) -> tensor<1x2x2x2xi8>
// CHECK-DAG: %[[W:.*]] = "tosa.const"() <{values = dense<7> : tensor<2x1x1x1xi8>}>
// CHECK-DAG: %[[B:.*]] = "tosa.const"() <{values = dense<[1, 2]> : tensor<2xi32>}>
// CHECK-DAG: %[[M:.*]] = "tosa.const"() <{values = dense<1073741824> : tensor<2xi32>}>
// CHECK-DAG: %[[S:.*]] = "tosa.const"() <{values = dense<[30, 33]> : tensor<2xi8>}>
// CHECK-DAG: %[[XZERO:.*]] = "tosa.const"() <{values = dense<-3> : tensor<1xi8>}>
// CHECK-DAG: %[[YZERO:.*]] = "tosa.const"() <{values = dense<5> : tensor<1xi8>}>
// CHECK: %[[PART:.*]] = tosa.slice %[[X]], {{.*}} -> tensor<1x3x3x1xi8>
// CHECK: %[[SUMS:.*]] = tosa.conv2d %[[PART]], %[[W]], %[[B]], %[[XZERO]], %{{.*}} {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : {{.*}} -> tensor<1x2x2x2xi32>
// CHECK: %[[R:.*]] = tosa.rescale %[[SUMS]], %[[M]], %[[S]], %{{.*}}, %[[YZERO]] {input_unsigned = false, output_unsigned = false, per_channel = true, rounding_mode = DOUBLE_ROUND, scale32 = true}
// CHECK: tosa.clamp %[[R]] {max_val = 29 : i8, min_val = 5 : i8}
func.func @main(%x: tensor<1x4x4x1x!x> {nn.name = "in"}) -> tensor<1x2x2x2x!y> {
  %w = nn.constant dense<7> : tensor<2x1x1x1xi8> as tensor<2x1x1x1x!w>
  %b = nn.constant dense<[1, 2]> : tensor<2xi32>
  %0 = nn.conv_2d %x, %w, %b stride [2, 2] activation relu6 : (tensor<1x4x4x1x!x>, tensor<2x1x1x1x!w>, tensor<2xi32>) -> tensor<1x2x2x2x!y>
  return %0 : tensor<1x2x2x2x!y>
}

// -----

!x = !quant.uniform<i8:f32, 0.5:-3>
!y = !quant.uniform<i8:f32, 0.25:5>

// A sum of TensorFlow Lite shifts both numbers by 20 bits and rescales them to twice the larger scale.
// CHECK-DAG: %[[LEFT:.*]] = "tosa.const"() <{values = dense<20> : tensor<1xi32>}>
// CHECK: %[[A:.*]] = tosa.rescale %arg0, {{.*}} -> tensor<4xi32>
// CHECK: %[[B:.*]] = tosa.rescale %arg1, {{.*}} -> tensor<4xi32>
// CHECK: %[[ASHIFTED:.*]] = tosa.logical_left_shift %[[A]], %[[LEFT]]
// CHECK: %[[ASCALED:.*]] = tosa.rescale %[[ASHIFTED]], {{.*}} -> tensor<4xi32>
// CHECK: %[[BSHIFTED:.*]] = tosa.logical_left_shift %[[B]], %[[LEFT]]
// CHECK: %[[BSCALED:.*]] = tosa.rescale %[[BSHIFTED]], {{.*}} -> tensor<4xi32>
// CHECK: %[[SUM:.*]] = tosa.add %[[ASCALED]], %[[BSCALED]]
// CHECK: tosa.rescale %[[SUM]], {{.*}}DOUBLE_ROUND{{.*}} -> tensor<4xi8>
func.func @main(%a: tensor<4x!x>, %b: tensor<4x!y>) -> tensor<4x!x> {
  %0 = nn.add %a, %b : (tensor<4x!x>, tensor<4x!y>) -> tensor<4x!x>
  return %0 : tensor<4x!x>
}

// -----

!u = !quant.uniform<u8:f32, 0.5:125>
!i = !quant.uniform<i8:f32, 0.5:-3>

// Unsigned numbers stay unsigned at the border; a change of signedness is one rescale.
// CHECK: func.func @main(%[[X:.*]]: tensor<1x2x2x1xi8>) -> (tensor<1x2x2x1xi8>, tensor<1x1x1x1xi8>)
// CHECK-DAG: %[[LOWEST:.*]] = "tosa.const"() <{values = dense<-128> : tensor<1xi8>}>
// CHECK: %[[Q:.*]] = tosa.rescale %[[X]], {{.*}}input_unsigned = true, output_unsigned = false
// CHECK: %[[S:.*]] = tosa.rescale %[[X]], %{{.*}}, %{{.*}}, %[[LOWEST]], {{.*}}input_unsigned = true, output_unsigned = false
// CHECK: %[[P:.*]] = tosa.avg_pool2d %[[S]], %[[LOWEST]], %[[LOWEST]]
// CHECK: %[[U:.*]] = tosa.rescale %[[P]], {{.*}}input_unsigned = false, output_unsigned = true
// CHECK: return %[[Q]], %[[U]]
func.func @main(%x: tensor<1x2x2x1x!u>) -> (tensor<1x2x2x1x!i>, tensor<1x1x1x1x!u>) {
  %0 = nn.quantize %x : (tensor<1x2x2x1x!u>) -> tensor<1x2x2x1x!i>
  %1 = nn.average_pool_2d %x kernel [2, 2] : (tensor<1x2x2x1x!u>) -> tensor<1x1x1x1x!u>
  return %0, %1 : tensor<1x2x2x1x!i>, tensor<1x1x1x1x!u>
}

// -----

// Floats keep their operations; functions without one of TOSA become several.
// CHECK: %[[S:.*]] = tosa.sigmoid %arg0
// CHECK: %[[P:.*]] = tosa.mul %arg0, %[[S]],
// CHECK: %[[R:.*]] = tosa.rsqrt %[[P]]
// CHECK: tosa.reciprocal %[[R]]
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = nn.unary swish %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = nn.unary sqrt %0 : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
