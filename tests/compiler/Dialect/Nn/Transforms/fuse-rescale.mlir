// RUN: avocet-opt %s --nn-fuse-rescale --nn-canonicalize --nn-fuse-activation | FileCheck %s
// RUN: avocet-opt %s --nn-fuse-rescale --nn-fuse-rescale --nn-canonicalize --nn-fuse-activation | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

!x = !quant.uniform<i8:f32, 1.0:-3>
!y = !quant.uniform<i8:f32, 1.0:5>
!z = !quant.uniform<i8:f32, 1.0>
!u = !quant.uniform<u8:f32, 1.0:128>
!s = !quant.uniform<i16:f32, 1.0>

// CHECK-DAG: ![[X:[A-Za-z0-9]+]] = !quant.uniform<i8:f32, 1.000000e+00:-3>
// CHECK-DAG: ![[Y:[A-Za-z0-9]+]] = !quant.uniform<i8:f32, 1.000000e+00:5>
// CHECK-DAG: ![[Z:[A-Za-z0-9]+]] = !quant.uniform<i8:f32, 1.000000e+00>

// Plain integers between the layers of a network.
// CHECK-LABEL: func.func @layers(
func.func @layers(%i: tensor<1x4x4x2xi8>) -> tensor<1x4x4x3xi8> {
  // CHECK: %[[A:.*]] = nn.bitcast %arg0 to ![[X]] :
  %x = nn.bitcast %i to !x : (tensor<1x4x4x2xi8>) -> tensor<1x4x4x2x!x>
  %w = nn.constant dense<1> : tensor<3x1x1x2xi8> as tensor<3x1x1x2x!z>
  %b = nn.constant dense<7> : tensor<3xi32>
  %0 = nn.conv_2d %x, %w, %b : (tensor<1x4x4x2x!x>, tensor<3x1x1x2x!z>, tensor<3xi32>) -> tensor<1x4x4x3xi32>
  // CHECK: %[[C:.*]] = nn.conv_2d %[[A]], {{.*}} activation from -9.000000e+00 to 1.200000e+01 numerics double_round [1, 2, 3] >> [40, 41, 42] : {{.*}} -> tensor<1x4x4x3x![[Y]]>
  %1 = nn.rescale %0 numerics double_round [1, 2, 3] >> [40, 41, 42] : (tensor<1x4x4x3xi32>) -> tensor<1x4x4x3x!y>
  %2 = nn.clamp from -9.0 to 12.0 %1 : (tensor<1x4x4x3x!y>) -> tensor<1x4x4x3x!y>
  // CHECK: %[[R:.*]] = nn.bitcast %[[C]] to i8
  // CHECK-NEXT: return %[[R]]
  %3 = nn.bitcast %2 to i8 : (tensor<1x4x4x3x!y>) -> tensor<1x4x4x3xi8>
  return %3 : tensor<1x4x4x3xi8>
}

