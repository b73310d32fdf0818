// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --pass-pipeline="builtin.module(func.func(nn-fuse-pad))" | FileCheck %s

// CHECK-LABEL: func.func @convolution(
// CHECK-SAME: %[[X:.*]]: tensor<1x4x4x2xf32>, %[[W:.*]]: tensor<2x3x3x2xf32>
func.func @convolution(%x: tensor<1x4x4x2xf32>, %w: tensor<2x3x3x2xf32>) -> tensor<1x5x5x2xf32> {
  // CHECK-NOT: nn.pad
  // CHECK: nn.conv_2d %[[X]], %[[W]] pad [1, 2, 1, 2] :
  %0 = nn.pad %x low [0, 1, 1, 0] high [0, 1, 1, 0] : (tensor<1x4x4x2xf32>) -> tensor<1x6x6x2xf32>
  %1 = nn.conv_2d %0, %w pad [0, 1, 0, 1] : (tensor<1x6x6x2xf32>, tensor<2x3x3x2xf32>) -> tensor<1x5x5x2xf32>
  return %1 : tensor<1x5x5x2xf32>
}

// CHECK-LABEL: func.func @depthwise(
// CHECK-SAME: %[[X:.*]]: tensor<1x4x4x2xf32>
func.func @depthwise(%x: tensor<1x4x4x2xf32>, %w: tensor<1x3x3x2xf32>) -> tensor<1x2x2x2xf32> {
  // CHECK: nn.depthwise_conv_2d %[[X]], %{{.*}} stride [2, 2] pad [1, 0, 1, 0] :
  %0 = nn.pad %x low [0, 1, 1, 0] high [0, 0, 0, 0] : (tensor<1x4x4x2xf32>) -> tensor<1x5x5x2xf32>
  %1 = nn.depthwise_conv_2d %0, %w stride [2, 2] : (tensor<1x5x5x2xf32>, tensor<1x3x3x2xf32>) -> tensor<1x2x2x2xf32>
  return %1 : tensor<1x2x2x2xf32>
}

// A window does not pad channels.
// CHECK-LABEL: func.func @channels(
func.func @channels(%x: tensor<1x4x4x2xf32>, %w: tensor<2x3x3x3xf32>) -> tensor<1x2x2x2xf32> {
  // CHECK: %[[P:.*]] = nn.pad
  // CHECK: nn.conv_2d %[[P]]
  %0 = nn.pad %x low [0, 0, 0, 0] high [0, 0, 0, 1] : (tensor<1x4x4x2xf32>) -> tensor<1x4x4x3xf32>
  %1 = nn.conv_2d %0, %w : (tensor<1x4x4x3xf32>, tensor<2x3x3x3xf32>) -> tensor<1x2x2x2xf32>
  return %1 : tensor<1x2x2x2xf32>
}

// A padding of zeros may be larger than all values of a max pool's window.
// CHECK-LABEL: func.func @maxPool(
func.func @maxPool(%x: tensor<1x4x4x2xf32>) -> tensor<1x5x5x2xf32> {
  // CHECK: %[[P:.*]] = nn.pad
  // CHECK: nn.max_pool_2d %[[P]]
  %0 = nn.pad %x low [0, 1, 1, 0] high [0, 1, 1, 0] : (tensor<1x4x4x2xf32>) -> tensor<1x6x6x2xf32>
  %1 = nn.max_pool_2d %0 kernel [2, 2] : (tensor<1x6x6x2xf32>) -> tensor<1x5x5x2xf32>
  return %1 : tensor<1x5x5x2xf32>
}

// The array's padding must be smaller than the window.
// CHECK-LABEL: func.func @wide(
func.func @wide(%x: tensor<1x4x4x2xf32>, %w: tensor<2x3x3x2xf32>) -> tensor<1x5x2x2xf32> {
  // CHECK: %[[P:.*]] = nn.pad
  // CHECK: nn.conv_2d %[[P]], %{{.*}} :
  %0 = nn.pad %x low [0, 3, 0, 0] high [0, 0, 0, 0] : (tensor<1x4x4x2xf32>) -> tensor<1x7x4x2xf32>
  %1 = nn.conv_2d %0, %w : (tensor<1x7x4x2xf32>, tensor<2x3x3x2xf32>) -> tensor<1x5x2x2xf32>
  return %1 : tensor<1x5x2x2xf32>
}

// Convolutions pad with zero only.
// CHECK-LABEL: func.func @value(
func.func @value(%x: tensor<1x4x4x2xf32>, %w: tensor<2x3x3x2xf32>) -> tensor<1x4x4x2xf32> {
  // CHECK: %[[P:.*]] = nn.pad
  // CHECK: nn.conv_2d %[[P]]
  %0 = nn.pad %x low [0, 1, 1, 0] high [0, 1, 1, 0] value 2.0 : (tensor<1x4x4x2xf32>) -> tensor<1x6x6x2xf32>
  %1 = nn.conv_2d %0, %w : (tensor<1x6x6x2xf32>, tensor<2x3x3x2xf32>) -> tensor<1x4x4x2xf32>
  return %1 : tensor<1x4x4x2xf32>
}

