//===- Register.cpp - Dialects and passes of the compiler -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PipelinePasses.h"

#include "avocet/compiler/Conversion/ConversionPasses.h"
#include "avocet/compiler/Dialect/Cmd/Cmd.h"
#include "avocet/compiler/Dialect/Nn/NnDialect.h"
#include "avocet/compiler/Dialect/Nn/NnPasses.h"
#include "avocet/compiler/Dialect/Npu/NpuDialect.h"
#include "avocet/compiler/Schedule/SchedulePasses.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Transforms/Passes.h"

namespace avocet::compiler {

void registerDialects(mlir::DialectRegistry &registry) {
  registry
      .insert<mlir::func::FuncDialect, mlir::quant::QuantDialect, nn::NnDialect, npu::NpuDialect, cmd::CmdDialect>();
}

void registerPasses() {
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  nn::registerNnPasses();
  registerConversionPasses();
  registerSchedulePasses();
  registerPipelinePasses();
}

} // namespace avocet::compiler
