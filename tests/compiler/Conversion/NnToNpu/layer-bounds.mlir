// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s -split-input-file --convert-nn-to-npu=target=e256 | FileCheck %s
// RUN: avocet-opt %s -split-input-file --convert-nn-to-npu=target=e256s | FileCheck %s
// RUN: avocet-opt %s -split-input-file --convert-nn-to-npu=target=m512 | FileCheck %s --check-prefix=M512

// Work and bounds of each family, from the operation alone. e256 makes 256 products and 4 results in a cycle and reads 1
// byte off chip; e256s differs in its memory only. m512 has twice the array and 3.75 bytes.

// 4*4*16 results of 8 products; weights of 128 bytes and 16 records of 12.
// CHECK: npu.layers = [{computeCycles = 64 : i64, deviceCycles = 64 : i64, macs = 2048 : i64, name = "conv", op = "CONV_2D", rooflineCycles = 320 : i64, weightBytes = 320 : i64}]
// M512: npu.layers = [{computeCycles = 32 : i64, deviceCycles = 32 : i64, macs = 2048 : i64, name = "conv", op = "CONV_2D", rooflineCycles = 86 : i64, weightBytes = 320 : i64}]
!a = tensor<1x4x4x8x!quant.uniform<i8:f32, 0.5>>
!b = tensor<1x4x4x16x!quant.uniform<i8:f32, 0.5>>
func.func @conv(%x: !a) -> !b {
  %w = nn.constant dense<1> : tensor<16x1x1x8xi8> as tensor<16x1x1x8x!quant.uniform<i8:f32, 0.5>>
  %bias = nn.constant dense<0> : tensor<16xi32>
  %0 = nn.conv_2d %x, %w, %bias : (!a, tensor<16x1x1x8x!quant.uniform<i8:f32, 0.5>>, tensor<16xi32>) -> !b loc("conv")
  return %0 : !b
}

// -----

// Sums of 64 bits have larger records: 16 of 16 bytes. 256 results of 8 products of 16 bits take two passes.
// CHECK: npu.layers = [{computeCycles = 64 : i64, {{.*}}macs = 2048 : i64, {{.*}}weightBytes = 384 : i64}]
!a = tensor<1x4x4x8x!quant.uniform<i16:f32, 0.5>>
!b = tensor<1x4x4x16x!quant.uniform<i16:f32, 0.5>>
func.func @wideConv(%x: !a) -> !b {
  %w = nn.constant dense<1> : tensor<16x1x1x8xi8> as tensor<16x1x1x8x!quant.uniform<i8:f32, 0.5>>
  %0 = nn.conv_2d %x, %w : (!a, tensor<16x1x1x8x!quant.uniform<i8:f32, 0.5>>) -> !b loc("conv")
  return %0 : !b
}

// -----

// 128 results of 9 products: 4 steps of 32 results, 3 passes of 4 cycles each. Decoding 72 weights takes longer.
// CHECK: npu.layers = [{computeCycles = 72 : i64, {{.*}}macs = 1152 : i64, {{.*}}op = "DEPTHWISE_CONV_2D", rooflineCycles = 168 : i64, weightBytes = 168 : i64}]
!a = tensor<1x4x4x8x!quant.uniform<i8:f32, 0.5>>
func.func @depthwise(%x: !a) -> !a {
  %w = nn.constant dense<1> : tensor<1x3x3x8xi8> as tensor<1x3x3x8x!quant.uniform<i8:f32, 0.5>>
  %0 = nn.depthwise_conv_2d %x, %w pad [1, 1, 1, 1] : (!a, tensor<1x3x3x8x!quant.uniform<i8:f32, 0.5>>) -> !a loc("conv")
  return %0 : !a
}

// -----

// With one input channel it is dense: 128 results of 9 products take one pass.
// CHECK: npu.layers = [{computeCycles = 32 : i64, {{.*}}macs = 1152 : i64, {{.*}}op = "DEPTHWISE_CONV_2D"
!a = tensor<1x4x4x1x!quant.uniform<i8:f32, 0.5>>
!b = tensor<1x4x4x8x!quant.uniform<i8:f32, 0.5>>
func.func @depthwiseOfOne(%x: !a) -> !b {
  %w = nn.constant dense<1> : tensor<1x3x3x8xi8> as tensor<1x3x3x8x!quant.uniform<i8:f32, 0.5>>
  %0 = nn.depthwise_conv_2d %x, %w pad [1, 1, 1, 1] : (!a, tensor<1x3x3x8x!quant.uniform<i8:f32, 0.5>>) -> !b loc("conv")
  return %0 : !b
}