// Results of plain integers have zero point 0; those of another width stay apart, and so do sums with two readers.
// CHECK-LABEL: func.func @matrices(
func.func @matrices(%x: tensor<4x2x!x>, %w: tensor<3x2x!x>, %s: tensor<4x2x!s>)
    -> (tensor<4x3xi8>, tensor<4x3xi16>, tensor<4x3xi16>, tensor<4x3xi32>, tensor<4x3x!x>) {
  // CHECK: nn.fully_connected %arg0, %arg1 numerics single_round [9] >> [33] : {{.*}} -> tensor<4x3x![[Z]]>
  %0 = nn.fully_connected %x, %w : (tensor<4x2x!x>, tensor<3x2x!x>) -> tensor<4x3xi32>
  %1 = nn.rescale %0 numerics single_round [9] >> [33] : (tensor<4x3xi32>) -> tensor<4x3xi8>
  // CHECK: %[[S:.*]] = nn.batch_matmul {{.*}} -> tensor<4x3xi32>
  // CHECK-NEXT: nn.rescale %[[S]]
  %2 = nn.batch_matmul %x, %w transpose_rhs : (tensor<4x2x!x>, tensor<3x2x!x>) -> tensor<4x3xi32>
  %3 = nn.rescale %2 numerics single_round [9] >> [33] : (tensor<4x3xi32>) -> tensor<4x3xi16>
  %v = nn.constant dense<1> : tensor<3x2xi8> as tensor<3x2x!z>
  // CHECK: nn.fully_connected %arg2, {{.*}} numerics single_round [9, 8, 7] >> [33, 34, 35] :
  %4 = nn.fully_connected %s, %v : (tensor<4x2x!s>, tensor<3x2x!z>) -> tensor<4x3xi64>
  %5 = nn.rescale %4 numerics single_round [9, 8, 7] >> [33, 34, 35] : (tensor<4x3xi64>) -> tensor<4x3xi16>
  // CHECK: %[[T:.*]] = nn.fully_connected {{.*}} -> tensor<4x3xi32>
  // CHECK-NEXT: nn.rescale %[[T]]
  %6 = nn.fully_connected %x, %v : (tensor<4x2x!x>, tensor<3x2x!z>) -> tensor<4x3xi32>
  %7 = nn.rescale %6 numerics single_round [9] >> [33] : (tensor<4x3xi32>) -> tensor<4x3x!x>
  return %1, %3, %5, %6, %7 : tensor<4x3xi8>, tensor<4x3xi16>, tensor<4x3xi16>, tensor<4x3xi32>, tensor<4x3x!x>
}

// Shifts up to 31 round alike, so that they agree with either form.
// CHECK-LABEL: func.func @sum(
// CHECK: %[[S:.*]] = nn.add %arg0, %arg1 activation relu numerics single_round [1073741824, 1518500250, 1288490189] >> [11, 31, 50] : (tensor<4x!{{.*}}>, tensor<4x!{{.*}}>) -> tensor<4x![[Y]]>
// CHECK-NEXT: return %[[S]]
func.func @sum(%x: tensor<4x!x>, %y: tensor<4x!y>) -> tensor<4x!y> {
  %0 = nn.rescale %x numerics double_round [1073741824] >> [11] : (tensor<4x!x>) -> tensor<4xi32>
  %1 = nn.rescale %y numerics double_round [1518500250] >> [31] : (tensor<4x!y>) -> tensor<4xi32>
  %2 = nn.add %0, %1 : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %3 = nn.rescale %2 numerics single_round [1288490189] >> [50] : (tensor<4xi32>) -> tensor<4x!y>
  %4 = nn.clamp relu %3 : (tensor<4x!y>) -> tensor<4x!y>
  return %4 : tensor<4x!y>
}

// A constant of 12288 is 3 << 12.
// CHECK-LABEL: func.func @sum_with_constant(
// CHECK: %[[C:.*]] = nn.constant dense<3> : tensor<1xi8> as tensor<1x![[Z]]>
// CHECK: nn.sub %[[C]], {{.*}} numerics double_round [1073741824, 1073741824, 1288490189] >> [18, 30, 50]
func.func @sum_with_constant(%x: tensor<4xi8>) -> tensor<4xi8> {
  %c = nn.constant dense<12288> : tensor<1xi32>
  %0 = nn.cast %x : (tensor<4xi8>) -> tensor<4xi32>
  %1 = nn.sub %c, %0 : (tensor<1xi32>, tensor<4xi32>) -> tensor<4xi32>
  %2 = nn.rescale %1 numerics double_round [1288490189] >> [50] : (tensor<4xi32>) -> tensor<4xi8>
  return %2 : tensor<4xi8>
}

// CHECK-LABEL: func.func @product(
// CHECK: %[[P:.*]] = nn.mul %arg0, %arg1 numerics double_round [1518500250] >> [39] :
// CHECK-NEXT: return %[[P]]
func.func @product(%x: tensor<4x!x>, %y: tensor<4x!y>) -> tensor<4x!y> {
  %0 = nn.rescale %x numerics double_round [1073741824] >> [30] : (tensor<4x!x>) -> tensor<4xi32>
  %1 = nn.rescale %y numerics single_round [4] >> [2] : (tensor<4x!y>) -> tensor<4xi32>
  %2 = nn.mul %0, %1 : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %3 = nn.rescale %2 numerics double_round [1518500250] >> [39] : (tensor<4xi32>) -> tensor<4x!y>
  return %3 : tensor<4x!y>
}

