// RUN: avocet-opt %s --convert-nn-to-npu="target=e256" | FileCheck %s

// No fill; one move of input 0 from 0 to 0 over two axes: 3 with strides 1 and 2, 2 with strides 3 and 1. Adjacent axes
// that stay together are one.
// CHECK-LABEL: func.func @transpose(
// CHECK: npu.dsp "rearrange"(%{{[a-z0-9]+}}) {{.*}}parameters = array<i32: 0, 0, 0, 0, 0, 2, 12, 1, 2, 2, 12, 1>
// CHECK-SAME: (tensor<2x3x4xi1>) -> tensor<3x4x2xi1>
func.func @transpose(%x: tensor<1x2x3x4xi1>) -> tensor<1x3x4x2xi1> {
  %0 = nn.transpose %x permutation [0, 2, 3, 1] : (tensor<1x2x3x4xi1>) -> tensor<1x3x4x2xi1>
  return %0 : tensor<1x3x4x2xi1>
}
