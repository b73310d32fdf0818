//===- NnBase.td - Base classes of the nn operations -------*- tablegen -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_DIALECT_NN_NNBASE_TD
#define AVOCET_COMPILER_DIALECT_NN_NNBASE_TD

include "avocet/compiler/Dialect/Nn/NnAttrs.td"
include "avocet/compiler/Dialect/Nn/NnInterfaces.td"
include "avocet/compiler/Dialect/Nn/NnTypes.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

/// `work` is the body of getWork(): a call of a function of NnWork.h. An operation that says nothing else computes
/// something of each element that it reads or makes.
class Nn_Op<string mnemonic, list<Trait> traits = []>
    : Op<Nn_Dialect, mnemonic, !listconcat([Pure, DeclareOpInterfaceMethods<Nn_WorkInterface>], traits)> {
  string work = "vectorWork(*this)";
  let extraClassDefinition = "::avocet::compiler::nn::Work $cppClass::getWork() { return " # work # "; }";
}

#endif // AVOCET_COMPILER_DIALECT_NN_NNBASE_TD