// Different roundings, signedness, another reader, a constant beyond 8 bits, and factors with a multiplier.
// CHECK-LABEL: func.func @apart(
// CHECK-NOT: numerics {{.*}}numerics
// CHECK-COUNT-3: nn.add {{.*}} -> tensor<4xi32>
// CHECK: nn.mul {{.*}} -> tensor<4xi32>
func.func @apart(%x: tensor<4x!x>, %u: tensor<4x!u>) -> (tensor<4x!x>, tensor<4x!x>, tensor<4x!x>, tensor<4x!x>) {
  %0 = nn.rescale %x numerics double_round [1073741824] >> [40] : (tensor<4x!x>) -> tensor<4xi32>
  %1 = nn.rescale %x numerics single_round [1073741824] >> [40] : (tensor<4x!x>) -> tensor<4xi32>
  %2 = nn.add %0, %1 : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %3 = nn.rescale %2 numerics single_round [1073741824] >> [30] : (tensor<4xi32>) -> tensor<4x!x>
  %4 = nn.rescale %u numerics single_round [1073741824] >> [30] : (tensor<4x!u>) -> tensor<4xi32>
  %5 = nn.rescale %x numerics single_round [1073741824] >> [30] : (tensor<4x!x>) -> tensor<4xi32>
  %6 = nn.add %4, %5 : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %7 = nn.rescale %6 numerics single_round [1073741824] >> [30] : (tensor<4xi32>) -> tensor<4x!x>
  %c = nn.constant dense<257> : tensor<4xi32>
  %8 = nn.rescale %x numerics single_round [1073741824] >> [30] : (tensor<4x!x>) -> tensor<4xi32>
  %9 = nn.add %8, %c : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %10 = nn.rescale %9 numerics single_round [1073741824] >> [30] : (tensor<4xi32>) -> tensor<4x!x>
  %11 = nn.rescale %x numerics single_round [1073741825] >> [30] : (tensor<4x!x>) -> tensor<4xi32>
  %12 = nn.mul %11, %11 : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %13 = nn.rescale %12 numerics single_round [1073741824] >> [30] : (tensor<4xi32>) -> tensor<4x!x>
  return %3, %7, %10, %13 : tensor<4x!x>, tensor<4x!x>, tensor<4x!x>, tensor<4x!x>
}

// TensorFlow Lite shifts the summands to the left first.
// CHECK-LABEL: func.func @shifted_sum(
// CHECK: %[[S:.*]] = nn.add %arg0, %arg1 numerics double_round [1073741824, 1518500250, 1288490189] >> [31, 33, 50] left 20 :
// CHECK-NEXT: return %[[S]]
func.func @shifted_sum(%x: tensor<4x!x>, %y: tensor<4x!y>) -> tensor<4x!y> {
  %left = nn.constant dense<20> : tensor<1xi32>
  %0 = nn.rescale %x numerics single_round [1073741824] >> [30] : (tensor<4x!x>) -> tensor<4xi32>
  %1 = nn.binary left_shift %0, %left : (tensor<4xi32>, tensor<1xi32>) -> tensor<4xi32>
  %2 = nn.rescale %1 numerics single_round [1073741824] >> [31] : (tensor<4xi32>) -> tensor<4xi32>
  %3 = nn.rescale %y numerics single_round [1073741824] >> [30] : (tensor<4x!y>) -> tensor<4xi32>
  %4 = nn.binary left_shift %3, %left : (tensor<4xi32>, tensor<1xi32>) -> tensor<4xi32>
  %5 = nn.rescale %4 numerics double_round [1518500250] >> [33] : (tensor<4xi32>) -> tensor<4xi32>
  %6 = nn.add %2, %5 : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %7 = nn.rescale %6 numerics double_round [1288490189] >> [50] : (tensor<4xi32>) -> tensor<4x!y>
  return %7 : tensor<4x!y>
}

