// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels over operands that keep the DSP busy for much longer than an urgent network may wait: softmax of each row,
// its transpose, and the largest element of each column of the transpose.
module attributes {avocet.phase = "import"} {
func.func @main(%x: tensor<256x128xf32>) -> (tensor<128x256xf32>, tensor<256xf32>) {
  %s = nn.softmax %x beta 1.0 axis 1 : (tensor<256x128xf32>) -> tensor<256x128xf32>
  %t = nn.transpose %s permutation [1, 0] : (tensor<256x128xf32>) -> tensor<128x256xf32>
  %m = nn.reduce max %t axes [0] : (tensor<128x256xf32>) -> tensor<256xf32>
  return %t, %m : tensor<128x256xf32>, tensor<256xf32>
}
}