// -----

// Each of 4*4*8 elements meets 2*2*16 weights.
// CHECK: macs = 8192 : i64, {{.*}}op = "TRANSPOSE_CONV_2D"
!a = tensor<1x4x4x8x!quant.uniform<i8:f32, 0.5>>
!b = tensor<1x8x8x16x!quant.uniform<i8:f32, 0.5>>
func.func @transposed(%x: !a) -> !b {
  %w = nn.constant dense<1> : tensor<16x2x2x8xi8> as tensor<16x2x2x8x!quant.uniform<i8:f32, 0.5>>
  %0 = nn.transpose_conv_2d %x, %w stride [2, 2] : (!a, tensor<16x2x2x8x!quant.uniform<i8:f32, 0.5>>) -> !b loc("up")
  return %0 : !b
}

// -----

// 512 weights, 8 in a cycle.
// CHECK: npu.layers = [{computeCycles = 64 : i64, {{.*}}macs = 1024 : i64, {{.*}}op = "FULLY_CONNECTED", rooflineCycles = 896 : i64, weightBytes = 896 : i64}]
!a = tensor<2x16x!quant.uniform<i8:f32, 0.5>>
!b = tensor<2x32x!quant.uniform<i8:f32, 0.5>>
func.func @full(%x: !a) -> !b {
  %w = nn.constant dense<1> : tensor<32x16xi8> as tensor<32x16x!quant.uniform<i8:f32, 0.5>>
  %0 = nn.fully_connected %x, %w : (!a, tensor<32x16x!quant.uniform<i8:f32, 0.5>>) -> !b loc("full")
  return %0 : !b
}

// -----

// Without constants: 4 * 8 * 8 results of 32 products. The reordering of one side is no work of the network.
// CHECK: npu.layers = [{name = "{{.*}}", op = "TRANSPOSE"}, {computeCycles = 64 : i64, {{.*}}macs = 8192 : i64, {{.*}}op = "BATCH_MATMUL", rooflineCycles = 64 : i64}]
!a = tensor<4x8x32x!quant.uniform<i8:f32, 0.5>>
!b = tensor<4x8x8x!quant.uniform<i8:f32, 0.5>>
func.func @matmul(%x: !a, %y: !a) -> !b {
  %0 = nn.batch_matmul %x, %y transpose_rhs : (!a, !a) -> !b loc("product")
  return %0 : !b
}

// -----

// A concatenation and its placement on the array ask for no work.
// CHECK: npu.layers = [{name = "both", op = "CONCATENATION"}]
!a = tensor<1x4x4x8x!quant.uniform<i8:f32, 0.5>>
!b = tensor<1x4x4x16x!quant.uniform<i8:f32, 0.5>>
func.func @concatenation(%x: !a, %y: !a) -> !b {
  %0 = nn.concatenation %x, %y axis 3 : (!a, !a) -> !b loc("both")
  return %0 : !b
}

// -----

// CHECK: npu.layers = [{name = "{{.*}}", op = "PAD"}, {name = "{{.*}}", op = "TRANSPOSE"}]
!a = tensor<1x4x4x8x!quant.uniform<i8:f32, 0.5>>
!p = tensor<1x6x4x8x!quant.uniform<i8:f32, 0.5>>
!t = tensor<1x4x6x8x!quant.uniform<i8:f32, 0.5>>
func.func @moves(%x: !a) -> !t {
  %0 = nn.pad %x low [0, 1, 0, 0] high [0, 1, 0, 0] : (!a) -> !p
  %1 = nn.transpose %0 permutation [0, 2, 1, 3] : (!p) -> !t
  return %1 : !t
}

// -----