// Both summands are shifted alike, by what fits in 32 bits.
// CHECK-LABEL: func.func @other_shifts(
// CHECK-COUNT-2: nn.add {{.*}} -> tensor<4xi32>
func.func @other_shifts(%x: tensor<4x!x>, %y: tensor<4x!y>) -> (tensor<4x!y>, tensor<4x!y>) {
  %left = nn.constant dense<20> : tensor<1xi32>
  %far = nn.constant dense<23> : tensor<1xi32>
  %0 = nn.rescale %x numerics single_round [1073741824] >> [30] : (tensor<4x!x>) -> tensor<4xi32>
  %1 = nn.binary left_shift %0, %left : (tensor<4xi32>, tensor<1xi32>) -> tensor<4xi32>
  %2 = nn.rescale %1 numerics double_round [1073741824] >> [31] : (tensor<4xi32>) -> tensor<4xi32>
  %3 = nn.rescale %y numerics double_round [1073741824] >> [31] : (tensor<4x!y>) -> tensor<4xi32>
  %4 = nn.add %2, %3 : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %5 = nn.rescale %4 numerics double_round [1288490189] >> [50] : (tensor<4xi32>) -> tensor<4x!y>
  %6 = nn.rescale %x numerics single_round [1073741824] >> [30] : (tensor<4x!x>) -> tensor<4xi32>
  %7 = nn.binary left_shift %6, %far : (tensor<4xi32>, tensor<1xi32>) -> tensor<4xi32>
  %8 = nn.rescale %7 numerics double_round [1073741824] >> [31] : (tensor<4xi32>) -> tensor<4xi32>
  %9 = nn.rescale %y numerics single_round [1073741824] >> [30] : (tensor<4x!y>) -> tensor<4xi32>
  %10 = nn.binary left_shift %9, %far : (tensor<4xi32>, tensor<1xi32>) -> tensor<4xi32>
  %11 = nn.rescale %10 numerics double_round [1073741824] >> [31] : (tensor<4xi32>) -> tensor<4xi32>
  %12 = nn.add %8, %11 : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %13 = nn.rescale %12 numerics double_round [1288490189] >> [50] : (tensor<4xi32>) -> tensor<4x!y>
  return %5, %13 : tensor<4x!y>, tensor<4x!y>
}

// CHECK-LABEL: func.func @mean(
// CHECK: %[[M:.*]] = nn.mean %arg0 axes [1, 2] keep_dims numerics double_round [1402438301] >> [37] : (tensor<1x7x7x3x!{{.*}}>) -> tensor<1x1x1x3x![[Y]]>
// CHECK-NEXT: return %[[M]]
func.func @mean(%x: tensor<1x7x7x3x!x>) -> tensor<1x1x1x3x!y> {
  %0 = nn.rescale %x numerics single_round [1073741824] >> [30] : (tensor<1x7x7x3x!x>) -> tensor<1x7x7x3xi32>
  %1 = nn.reduce sum %0 axes [2] keep_dims : (tensor<1x7x7x3xi32>) -> tensor<1x7x1x3xi32>
  %2 = nn.reduce sum %1 axes [1] keep_dims : (tensor<1x7x1x3xi32>) -> tensor<1x1x1x3xi32>
  %3 = nn.rescale %2 numerics double_round [1402438301] >> [37] : (tensor<1x1x1x3xi32>) -> tensor<1x1x1x3x!y>
  return %3 : tensor<1x1x1x3x!y>
}

// A mean rounds twice, and is of 8 bits as its operand.
// CHECK-LABEL: func.func @sums(
// CHECK-NOT: nn.mean
// CHECK: return
func.func @sums(%x: tensor<7x3x!x>) -> (tensor<1x3x!y>, tensor<1x3xi16>) {
  %0 = nn.rescale %x numerics single_round [1073741824] >> [30] : (tensor<7x3x!x>) -> tensor<7x3xi32>
  %1 = nn.reduce sum %0 axes [0] keep_dims : (tensor<7x3xi32>) -> tensor<1x3xi32>
  %2 = nn.rescale %1 numerics single_round [1402438301] >> [37] : (tensor<1x3xi32>) -> tensor<1x3x!y>
  %3 = nn.rescale %1 numerics double_round [1402438301] >> [37] : (tensor<1x3xi32>) -> tensor<1x3xi16>
  return %2, %3 : tensor<1x3x!y>, tensor<1x3xi16>
}
