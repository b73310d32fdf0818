// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --convert-nn-to-npu="target=e256" | FileCheck %s

// Layers that read the same filter and bias have the same constants; another bias makes other records.
// CHECK-LABEL: func.func @steps(
// CHECK-DAG: %[[W:.*]] = npu.constant {{.*}} : tensor<256xi8>
// CHECK-DAG: %[[R:.*]] = npu.constant {{.*}} : tensor<96xi8>
// CHECK: npu.conv %{{.*}}, %[[W]], %[[R]]
// CHECK: npu.conv %{{.*}}, %[[W]], %[[R]]
// CHECK: %[[OTHER:.*]] = npu.constant {{.*}} : tensor<96xi8>
// CHECK: npu.conv %{{.*}}, %[[W]], %[[OTHER]]
func.func @steps(%x: tensor<1x1x4x8xf32>) -> tensor<1x1x4x8xf32> {
  %w = nn.constant dense<0.5> : tensor<8x1x1x8xf32>
  %b = nn.constant dense<1.0> : tensor<8xf32>
  %c = nn.constant dense<2.0> : tensor<8xf32>
  %0 = nn.conv_2d %x, %w, %b : (tensor<1x1x4x8xf32>, tensor<8x1x1x8xf32>, tensor<8xf32>) -> tensor<1x1x4x8xf32>
  %1 = nn.conv_2d %0, %w, %b : (tensor<1x1x4x8xf32>, tensor<8x1x1x8xf32>, tensor<8xf32>) -> tensor<1x1x4x8xf32>
  %2 = nn.conv_2d %1, %w, %c : (tensor<1x1x4x8xf32>, tensor<8x1x1x8xf32>, tensor<8xf32>) -> tensor<1x1x4x8xf32>
  return %2 : tensor<1x1x4x8xf32>
}
