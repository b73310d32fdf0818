// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s -split-input-file --avocet-compile="target=e256 start-at=import stop-after=place" | FileCheck %s

// A layer has the name and kind of the first operator of the file in its location.

// An operation that absorbs others stays the first.
// CHECK: npu.layers = [{{{.*}}name = "conv", op = "Conv"{{.*}}}]
!x = !quant.uniform<i8:f32, 0.5>
!w = !quant.uniform<i8:f32, 0.125>
#file = loc("model.onnx")
func.func @absorbs(%x: tensor<1x4x4x1x!x>) -> tensor<1x4x4x1x!x> {
  %w = nn.constant dense<1> : tensor<1x3x3x1xi8> as tensor<1x3x3x1x!w>
  %0 = nn.pad %x low [0, 1, 1, 0] high [0, 1, 1, 0] : (tensor<1x4x4x1x!x>) -> tensor<1x6x6x1x!x> loc("pad"(fused<{kind = "Pad", operator = 0}>[#file]))
  %1 = nn.conv_2d %0, %w : (tensor<1x6x6x1x!x>, tensor<1x3x3x1x!w>) -> tensor<1x4x4x1x!x> loc("conv"(fused<{kind = "Conv", operator = 1}>[#file]))
  %2 = nn.clamp relu %1 : (tensor<1x4x4x1x!x>) -> tensor<1x4x4x1x!x> loc("relu"(fused<{kind = "Relu", operator = 2}>[#file]))
  return %2 : tensor<1x4x4x1x!x>
}

// -----

// Work that placement joins has the names of both.
// CHECK: npu.layers = [{{{.*}}name = "conv + sum", op = "Conv + Add"{{.*}}}]
!x = !quant.uniform<i8:f32, 0.5>
!w = !quant.uniform<i8:f32, 0.125>
#file = loc("model.onnx")
func.func @joined(%x: tensor<1x4x4x2x!x>) -> tensor<1x4x4x2x!x> {
  %w = nn.constant dense<1> : tensor<2x1x1x2xi8> as tensor<2x1x1x2x!w>
  %0 = nn.conv_2d %x, %w : (tensor<1x4x4x2x!x>, tensor<2x1x1x2x!w>) -> tensor<1x4x4x2x!x> loc("conv"(fused<{kind = "Conv", operator = 0}>[#file]))
  %1 = nn.add %0, %x : (tensor<1x4x4x2x!x>, tensor<1x4x4x2x!x>) -> tensor<1x4x4x2x!x> loc("sum"(fused<{kind = "Add", operator = 1}>[#file]))
  return %1 : tensor<1x4x4x2x!x>
}

// -----

// Both are made of one operator.
// CHECK: npu.layers = [{{{.*}}name = "cell", op = "Cell"{{.*}}}]
!x = !quant.uniform<i8:f32, 0.5>
!w = !quant.uniform<i8:f32, 0.125>
#file = loc("model.onnx")
#cell = loc("cell"(fused<{kind = "Cell", operator = 0}>[#file]))
func.func @joinedOfOne(%x: tensor<1x4x4x2x!x>) -> tensor<1x4x4x2x!x> {
  %w = nn.constant dense<1> : tensor<2x1x1x2xi8> as tensor<2x1x1x2x!w>
  %0 = nn.conv_2d %x, %w : (tensor<1x4x4x2x!x>, tensor<2x1x1x2x!w>) -> tensor<1x4x4x2x!x> loc(#cell)
  %1 = nn.add %0, %x : (tensor<1x4x4x2x!x>, tensor<1x4x4x2x!x>) -> tensor<1x4x4x2x!x> loc(#cell)
  return %1 : tensor<1x4x4x2x!x>
}

// -----

// One operation instead of several has a kind of its own, also after it has absorbed others.
// CHECK: npu.layers = [{{{.*}}name = "difference", op = "PRELU"{{.*}}}]
#file = loc("model.onnx")
#max = loc("max"(fused<{kind = "Relu", operator = 0}>[#file]))
#difference = loc("difference"(fused<{kind = "Sub", operator = 1}>[#file]))
#prelu = loc(fused<{kind = "PRELU"}>[#difference, #max])
#next = loc("next"(fused<{kind = "Relu", operator = 2}>[#file]))
func.func @replaces(%x: tensor<4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = nn.prelu %x, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc(fused<"next">[#prelu, #next])
  return %0 : tensor<4xf32>
}

// -----

// What is in no file has the name of the dialect; so has an operator whose notes are of another form.
// CHECK: npu.layers = [{{{.*}}name = "own", op = "REDUCE"{{.*}}}, {{{.*}}name = "", op = "REDUCE"{{.*}}}, {{{.*}}name = "odd", op = "REDUCE"{{.*}}}]
func.func @ofNoFile(%x: tensor<4x4xf32>) -> tensor<4x1xf32> {
  %0 = nn.reduce max %x axes [1] keep_dims : (tensor<4x4xf32>) -> tensor<4x1xf32> loc("own")
  %1 = nn.reduce max %0 axes [1] keep_dims : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %2 = nn.reduce max %1 axes [1] keep_dims : (tensor<4x1xf32>) -> tensor<4x1xf32> loc("odd"(fused<{kind = 3, operator = "x", topLevel = 3 : ui64}>["file"]))
  return %2 : tensor<4x1xf32>
}
