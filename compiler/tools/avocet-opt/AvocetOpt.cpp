//===- AvocetOpt.cpp - Runs passes on modules -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As mlir-opt, with the dialects and passes of this compiler:
//   avocet-opt --avocet-compile="target=e256 stop-after=place" model.mlir
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Pipeline/Phases.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  avocet::compiler::registerDialects(registry);
  avocet::compiler::registerPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "Avocet's pass driver\n", registry));
}