// A pool and a mean over the same window have the same bound and no MACs: 8 results of 16 terms, 4 passes of 4 cycles.
// The port moves 128 bytes and 8 bytes, 8 in a cycle.
// CHECK: npu.layers = [{computeCycles = 4 : i64, deviceCycles = 17 : i64, name = "pool", op = "AVERAGE_POOL_2D", rooflineCycles = 4 : i64}, {computeCycles = 4 : i64, deviceCycles = 17 : i64, name = "mean", op = "MEAN", rooflineCycles = 4 : i64}, {computeCycles = 32 : i64, deviceCycles = 32 : i64, name = "most", op = "MAX_POOL_2D", rooflineCycles = 32 : i64}]
!a = tensor<1x4x4x8x!quant.uniform<i8:f32, 0.5>>
!b = tensor<1x1x1x8x!quant.uniform<i8:f32, 0.5>>
!c = tensor<1x4x4x8x!quant.uniform<i8:f32, 0.5>>
func.func @pools(%x: !a) -> (!b, !b, !c) {
  %0 = nn.average_pool_2d %x kernel [4, 4] : (!a) -> !b loc("pool")
  %1 = nn.mean %x axes [1, 2] keep_dims : (!a) -> !b loc("mean")
  %2 = nn.max_pool_2d %x kernel [3, 2] pad [1, 1, 0, 1] : (!a) -> !c loc("most")
  return %0, %1, %2 : !b, !b, !c
}

// -----

// 128 elements: 3 cycles for 4 sums, for 8 products; 1 for each look-up; constants that are read twice count once.
// CHECK: npu.layers = [{computeCycles = 96 : i64, deviceCycles = 96 : i64, name = "sum", op = "ADD", rooflineCycles = 128 : i64, weightBytes = 128 : i64}, {computeCycles = 48 : i64, deviceCycles = 48 : i64, name = "product", op = "MUL", rooflineCycles = 48 : i64}, {computeCycles = 128 : i64, deviceCycles = 128 : i64, name = "squashed", op = "LOGISTIC", rooflineCycles = 128 : i64}]
!a = tensor<1x4x4x8x!quant.uniform<i8:f32, 0.5>>
!l = tensor<1x4x4x8x!quant.uniform<i8:f32, 0.00390625:-128>>
func.func @elements(%x: !a) -> !l {
  %c = nn.constant dense<1> : tensor<1x4x4x8xi8> as !a
  %0 = nn.add %x, %c : (!a, !a) -> !a loc("sum")
  %1 = nn.mul %0, %c : (!a, !a) -> !a loc("product")
  %2 = nn.logistic %1 : (!a) -> !l loc("squashed")
  return %2 : !l
}

// -----

// The DSP has 4 lanes of floats, and needs five instructions for each element at least. The array has no 32-bit integers.
// CHECK: npu.layers = [{computeCycles = 32 : i64, deviceCycles = 160 : i64, name = "soft", op = "SOFTMAX", rooflineCycles = 32 : i64}]
func.func @softmax(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %0 = nn.softmax %x : (tensor<8x16xf32>) -> tensor<8x16xf32> loc("soft")
  return %0 : tensor<8x16xf32>
}

// -----

// The operand is read once: the port moves 1,024 bytes.
// CHECK: npu.layers = [{computeCycles = 32 : i64, deviceCycles = 128 : i64, name = "sum", op = "ADD", rooflineCycles = 32 : i64}]
func.func @integers(%x: tensor<128xi32>) -> tensor<128xi32> {
  %0 = nn.add %x, %x : (tensor<128xi32>, tensor<128xi32>) -> tensor<128xi32> loc("sum")
  return %0 : tensor<128xi32>
}

// -----

// A gather reads no more of its table than it makes: 2 rows of 64 bytes, and the indices.
// CHECK: npu.layers = [{name = "rows", op = "GATHER", rooflineCycles = 128 : i64, weightBytes = 128 : i64}]
func.func @gather(%i: tensor<2xi32>) -> tensor<2x16xf32> {
  %t = nn.constant dense<1.0> : tensor<100x16xf32>
  %0 = nn.gather %t at %i axis 0 : (tensor<100x16xf32>, tensor<2xi32>) -> tensor<2x16xf32> loc("rows")
  return %0 : tensor<2x16xf32>
}

// -----

// 3 steps of 2 batches: each multiplies a vector of 5 features by 4x5 weights, and the state by 4x4. The 24
// sums fill three quarters of a step, of which a pass of floats takes 32 cycles.
// CHECK: npu.layers = [{computeCycles = 24 : i64, {{.*}}macs = 216 : i64, {{.*}}op = "RNN_CELL", rooflineCycles = 160 : i64, weightBytes = 160 : i64}]
func.func @recurrent(%x: tensor<3x2x5xf32>, %s: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<3x2x4xf32>) {
  %w = nn.constant dense<1.0> : tensor<4x5xf32>
  %r = nn.constant dense<1.0> : tensor<4x4xf32>
  %b = nn.constant dense<1.0> : tensor<4xf32>
  %0:2 = nn.rnn_cell tanh %x, %w, %r, %b state %s
    : (tensor<3x2x5xf32>, tensor<4x5xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<3x2x4xf32>) loc("cell")
  return %0#0, %0#1 : tensor<2x4xf32>, tensor<3x2x4xf32>
}