// The last row needs two rows of padding, the first one none.
// CHECK-LABEL: func.func @crop(
func.func @crop(%x: tensor<1x8x4x2xf32>, %w: tensor<2x3x3x2xf32>) -> tensor<1x7x4x2xf32> {
  // CHECK-NEXT: nn.conv_2d %arg0, %arg1 dilation [2, 1] pad [1, 2, 1, 1] :
  // CHECK-SAME: -> tensor<1x7x4x2xf32>
  // CHECK-NEXT: return
  %0 = nn.conv_2d %x, %w dilation [2, 1] pad [2, 3, 1, 1]
     : (tensor<1x8x4x2xf32>, tensor<2x3x3x2xf32>) -> tensor<1x9x4x2xf32>
  %1 = nn.slice %0 begin [0, 1, 0, 0] size [1, 7, 4, 2] strides [1, 1, 1, 1] : (tensor<1x9x4x2xf32>) -> tensor<1x7x4x2xf32>
  return %1 : tensor<1x7x4x2xf32>
}

// Rows that are made without padding are cropped as before.
// CHECK-LABEL: func.func @cropMore(
func.func @cropMore(%x: tensor<1x8x4x2xf32>, %w: tensor<2x3x3x2xf32>) -> tensor<1x6x4x2xf32> {
  // CHECK: nn.slice
  %0 = nn.conv_2d %x, %w pad [1, 1, 1, 1] : (tensor<1x8x4x2xf32>, tensor<2x3x3x2xf32>) -> tensor<1x8x4x2xf32>
  %1 = nn.slice %0 begin [0, 2, 0, 0] size [1, 6, 4, 2] strides [1, 1, 1, 1] : (tensor<1x8x4x2xf32>) -> tensor<1x6x4x2xf32>
  return %1 : tensor<1x6x4x2xf32>
}

// Lines of spectra continue with zeros, also after a reshape that keeps the lines.
// CHECK-LABEL: func.func @spectrum(
func.func @spectrum(%x: tensor<3x5xf32>) -> (tensor<3x5xf32>, tensor<3x1x5xf32>) {
  // CHECK-NOT: nn.pad
  // CHECK: nn.rfft %arg0 points 8 : (tensor<3x5xf32>)
  // CHECK: %[[LINES:.*]] = nn.reshape %arg0 to [3, 1, 5]
  // CHECK: nn.rfft %[[LINES]] points 8
  %0 = nn.pad %x low [0, 0] high [0, 3] : (tensor<3x5xf32>) -> tensor<3x8xf32>
  %1:2 = nn.rfft %0 points 8 : (tensor<3x8xf32>) -> (tensor<3x5xf32>, tensor<3x5xf32>)
  %2 = nn.reshape %0 to [3, 1, 8] : (tensor<3x8xf32>) -> tensor<3x1x8xf32>
  %3:2 = nn.rfft %2 points 8 : (tensor<3x1x8xf32>) -> (tensor<3x1x5xf32>, tensor<3x1x5xf32>)
  return %1#0, %3#0 : tensor<3x5xf32>, tensor<3x1x5xf32>
}

// Other padding remains: before lines, of other axes, of other numbers, in another shape.
// CHECK-LABEL: func.func @spectrumKeepsPad(
func.func @spectrumKeepsPad(%x: tensor<2x4xf32>) -> (tensor<2x5xf32>, tensor<3x3xf32>, tensor<2x5xf32>, tensor<4x3xf32>) {
  // CHECK-COUNT-4: nn.pad
  %0 = nn.pad %x low [0, 1] high [0, 3] : (tensor<2x4xf32>) -> tensor<2x8xf32>
  %1:2 = nn.rfft %0 points 8 : (tensor<2x8xf32>) -> (tensor<2x5xf32>, tensor<2x5xf32>)
  %2 = nn.pad %x low [0, 0] high [1, 0] : (tensor<2x4xf32>) -> tensor<3x4xf32>
  %3:2 = nn.rfft %2 points 4 : (tensor<3x4xf32>) -> (tensor<3x3xf32>, tensor<3x3xf32>)
  %4 = nn.pad %x low [0, 0] high [0, 4] value 1.0 : (tensor<2x4xf32>) -> tensor<2x8xf32>
  %5:2 = nn.rfft %4 points 8 : (tensor<2x8xf32>) -> (tensor<2x5xf32>, tensor<2x5xf32>)
  %6 = nn.pad %x low [0, 0] high [0, 4] : (tensor<2x4xf32>) -> tensor<2x8xf32>
  %7 = nn.reshape %6 to [4, 4] : (tensor<2x8xf32>) -> tensor<4x4xf32>
  %8:2 = nn.rfft %7 points 4 : (tensor<4x4xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>)
  return %1#0, %3#0, %5#0, %8#0 : tensor<2x5xf32>, tensor<3x3xf32>, tensor<2x5xf32>, tensor<4x3xf32>
}
