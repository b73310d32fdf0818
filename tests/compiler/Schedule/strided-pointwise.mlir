// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --npu-schedule=target=e256 --split-input-file | FileCheck %s

// A pointwise window with strides reads every second pixel of every second row. Only these are loaded: 2 rows of 2 pixels
// of 128 bytes, 256 bytes apart, in rows that are 1,024 bytes apart. The window then has no strides.

// CHECK-LABEL: npu.program @main
// CHECK: npu.dma %{{.*}} {source = {stride0 = 256, stride1 = 1024}, destination = {stride0 = 128, stride1 = 256}, runBytes = 128, count0 = 2, count1 = 2}
// CHECK: npu.tile_conv
// CHECK-SAME: input = {2x2x128xi8}
// CHECK-NOT: strideHeight
// CHECK-NOT: strideWidth
func.func @main(%in: tensor<4x4x128xi8> {nn.name = "image"}) -> tensor<2x2x16xi8>
    attributes {npu.layers = [{name = "conv1", op = "CONV_2D", macs = 8192 : i64}]} {
  %w = npu.constant dense<1> : tensor<2048xi8> : tensor<2048xi8>
  %r = npu.constant dense<0> : tensor<192xi8> : tensor<192xi8>
  %0 = npu.conv %in, %w, %r {window = {strideHeight = 2, strideWidth = 2}} layer 0 : tensor<4x4x128xi8>, tensor<2048xi8>, tensor<192xi8> -> tensor<2x2x16xi8>
  return %0 : tensor<2x2x16xi8>
}

// -----

// Pixels of 8 bytes are shorter than a burst: whole rows are loaded, every second one.

// CHECK-LABEL: npu.program @main
// CHECK: npu.dma %{{.*}} {source = {stride1 = 512}, destination = {stride1 = 256}, runBytes = 256, count1 = 2}
// CHECK: npu.tile_conv
// CHECK-NOT: strideHeight
// CHECK-SAME: strideWidth = 2
func.func @main(%in: tensor<4x32x8xi8> {nn.name = "image"}) -> tensor<2x16x16xi8>
    attributes {npu.layers = [{name = "conv1", op = "CONV_2D", macs = 4096 : i64}]} {
  %w = npu.constant dense<1> : tensor<128xi8> : tensor<128xi8>
  %r = npu.constant dense<0> : tensor<192xi8> : tensor<192xi8>
  %0 = npu.conv %in, %w, %r {window = {strideHeight = 2, strideWidth = 2}} layer 0 : tensor<4x32x8xi8>, tensor<128xi8>, tensor<192xi8> -> tensor<2x16x16xi8>
  return %0 : tensor<2x16x16xi8>
}

// -----

// Rows of 32 bytes are shorter than a burst, too: all rows are loaded in one run, and the command reads every second one.

// CHECK-LABEL: npu.program @main
// CHECK: npu.dma %{{.*}} {runBytes = 128}
// CHECK: npu.tile_conv
// CHECK-SAME: input = {2x4x8xi8, rowStride = 64}
func.func @main(%in: tensor<4x4x8xi8> {nn.name = "image"}) -> tensor<2x2x16xi8>
    attributes {npu.layers = [{name = "conv1", op = "CONV_2D", macs = 512 : i64}]} {
  %w = npu.constant dense<1> : tensor<128xi8> : tensor<128xi8>
  %r = npu.constant dense<0> : tensor<192xi8> : tensor<192xi8>
  %0 = npu.conv %in, %w, %r {window = {strideHeight = 2, strideWidth = 2}} layer 0 : tensor<4x4x8xi8>, tensor<128xi8>, tensor<192xi8> -> tensor<2x2x16xi8>
  return %0 : tensor<2x2x16xi8>
}
