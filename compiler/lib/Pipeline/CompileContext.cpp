//===- CompileContext.cpp - MLIR context of a compilation -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompileContext.h"

#include "avocet/compiler/Conversion/ConversionPasses.h"
#include "avocet/compiler/Dialect/Nn/NnPasses.h"
#include "avocet/compiler/Dialect/Npu/NpuDialect.h"
#include "avocet/compiler/Pipeline/Phases.h"

#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/DialectResourceBlobManager.h"

#include <mutex>
#include <vector>

using namespace mlir;

namespace avocet::compiler {
namespace {

constexpr uint64_t kMostTableBytes = uint64_t{32} << 20;
/// Upper bounds of what an operation, and a query apart from its model, add to the tables.
constexpr uint64_t kOperationBytes = 1024, kQuestionBytes = 4096;

/// Maximum number of idle contexts, about 1 MiB each.
constexpr size_t kMostIdle = 2;

const DialectRegistry &registry() {
  static const DialectRegistry registry = [] {
    DialectRegistry dialects;
    registerDialects(dialects);
    return dialects;
  }();
  return registry;
}

struct IdleContexts {
  std::mutex mutex; ///< guards contexts
  std::vector<std::unique_ptr<CompileContext>> contexts;
};

/// Never destroyed: a thread may still query while the process exits.
IdleContexts &idleContexts() {
  static auto *idle = new IdleContexts;
  return *idle;
}

} // namespace

CompileContext::CompileContext() : mlir_(registry(), MLIRContext::Threading::DISABLED) {
  // Diagnostics reach users. The operation of a large network prints as megabytes.
  mlir_.printOpOnDiagnostic(false);
}

void CompileContext::noteModel(uint64_t bytes) { tableBytes_ += bytes + kQuestionBytes; }

LogicalResult CompileContext::runGraphPasses(ModuleOp module) {
  if (!graphPasses_) {
    mlir_.loadDialect<npu::NpuDialect>();
    graphPasses_.emplace(&mlir_, ModuleOp::getOperationName());
    graphPasses_->enableVerifier(false);
    nn::buildNnPipeline(*graphPasses_);
    graphPasses_->addPass(createOutlineControlFlowPass());
  }
  module.walk([this](Operation *) { tableBytes_ += kOperationBytes; });
  return graphPasses_->run(module);
}

bool CompileContext::reset() {
  // Constants refer to the bytes of the model. Attributes that name them stay in the tables but are never looked up.
  DenseResourceElementsHandle::getManagerInterface(&mlir_).setBlobManager(
      std::make_shared<DialectResourceBlobManager>());
  return tableBytes_ <= kMostTableBytes;
}

std::unique_ptr<CompileContext> takeQuestionContext() {
  IdleContexts &idle = idleContexts();
  std::lock_guard lock(idle.mutex);
  if (idle.contexts.empty())
    return std::make_unique<CompileContext>();
  std::unique_ptr<CompileContext> context = std::move(idle.contexts.back());
  idle.contexts.pop_back();
  return context;
}

void keepQuestionContext(std::unique_ptr<CompileContext> context) {
  if (!context->reset())
    return;
  IdleContexts &idle = idleContexts();
  std::lock_guard lock(idle.mutex);
  if (idle.contexts.size() < kMostIdle)
    idle.contexts.push_back(std::move(context));
}

} // namespace avocet::compiler
