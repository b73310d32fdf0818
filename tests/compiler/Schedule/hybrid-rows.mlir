// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --avocet-compile="target=e256s stop-after=schedule" | FileCheck %s

// The input of a hybrid layer has 4 MiB, ten times the memory: its rows are loaded for the ranges, and once more for the
// values, which the array reads in turn.
// CHECK: npu.program
// CHECK-COUNT-2: npu.tile_dsp {{.*}}kernel = 83
// CHECK: npu.tile_dsp {{.*}}kernel = 84
// CHECK-NOT: kernel = 83
// CHECK: npu.tile_dsp {{.*}}kernel = 85
// CHECK: npu.tile_conv
// CHECK: npu.tile_dsp {{.*}}kernel = 85
// CHECK: npu.tile_conv
!w = !quant.uniform<i8:f32, 0.5>
module attributes {avocet.phase = "import"} {
  func.func @main(%x: tensor<1x256x256x16xf32>) -> tensor<1x256x256x8xf32> {
    %w = nn.constant dense<2> : tensor<8x1x1x16xi8> as tensor<8x1x1x16x!w>
    %0 = nn.conv_2d %x, %w : (tensor<1x256x256x16xf32>, tensor<8x1x1x16x!w>) -> tensor<1x256x256x8xf32>
    return %0 : tensor<1x256x256x8xf32>
  }
}
