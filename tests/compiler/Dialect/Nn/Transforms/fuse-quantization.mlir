// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --nn-fuse-quantization --nn-canonicalize | FileCheck %s
// RUN: avocet-opt %s --nn-fuse-quantization --nn-fuse-quantization --nn-canonicalize | FileCheck %s
// RUN: avocet-opt %s --nn-fuse-quantization --remarks-filter=fusion -o %t 2>&1 | FileCheck %s --check-prefix=REMARK

!x = !quant.uniform<i8:f32, 0.5:-3>
!y = !quant.uniform<i8:f32, 2.0:4>
!u = !quant.uniform<u8:f32, 0.5:128>
!s = !quant.uniform<i16:f32, 0.5>
!w = !quant.uniform<i8:f32:0, {0.5, 0.25}>
!v = !quant.uniform<u8:f32, 0.5:129>
!p = !quant.uniform<i8:f32, 0.5>
!a = !quant.uniform<i16:f32, 0.5:3>
!t = !quant.uniform<i8:f32, 1.0e-08>

// CHECK-DAG: ![[X:[A-Za-z0-9]+]] = !quant.uniform<i8:f32, 5.000000e-01:-3>
// CHECK-DAG: ![[Y:[A-Za-z0-9]+]] = !quant.uniform<i8:f32, 2.000000e+00:4>
// CHECK-DAG: ![[U:[A-Za-z0-9]+]] = !quant.uniform<u8:f32, 5.000000e-01:128>
// CHECK-DAG: ![[ONE:[A-Za-z0-9]+]] = !quant.uniform<i8:f32, 1.000000e+00>
// CHECK-DAG: ![[SHIFTED:[A-Za-z0-9]+]] = !quant.uniform<i8:f32, 5.000000e-01:1>

// Weights and bias become integers. The clamp becomes the activation, also through a move.
// CHECK-LABEL: func.func @convolution(
func.func @convolution(%q: tensor<1x4x4x2x!x>) -> tensor<1x32x!y> {
  %x = nn.dequantize %q : (tensor<1x4x4x2x!x>) -> tensor<1x4x4x2xf32>
  %w = nn.constant {nn.stored = !w} dense<[[[[1.0, -63.5]]], [[[0.25, 2.0]]]]> : tensor<2x1x1x2xf32>
  %b = nn.constant dense<[0.5, -1.0]> : tensor<2xf32>
  // CHECK-DAG: %[[W:.*]] = nn.constant dense_resource<{{.*}}> : tensor<2x1x1x2xi8> as tensor<2x1x1x2x![[ONE]]>
  // CHECK-DAG: %[[B:.*]] = nn.constant dense_resource<{{.*}}> : tensor<2xi32>
  // CHECK: %[[C:.*]] = nn.conv_2d %arg0, %[[W]], %[[B]] activation relu numerics even_round [1073741824, 1073741824] >> [33, 34] : {{.*}} -> tensor<1x4x4x2x![[Y]]>
  %0 = nn.conv_2d %x, %w, %b : (tensor<1x4x4x2xf32>, tensor<2x1x1x2xf32>, tensor<2xf32>) -> tensor<1x4x4x2xf32>
  %1 = nn.reshape %0 to [1, 32] : (tensor<1x4x4x2xf32>) -> tensor<1x32xf32>
  %2 = nn.clamp relu %1 : (tensor<1x32xf32>) -> tensor<1x32xf32>
  // CHECK: %[[R:.*]] = nn.reshape %[[C]] to [1, 32]
  // CHECK-NEXT: return %[[R]]
  %3 = nn.quantize %2 numerics half_even : (tensor<1x32xf32>) -> tensor<1x32x!y>
  return %3 : tensor<1x32x!y>
}

