// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --convert-nn-to-npu="target=e256" | FileCheck %s --check-prefix=FINITE
// RUN: sed 's/module attributes {/module attributes {avocet.keeps_infinities, /' %s | avocet-opt --convert-nn-to-npu="target=e256" | FileCheck %s --check-prefix=KEPT

// The bounds are bits of floats: of the largest finite numbers, or of infinities; and 0 for the rectifier.
module attributes {avocet.phase = "nn"} {
  // FINITE: npu.eltwise {{.*}}clamp = {min = -8388609, max = 2139095039}
  // FINITE: npu.eltwise {{.*}}clamp = {min = 0, max = 2139095039}
  // KEPT: npu.eltwise {{.*}}clamp = {min = -8388608, max = 2139095040}
  // KEPT: npu.eltwise {{.*}}clamp = {min = 0, max = 2139095040}
  func.func @main(%a: tensor<1x4x4x8xf32>, %b: tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32> {
    %0 = nn.add %a, %b : (tensor<1x4x4x8xf32>, tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32>
    %1 = nn.add %0, %b activation relu : (tensor<1x4x4x8xf32>, tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32>
    return %1 : tensor<1x4x4x8xf32>
  }
}
