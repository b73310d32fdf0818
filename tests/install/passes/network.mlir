// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
func.func @main(%x: tensor<1x4x4x8xf16>) -> tensor<1x4x4x8xf16> {
  %0 = nn.unary neg %x : (tensor<1x4x4x8xf16>) -> tensor<1x4x4x8xf16> loc("first")
  %1 = nn.unary neg %0 : (tensor<1x4x4x8xf16>) -> tensor<1x4x4x8xf16> loc("second")
  %2 = nn.unary abs %1 : (tensor<1x4x4x8xf16>) -> tensor<1x4x4x8xf16> loc("third")
  return %2 : tensor<1x4x4x8xf16>
}