// -----

// Each result of the second layer depends on all of its input: 16 cycles of decoding and 40 of latency. The
// first reads what the transfer brings.
// CHECK: npu.layers = [{computeCycles = 16 : i64, deviceCycles = 16 : i64, {{.*}}name = "first", {{.*}}}, {computeCycles = 16 : i64, deviceCycles = 56 : i64, {{.*}}name = "second", {{.*}}}]
!a = tensor<1x8x!quant.uniform<i8:f32, 0.5>>
!b = tensor<1x16x!quant.uniform<i8:f32, 0.5>>
func.func @chain(%x: !a) -> !a {
  %v = nn.constant dense<1> : tensor<16x8xi8> as tensor<16x8x!quant.uniform<i8:f32, 0.5>>
  %w = nn.constant dense<1> : tensor<8x16xi8> as tensor<8x16x!quant.uniform<i8:f32, 0.5>>
  %0 = nn.fully_connected %x, %v : (!a, tensor<16x8x!quant.uniform<i8:f32, 0.5>>) -> !b loc("first")
  %1 = nn.fully_connected %0, %w : (!b, tensor<8x16x!quant.uniform<i8:f32, 0.5>>) -> !a loc("second")
  return %1 : !a
}

// -----

// With a layer beside it that does not depend on it, others fill the time.
// CHECK: npu.layers = [{computeCycles = 16 : i64, deviceCycles = 16 : i64, {{.*}}}, {computeCycles = 16 : i64, deviceCycles = 16 : i64, {{.*}}name = "left", {{.*}}}, {computeCycles = 16 : i64, deviceCycles = 16 : i64, {{.*}}name = "right", {{.*}}}]
!a = tensor<1x8x!quant.uniform<i8:f32, 0.5>>
!b = tensor<1x16x!quant.uniform<i8:f32, 0.5>>
func.func @beside(%x: !a) -> (!a, !a) {
  %v = nn.constant dense<1> : tensor<16x8xi8> as tensor<16x8x!quant.uniform<i8:f32, 0.5>>
  %w = nn.constant dense<1> : tensor<8x16xi8> as tensor<8x16x!quant.uniform<i8:f32, 0.5>>
  %0 = nn.fully_connected %x, %v : (!a, tensor<16x8x!quant.uniform<i8:f32, 0.5>>) -> !b loc("first")
  %1 = nn.fully_connected %0, %w : (!b, tensor<8x16x!quant.uniform<i8:f32, 0.5>>) -> !a loc("left")
  %2 = nn.fully_connected %0, %w : (!b, tensor<8x16x!quant.uniform<i8:f32, 0.5>>) -> !a loc("right")
  return %1, %2 : !a, !a
}

// -----

// Every second row and column of the network's input is not read: 96 of 128 bytes.
// CHECK: npu.layers = [{{{.*}}name = "conv", op = "CONV_2D", rooflineCycles = 160 : i64, unreadBytes = 96 : i64, weightBytes = 160 : i64}]
!a = tensor<1x4x4x8x!quant.uniform<i8:f32, 0.5>>
!b = tensor<1x2x2x8x!quant.uniform<i8:f32, 0.5>>
func.func @strided(%x: !a) -> !b {
  %w = nn.constant dense<1> : tensor<8x1x1x8xi8> as tensor<8x1x1x8x!quant.uniform<i8:f32, 0.5>>
  %0 = nn.conv_2d %x, %w stride [2, 2] : (!a, tensor<8x1x1x8x!quant.uniform<i8:f32, 0.5>>) -> !b loc("conv")
  return %0 : !b
}

// -----

// The sum takes one operand where it is made and leaves its result there: only the other one is read, 128 bytes.
// CHECK: npu.layers = [{{.*}}name = "made", {{.*}}}, {computeCycles = 96 : i64, deviceCycles = 96 : i64, name = "sum"
!a = tensor<1x4x4x8x!quant.uniform<i8:f32, 0.5>>
func.func @residual(%x: !a) -> !a {
  %0 = nn.max_pool_2d %x kernel [1, 1] : (!a) -> !a loc("made")
  %1 = nn.add %0, %x : (!a, !a) -> !a loc("sum")
  return %1 : !a
}
