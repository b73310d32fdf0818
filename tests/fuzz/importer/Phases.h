//===- Phases.h - What follows the import of a model ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_FUZZ_IMPORTER_PHASES_H
#define AVOCET_TESTS_FUZZ_IMPORTER_PHASES_H

#include "avocet/compiler/Conversion/ConversionPasses.h"
#include "avocet/compiler/Dialect/Nn/NnPasses.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"

#include <cstdlib>

namespace avocet::fuzz {

inline void require(bool condition) {
  if (!condition)
    std::abort();
}

/// An accepted model must stay valid IR in the phases nn and place; convertNnToNpu() may refuse it.
inline void runPhases(mlir::ModuleOp module) {
  static const std::shared_ptr<const firmware::Target> kTarget = *firmware::Target::load("e256");
  mlir::PassManager manager(module.getContext());
  compiler::nn::buildNnPipeline(manager);
  manager.addPass(compiler::createOutlineControlFlowPass());
  require(succeeded(manager.run(module)));
  if (succeeded(compiler::convertNnToNpu(module, *kTarget)))
    require(succeeded(mlir::verify(module)));
}

/// The network as TOSA and back, before the phases change it. Both ways give valid IR, or a message: `messages` counts
/// those of the context.
inline void runRoundTrip(mlir::ModuleOp module, const size_t &messages) {
  const mlir::OwningOpRef<mlir::ModuleOp> copy = module.clone();
  for (auto convert : {compiler::convertNnToTosa, compiler::convertTosaToNn}) {
    const size_t before = messages;
    if (failed(convert(*copy))) {
      require(messages > before);
      return;
    }
    require(succeeded(mlir::verify(*copy)));
  }
  runPhases(*copy);
}

} // namespace avocet::fuzz

#endif // AVOCET_TESTS_FUZZ_IMPORTER_PHASES_H
