// RUN: not avocet-opt %s --npu-schedule=target=e256s 2>&1 | FileCheck %s

// A DSP kernel over a tensor that no tile can cut.
// CHECK: error: SOFTMAX is not supported: {{.*}}bytes of on-chip memory for the smallest tile, found {{[0-9]+}}, limit 393216
func.func @main(%in: tensor<1024x1x512xi8>) -> tensor<1024x1x512xi8> attributes {npu.layers = [{name = "s", op = "SOFTMAX"}]} {
  %0 = npu.dsp "softmax"(%in) <{parameters = array<i32: 1073741824, 20, -2000, 1065353216>, inputZeroPoints = array<i32: 0>, outputZeroPoints = array<i32: -128>, layer = 0 : i32}> : (tensor<1024x1x512xi8>) -> tensor<1024x1x512xi8>
  return %0 : tensor<1024x1x512xi8>
}