// Unsigned weights become signed ones; constants and computed matrices may be factors.
// CHECK-LABEL: func.func @matrices(
func.func @matrices(%q: tensor<2x3x!u>, %r: tensor<3x4x!x>) -> (tensor<2x1x!y>, tensor<2x4x!y>) {
  %x = nn.dequantize %q : (tensor<2x3x!u>) -> tensor<2x3xf32>
  %w = nn.constant {nn.stored = !v} dense<[[0.5, 63.0, -64.5]]> : tensor<1x3xf32>
  // CHECK: nn.fully_connected %arg0, %{{.*}} keep_dims numerics even_round [1073741824] >> [33] : (tensor<2x3x![[U]]>, tensor<1x3x![[SHIFTED]]>) -> tensor<2x1x![[Y]]>
  %0 = nn.fully_connected %x, %w keep_dims : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x1xf32>
  %1 = nn.quantize %0 numerics half_even : (tensor<2x1xf32>) -> tensor<2x1x!y>
  %y = nn.dequantize %r : (tensor<3x4x!x>) -> tensor<3x4xf32>
  // CHECK: nn.batch_matmul %arg0, %arg1 numerics even_round [1073741824] >> [33] : {{.*}} -> tensor<2x4x![[Y]]>
  %2 = nn.batch_matmul %x, %y : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %3 = nn.quantize %2 numerics half_even : (tensor<2x4xf32>) -> tensor<2x4x!y>
  return %1, %3 : tensor<2x1x!y>, tensor<2x4x!y>
}

// CHECK-LABEL: func.func @pairs(
func.func @pairs(%a: tensor<4x!x>, %b: tensor<4x!y>) -> (tensor<4x!y>, tensor<4x!y>) {
  %0 = nn.dequantize %a : (tensor<4x!x>) -> tensor<4xf32>
  %1 = nn.dequantize %b : (tensor<4x!y>) -> tensor<4xf32>
  // CHECK: nn.sub %arg0, %arg1 activation relu numerics even_round [1073741824, 1073741824, 1073741824] >> [13, 11, 49]
  %2 = nn.sub %0, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = nn.clamp relu %2 : (tensor<4xf32>) -> tensor<4xf32>
  %4 = nn.quantize %3 numerics half_even : (tensor<4xf32>) -> tensor<4x!y>
  // CHECK: nn.mul %arg0, %arg1 numerics even_round [1073741824] >> [31]
  %5 = nn.mul %0, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %6 = nn.quantize %5 numerics half_even : (tensor<4xf32>) -> tensor<4x!y>
  return %4, %6 : tensor<4x!y>, tensor<4x!y>
}

// A mean is a sum, rounded once. Windows without padding are a convolution.
// CHECK-LABEL: func.func @means(
func.func @means(%q: tensor<1x4x4x2x!x>) -> (tensor<1x2x!y>, tensor<1x2x!y>, tensor<1x2x2x2x!y>) {
  %x = nn.dequantize %q : (tensor<1x4x4x2x!x>) -> tensor<1x4x4x2xf32>
  // CHECK: nn.mean %arg0 axes [1, 2] numerics even_round [1073741824] >> [36] : {{.*}} -> tensor<1x2x![[Y]]>
  %0 = nn.mean %x axes [1, 2] : (tensor<1x4x4x2xf32>) -> tensor<1x2xf32>
  %1 = nn.quantize %0 numerics half_even : (tensor<1x2xf32>) -> tensor<1x2x!y>
  // CHECK: nn.mean %arg0 axes [1, 2] numerics even_round [1073741824] >> [32] : {{.*}} -> tensor<1x2x![[Y]]>
  %2 = nn.reduce sum %x axes [1, 2] : (tensor<1x4x4x2xf32>) -> tensor<1x2xf32>
  %3 = nn.quantize %2 numerics half_even : (tensor<1x2xf32>) -> tensor<1x2x!y>
  // CHECK: nn.depthwise_conv_2d %arg0, %{{.*}} stride [2, 2] numerics even_round [1073741824] >> [34]
  %4 = nn.average_pool_2d %x kernel [2, 2] stride [2, 2] : (tensor<1x4x4x2xf32>) -> tensor<1x2x2x2xf32>
  %5 = nn.quantize %4 numerics half_even : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2x!y>
  return %1, %3, %5 : tensor<1x2x!y>, tensor<1x2x!y>, tensor<1x2x2x2x!y>
}

