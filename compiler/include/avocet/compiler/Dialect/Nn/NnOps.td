//===- NnOps.td - All operations of the nn dialect ---------*- tablegen -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_DIALECT_NN_NNOPS_TD
#define AVOCET_COMPILER_DIALECT_NN_NNOPS_TD

include "avocet/compiler/Dialect/Nn/NnCellOps.td"
include "avocet/compiler/Dialect/Nn/NnControlOps.td"
include "avocet/compiler/Dialect/Nn/NnConvOps.td"
include "avocet/compiler/Dialect/Nn/NnDetectionOps.td"
include "avocet/compiler/Dialect/Nn/NnElementwiseOps.td"
include "avocet/compiler/Dialect/Nn/NnLookupOps.td"
include "avocet/compiler/Dialect/Nn/NnMoveOps.td"
include "avocet/compiler/Dialect/Nn/NnNormalizeOps.td"
include "avocet/compiler/Dialect/Nn/NnPoolOps.td"
include "avocet/compiler/Dialect/Nn/NnQuantOps.td"
include "avocet/compiler/Dialect/Nn/NnRandomOps.td"
include "avocet/compiler/Dialect/Nn/NnRecurrentOps.td"
include "avocet/compiler/Dialect/Nn/NnReduceOps.td"
include "avocet/compiler/Dialect/Nn/NnScatterOps.td"
include "avocet/compiler/Dialect/Nn/NnShapeOps.td"
include "avocet/compiler/Dialect/Nn/NnSignalOps.td"
include "avocet/compiler/Dialect/Nn/NnTruthOps.td"

#endif // AVOCET_COMPILER_DIALECT_NN_NNOPS_TD
