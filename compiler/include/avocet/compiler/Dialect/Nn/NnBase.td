//===- NnBase.td - Base classes of the nn operations -------*- tablegen -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_DIALECT_NN_NNBASE_TD
#define AVOCET_COMPILER_DIALECT_NN_NNBASE_TD

include "avocet/compiler/Dialect/Nn/NnAttrs.td"
include "avocet/compiler/Dialect/Nn/NnTypes.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Nn_Op<string mnemonic, list<Trait> traits = []> : Op<Nn_Dialect, mnemonic, !listconcat([Pure], traits)>;

#endif // AVOCET_COMPILER_DIALECT_NN_NNBASE_TD
