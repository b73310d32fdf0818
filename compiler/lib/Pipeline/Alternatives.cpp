//===- Alternatives.cpp - The search that a request asks for ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Alternatives.h"

#include "Output.h"

#include "avocet/compiler/Conversion/NpuToCmd.h"
#include "avocet/compiler/Dialect/Cmd/Cmd.h"
#include "avocet/compiler/Support/Cancel.h"

#include <chrono>

using namespace mlir;

namespace avocet::compiler {
namespace {

/// The borders of the phases are left out: they check the schedule that wins.
Result<uint64_t> simulate(ModuleOp module, const CompileRequest &request, const TargetPtr &target) {
  ArtefactBytes artefacts;
  if (failed(allocateModule(module, target)) || failed(convertNpuToCmd(module, *target)) ||
      failed(emitArtefacts(module, artefacts)))
    return isCancelled() ? Status(StatusCode::Aborted, "cancelled") : internalError("the schedule gives no artefacts");
  llvm::ArrayRef<char> data = artefacts.data.getData();
  return request.simulate(artefacts.model, {reinterpret_cast<const uint8_t *>(data.data()), data.size()});
}

std::function<bool()> timeLimit(double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  return [end] { return Clock::now() >= end; };
}

} // namespace

ScheduleSearch searchOf(const CompileRequest &request, const TargetPtr &target, MLIRContext &context, Status &failure) {
  if (request.simulate)
    context.loadDialect<cmd::CmdDialect>(); // the pass that writes it has not run
  ScheduleSearch search;
  search.effort.level = request.optimise;
  search.effort.threads = request.threads;
  if (request.optimiseSeconds > 0)
    search.effort.isOver = timeLimit(request.optimiseSeconds);
  search.simulate = [&](ModuleOp module) {
    Result<uint64_t> cycles = simulate(module, request, target);
    if (!cycles && failure.isOk())
      failure = cycles.status();
    return cycles;
  };
  if (request.alternative)
    search.report = [&](const schedule::Alternative &made) {
      request.alternative({made.what, made.predictedCycles, made.simulatedCycles, made.isKept});
    };
  return search;
}

} // namespace avocet::compiler
