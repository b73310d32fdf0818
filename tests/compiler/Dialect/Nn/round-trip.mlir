// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s | avocet-opt | FileCheck %s
// RUN: avocet-opt %s --emit-bytecode | avocet-opt | FileCheck %s

!x = !quant.uniform<i8:f32, 0.5:-3>
!y = !quant.uniform<i8:f32, 0.25:4>
!u = !quant.uniform<u8:f32, 0.5:125>
!w = !quant.uniform<i8:f32:0, {0.1, 0.2}>
!dw = !quant.uniform<i8:f32:3, {0.1, 0.2}>
!p = !quant.uniform<i8:f32, 3.906250e-03:-128>
!t = !quant.uniform<i8:f32, 7.812500e-03>
!cell = !quant.uniform<i16:f32, 2.44140625E-4>

// CHECK: !perAxis{{[0-9]*}} = !quant.uniform<i8:f32:{{[03]}}, {1.000000e-01,2.000000e-01}>
// CHECK-LABEL: func.func @convolutions(
// CHECK-SAME: {nn.name = "image"}
func.func @convolutions(%x: tensor<1x4x4x2x!x> {nn.name = "image"}) -> (tensor<1x2x2x2x!y> {nn.name = "scores"}) {
  // CHECK: nn.constant dense<1> : tensor<2x3x3x2xi8> as tensor<2x3x3x2x!perAxis{{[0-9]*}}>
  %w = nn.constant dense<1> : tensor<2x3x3x2xi8> as tensor<2x3x3x2x!w>
  // CHECK: nn.constant dense<[5, -6]> : tensor<2xi32>{{$}}
  %b = nn.constant dense<[5, -6]> : tensor<2xi32>
  %dw = nn.constant dense<2> : tensor<1x3x3x2xi8> as tensor<1x3x3x2x!dw>
  // CHECK: nn.conv_2d %{{.*}}, %{{.*}}, %{{.*}} pad [2, 2, 2, 2] activation relu :
  %0 = nn.conv_2d %x, %w, %b pad [2, 2, 2, 2] activation relu : (tensor<1x4x4x2x!x>, tensor<2x3x3x2x!w>, tensor<2xi32>) -> tensor<1x6x6x2x!y>
  // CHECK: nn.conv_2d %{{[0-9]+}}, %{{[0-9]+}} dilation [2, 1] pad [1, 1, 0, 0] :
  %1 = nn.conv_2d %0, %w dilation [2, 1] pad [1, 1, 0, 0] : (tensor<1x6x6x2x!y>, tensor<2x3x3x2x!w>) -> tensor<1x4x4x2x!y>
  // CHECK: nn.depthwise_conv_2d %{{.*}} stride [2, 2] pad [0, 1, 0, 1] :
  %2 = nn.depthwise_conv_2d %1, %dw, %b stride [2, 2] pad [0, 1, 0, 1] : (tensor<1x4x4x2x!y>, tensor<1x3x3x2x!dw>, tensor<2xi32>) -> tensor<1x2x2x2x!y>
  return %2 : tensor<1x2x2x2x!y>
}

// CHECK-LABEL: func.func @pools
func.func @pools(%x: tensor<1x4x4x2x!x>) -> tensor<1x2x!y> {
  // CHECK: nn.max_pool_2d %{{.*}} kernel [2, 2] stride [2, 2] activation relu6 :
  %0 = nn.max_pool_2d %x kernel [2, 2] stride [2, 2] activation relu6 : (tensor<1x4x4x2x!x>) -> tensor<1x2x2x2x!x>
  // CHECK: nn.average_pool_2d %{{.*}} kernel [3, 3] pad [1, 1, 1, 1] :
  %1 = nn.average_pool_2d %0 kernel [3, 3] pad [1, 1, 1, 1] : (tensor<1x2x2x2x!x>) -> tensor<1x2x2x2x!x>
  // CHECK: nn.mean %{{.*}} axes [1, 2] :
  %2 = nn.mean %1 axes [1, 2] : (tensor<1x2x2x2x!x>) -> tensor<1x2x!y>
  return %2 : tensor<1x2x!y>
}

