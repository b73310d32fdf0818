// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --nn-recognize-operators | FileCheck %s
// RUN: avocet-opt %s --nn-recognize-operators --remarks-filter=fusion -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK-DAG: [Passed] batch_norm | Category:fusion | Choice="the layer before it has these numbers in its weights and its bias"
// REMARK-DAG: [Passed] batch_norm | Category:fusion | Choice="a depthwise convolution instead of a product and a sum"
// REMARK-DAG: [Failure] batch_norm | Category:fusion | Reason="it has too few positions or channels for the array"
// REMARK-DAG: [Failure] batch_norm | Category:fusion | Reason="another operation reads the result of the layer"
// REMARK-DAG: [Failure] batch_norm | Category:fusion | Reason="the layer clamps its result"
// REMARK-DAG: [Failure] batch_norm | Category:fusion | Reason="each step rounds to a quantized number"
// REMARK-DAG: [Failure] batch_norm | Category:fusion | Reason="the weights of the layer are computed, or another layer has them too"
// REMARK-DAG: [Failure] batch_norm | Category:fusion | Reason="scaled weights would overflow, or lose bits"

!q = !quant.uniform<i8:f32, 0.5>

// CHECK-LABEL: func.func @batchNorm(
// CHECK-SAME: %[[X:.*]]: tensor<1x4x4x2xf32>
// CHECK-DAG: %[[W:.*]] = nn.constant dense_resource<{{.*}}> : tensor<2x1x1x2xf32>
// CHECK-DAG: %[[B:.*]] = nn.constant dense_resource<{{.*}}> : tensor<2xf32>
// CHECK: %[[Y:.*]] = nn.conv_2d %[[X]], %[[W]], %[[B]] activation relu :
// CHECK-NEXT: return %[[Y]]
func.func @batchNorm(%x: tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32> {
  %w = nn.constant dense<[[[[1.0, 2.0]]], [[[3.0, 4.0]]]]> : tensor<2x1x1x2xf32>
  %scale = nn.constant dense<[2.0, 0.5]> : tensor<2xf32>
  %shift = nn.constant dense<[1.0, -1.0]> : tensor<2xf32>
  %0 = nn.conv_2d %x, %w : (tensor<1x4x4x2xf32>, tensor<2x1x1x2xf32>) -> tensor<1x4x4x2xf32>
  %1 = nn.mul %0, %scale : (tensor<1x4x4x2xf32>, tensor<2xf32>) -> tensor<1x4x4x2xf32>
  %2 = nn.sub %1, %shift activation relu : (tensor<1x4x4x2xf32>, tensor<2xf32>) -> tensor<1x4x4x2xf32>
  return %2 : tensor<1x4x4x2xf32>
}

// CHECK-LABEL: func.func @otherLayers(
// CHECK: %[[A:.*]] = nn.depthwise_conv_2d %{{.*}}, %{{.*}}, %{{.*}} : (tensor<1x4x4x2xf32>, tensor<1x1x1x2xf32>, tensor<2xf32>)
// CHECK-NEXT: %[[B:.*]] = nn.reshape %[[A]]
// CHECK: %[[C:.*]] = nn.fully_connected %[[B]], %{{.*}}, %{{.*}} :
// CHECK-NEXT: return %[[C]]
func.func @otherLayers(%x: tensor<1x4x4x2xf32>) -> tensor<16x3xf32> {
  %w = nn.constant dense<[[[[1.0, 2.0]]]]> : tensor<1x1x1x2xf32>
  %bias = nn.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %scale = nn.constant dense<[2.0, 0.5]> : tensor<2xf32>
  %matrix = nn.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %shift = nn.constant dense<3.0> : tensor<f32>
  %0 = nn.depthwise_conv_2d %x, %w, %bias : (tensor<1x4x4x2xf32>, tensor<1x1x1x2xf32>, tensor<2xf32>) -> tensor<1x4x4x2xf32>
  %1 = nn.mul %scale, %0 : (tensor<2xf32>, tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32>
  %2 = nn.reshape %1 to [16, 2] : (tensor<1x4x4x2xf32>) -> tensor<16x2xf32>
  %3 = nn.fully_connected %2, %matrix : (tensor<16x2xf32>, tensor<3x2xf32>) -> tensor<16x3xf32>
  %4 = nn.add %shift, %3 : (tensor<f32>, tensor<16x3xf32>) -> tensor<16x3xf32>
  return %4 : tensor<16x3xf32>
}

// CHECK-LABEL: func.func @afterNoLayer(
// CHECK-SAME: %[[X:.*]]: tensor<2x4x4x8xf32>
// CHECK: %[[A:.*]] = nn.reshape %[[X]] to [1, 8, 4, 8] : (tensor<2x4x4x8xf32>) -> tensor<1x8x4x8xf32>
// CHECK: %[[B:.*]] = nn.depthwise_conv_2d %[[A]], %{{.*}}, %{{.*}} activation relu : (tensor<1x8x4x8xf32>, tensor<1x1x1x8xf32>, tensor<8xf32>)
// CHECK-NEXT: %[[C:.*]] = nn.reshape %[[B]] to [2, 4, 4, 8] : (tensor<1x8x4x8xf32>) -> tensor<2x4x4x8xf32>
// CHECK-NEXT: return %[[C]]
func.func @afterNoLayer(%x: tensor<2x4x4x8xf32>) -> tensor<2x4x4x8xf32> {
  %scale = nn.constant dense<[[[[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]]]]> : tensor<1x1x1x8xf32>
  %shift = nn.constant dense<[8.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0]> : tensor<8xf32>
  %0 = nn.mul %x, %scale : (tensor<2x4x4x8xf32>, tensor<1x1x1x8xf32>) -> tensor<2x4x4x8xf32>
  %1 = nn.sub %shift, %0 activation relu : (tensor<8xf32>, tensor<2x4x4x8xf32>) -> tensor<2x4x4x8xf32>
  return %1 : tensor<2x4x4x8xf32>
}

// CHECK-LABEL: func.func @fewPositions(
// CHECK-NOT: depthwise
// CHECK: return
func.func @fewPositions(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %scale = nn.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %0 = nn.mul %x, %scale : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %1 = nn.add %0, %scale : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %1 : tensor<2x4xf32>
}

// Numbers for all elements are parts of other operators, and those of rows are not those of channels.
// CHECK-LABEL: func.func @noChannels(
// CHECK-NOT: depthwise
// CHECK: return
func.func @noChannels(%x: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
  %two = nn.constant dense<2.0> : tensor<f32>
  %rows = nn.constant dense<[[1.0], [2.0]]> : tensor<2x1xf32>
  %0 = nn.mul %x, %two : (tensor<2x4xf32>, tensor<f32>) -> tensor<2x4xf32>
  %1 = nn.add %0, %two : (tensor<2x4xf32>, tensor<f32>) -> tensor<2x4xf32>
  %2 = nn.mul %x, %rows : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  %3 = nn.add %2, %two : (tensor<2x4xf32>, tensor<f32>) -> tensor<2x4xf32>
  return %1, %3 : tensor<2x4xf32>, tensor<2x4xf32>
}

// CHECK-LABEL: func.func @notIntoLayer(
// CHECK-COUNT-5: nn.mul
// CHECK: return
func.func @notIntoLayer(%x: tensor<3x2xf32>, %v: tensor<2x2xf32>, %q: tensor<3x2x!q>)
    -> (tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2x!q>) {
  %scale = nn.constant dense<[2.0, 0.5]> : tensor<2xf32>
  %tiny = nn.constant dense<1.0e-38> : tensor<f32>
  %w = nn.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %u = nn.constant dense<[[0.1, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %t = nn.constant dense<[[1.0, 2.0], [3.0, 5.0]]> : tensor<2x2xf32>
  %p = nn.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi8> as tensor<2x2x!q>
  %s = nn.constant dense<[2, 4]> : tensor<2xi8> as tensor<2x!q>
  %0 = nn.fully_connected %x, %w : (tensor<3x2xf32>, tensor<2x2xf32>) -> tensor<3x2xf32>
  %1 = nn.mul %0, %scale : (tensor<3x2xf32>, tensor<2xf32>) -> tensor<3x2xf32>
  %2 = nn.fully_connected %x, %t activation relu : (tensor<3x2xf32>, tensor<2x2xf32>) -> tensor<3x2xf32>
  %3 = nn.mul %2, %scale : (tensor<3x2xf32>, tensor<2xf32>) -> tensor<3x2xf32>
  %4 = nn.fully_connected %x, %v : (tensor<3x2xf32>, tensor<2x2xf32>) -> tensor<3x2xf32>
  %5 = nn.mul %4, %scale : (tensor<3x2xf32>, tensor<2xf32>) -> tensor<3x2xf32>
  %6 = nn.fully_connected %x, %u : (tensor<3x2xf32>, tensor<2x2xf32>) -> tensor<3x2xf32>
  %7 = nn.mul %6, %tiny : (tensor<3x2xf32>, tensor<f32>) -> tensor<3x2xf32>
  %8 = nn.fully_connected %q, %p : (tensor<3x2x!q>, tensor<2x2x!q>) -> tensor<3x2x!q>
  %9 = nn.mul %8, %s : (tensor<3x2x!q>, tensor<2x!q>) -> tensor<3x2x!q>
  return %0, %1, %3, %5, %7, %9
      : tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2x!q>
}
