// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s -split-input-file --convert-tosa-to-nn | FileCheck %s
// RUN: avocet-opt %s -split-input-file --convert-tosa-to-nn --nn-canonicalize --nn-fuse-rescale | FileCheck %s --check-prefix=FUSED

// A convolution has sums, which its rescale reads; both become one operation.
// CHECK-LABEL: func.func @main
// CHECK: %[[W:.*]] = nn.constant {{.*}} as tensor<2x1x1x3x!{{.*}}>
// CHECK: %[[SUMS:.*]] = nn.conv_2d %{{.*}}, %[[W]], %{{.*}} : ({{.*}}) -> tensor<1x4x4x2xi32>
// CHECK: %[[SCALED:.*]] = nn.rescale %[[SUMS]] numerics single_round [1073741824, 1518500249] >> [37, 38]
// CHECK: nn.bitcast %[[SCALED]] to i8
// FUSED-LABEL: func.func @main
// FUSED: nn.conv_2d {{.*}} numerics single_round [1073741824, 1518500249] >> [37, 38]
// FUSED-NOT: nn.rescale
func.func @main(%x: tensor<1x4x4x3xi8>) -> tensor<1x4x4x2xi8> {
  %w = "tosa.const"() <{values = dense<[[[[1, -2, 3]]], [[[4, 5, -6]]]]> : tensor<2x1x1x3xi8>}> : () -> tensor<2x1x1x3xi8>
  %b = "tosa.const"() <{values = dense<[10, -20]> : tensor<2xi32>}> : () -> tensor<2xi32>
  %xz = "tosa.const"() <{values = dense<5> : tensor<1xi8>}> : () -> tensor<1xi8>
  %wz = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %0 = tosa.conv2d %x, %w, %b, %xz, %wz {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>}
      : (tensor<1x4x4x3xi8>, tensor<2x1x1x3xi8>, tensor<2xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x4x4x2xi32>
  %m = "tosa.const"() <{values = dense<[1073741824, 1518500249]> : tensor<2xi32>}> : () -> tensor<2xi32>
  %s = "tosa.const"() <{values = dense<[37, 38]> : tensor<2xi8>}> : () -> tensor<2xi8>
  %zero = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %yz = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
  %1 = tosa.rescale %0, %m, %s, %zero, %yz {scale32 = true, rounding_mode = SINGLE_ROUND, per_channel = true, input_unsigned = false, output_unsigned = false}
      : (tensor<1x4x4x2xi32>, tensor<2xi32>, tensor<2xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x4x4x2xi8>
  return %1 : tensor<1x4x4x2xi8>
}

// -----

// FUSED-LABEL: func.func @main
// Rows before the first ones are those of a larger filter.
// CHECK-LABEL: func.func @main
// CHECK: nn.transpose_conv_2d {{.*}} stride [2, 2] : (tensor<1x2x2x1xf32>, tensor<1x3x2x1xf32>, tensor<1xf32>) -> tensor<1x5x4x1xf32>
func.func @main(%x: tensor<1x2x2x1xf32>) -> tensor<1x5x4x1xf32> {
  %w = "tosa.const"() <{values = dense<1.5> : tensor<1x2x2x1xf32>}> : () -> tensor<1x2x2x1xf32>
  %b = "tosa.const"() <{values = dense<0.5> : tensor<1xf32>}> : () -> tensor<1xf32>
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %0 = tosa.transpose_conv2d %x, %w, %b, %z, %z {acc_type = f32, out_pad = array<i64: 1, 0, 0, 0>, stride = array<i64: 2, 2>}
      : (tensor<1x2x2x1xf32>, tensor<1x2x2x1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x5x4x1xf32>
  return %0 : tensor<1x5x4x1xf32>
}

// -----

// Unsigned numbers are signless integers; their zero points are stored as signed ones.
// CHECK-DAG: !{{.*}} = !quant.uniform<u8:f32, 1.000000e+00:200>
// CHECK-LABEL: func.func @main
// CHECK: nn.rescale {{.*}} double_round [1073741824] >> [30]
func.func @main(%x: tensor<4xi8>) -> tensor<4xi8> {
  %m = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
  %xz = "tosa.const"() <{values = dense<-56> : tensor<1xi8>}> : () -> tensor<1xi8>
  %yz = "tosa.const"() <{values = dense<72> : tensor<1xi8>}> : () -> tensor<1xi8>
  %0 = tosa.rescale %x, %m, %s, %xz, %yz {scale32 = true, rounding_mode = DOUBLE_ROUND, per_channel = false, input_unsigned = true, output_unsigned = false}
      : (tensor<4xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}
