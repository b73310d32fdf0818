// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What avocet-translate writes is a module that the compiler reads, as is bytecode.
// RUN: avocet-translate --nn-to-tosa %s -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: avocet-opt --convert-tosa-to-nn %t.mlir | FileCheck %s --check-prefix=BACK
// RUN: avocet-opt --convert-nn-to-tosa --emit-bytecode %s -o %t.mlirbc
// RUN: avocet-opt --convert-tosa-to-nn %t.mlirbc | FileCheck %s --check-prefix=BACK
// RUN: sed "s/nn.slice .* strides .* :/nn.cumsum %x :/" %s | not avocet-translate --nn-to-tosa 2>&1 | FileCheck %s --check-prefix=REFUSED

// CHECK: tosa.reverse %arg0 {axis = 1 : i32}
// BACK: nn.slice %arg0 begin [0, 2] size [2, 3] strides [1, -1]
// REFUSED: CUMSUM is not supported
// REFUSED-NOT: func.func
func.func @main(%x: tensor<2x3xi32>) -> tensor<2x3xi32> {
  %0 = nn.slice %x begin [0, 2] size [2, 3] strides [1, -1] : (tensor<2x3xi32>) -> tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}
