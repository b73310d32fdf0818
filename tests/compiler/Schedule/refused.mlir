// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not avocet-opt %s --npu-schedule=target=e256s 2>&1 | FileCheck %s

// The neighbors of an element are in its line, and this line is larger than SRAM.
// CHECK: error: LOCAL_RESPONSE_NORMALIZATION is not supported: {{.*}}bytes of on-chip memory for the smallest tile, found 524288, limit 368640; choose a target with more on-chip memory, or run this operator on the host
func.func @main(%in: tensor<1x1x65536xf32>) -> tensor<1x1x65536xf32> attributes {npu.layers = [{name = "s", op = "LOCAL_RESPONSE_NORMALIZATION"}]} {
  %0 = npu.dsp "localResponse"(%in) parameters [0, 65536, 1, 2, 1065353216, 1065353216, 1065353216] zero_points [0] -> [0] row_wise layer 0 : (tensor<1x1x65536xf32>) -> tensor<1x1x65536xf32>
  return %0 : tensor<1x1x65536xf32>
}
