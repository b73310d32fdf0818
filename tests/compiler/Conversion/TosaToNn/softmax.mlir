// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The integer operations of a softmax are one operation again if each of them and the table of exponentials is that of
// the device, and operations of their own if one is another.
// RUN: avocet-translate --nn-to-tosa %s -o %t.mlir
// RUN: avocet-opt --convert-tosa-to-nn --nn-canonicalize %t.mlir | FileCheck %s
// RUN: sed "s/dense<34> : tensor/dense<33> : tensor/" %t.mlir | avocet-opt --convert-tosa-to-nn --nn-canonicalize | FileCheck %s --check-prefix=OTHER
// RUN: sed 's/FFFFFF7F">/FEFFFF7F">/' %t.mlir | avocet-opt --convert-tosa-to-nn --nn-canonicalize | FileCheck %s --check-prefix=OTHER

// CHECK-NOT: nn.reduce
// CHECK: %[[X:.*]] = nn.bitcast %arg0 to
// CHECK-NEXT: nn.softmax %[[X]] beta 7.500000e-01 axis 1 :
// CHECK-NEXT: nn.bitcast
// CHECK-NEXT: return

// OTHER-NOT: nn.softmax
// OTHER: nn.unary leading_zeros

!x = !quant.uniform<i8:f32, 0.5:-3>
!y = !quant.uniform<i8:f32, 3.906250e-03:-128>
func.func @main(%x: tensor<2x3x4x!x>) -> tensor<2x3x4x!y> {
  %0 = nn.softmax %x beta 1.5 axis 1 : (tensor<2x3x4x!x>) -> tensor<2x3x4x!y>
  return %0 : tensor<2x3x4x!y>
}
