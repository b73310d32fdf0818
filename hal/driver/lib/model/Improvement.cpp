//===- Improvement.cpp - Compilations in the background ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model/Improvement.h"

#include "device/HalResult.h"
#include "model/Programs.h"

namespace avocet::hal {

/// Takes no turn at the compiler: the background has one thread for all clients, and must not delay those who wait.
static Result<KeptProgram> compile(const Improvement &work) {
  const CallLimit limit(work.clock, std::nullopt, work.ended);
  const std::vector<uint8_t> special =
      work.facts.empty() ? std::vector<uint8_t>() : specialise(work.source->bytes, work.facts);
  const std::span<const uint8_t> model = work.facts.empty() ? work.source->bytes : special;
  AVOCET_ASSIGN_OR_RETURN(compiler::CompileResult result,
                          work.compiler->compile(model, work.source->poolSpans(), limit, work.order));
  if (!result.status.isOk())
    return errorOf(result, limit);
  return keptProgramOf(work.facts, result, work.order.optimise);
}

void improve(const Improvement &work) {
  if (work.ended.stop_requested())
    return;
  const Result<KeptProgram> made = withoutExceptions([&] { return compile(work); });
  const std::shared_lock lock(*work.replacements); // until the programs are released, which may be the last ones
  if (std::shared_ptr<Programs> programs = work.programs.lock(); programs && !work.ended.stop_requested())
    programs->replace(made, *work.source);
}

} // namespace avocet::hal
