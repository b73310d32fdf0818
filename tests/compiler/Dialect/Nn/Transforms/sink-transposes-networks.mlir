// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --nn-sink-transposes | FileCheck %s
// RUN: avocet-opt %s --nn-sink-transposes --nn-sink-transposes | FileCheck %s

// Parts of networks as channels-first formats have them: each operation on images is between two transposes. Only those
// of inputs and outputs stay.

// CHECK-LABEL: func.func @mobilenetV2Block(
func.func @mobilenetV2Block(%x: tensor<1x3x16x16xf32>) -> tensor<1x10xf32> {
  // CHECK: nn.transpose %arg0 permutation [0, 2, 3, 1]
  // CHECK-NOT: nn.transpose
  // CHECK: return
  %0 = nn.transpose %x permutation [0, 2, 3, 1] : (tensor<1x3x16x16xf32>) -> tensor<1x16x16x3xf32>
  %c1 = nn.constant dense<1.0> : tensor<8x3x3x3xf32>
  %c2 = nn.constant dense<0.5> : tensor<8xf32>
  %1 = nn.conv_2d %0, %c1, %c2 stride [2, 2] pad [1, 1, 1, 1] : (tensor<1x16x16x3xf32>, tensor<8x3x3x3xf32>, tensor<8xf32>) -> tensor<1x8x8x8xf32>
  %2 = nn.transpose %1 permutation [0, 3, 1, 2] : (tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
  %3 = nn.clamp relu6 %2 : (tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
  %4 = nn.transpose %3 permutation [0, 2, 3, 1] : (tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
  %c7 = nn.constant dense<1.0> : tensor<24x1x1x8xf32>
  %c8 = nn.constant dense<0.5> : tensor<24xf32>
  %5 = nn.conv_2d %4, %c7, %c8 : (tensor<1x8x8x8xf32>, tensor<24x1x1x8xf32>, tensor<24xf32>) -> tensor<1x8x8x24xf32>
  %6 = nn.transpose %5 permutation [0, 3, 1, 2] : (tensor<1x8x8x24xf32>) -> tensor<1x24x8x8xf32>
  %7 = nn.clamp relu6 %6 : (tensor<1x24x8x8xf32>) -> tensor<1x24x8x8xf32>
  %8 = nn.transpose %7 permutation [0, 2, 3, 1] : (tensor<1x24x8x8xf32>) -> tensor<1x8x8x24xf32>
  %c13 = nn.constant dense<1.0> : tensor<1x3x3x24xf32>
  %c14 = nn.constant dense<0.5> : tensor<24xf32>
  %9 = nn.depthwise_conv_2d %8, %c13, %c14 pad [1, 1, 1, 1] : (tensor<1x8x8x24xf32>, tensor<1x3x3x24xf32>, tensor<24xf32>) -> tensor<1x8x8x24xf32>
  %10 = nn.transpose %9 permutation [0, 3, 1, 2] : (tensor<1x8x8x24xf32>) -> tensor<1x24x8x8xf32>
  %11 = nn.clamp relu6 %10 : (tensor<1x24x8x8xf32>) -> tensor<1x24x8x8xf32>
  %12 = nn.transpose %11 permutation [0, 2, 3, 1] : (tensor<1x24x8x8xf32>) -> tensor<1x8x8x24xf32>
  %c19 = nn.constant dense<1.0> : tensor<8x1x1x24xf32>
  %c20 = nn.constant dense<0.5> : tensor<8xf32>
  %13 = nn.conv_2d %12, %c19, %c20 : (tensor<1x8x8x24xf32>, tensor<8x1x1x24xf32>, tensor<8xf32>) -> tensor<1x8x8x8xf32>
  %14 = nn.transpose %13 permutation [0, 3, 1, 2] : (tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
  %15 = nn.add %3, %14 : (tensor<1x8x8x8xf32>, tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
  %16 = nn.transpose %15 permutation [0, 2, 3, 1] : (tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
  %c25 = nn.constant dense<1.0> : tensor<16x1x1x8xf32>
  %c26 = nn.constant dense<0.5> : tensor<16xf32>
  %17 = nn.conv_2d %16, %c25, %c26 : (tensor<1x8x8x8xf32>, tensor<16x1x1x8xf32>, tensor<16xf32>) -> tensor<1x8x8x16xf32>
  %18 = nn.transpose %17 permutation [0, 3, 1, 2] : (tensor<1x8x8x16xf32>) -> tensor<1x16x8x8xf32>
  %19 = nn.clamp relu6 %18 : (tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32>
  %20 = nn.mean %19 axes [2, 3] keep_dims : (tensor<1x16x8x8xf32>) -> tensor<1x16x1x1xf32>
  %21 = nn.reshape %20 to [1, 16] : (tensor<1x16x1x1xf32>) -> tensor<1x16xf32>
  %c32 = nn.constant dense<1.0> : tensor<10x16xf32>
  %22 = nn.fully_connected %21, %c32 : (tensor<1x16xf32>, tensor<10x16xf32>) -> tensor<1x10xf32>
  return %22 : tensor<1x10xf32>
}

// CHECK-LABEL: func.func @resnetBlock(
func.func @resnetBlock(%x: tensor<1x3x32x32xf32>) -> tensor<1x10xf32> {
  // CHECK: nn.transpose %arg0 permutation [0, 2, 3, 1]
  // CHECK-NOT: nn.transpose
  // CHECK: return
  %0 = nn.transpose %x permutation [0, 2, 3, 1] : (tensor<1x3x32x32xf32>) -> tensor<1x32x32x3xf32>
  %c1 = nn.constant dense<1.0> : tensor<8x7x7x3xf32>
  %c2 = nn.constant dense<0.5> : tensor<8xf32>
  %1 = nn.conv_2d %0, %c1, %c2 stride [2, 2] pad [3, 3, 3, 3] : (tensor<1x32x32x3xf32>, tensor<8x7x7x3xf32>, tensor<8xf32>) -> tensor<1x16x16x8xf32>
  %2 = nn.transpose %1 permutation [0, 3, 1, 2] : (tensor<1x16x16x8xf32>) -> tensor<1x8x16x16xf32>
  %3 = nn.clamp relu %2 : (tensor<1x8x16x16xf32>) -> tensor<1x8x16x16xf32>
  %4 = nn.transpose %3 permutation [0, 2, 3, 1] : (tensor<1x8x16x16xf32>) -> tensor<1x16x16x8xf32>
  %5 = nn.max_pool_2d %4 kernel [3, 3] stride [2, 2] pad [1, 1, 1, 1] : (tensor<1x16x16x8xf32>) -> tensor<1x8x8x8xf32>
  %6 = nn.transpose %5 permutation [0, 3, 1, 2] : (tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
  %7 = nn.transpose %6 permutation [0, 2, 3, 1] : (tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
  %c10 = nn.constant dense<1.0> : tensor<8x3x3x8xf32>
  %c11 = nn.constant dense<0.5> : tensor<8xf32>
  %8 = nn.conv_2d %7, %c10, %c11 pad [1, 1, 1, 1] : (tensor<1x8x8x8xf32>, tensor<8x3x3x8xf32>, tensor<8xf32>) -> tensor<1x8x8x8xf32>
  %9 = nn.transpose %8 permutation [0, 3, 1, 2] : (tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
  %10 = nn.clamp relu %9 : (tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
  %11 = nn.transpose %10 permutation [0, 2, 3, 1] : (tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
  %c16 = nn.constant dense<1.0> : tensor<8x3x3x8xf32>
  %c17 = nn.constant dense<0.5> : tensor<8xf32>
  %12 = nn.conv_2d %11, %c16, %c17 pad [1, 1, 1, 1] : (tensor<1x8x8x8xf32>, tensor<8x3x3x8xf32>, tensor<8xf32>) -> tensor<1x8x8x8xf32>
  %13 = nn.transpose %12 permutation [0, 3, 1, 2] : (tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
  %c20 = nn.constant dense<0.25> : tensor<8x1x1xf32>
  %c21 = nn.constant dense<0.75> : tensor<8x1x1xf32>
  %14 = nn.mul %13, %c20 : (tensor<1x8x8x8xf32>, tensor<8x1x1xf32>) -> tensor<1x8x8x8xf32>
  %15 = nn.add %14, %c21 : (tensor<1x8x8x8xf32>, tensor<8x1x1xf32>) -> tensor<1x8x8x8xf32>
  %16 = nn.add %15, %6 : (tensor<1x8x8x8xf32>, tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
  %17 = nn.clamp relu %16 : (tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
  %18 = nn.transpose %17 permutation [0, 2, 3, 1] : (tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
  %c27 = nn.constant dense<1.0> : tensor<16x3x3x8xf32>
  %c28 = nn.constant dense<0.5> : tensor<16xf32>
  %19 = nn.conv_2d %18, %c27, %c28 stride [2, 2] pad [1, 1, 1, 1] : (tensor<1x8x8x8xf32>, tensor<16x3x3x8xf32>, tensor<16xf32>) -> tensor<1x4x4x16xf32>
  %20 = nn.transpose %19 permutation [0, 3, 1, 2] : (tensor<1x4x4x16xf32>) -> tensor<1x16x4x4xf32>
  %21 = nn.clamp relu %20 : (tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
  %22 = nn.transpose %21 permutation [0, 2, 3, 1] : (tensor<1x16x4x4xf32>) -> tensor<1x4x4x16xf32>
  %c33 = nn.constant dense<1.0> : tensor<16x3x3x16xf32>
  %c34 = nn.constant dense<0.5> : tensor<16xf32>
  %23 = nn.conv_2d %22, %c33, %c34 pad [1, 1, 1, 1] : (tensor<1x4x4x16xf32>, tensor<16x3x3x16xf32>, tensor<16xf32>) -> tensor<1x4x4x16xf32>
  %24 = nn.transpose %23 permutation [0, 3, 1, 2] : (tensor<1x4x4x16xf32>) -> tensor<1x16x4x4xf32>
  %25 = nn.transpose %17 permutation [0, 2, 3, 1] : (tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
  %c38 = nn.constant dense<1.0> : tensor<16x1x1x8xf32>
  %c39 = nn.constant dense<0.5> : tensor<16xf32>
  %26 = nn.conv_2d %25, %c38, %c39 stride [2, 2] : (tensor<1x8x8x8xf32>, tensor<16x1x1x8xf32>, tensor<16xf32>) -> tensor<1x4x4x16xf32>
  %27 = nn.transpose %26 permutation [0, 3, 1, 2] : (tensor<1x4x4x16xf32>) -> tensor<1x16x4x4xf32>
  %28 = nn.add %24, %27 : (tensor<1x16x4x4xf32>, tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
  %29 = nn.clamp relu %28 : (tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
  %30 = nn.transpose %29 permutation [0, 2, 3, 1] : (tensor<1x16x4x4xf32>) -> tensor<1x4x4x16xf32>
  %31 = nn.average_pool_2d %30 kernel [4, 4] stride [4, 4] pad [0, 0, 0, 0] : (tensor<1x4x4x16xf32>) -> tensor<1x1x1x16xf32>
  %32 = nn.transpose %31 permutation [0, 3, 1, 2] : (tensor<1x1x1x16xf32>) -> tensor<1x16x1x1xf32>
  %33 = nn.reshape %32 to [1, 16] : (tensor<1x16x1x1xf32>) -> tensor<1x16xf32>
  %c48 = nn.constant dense<1.0> : tensor<10x16xf32>
  %34 = nn.fully_connected %33, %c48 : (tensor<1x16xf32>, tensor<10x16xf32>) -> tensor<1x10xf32>
  %35 = nn.softmax %34 axis -1 : (tensor<1x10xf32>) -> tensor<1x10xf32>
  return %35 : tensor<1x10xf32>
}

// CHECK-LABEL: func.func @squeezeAndExcitation(
func.func @squeezeAndExcitation(%x: tensor<1x8x12x12xf32>) -> tensor<1x8x12x12xf32> {
  // CHECK: %[[X:.*]] = nn.transpose %arg0 permutation [0, 2, 3, 1]
  // CHECK-NOT: nn.transpose
  // CHECK: %[[Y:.*]] = nn.add %{{.*}}, %[[X]]
  // CHECK-NEXT: %[[O:.*]] = nn.transpose %[[Y]] permutation [0, 3, 1, 2]
  // CHECK-NEXT: return %[[O]]
  %0 = nn.transpose %x permutation [0, 2, 3, 1] : (tensor<1x8x12x12xf32>) -> tensor<1x12x12x8xf32>
  %c1 = nn.constant dense<1.0> : tensor<16x1x1x8xf32>
  %c2 = nn.constant dense<0.5> : tensor<16xf32>
  %1 = nn.conv_2d %0, %c1, %c2 : (tensor<1x12x12x8xf32>, tensor<16x1x1x8xf32>, tensor<16xf32>) -> tensor<1x12x12x16xf32>
  %2 = nn.transpose %1 permutation [0, 3, 1, 2] : (tensor<1x12x12x16xf32>) -> tensor<1x16x12x12xf32>
  %3 = nn.logistic %2 : (tensor<1x16x12x12xf32>) -> tensor<1x16x12x12xf32>
  %4 = nn.mul %2, %3 : (tensor<1x16x12x12xf32>, tensor<1x16x12x12xf32>) -> tensor<1x16x12x12xf32>
  %5 = nn.transpose %4 permutation [0, 2, 3, 1] : (tensor<1x16x12x12xf32>) -> tensor<1x12x12x16xf32>
  %c8 = nn.constant dense<1.0> : tensor<1x3x3x16xf32>
  %c9 = nn.constant dense<0.5> : tensor<16xf32>
  %6 = nn.depthwise_conv_2d %5, %c8, %c9 pad [1, 1, 1, 1] : (tensor<1x12x12x16xf32>, tensor<1x3x3x16xf32>, tensor<16xf32>) -> tensor<1x12x12x16xf32>
  %7 = nn.transpose %6 permutation [0, 3, 1, 2] : (tensor<1x12x12x16xf32>) -> tensor<1x16x12x12xf32>
  %8 = nn.logistic %7 : (tensor<1x16x12x12xf32>) -> tensor<1x16x12x12xf32>
  %9 = nn.mul %7, %8 : (tensor<1x16x12x12xf32>, tensor<1x16x12x12xf32>) -> tensor<1x16x12x12xf32>
  %10 = nn.mean %9 axes [2, 3] keep_dims : (tensor<1x16x12x12xf32>) -> tensor<1x16x1x1xf32>
  %11 = nn.transpose %10 permutation [0, 2, 3, 1] : (tensor<1x16x1x1xf32>) -> tensor<1x1x1x16xf32>
  %c16 = nn.constant dense<1.0> : tensor<4x1x1x16xf32>
  %c17 = nn.constant dense<0.5> : tensor<4xf32>
  %12 = nn.conv_2d %11, %c16, %c17 : (tensor<1x1x1x16xf32>, tensor<4x1x1x16xf32>, tensor<4xf32>) -> tensor<1x1x1x4xf32>
  %13 = nn.transpose %12 permutation [0, 3, 1, 2] : (tensor<1x1x1x4xf32>) -> tensor<1x4x1x1xf32>
  %14 = nn.logistic %13 : (tensor<1x4x1x1xf32>) -> tensor<1x4x1x1xf32>
  %15 = nn.mul %13, %14 : (tensor<1x4x1x1xf32>, tensor<1x4x1x1xf32>) -> tensor<1x4x1x1xf32>
  %16 = nn.transpose %15 permutation [0, 2, 3, 1] : (tensor<1x4x1x1xf32>) -> tensor<1x1x1x4xf32>
  %c23 = nn.constant dense<1.0> : tensor<16x1x1x4xf32>
  %c24 = nn.constant dense<0.5> : tensor<16xf32>
  %17 = nn.conv_2d %16, %c23, %c24 : (tensor<1x1x1x4xf32>, tensor<16x1x1x4xf32>, tensor<16xf32>) -> tensor<1x1x1x16xf32>
  %18 = nn.transpose %17 permutation [0, 3, 1, 2] : (tensor<1x1x1x16xf32>) -> tensor<1x16x1x1xf32>
  %19 = nn.logistic %18 : (tensor<1x16x1x1xf32>) -> tensor<1x16x1x1xf32>
  %20 = nn.mul %9, %19 : (tensor<1x16x12x12xf32>, tensor<1x16x1x1xf32>) -> tensor<1x16x12x12xf32>
  %21 = nn.transpose %20 permutation [0, 2, 3, 1] : (tensor<1x16x12x12xf32>) -> tensor<1x12x12x16xf32>
  %c30 = nn.constant dense<1.0> : tensor<8x1x1x16xf32>
  %c31 = nn.constant dense<0.5> : tensor<8xf32>
  %22 = nn.conv_2d %21, %c30, %c31 : (tensor<1x12x12x16xf32>, tensor<8x1x1x16xf32>, tensor<8xf32>) -> tensor<1x12x12x8xf32>
  %23 = nn.transpose %22 permutation [0, 3, 1, 2] : (tensor<1x12x12x8xf32>) -> tensor<1x8x12x12xf32>
  %24 = nn.add %23, %x : (tensor<1x8x12x12xf32>, tensor<1x8x12x12xf32>) -> tensor<1x8x12x12xf32>
  return %24 : tensor<1x8x12x12xf32>
}

// CHECK-LABEL: func.func @ssdHead(
func.func @ssdHead(%x: tensor<1x8x8x8xf32>) -> (tensor<1x288x4xf32>, tensor<1x288x5xf32>) {
  // CHECK: nn.transpose %arg0 permutation [0, 2, 3, 1]
  // CHECK-NOT: nn.transpose
  // CHECK: return
  %0 = nn.transpose %x permutation [0, 2, 3, 1] : (tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
  %c1 = nn.constant dense<1.0> : tensor<16x3x3x8xf32>
  %c2 = nn.constant dense<0.5> : tensor<16xf32>
  %1 = nn.conv_2d %0, %c1, %c2 pad [1, 1, 1, 1] : (tensor<1x8x8x8xf32>, tensor<16x3x3x8xf32>, tensor<16xf32>) -> tensor<1x8x8x16xf32>
  %2 = nn.transpose %1 permutation [0, 3, 1, 2] : (tensor<1x8x8x16xf32>) -> tensor<1x16x8x8xf32>
  %3 = nn.clamp relu %2 : (tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32>
  %4 = nn.transpose %3 permutation [0, 2, 3, 1] : (tensor<1x16x8x8xf32>) -> tensor<1x8x8x16xf32>
  %c7 = nn.constant dense<1.0> : tensor<16x3x3x16xf32>
  %c8 = nn.constant dense<0.5> : tensor<16xf32>
  %5 = nn.conv_2d %4, %c7, %c8 stride [2, 2] pad [1, 1, 1, 1] : (tensor<1x8x8x16xf32>, tensor<16x3x3x16xf32>, tensor<16xf32>) -> tensor<1x4x4x16xf32>
  %6 = nn.transpose %5 permutation [0, 3, 1, 2] : (tensor<1x4x4x16xf32>) -> tensor<1x16x4x4xf32>
  %7 = nn.clamp relu %6 : (tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
  %8 = nn.transpose %3 permutation [0, 2, 3, 1] : (tensor<1x16x8x8xf32>) -> tensor<1x8x8x16xf32>
  %c13 = nn.constant dense<1.0> : tensor<12x3x3x16xf32>
  %c14 = nn.constant dense<0.5> : tensor<12xf32>
  %9 = nn.conv_2d %8, %c13, %c14 pad [1, 1, 1, 1] : (tensor<1x8x8x16xf32>, tensor<12x3x3x16xf32>, tensor<12xf32>) -> tensor<1x8x8x12xf32>
  %10 = nn.transpose %9 permutation [0, 3, 1, 2] : (tensor<1x8x8x12xf32>) -> tensor<1x12x8x8xf32>
  %11 = nn.transpose %10 permutation [0, 2, 3, 1] : (tensor<1x12x8x8xf32>) -> tensor<1x8x8x12xf32>
  %12 = nn.reshape %11 to [1, 192, 4] : (tensor<1x8x8x12xf32>) -> tensor<1x192x4xf32>
  %13 = nn.transpose %7 permutation [0, 2, 3, 1] : (tensor<1x16x4x4xf32>) -> tensor<1x4x4x16xf32>
  %c20 = nn.constant dense<1.0> : tensor<24x3x3x16xf32>
  %c21 = nn.constant dense<0.5> : tensor<24xf32>
  %14 = nn.conv_2d %13, %c20, %c21 pad [1, 1, 1, 1] : (tensor<1x4x4x16xf32>, tensor<24x3x3x16xf32>, tensor<24xf32>) -> tensor<1x4x4x24xf32>
  %15 = nn.transpose %14 permutation [0, 3, 1, 2] : (tensor<1x4x4x24xf32>) -> tensor<1x24x4x4xf32>
  %16 = nn.transpose %15 permutation [0, 2, 3, 1] : (tensor<1x24x4x4xf32>) -> tensor<1x4x4x24xf32>
  %17 = nn.reshape %16 to [1, 96, 4] : (tensor<1x4x4x24xf32>) -> tensor<1x96x4xf32>
  %18 = nn.concatenation %12, %17 axis 1 : (tensor<1x192x4xf32>, tensor<1x96x4xf32>) -> tensor<1x288x4xf32>
  %19 = nn.transpose %3 permutation [0, 2, 3, 1] : (tensor<1x16x8x8xf32>) -> tensor<1x8x8x16xf32>
  %c28 = nn.constant dense<1.0> : tensor<15x3x3x16xf32>
  %c29 = nn.constant dense<0.5> : tensor<15xf32>
  %20 = nn.conv_2d %19, %c28, %c29 pad [1, 1, 1, 1] : (tensor<1x8x8x16xf32>, tensor<15x3x3x16xf32>, tensor<15xf32>) -> tensor<1x8x8x15xf32>
  %21 = nn.transpose %20 permutation [0, 3, 1, 2] : (tensor<1x8x8x15xf32>) -> tensor<1x15x8x8xf32>
  %22 = nn.transpose %21 permutation [0, 2, 3, 1] : (tensor<1x15x8x8xf32>) -> tensor<1x8x8x15xf32>
  %23 = nn.reshape %22 to [1, 192, 5] : (tensor<1x8x8x15xf32>) -> tensor<1x192x5xf32>
  %24 = nn.transpose %7 permutation [0, 2, 3, 1] : (tensor<1x16x4x4xf32>) -> tensor<1x4x4x16xf32>
  %c35 = nn.constant dense<1.0> : tensor<30x3x3x16xf32>
  %c36 = nn.constant dense<0.5> : tensor<30xf32>
  %25 = nn.conv_2d %24, %c35, %c36 pad [1, 1, 1, 1] : (tensor<1x4x4x16xf32>, tensor<30x3x3x16xf32>, tensor<30xf32>) -> tensor<1x4x4x30xf32>
  %26 = nn.transpose %25 permutation [0, 3, 1, 2] : (tensor<1x4x4x30xf32>) -> tensor<1x30x4x4xf32>
  %27 = nn.transpose %26 permutation [0, 2, 3, 1] : (tensor<1x30x4x4xf32>) -> tensor<1x4x4x30xf32>
  %28 = nn.reshape %27 to [1, 96, 5] : (tensor<1x4x4x30xf32>) -> tensor<1x96x5xf32>
  %29 = nn.concatenation %23, %28 axis 1 : (tensor<1x192x5xf32>, tensor<1x96x5xf32>) -> tensor<1x288x5xf32>
  %30 = nn.softmax %29 axis -1 : (tensor<1x288x5xf32>) -> tensor<1x288x5xf32>
  return %18, %30 : tensor<1x288x4xf32>, tensor<1x288x5xf32>
}

// CHECK-LABEL: func.func @upsampledPyramid(
func.func @upsampledPyramid(%x: tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32> {
  // CHECK: nn.transpose %arg0 permutation [0, 2, 3, 1]
  // CHECK-NOT: nn.transpose
  // CHECK: %[[O:.*]] = nn.transpose %{{.*}} permutation [0, 3, 1, 2]
  // CHECK-NEXT: return %[[O]]
  %0 = nn.transpose %x permutation [0, 2, 3, 1] : (tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
  %c1 = nn.constant dense<1.0> : tensor<16x3x3x8xf32>
  %c2 = nn.constant dense<0.5> : tensor<16xf32>
  %1 = nn.conv_2d %0, %c1, %c2 pad [1, 1, 1, 1] : (tensor<1x8x8x8xf32>, tensor<16x3x3x8xf32>, tensor<16xf32>) -> tensor<1x8x8x16xf32>
  %2 = nn.transpose %1 permutation [0, 3, 1, 2] : (tensor<1x8x8x16xf32>) -> tensor<1x16x8x8xf32>
  %3 = nn.logistic %2 : (tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32>
  %4 = nn.mul %2, %3 : (tensor<1x16x8x8xf32>, tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32>
  %5 = nn.transpose %4 permutation [0, 2, 3, 1] : (tensor<1x16x8x8xf32>) -> tensor<1x8x8x16xf32>
  %c8 = nn.constant dense<1.0> : tensor<16x3x3x16xf32>
  %c9 = nn.constant dense<0.5> : tensor<16xf32>
  %6 = nn.conv_2d %5, %c8, %c9 stride [2, 2] pad [1, 1, 1, 1] : (tensor<1x8x8x16xf32>, tensor<16x3x3x16xf32>, tensor<16xf32>) -> tensor<1x4x4x16xf32>
  %7 = nn.transpose %6 permutation [0, 3, 1, 2] : (tensor<1x4x4x16xf32>) -> tensor<1x16x4x4xf32>
  %8 = nn.transpose %7 permutation [0, 2, 3, 1] : (tensor<1x16x4x4xf32>) -> tensor<1x4x4x16xf32>
  %9 = nn.resize nearest %8 to [8, 8] : (tensor<1x4x4x16xf32>) -> tensor<1x8x8x16xf32>
  %10 = nn.transpose %9 permutation [0, 3, 1, 2] : (tensor<1x8x8x16xf32>) -> tensor<1x16x8x8xf32>
  %11 = nn.concatenation %10, %4 axis 1 : (tensor<1x16x8x8xf32>, tensor<1x16x8x8xf32>) -> tensor<1x32x8x8xf32>
  %12 = nn.slice %11 begin [0, 0, 0, 0] size [1, 16, 8, 8] strides [1, 1, 1, 1] : (tensor<1x32x8x8xf32>) -> tensor<1x16x8x8xf32>
  %13 = nn.slice %11 begin [0, 16, 0, 0] size [1, 16, 8, 8] strides [1, 1, 1, 1] : (tensor<1x32x8x8xf32>) -> tensor<1x16x8x8xf32>
  %14 = nn.transpose %12 permutation [0, 2, 3, 1] : (tensor<1x16x8x8xf32>) -> tensor<1x8x8x16xf32>
  %c19 = nn.constant dense<1.0> : tensor<16x3x3x16xf32>
  %c20 = nn.constant dense<0.5> : tensor<16xf32>
  %15 = nn.conv_2d %14, %c19, %c20 pad [1, 1, 1, 1] : (tensor<1x8x8x16xf32>, tensor<16x3x3x16xf32>, tensor<16xf32>) -> tensor<1x8x8x16xf32>
  %16 = nn.transpose %15 permutation [0, 3, 1, 2] : (tensor<1x8x8x16xf32>) -> tensor<1x16x8x8xf32>
  %17 = nn.add %16, %13 : (tensor<1x16x8x8xf32>, tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32>
  %18 = nn.transpose %17 permutation [0, 2, 3, 1] : (tensor<1x16x8x8xf32>) -> tensor<1x8x8x16xf32>
  %19 = nn.max_pool_2d %18 kernel [5, 5] stride [1, 1] pad [2, 2, 2, 2] : (tensor<1x8x8x16xf32>) -> tensor<1x8x8x16xf32>
  %20 = nn.transpose %19 permutation [0, 3, 1, 2] : (tensor<1x8x8x16xf32>) -> tensor<1x16x8x8xf32>
  %21 = nn.concatenation %17, %20 axis 1 : (tensor<1x16x8x8xf32>, tensor<1x16x8x8xf32>) -> tensor<1x32x8x8xf32>
  %22 = nn.transpose %21 permutation [0, 2, 3, 1] : (tensor<1x32x8x8xf32>) -> tensor<1x8x8x32xf32>
  %c29 = nn.constant dense<1.0> : tensor<8x1x1x32xf32>
  %c30 = nn.constant dense<0.5> : tensor<8xf32>
  %23 = nn.conv_2d %22, %c29, %c30 : (tensor<1x8x8x32xf32>, tensor<8x1x1x32xf32>, tensor<8xf32>) -> tensor<1x8x8x8xf32>
  %24 = nn.transpose %23 permutation [0, 3, 1, 2] : (tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
  return %24 : tensor<1x8x8x8xf32>
}

// CHECK-LABEL: func.func @shuffledChannels(
func.func @shuffledChannels(%x: tensor<1x8x8x8xf32>) -> tensor<1x12xf32> {
  // CHECK: nn.transpose %arg0 permutation [0, 2, 3, 1]
  // CHECK: nn.transpose %{{.*}} permutation [0, 1, 2, 4, 3]
  // CHECK-NOT: nn.transpose
  // CHECK: return
  %0 = nn.transpose %x permutation [0, 2, 3, 1] : (tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
  %c1 = nn.constant dense<1.0> : tensor<12x1x1x8xf32>
  %c2 = nn.constant dense<0.5> : tensor<12xf32>
  %1 = nn.conv_2d %0, %c1, %c2 : (tensor<1x8x8x8xf32>, tensor<12x1x1x8xf32>, tensor<12xf32>) -> tensor<1x8x8x12xf32>
  %2 = nn.transpose %1 permutation [0, 3, 1, 2] : (tensor<1x8x8x12xf32>) -> tensor<1x12x8x8xf32>
  %3 = nn.reshape %2 to [1, 2, 6, 8, 8] : (tensor<1x12x8x8xf32>) -> tensor<1x2x6x8x8xf32>
  %4 = nn.transpose %3 permutation [0, 2, 1, 3, 4] : (tensor<1x2x6x8x8xf32>) -> tensor<1x6x2x8x8xf32>
  %5 = nn.reshape %4 to [1, 12, 8, 8] : (tensor<1x6x2x8x8xf32>) -> tensor<1x12x8x8xf32>
  %6 = nn.transpose %5 permutation [0, 2, 3, 1] : (tensor<1x12x8x8xf32>) -> tensor<1x8x8x12xf32>
  %c9 = nn.constant dense<1.0> : tensor<1x3x3x12xf32>
  %c10 = nn.constant dense<0.5> : tensor<12xf32>
  %7 = nn.depthwise_conv_2d %6, %c9, %c10 pad [1, 1, 1, 1] : (tensor<1x8x8x12xf32>, tensor<1x3x3x12xf32>, tensor<12xf32>) -> tensor<1x8x8x12xf32>
  %8 = nn.transpose %7 permutation [0, 3, 1, 2] : (tensor<1x8x8x12xf32>) -> tensor<1x12x8x8xf32>
  %9 = nn.mean %8 axes [2, 3] : (tensor<1x12x8x8xf32>) -> tensor<1x12xf32>
  return %9 : tensor<1x12xf32>
}