// Windows at the border have 4 or 6 of 9 elements: sums times 36 over that, then one rounding of a 36th.
// CHECK-LABEL: func.func @border(
func.func @border(%q: tensor<1x4x4x2x!x>) -> tensor<1x4x4x2x!y> {
  %x = nn.dequantize %q : (tensor<1x4x4x2x!x>) -> tensor<1x4x4x2xf32>
  // CHECK: %[[SUMS:.*]] = nn.depthwise_conv_2d %arg0, %{{.*}} pad [1, 1, 1, 1] : {{.*}} -> tensor<1x4x4x2xi32>
  // CHECK: %[[SHARES:.*]] = nn.constant dense<{{\[\[\[\[9\], \[6\], \[6\], \[9\]\], \[\[6\], \[4\], \[4\], \[6\]\],}}
  // CHECK: %[[SCALED:.*]] = nn.mul %[[SUMS]], %[[SHARES]]
  // CHECK: %[[POOL:.*]] = nn.rescale %[[SCALED]] numerics even_round [1908874354] >> [38]
  // CHECK: nn.clamp relu %[[POOL]]
  %0 = nn.average_pool_2d %x kernel [3, 3] pad [1, 1, 1, 1] : (tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32>
  %1 = nn.clamp relu %0 : (tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32>
  %2 = nn.quantize %1 numerics half_even : (tensor<1x4x4x2xf32>) -> tensor<1x4x4x2x!y>
  return %2 : tensor<1x4x4x2x!y>
}

// Slopes of channels, of another signedness. Results of a softmax have any scale.
// CHECK-LABEL: func.func @nearest(
func.func @nearest(%q: tensor<2x3x!x>, %r: tensor<3x!u>) -> (tensor<2x3x!y>, tensor<2x3x!x>) {
  %x = nn.dequantize %q : (tensor<2x3x!x>) -> tensor<2x3xf32>
  %slopes = nn.dequantize %r : (tensor<3x!u>) -> tensor<3xf32>
  // CHECK: %[[S:.*]] = nn.rescale %arg1 numerics even_round [1073741824] >> [30] : (tensor<3x![[U]]>)
  // CHECK: nn.prelu %arg0, %[[S]] {nn.nearest}
  %0 = nn.prelu %x, %slopes : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %1 = nn.quantize %0 numerics half_even : (tensor<2x3xf32>) -> tensor<2x3x!y>
  // CHECK: nn.softmax %arg0 beta 2.000000e+00 axis 0 {nn.nearest} : (tensor<2x3x![[X]]>) -> tensor<2x3x![[X]]>
  %2 = nn.softmax %x beta 2.0 axis 0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %3 = nn.quantize %2 numerics half_even : (tensor<2x3xf32>) -> tensor<2x3x!x>
  return %1, %3 : tensor<2x3x!y>, tensor<2x3x!x>
}

// Numbers of 16 bits: sums of 32 bits have a bias, since those without one have 64.
// CHECK-LABEL: func.func @wide(
func.func @wide(%q: tensor<2x3x!s>, %r: tensor<2x300x!s>) -> (tensor<2x1x!s>, tensor<2x3x!s>, tensor<2x1xf32>) {
  %x = nn.dequantize %q : (tensor<2x3x!s>) -> tensor<2x3xf32>
  %w = nn.constant {nn.stored = !p} dense<[[0.5, 63.0, -64.0]]> : tensor<1x3xf32>
  // CHECK-DAG: %[[B:.*]] = nn.constant dense<0> : tensor<1xi32>
  // CHECK: nn.fully_connected %arg0, %{{.*}}, %[[B]] keep_dims numerics even_round [1073741824] >> [31]
  %0 = nn.fully_connected %x, %w keep_dims : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x1xf32>
  %1 = nn.quantize %0 numerics half_even : (tensor<2x1xf32>) -> tensor<2x1x!s>
  // CHECK: nn.sub %arg0, %arg0 numerics even_round [1073741824, 1073741824, 1073741824] >> [16, 16, 44]
  %2 = nn.sub %x, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %3 = nn.quantize %2 numerics half_even : (tensor<2x3xf32>) -> tensor<2x3x!s>
  // CHECK: nn.fully_connected %arg1, %{{.*}} : {{.*}} -> tensor<2x1xi64>
  %y = nn.dequantize %r : (tensor<2x300x!s>) -> tensor<2x300xf32>
  %v = nn.constant {nn.stored = !p} dense<60.0> : tensor<1x300xf32>
  %4 = nn.fully_connected %y, %v : (tensor<2x300xf32>, tensor<1x300xf32>) -> tensor<2x1xf32>
  return %1, %3, %4 : tensor<2x1x!s>, tensor<2x3x!s>, tensor<2x1xf32>
}

// x * logistic(x), and a sum with a constant: halves to the even number.
// CHECK-LABEL: func.func @functions(
func.func @functions(%q: tensor<4x!x>) -> (tensor<4x!y>, tensor<4x!y>, tensor<4x!y>) {
  %x = nn.dequantize %q : (tensor<4x!x>) -> tensor<4xf32>
  // CHECK: nn.table %arg0 entries dense<"0x0404
  %0 = nn.logistic %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = nn.mul %x, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = nn.quantize %1 numerics half_even : (tensor<4xf32>) -> tensor<4x!y>
  // Of -128 to -119: -61.5 to -57 over 2, plus 4.
  // CHECK: nn.table %arg0 entries dense<"0xE5E6E6E6E6E6E7E7E7E8
  %c = nn.constant dense<1.0> : tensor<f32>
  %3 = nn.add %x, %c : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %4 = nn.quantize %3 numerics half_even : (tensor<4xf32>) -> tensor<4x!y>
  // Of -128 to -125, over (1 + 3) * 0.5: -15.625 to -14.875 over the scale, plus 4.
  // CHECK: nn.table %arg0 entries dense<"0xF4F4F5F5
  %two = nn.constant dense<1> : tensor<1xi8>
  %named = nn.bitcast %two to !x : (tensor<1xi8>) -> tensor<1x!x>
  %d = nn.dequantize %named : (tensor<1x!x>) -> tensor<1xf32>
  %5 = nn.div %x, %d : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  %6 = nn.quantize %5 numerics half_even : (tensor<4xf32>) -> tensor<4x!y>
  return %2, %4, %6 : tensor<4x!y>, tensor<4x!y>, tensor<4x!y>
}

// Floats that nothing quantizes are sums of integers, if those have enough products.
// CHECK-LABEL: func.func @sums(
func.func @sums(%q: tensor<2x256x!x>, %r: tensor<256x4x!x>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x!y>) {
  %x = nn.dequantize %q : (tensor<2x256x!x>) -> tensor<2x256xf32>
  // CHECK: %[[S:.*]] = nn.fully_connected %arg0, %{{.*}} : {{.*}} -> tensor<2x4xi32>
  // CHECK: %[[C:.*]] = nn.cast %[[S]]
  // CHECK: %[[M:.*]] = nn.mul %[[C]], %{{.*}} : (tensor<2x4xf32>, tensor<1xf32>)
  // CHECK: nn.add %[[M]], %{{.*}} activation relu :
  %w = nn.constant {nn.stored = !x} dense<1.5> : tensor<4x256xf32>
  %b = nn.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %0 = nn.fully_connected %x, %w, %b activation relu : (tensor<2x256xf32>, tensor<4x256xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  // CHECK: nn.batch_matmul %arg0, %arg1 : {{.*}} -> tensor<2x4xi32>
  %y = nn.dequantize %r : (tensor<256x4x!x>) -> tensor<256x4xf32>
  %1 = nn.batch_matmul %x, %y : (tensor<2x256xf32>, tensor<256x4xf32>) -> tensor<2x4xf32>
  %2 = nn.slice %1 begin [0, 0] size [2, 1] strides [1, 1] : (tensor<2x4xf32>) -> tensor<2x1xf32>
  %3 = nn.reshape %2 to [2] : (tensor<2x1xf32>) -> tensor<2xf32>
  %4 = nn.quantize %3 numerics half_even : (tensor<2xf32>) -> tensor<2x!y>
  return %0, %1, %4 : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x!y>
}

// Moves work on integers. Their padding is stored, and parts with another scale have a table.
// CHECK-LABEL: func.func @moves(
func.func @moves(%q: tensor<2x3x!x>, %r: tensor<2x3x!y>)
    -> (tensor<3x3x!x>, tensor<4x3x!x>, tensor<1x6xf32>, tensor<3x3x!x>, tensor<2xi32>) {
  %x = nn.dequantize %q : (tensor<2x3x!x>) -> tensor<2x3xf32>
  // CHECK: nn.pad %arg0 low [0, 0] high [1, 0] value -5.000000e+00
  %0 = nn.pad %x low [0, 0] high [1, 0] value -1.1 : (tensor<2x3xf32>) -> tensor<3x3xf32>
  %1 = nn.quantize %0 numerics half_even : (tensor<3x3xf32>) -> tensor<3x3x!x>
  %y = nn.dequantize %r : (tensor<2x3x!y>) -> tensor<2x3xf32>
  // CHECK: %[[T:.*]] = nn.table %arg1
  // CHECK: nn.concatenation %arg0, %[[T]] axis 0
  %2 = nn.concatenation %x, %y axis 0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  %3 = nn.quantize %2 numerics half_even : (tensor<4x3xf32>) -> tensor<4x3x!x>
  // CHECK: %[[R:.*]] = nn.reshape %arg0 to [1, 6]
  // CHECK: nn.dequantize %[[R]]
  %4 = nn.reshape %x to [1, 6] : (tensor<2x3xf32>) -> tensor<1x6xf32>
  // CHECK: %[[P:.*]] = nn.constant dense_resource<quantized{{.*}}> : tensor<1x3xi8> as tensor<1x3x![[X]]>
  // CHECK: nn.concatenation %arg0, %[[P]] axis 0
  %part = nn.constant dense<[[1.1, -2.0, 1.0e6]]> : tensor<1x3xf32>
  %5 = nn.concatenation %x, %part axis 0 : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<3x3xf32>
  %6 = nn.quantize %5 numerics half_even : (tensor<3x3xf32>) -> tensor<3x3x!x>
  // CHECK: nn.arg_reduce max %arg0 axis 1
  %7 = nn.arg_reduce max %x axis 1 : (tensor<2x3xf32>) -> tensor<2xi32>
  return %1, %3, %4, %6, %7 : tensor<3x3x!x>, tensor<4x3x!x>, tensor<1x6xf32>, tensor<3x3x!x>, tensor<2xi32>
}

// What stays on floats. Rounding of another format stays as it is.
// CHECK-LABEL: func.func @floats(
func.func @floats(%q: tensor<1x4x4x2x!x>, %s: tensor<2x3x!s>)
    -> (tensor<1x4x4x2x!y>, tensor<1x8x8x2x!x>, tensor<1x4x4x2xf32>, tensor<2x3x!a>, tensor<2x3x!s>, tensor<2x1x!s>,
        tensor<1x4x4x2x!y>) {
  %x = nn.dequantize %q : (tensor<1x4x4x2x!x>) -> tensor<1x4x4x2xf32>
  %w = nn.constant dense<1.0> : tensor<2x1x1x2xf32>
  // CHECK: nn.conv_2d {{.*}} -> tensor<1x4x4x2xf32>
  // REMARK: :[[@LINE+1]]:8: remark: [Failure] quantization | Category:fusion | Reason="its weights are not quantized to 8 bits with one zero point"
  %0 = nn.conv_2d %x, %w : (tensor<1x4x4x2xf32>, tensor<2x1x1x2xf32>) -> tensor<1x4x4x2xf32>
  %1 = nn.quantize %0 numerics half_even : (tensor<1x4x4x2xf32>) -> tensor<1x4x4x2x!y>
  // CHECK: nn.resize bilinear {{.*}} -> tensor<1x8x8x2xf32>
  // REMARK: :[[@LINE+1]]:8: {{.*}}"its numbers are often halves, which the last bits of floats round"
  %2 = nn.resize bilinear %x to [8, 8] half_pixel_centers : (tensor<1x4x4x2xf32>) -> tensor<1x8x8x2xf32>
  %3 = nn.quantize %2 numerics half_even : (tensor<1x8x8x2xf32>) -> tensor<1x8x8x2x!x>
  // CHECK: nn.unary exp {{.*}} -> tensor<1x4x4x2xf32>
  %4 = nn.unary exp %x : (tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32>
  %7 = nn.dequantize %s : (tensor<2x3x!s>) -> tensor<2x3xf32>
  // CHECK: nn.mul {{.*}} -> tensor<2x3xf32>
  // REMARK: :[[@LINE+1]]:8: {{.*}}"there is no form of it for such 16-bit numbers"
  %8 = nn.mul %7, %7 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %9 = nn.quantize %8 numerics half_even : (tensor<2x3xf32>) -> tensor<2x3x!a>
  // CHECK: nn.logistic {{.*}} -> tensor<2x3xf32>
  // REMARK: :[[@LINE+1]]:9: {{.*}}"there is no integer form of it"
  %10 = nn.logistic %7 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %11 = nn.quantize %10 numerics half_even : (tensor<2x3xf32>) -> tensor<2x3x!s>
  %v = nn.constant {nn.stored = !p} dense<63.5> : tensor<1x3xf32>
  %big = nn.constant dense<5.36e8> : tensor<1xf32>
  // CHECK: nn.fully_connected {{.*}} -> tensor<2x1xf32>
  // REMARK: :[[@LINE+1]]:9: {{.*}}"its weights are computed, or sums of its 16-bit products may have more than 32 bits"
  %12 = nn.fully_connected %7, %v, %big keep_dims : (tensor<2x3xf32>, tensor<1x3xf32>, tensor<1xf32>) -> tensor<2x1xf32>
  %13 = nn.quantize %12 numerics half_even : (tensor<2x1xf32>) -> tensor<2x1x!s>
  // CHECK: nn.unary neg {{.*}} -> tensor<1x4x4x2xf32>
  %14 = nn.unary neg %x : (tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32>
  // Those without a conversion behind them come last.
  // REMARK: "its result is not quantized"
  %15 = nn.quantize %14 : (tensor<1x4x4x2xf32>) -> tensor<1x4x4x2x!y>
  return %1, %3, %4, %9, %11, %13, %15
      : tensor<1x4x4x2x!y>, tensor<1x8x8x2x!x>, tensor<1x4x4x2xf32>, tensor<2x3x!a>, tensor<2x3x!s>, tensor<2x1x!s>, tensor<1x4x4x2x!y>
}

// Results that 32 bits do not hold before they saturate.
// CHECK-LABEL: func.func @apart(
func.func @apart(%q: tensor<2x3x!x>, %r: tensor<2x3x!y>) -> (tensor<2x1x!t>, tensor<2x!t>, tensor<2x3x!t>) {
  %x = nn.dequantize %q : (tensor<2x3x!x>) -> tensor<2x3xf32>
  %w = nn.constant {nn.stored = !p} dense<63.5> : tensor<1x3xf32>
  // CHECK: nn.fully_connected {{.*}} -> tensor<2x1xf32>
  // REMARK: :[[@LINE+1]]:8: {{.*}}"its scales are too far apart"
  %0 = nn.fully_connected %x, %w keep_dims : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x1xf32>
  %1 = nn.quantize %0 numerics half_even : (tensor<2x1xf32>) -> tensor<2x1x!t>
  // CHECK: nn.reduce sum {{.*}} -> tensor<2xf32>
  // REMARK: :[[@LINE+1]]:8: {{.*}}"its sums may have more than 32 bits, or its scales are too far apart"
  %2 = nn.reduce sum %x axes [1] : (tensor<2x3xf32>) -> tensor<2xf32>
  %3 = nn.quantize %2 numerics half_even : (tensor<2xf32>) -> tensor<2x!t>
  // CHECK: nn.add {{.*}} -> tensor<2x3xf32>
  %y = nn.dequantize %r : (tensor<2x3x!y>) -> tensor<2x3xf32>
  // REMARK: :[[@LINE+1]]:8: {{.*}}"its scales are too far apart"
  %4 = nn.add %x, %y : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %5 = nn.quantize %4 numerics half_even : (tensor<2x3xf32>) -> tensor<2x3x!t>
  return %1, %3, %5 : tensor<2x1x!t>, tensor<2x!t>, tensor<2x3x!t>
}

// The attribute is a hint: numbers that are not of its scales, or scales of another shape, do not count.
// CHECK-LABEL: func.func @otherNumbers(
func.func @otherNumbers(%q: tensor<2x3x!x>) -> (tensor<2x2x!y>, tensor<2x2x!y>) {
  %x = nn.dequantize %q : (tensor<2x3x!x>) -> tensor<2x3xf32>
  %w = nn.constant {nn.stored = !w} dense<[[0.5, 1.0, 1.5], [0.25, 0.3, 0.5]]> : tensor<2x3xf32>
  // CHECK: nn.fully_connected {{.*}} -> tensor<2x2xf32>
  %0 = nn.fully_connected %x, %w : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
  %1 = nn.quantize %0 numerics half_even : (tensor<2x2xf32>) -> tensor<2x2x!y>
  %v = nn.constant {nn.stored = !quant.uniform<i8:f32:7, {0.5, 0.25}>} dense<0.5> : tensor<2x3xf32>
  // CHECK: nn.fully_connected {{.*}} -> tensor<2x2xf32>
  %2 = nn.fully_connected %x, %v : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
  %3 = nn.quantize %2 numerics half_even : (tensor<2x2xf32>) -> tensor<2x2x!y>
  return %1, %3 : tensor<2x2x!y>, tensor<2x2x!y>
}
