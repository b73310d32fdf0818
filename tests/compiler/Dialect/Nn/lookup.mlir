// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s | avocet-opt | FileCheck %s

!x = !quant.uniform<u8:f32, 0.5:128>
!h = !quant.uniform<u8:f32, 1.0>

// CHECK-LABEL: func.func @lookups(
func.func @lookups(%x: tensor<2x3x4xf16>, %i: tensor<5x1xi32>, %l: tensor<4xi32>, %k: tensor<3xi32>, %v: tensor<3x2x!x>)
    -> (tensor<2x5x1x4xf16>, tensor<4x2x!x>, tensor<4x!h>) {
  // CHECK: nn.gather %{{.*}} at %{{.*}} axis 1 : (tensor<2x3x4xf16>, tensor<5x1xi32>) -> tensor<2x5x1x4xf16>
  %0 = nn.gather %x at %i axis 1 : (tensor<2x3x4xf16>, tensor<5x1xi32>) -> tensor<2x5x1x4xf16>
  // CHECK: nn.hashtable_lookup %{{.*}} in %{{.*}}, %{{.*}} :
  %1, %2 = nn.hashtable_lookup %l in %k, %v : (tensor<4xi32>, tensor<3xi32>, tensor<3x2x!x>) -> (tensor<4x2x!x>, tensor<4x!h>)
  return %0, %1, %2 : tensor<2x5x1x4xf16>, tensor<4x2x!x>, tensor<4x!h>
}

// CHECK-LABEL: func.func @hashes(
func.func @hashes(%s: tensor<4x2xf32>, %x: tensor<3x2xi32>, %w: tensor<3xf32>) -> (tensor<8xi32>, tensor<4xi32>) {
  // CHECK: nn.lsh_projection dense %{{.*}}, %{{.*}} weights %{{.*}} :
  %0 = nn.lsh_projection dense %s, %x weights %w : (tensor<4x2xf32>, tensor<3x2xi32>, tensor<3xf32>) -> tensor<8xi32>
  // CHECK: nn.lsh_projection sparse %{{.*}}, %{{.*}} :
  %1 = nn.lsh_projection sparse %s, %x : (tensor<4x2xf32>, tensor<3x2xi32>) -> tensor<4xi32>
  return %0, %1 : tensor<8xi32>, tensor<4xi32>
}

// CHECK-LABEL: func.func @images(
func.func @images(%x: tensor<2x3x4x5x!x>) -> tensor<2x1x2x5x!x> {
  // CHECK: nn.resize bilinear %{{.*}} half_pixel_centers :
  %0 = nn.resize bilinear %x to [6, 8] half_pixel_centers : (tensor<2x3x4x5x!x>) -> tensor<2x6x8x5x!x>
  // CHECK: nn.resize nearest %{{.*}} align_corners :
  %1 = nn.resize nearest %0 to [1, 2] align_corners : (tensor<2x6x8x5x!x>) -> tensor<2x1x2x5x!x>
  return %1 : tensor<2x1x2x5x!x>
}

// CHECK-LABEL: func.func @wideImages(
func.func @wideImages(%x: tensor<1x3x4x5x!quant.uniform<i16:f32, 0.5>>) -> tensor<1x6x8x5x!quant.uniform<i16:f32, 0.5>> {
  // CHECK: nn.resize bilinear %{{.*}} : (tensor<1x3x4x5x!{{.*}}>) -> tensor<1x6x8x5x!{{.*}}>
  %0 = nn.resize bilinear %x to [6, 8] : (tensor<1x3x4x5x!quant.uniform<i16:f32, 0.5>>) -> tensor<1x6x8x5x!quant.uniform<i16:f32, 0.5>>
  return %0 : tensor<1x6x8x5x!quant.uniform<i16:f32, 0.5>>
}

// CHECK-LABEL: func.func @sortsPositions(
func.func @sortsPositions(%x: tensor<5xi64>) -> (tensor<3xi64>, tensor<3xi32>) {
  // CHECK: nn.topk_v2 %{{.*}} k 3 : (tensor<5xi64>) -> (tensor<3xi64>, tensor<3xi32>)
  %0:2 = nn.topk_v2 %x k 3 : (tensor<5xi64>) -> (tensor<3xi64>, tensor<3xi32>)
  return %0#0, %0#1 : tensor<3xi64>, tensor<3xi32>
}

// CHECK-LABEL: func.func @sorts(
func.func @sorts(%x: tensor<2x5x!x>) -> (tensor<2x3x!x>, tensor<2x3xi32>) {
  // CHECK: nn.topk_v2 %{{.*}} last_first :
  %0:2 = nn.topk_v2 %x k 3 last_first : (tensor<2x5x!x>) -> (tensor<2x3x!x>, tensor<2x3xi32>)
  return %0#0, %0#1 : tensor<2x3x!x>, tensor<2x3xi32>
}
