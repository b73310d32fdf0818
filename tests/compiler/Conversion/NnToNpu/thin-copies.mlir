// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pixels of few channels, of which the array copies one in the time of many. The DSP moves them if it is much faster.
// RUN: avocet-opt --convert-nn-to-npu=target=e256 %s | FileCheck %s
// RUN: avocet-opt --convert-nn-to-npu=target=p4096 %s | FileCheck %s

!q = !quant.uniform<i8:f32, 0.5:3>

// CHECK-LABEL: func.func @concatenation(
// CHECK-NOT: npu.pool
// CHECK: npu.dsp "rearrange"(%arg0, %arg1) {{.*}}row_wise {{.*}}-> tensor<160x320x2xi8>
func.func @concatenation(%x: tensor<1x160x320x1x!q>, %y: tensor<1x160x320x1x!q>) -> tensor<1x160x320x2x!q> {
  %0 = nn.concatenation %x, %y axis 3 : (tensor<1x160x320x1x!q>, tensor<1x160x320x1x!q>) -> tensor<1x160x320x2x!q>
  return %0 : tensor<1x160x320x2x!q>
}

// The copy reads the whole tensor, not the part.
// CHECK-LABEL: func.func @slice(
// CHECK: npu.dsp "rearrange"(%arg0) {{.*}}: (tensor<160x320x4xi8>) -> tensor<160x320x1xi8>
func.func @slice(%x: tensor<1x160x320x4x!q>) -> tensor<1x160x320x1x!q> {
  %0 = nn.slice %x begin [0, 0, 0, 1] size [1, 160, 320, 1] strides [1, 1, 1, 1]
     : (tensor<1x160x320x4x!q>) -> tensor<1x160x320x1x!q>
  return %0 : tensor<1x160x320x1x!q>
}

// The array copies many channels as fast.
// CHECK-LABEL: func.func @wide(
// CHECK: npu.pool
func.func @wide(%x: tensor<1x16x16x128x!q>) -> tensor<1x16x16x64x!q> {
  %0 = nn.slice %x begin [0, 0, 0, 64] size [1, 16, 16, 64] strides [1, 1, 1, 1]
     : (tensor<1x16x16x128x!q>) -> tensor<1x16x16x64x!q>
  return %0 : tensor<1x16x16x64x!q>
}
