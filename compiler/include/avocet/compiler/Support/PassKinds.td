//===- PassKinds.td - Optional and required passes ---------*- tablegen -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each pass of the compiler is declared with one of these classes. The test compiler.docs finds one that is not.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_SUPPORT_PASSKINDS_TD
#define AVOCET_COMPILER_SUPPORT_PASSKINDS_TD

include "mlir/Pass/PassBase.td"

// A pass without which a network computes the same, if the device has its operations: it makes the network faster or
// smaller. `avocet bisect` may leave it out. The file of the pass includes Support/PassKinds.h.
class OptionalPass<string passArg, string operation>
    : PassBase<passArg, "::avocet::compiler::OptionalPass<::mlir::OperationPass<" # operation # ">>">;

// A pass that must run: a conversion, or one that changes nothing where it is not needed.
class RequiredPass<string passArg, string operation> : Pass<passArg, operation>;

#endif // AVOCET_COMPILER_SUPPORT_PASSKINDS_TD
