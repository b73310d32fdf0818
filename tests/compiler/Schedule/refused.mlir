// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not avocet-opt %s --npu-schedule=target=e256s 2>&1 | FileCheck %s

// A DSP kernel needs a whole line, and this line is larger than SRAM.
// CHECK: error: SOFTMAX is not supported: {{.*}}bytes of on-chip memory for the smallest tile, found 524288, limit 393216; choose a target with more on-chip memory, or run this operator on the host
func.func @main(%in: tensor<1x1x65536xf32>) -> tensor<1x1x65536xf32> attributes {npu.layers = [{name = "s", op = "SOFTMAX"}]} {
  %0 = npu.dsp "softmax"(%in) <{parameters = array<i32: 0, 0, 0, 1065353216>, inputZeroPoints = array<i32: 0>, outputZeroPoints = array<i32: 0>, rowWise, layer = 0 : i32}> : (tensor<1x1x65536xf32>) -> tensor<1x1x65536xf32>
  return %0 : tensor<1x1x65536xf32>
}
