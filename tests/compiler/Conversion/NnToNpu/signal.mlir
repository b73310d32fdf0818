// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s -split-input-file --convert-nn-to-npu=target=e256 | FileCheck %s

// Lines are pixels in the rows of a matrix product, and a table has the factors. Each of 60 numbers takes 2 * log2(8) - 1
// operations at least, in 4 lanes.
// CHECK: npu.layers = [{computeCycles = 15 : i64, deviceCycles = 75 : i64, name = "spectrum", op = "RFFT", rooflineCycles = 15 : i64}]
// CHECK: npu.view %{{.*}} : tensor<2x3x6xf32> -> tensor<3x2x6xf32>
// CHECK: npu.constant {{.*}} tensor<1x1x8xf32>
// CHECK: npu.dsp "realFourier"({{.*}}) parameters [8] zero_points [0, 0] -> [0, 0] row_wise layer 0 : (tensor<3x2x6xf32>, tensor<1x1x8xf32>) -> (tensor<3x2x5xf32>, tensor<3x2x5xf32>)
func.func @rfft(%x: tensor<2x3x6xf32>) -> (tensor<2x3x5xf32>, tensor<2x3x5xf32>) {
  %0:2 = nn.rfft %x points 8 : (tensor<2x3x6xf32>) -> (tensor<2x3x5xf32>, tensor<2x3x5xf32>) loc("spectrum")
  return %0#0, %0#1 : tensor<2x3x5xf32>, tensor<2x3x5xf32>
}

// -----

// A window, magnitudes, functions of these and a matrix product have the rows of the spectra, so that stripes stay on chip.
// CHECK: npu.eltwise {{.*}} : tensor<5x2x8xf32>, tensor<1x1x8xf32> -> tensor<5x2x8xf32>
// CHECK: npu.dsp "realFourier"{{.*}} -> (tensor<5x2x5xf32>, tensor<5x2x5xf32>)
// CHECK: npu.dsp "binary"{{.*}} -> tensor<5x2x5xf32>
// CHECK: npu.dsp "unary"{{.*}} -> tensor<5x2x5xf32>
// CHECK: npu.conv {{.*}} -> tensor<5x2x3xf32>
func.func @frontEnd(%x: tensor<10x8xf32>, %window: tensor<8xf32>) -> tensor<10x3xf32> {
  %filters = nn.constant dense<0.5> : tensor<3x5xf32>
  %0 = nn.mul %x, %window : (tensor<10x8xf32>, tensor<8xf32>) -> tensor<10x8xf32>
  %1 = nn.reshape %0 to [10, 1, 8] : (tensor<10x8xf32>) -> tensor<10x1x8xf32>
  %2:2 = nn.rfft %1 points 8 : (tensor<10x1x8xf32>) -> (tensor<10x1x5xf32>, tensor<10x1x5xf32>)
  %3 = nn.reshape %2#0 to [10, 5] : (tensor<10x1x5xf32>) -> tensor<10x5xf32>
  %4 = nn.reshape %2#1 to [10, 5] : (tensor<10x1x5xf32>) -> tensor<10x5xf32>
  %5 = nn.binary hypot %3, %4 : (tensor<10x5xf32>, tensor<10x5xf32>) -> tensor<10x5xf32>
  %6 = nn.unary log %5 : (tensor<10x5xf32>) -> tensor<10x5xf32>
  %7 = nn.fully_connected %6, %filters : (tensor<10x5xf32>, tensor<3x5xf32>) -> tensor<10x3xf32>
  return %7 : tensor<10x3xf32>
}