// CHECK-LABEL: func.func @elementwise
func.func @elementwise(%x: tensor<1x4x2x!x>, %y: tensor<2x!y>, %u: tensor<1x4x2x!x>) -> tensor<1x4x2x!p> {
  // CHECK: nn.add %{{.*}}, %{{.*}} activation relu_n1_to_1 :
  %0 = nn.add %x, %y activation relu_n1_to_1 : (tensor<1x4x2x!x>, tensor<2x!y>) -> tensor<1x4x2x!x>
  // CHECK: nn.sub
  %1 = nn.sub %0, %x : (tensor<1x4x2x!x>, tensor<1x4x2x!x>) -> tensor<1x4x2x!x>
  // CHECK: nn.mul
  %2 = nn.mul %1, %x : (tensor<1x4x2x!x>, tensor<1x4x2x!x>) -> tensor<1x4x2x!x>
  // CHECK: nn.minimum
  %3 = nn.minimum %2, %u : (tensor<1x4x2x!x>, tensor<1x4x2x!x>) -> tensor<1x4x2x!x>
  // CHECK: nn.maximum
  %4 = nn.maximum %3, %u : (tensor<1x4x2x!x>, tensor<1x4x2x!x>) -> tensor<1x4x2x!x>
  // CHECK: nn.clamp relu6 %{{.*}} :
  %5 = nn.clamp relu6 %4 : (tensor<1x4x2x!x>) -> tensor<1x4x2x!y>
  // CHECK: nn.tanh
  %6 = nn.tanh %5 : (tensor<1x4x2x!y>) -> tensor<1x4x2x!t>
  // CHECK: nn.logistic
  %7 = nn.logistic %6 : (tensor<1x4x2x!t>) -> tensor<1x4x2x!p>
  // CHECK: nn.softmax %{{.*}} beta 2.000000e+00 :
  %8 = nn.softmax %7 beta 2.0 : (tensor<1x4x2x!p>) -> tensor<1x4x2x!p>
  return %8 : tensor<1x4x2x!p>
}

// CHECK-LABEL: func.func @shapes
func.func @shapes(%x: tensor<1x2x2x2x!x>) -> tensor<1x3x4x4x!x> {
  // CHECK: nn.pad %{{.*}} low [0, 1, 0, 0] high [0, 0, 2, 0] :
  %0 = nn.pad %x low [0, 1, 0, 0] high [0, 0, 2, 0] : (tensor<1x2x2x2x!x>) -> tensor<1x3x4x2x!x>
  // CHECK: nn.concatenation %{{.*}}, %{{.*}} axis 3 :
  %1 = nn.concatenation %0, %0 axis 3 : (tensor<1x3x4x2x!x>, tensor<1x3x4x2x!x>) -> tensor<1x3x4x4x!x>
  // CHECK: nn.reshape %{{.*}} to {{.*}} : (tensor<1x3x4x4x!{{.*}}>) -> tensor<48x!
  %2 = nn.reshape %1 to [48] : (tensor<1x3x4x4x!x>) -> tensor<48x!x>
  %3 = nn.reshape %2 to [1, 3, 4, 4] : (tensor<48x!x>) -> tensor<1x3x4x4x!x>
  return %3 : tensor<1x3x4x4x!x>
}

// CHECK-LABEL: func.func @conversions
func.func @conversions(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: nn.quantize
  %0 = nn.quantize %x : (tensor<4xf32>) -> tensor<4x!x>
  %1 = nn.quantize %0 : (tensor<4x!x>) -> tensor<4x!u>
  // CHECK: nn.dequantize
  %2 = nn.dequantize %1 : (tensor<4x!u>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// CHECK-LABEL: func.func @lstm
func.func @lstm(%x: tensor<1x5x3x!x>) -> tensor<1x5x2x!y> {
  %i = nn.constant dense<1> : tensor<2x3xi8> as tensor<2x3x!t>
  %r = nn.constant dense<1> : tensor<2x2xi8> as tensor<2x2x!t>
  %b = nn.constant dense<0> : tensor<2xi32>
  // CHECK: nn.lstm %{{.*}} input(%{{.*}}) recurrent(%{{.*}}) bias(%{{.*}}) time_major cell_clip 1.000000e+01 cell !{{.*}} hidden !
  %0 = nn.lstm %x input(%i, %i, %i, %i) recurrent(%r, %r, %r, %r) bias(%b, %b, %b, %b) time_major cell_clip 10.0 cell !cell hidden !y
     : (tensor<1x5x3x!x>, tensor<2x3x!t>, tensor<2x3x!t>, tensor<2x3x!t>, tensor<2x3x!t>, tensor<2x2x!t>, tensor<2x2x!t>,
        tensor<2x2x!t>, tensor<2x2x!t>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<1x5x2x!y>
  return %0 : tensor<1x5x2x!y>
}

// CHECK-LABEL: func.func @fully_connected
func.func @fully_connected(%x: tensor<2x3xf32>) -> tensor<2x4xf32> {
  %w = nn.constant dense<1.0> : tensor<4x3xf32>
  // CHECK: nn.fully_connected %{{.*}}, %{{[0-9]+}} activation relu :
  %0 = nn.fully_connected %x, %w activation relu : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
