// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An operation that absorbs others names all of them in its location, its own name first. The name of the tensor that it
// computes is noted if that is not its own.
// RUN: avocet-opt %s --nn-fuse-pad --nn-fuse-rescale --nn-fuse-activation --nn-fuse-requantize --mlir-print-debuginfo | FileCheck %s

!x = !quant.uniform<i8:f32, 0.5:-128>
!u = !quant.uniform<u8:f32, 0.5:0>
!w = !quant.uniform<i8:f32, 0.125>

// CHECK-LABEL: func.func @padAndActivation
// CHECK: nn.conv_2d {{.*}} pad [1, 1, 1, 1] activation relu {{.*}} loc(#[[RELU:.*]])
func.func @padAndActivation(%x: tensor<1x4x4x1x!x>) -> tensor<1x4x4x1x!x> {
  %w = nn.constant dense<1> : tensor<1x3x3x1xi8> as tensor<1x3x3x1x!w>
  %0 = nn.pad %x low [0, 1, 1, 0] high [0, 1, 1, 0] : (tensor<1x4x4x1x!x>) -> tensor<1x6x6x1x!x> loc("pad")
  %1 = nn.conv_2d %0, %w : (tensor<1x6x6x1x!x>, tensor<1x3x3x1x!w>) -> tensor<1x4x4x1x!x> loc("conv")
  %2 = nn.clamp relu %1 : (tensor<1x4x4x1x!x>) -> tensor<1x4x4x1x!x> loc("relu")
  return %2 : tensor<1x4x4x1x!x>
}

// CHECK-LABEL: func.func @signedness
// CHECK: nn.conv_2d {{.*}} loc(#[[SIGNED:.*]])
func.func @signedness(%x: tensor<1x4x4x1x!x>) -> tensor<1x4x4x1x!u> {
  %w = nn.constant dense<1> : tensor<1x1x1x1xi8> as tensor<1x1x1x1x!w>
  %0 = nn.conv_2d %x, %w : (tensor<1x4x4x1x!x>, tensor<1x1x1x1x!w>) -> tensor<1x4x4x1x!x> loc("plain")
  %1 = nn.quantize %0 : (tensor<1x4x4x1x!x>) -> tensor<1x4x4x1x!u> loc("unsigned")
  return %1 : tensor<1x4x4x1x!u>
}

// CHECK-LABEL: func.func @rescale
// CHECK: nn.fully_connected {{.*}} loc(#[[RESCALED:.*]])
func.func @rescale(%x: tensor<4x2x!x>, %w: tensor<3x2x!w>) -> tensor<4x3x!x> {
  %0 = nn.fully_connected %x, %w : (tensor<4x2x!x>, tensor<3x2x!w>) -> tensor<4x3xi32> loc("sums")
  %1 = nn.rescale %0 numerics double_round [1073741824] >> [38] : (tensor<4x3xi32>) -> tensor<4x3x!x> loc("bytes")
  return %1 : tensor<4x3x!x>
}

// CHECK: #[[CONVNAME:.*]] = loc("conv")
// CHECK: #[[PADNAME:.*]] = loc("pad")
// CHECK: #[[RELUNAME:.*]] = loc("relu")
// CHECK: #[[PLAIN:.*]] = loc("plain")
// CHECK: #[[UNSIGNED:.*]] = loc("unsigned")
// CHECK: #[[SUMS:.*]] = loc("sums")
// CHECK: #[[BYTES:.*]] = loc("bytes")
// CHECK: #[[PADDED:.*]] = loc(fused[#[[CONVNAME]], #[[PADNAME]]])
// CHECK: #[[SIGNED]] = loc(fused<"unsigned">[#[[PLAIN]], #[[UNSIGNED]]])
// CHECK: #[[RESCALED]] = loc(fused<"bytes">[#[[SUMS]], #[[BYTES]]])
// CHECK: #[[RELU]] = loc(fused<"relu">[#[[PADDED]], #[[RELUNAME]]])
