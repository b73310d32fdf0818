//===- Phases.cpp - The named phases of the compiler ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Pipeline/Phases.h"

#include "PipelinePasses.h"
#include "avocet/compiler/Conversion/ConversionPasses.h"
#include "avocet/compiler/Dialect/Cmd/Cmd.h"
#include "avocet/compiler/Dialect/Nn/NnDialect.h"
#include "avocet/compiler/Dialect/Nn/NnPasses.h"
#include "avocet/compiler/Dialect/Npu/NpuDialect.h"
#include "avocet/compiler/Schedule/SchedulePasses.h"
#include "avocet/compiler/Support/ProgramAttrs.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Transforms/Passes.h"

#include <filesystem>
#include <span>

using namespace mlir;

namespace avocet::compiler {
namespace {

constexpr std::string_view kNames[] = {"import", "nn", "place", "schedule", "allocate", "cmd"};

} // namespace

std::string_view nameOf(Phase phase) { return kNames[static_cast<size_t>(phase)]; }

std::span<const std::string_view> phaseNames() { return kNames; }

Result<Phase> phaseNamed(std::string_view name) {
  auto found = llvm::find(kNames, name);
  if (found != std::end(kNames))
    return static_cast<Phase>(found - std::begin(kNames));
  std::string list;
  for (std::string_view known : kNames)
    list.append(list.empty() ? "" : ", ").append(known);
  return invalidArgument("'" + std::string(name) + "' is not a phase; the phases are " + list);
}

FailureOr<Phase> phaseOf(ModuleOp module) {
  auto noted = module->getAttrOfType<StringAttr>(attrs::kPhase);
  if (!noted)
    return module.emitError("has no attribute for the phase that wrote it (") << attrs::kPhase << ")";
  Result<Phase> phase = phaseNamed(std::string_view(noted.getValue().data(), noted.getValue().size()));
  if (!phase)
    return module.emitError(phase.status().message());
  return *phase;
}

void notePhase(ModuleOp module, Phase phase) {
  std::string_view name = nameOf(phase);
  module->setAttr(attrs::kPhase, StringAttr::get(module.getContext(), StringRef(name.data(), name.size())));
}

void noteModel(ModuleOp module, StringRef path) {
  std::filesystem::path file(path.str());
  std::string stem = file.stem().string(), folder = file.parent_path().filename().string();
  module->setAttr(attrs::kModel,
                  StringAttr::get(module.getContext(), stem == "model" && !folder.empty() ? folder : stem));
}

void buildPhase(OpPassManager &manager, Phase phase, std::shared_ptr<const firmware::Target> target,
                const PhaseOptions &options) {
  switch (phase) {
  case Phase::Import:
    break;
  case Phase::Nn:
    nn::buildNnPipeline(manager);
    break;
  case Phase::Place:
    manager.addPass(createOutlineControlFlowPass());
    manager.addPass(createConvertNnToNpuPass(target, options.freesConstants));
    manager.addPass(createCompressWeightsPass(target, options.threads));
    break;
  case Phase::Schedule:
    manager.addPass(createSchedulePass(target, options.search));
    break;
  case Phase::Allocate:
    manager.addPass(createAllocatePass(target));
    break;
  case Phase::Cmd:
    manager.addPass(createConvertNpuToCmdPass(target, options.freesConstants));
    break;
  }
  manager.addPass(createBorderPass(phase, target));
}

void registerDialects(mlir::DialectRegistry &registry) {
  registry
      .insert<mlir::func::FuncDialect, mlir::quant::QuantDialect, nn::NnDialect, npu::NpuDialect, cmd::CmdDialect>();
  // Networks of TOSA have constants of arith, and slices and reshapes of tensor, between their operations.
  registry.insert<mlir::tosa::TosaDialect, mlir::arith::ArithDialect, mlir::tensor::TensorDialect>();
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
