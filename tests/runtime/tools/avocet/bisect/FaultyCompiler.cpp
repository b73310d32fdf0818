//===- FaultyCompiler.cpp - A compiler with a planted fault -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The real compiler, whose phase nn is wrong: if the rewrite of nn-fuse-activation has run on the operation with
// "planted" in its location, a minimum becomes a maximum in the IR after that phase. Parts of the model's file name
// change the fault:
//   pair    only with an optimization level above 0
//   fails   the compilation fails instead
//   always  without the rewrite, too
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/InProcess.h"
#include "avocet/compiler/Loader.h"

namespace avocet::compiler {
namespace {

const LoadedCompiler &realCompiler() {
  static const LoadedCompiler kReal = LoadedCompiler::load(AVOCET_COMPILER_FILE).value();
  return kReal;
}

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

bool isPlanted(const CompileRequest &request, bool hasRewriteRun) {
  const bool isPair = contains(request.modelPath, "pair");
  return contains(request.modelPath, "always") || (hasRewriteRun && (!isPair || request.optimize > 0));
}

/// The phase nn; `hasRun` tells whether the rewrite has.
CompileResult compileToNn(CompileRequest request, bool &hasRun) {
  request.stopAfter = "nn";
  request.irFormat = IrFormat::Text;
  request.runsStep = [wanted = request.runsStep, &hasRun](const OptionalStep &step) {
    const bool runs = !wanted || wanted(step);
    if (runs && step.kind == OptionalStep::Kind::Rewrite && contains(step.pattern, "FuseActivationPattern"))
      hasRun |= contains(step.subject().location, "planted");
    return runs;
  };
  return realCompiler().compile(request);
}

CompileResult compileWithFault(const CompileRequest &request) {
  if (!request.stopAfter.empty() || !request.startAt.empty())
    return realCompiler().compile(request);
  bool hasRun = false;
  CompileResult nn = compileToNn(request, hasRun);
  if (!nn.status.isOk())
    return nn;
  std::string text(nn.ir.begin(), nn.ir.end());
  if (isPlanted(request, hasRun)) {
    if (contains(request.modelPath, "fails"))
      return failedAnswer<CompileResult>(internalError("planted failure"));
    if (const size_t minimum = text.find("nn.minimum"); minimum != std::string::npos)
      text.replace(minimum, 10, "nn.maximum");
  }
  CompileRequest second = request;
  second.modelBytes = {reinterpret_cast<const uint8_t *>(text.data()), text.size()};
  second.format = InputFormat::Mlir;
  second.startAt = "nn";
  second.signature.clear();
  second.shapes.clear();
  return realCompiler().compile(second);
}

Verdict judgeWell(const JudgeRequest &request) { return realCompiler().judge(request); }
DivideResult divideWell(const DivideRequest &request) { return realCompiler().divide(request); }

} // namespace
} // namespace avocet::compiler

extern "C" const AvocetCompilerApi *avocetCompilerGetApi(uint32_t version) {
  using namespace avocet::compiler;
  static const AvocetCompilerApi kApi = {AVOCET_COMPILER_ABI_VERSION,      "faulty",
                                         message::serve<compileWithFault>, message::serve<judgeWell>,
                                         message::serve<divideWell>,       message::destroyAnswer};
  return version == AVOCET_COMPILER_ABI_VERSION ? &kApi : nullptr;
}
