//===- Compilers.cpp - Compilation in this process and in a compile worker ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model/Compilers.h"

#include "device/HalResult.h"
#include "model/Program.h"

#include <limits>

namespace avocet::hal {

Result<compiler::LoadedCompiler> LocalCompiler::load() {
  std::lock_guard lock(mutex_);
  if (!compiler_) {
    AVOCET_ASSIGN_OR_RETURN(compiler_, toHalResult(compiler::LoadedCompiler::load(library_)));
  }
  return *compiler_;
}

Result<compiler::CompileResult> LocalCompiler::run(compiler::CompileRequest &request, bool /*isBackground*/) {
  AVOCET_ASSIGN_OR_RETURN(compiler::LoadedCompiler compiler, load());
  if (request.optimize > compiler::kDefaultOptimize)
    request.simulate = [this](std::span<const uint8_t> model, std::span<const uint8_t> data) {
      return simulatedCycles(target(), model, data);
    };
  request.sourceMap = inspect_ != nullptr;
  compiler::CompileResult result = compiler.compile(request);
  if (inspect_ && result.status.isOk() && !result.modelCache.empty())
    AVOCET_RETURN_IF_ERROR(toHalResult(inspect_(result)));
  return result;
}

Result<compiler::Verdict> LocalCompiler::run(compiler::JudgeRequest &request) {
  AVOCET_ASSIGN_OR_RETURN(compiler::LoadedCompiler compiler, load());
  return compiler.judge(request);
}

namespace {

/// The memory belongs to the driver, not to the client of the compilation.
std::shared_ptr<Quota> unlimited() {
  return std::make_shared<Quota>("bytes of memory", std::numeric_limits<uint64_t>::max());
}

Result<std::unique_ptr<JobSlot>> boundJob(Program &program) {
  AVOCET_ASSIGN_OR_RETURN(std::unique_ptr<JobSlot> slot, program.takeSlot());
  const size_t states = program.model().numStates();
  for (size_t i = 0; i < program.model().numInputs() - states; ++i)
    AVOCET_RETURN_IF_ERROR(slot->stageInput(i));
  for (size_t i = 0; i < program.model().numOutputs() - states; ++i)
    AVOCET_RETURN_IF_ERROR(slot->stageOutput(i));
  return slot;
}

Result<uint64_t> simulate(const std::string &target, std::span<const uint8_t> modelCache,
                          std::span<const uint8_t> dataCache) {
  runtime::BackendOptions options;
  options.functional = false;
  AVOCET_ASSIGN_OR_RETURN(options.target, toHalResult(firmware::Target::load(target)));
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<runtime::Device> device, toHalResult(runtime::Device::open("sim", options)));
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<runtime::Context> context, toHalResult(runtime::Context::create(device)));
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<runtime::Queue> queue, toHalResult(runtime::Queue::create(context)));
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<const cache::ModelCache> model,
                          toHalResult(cache::ModelCache::adopt({modelCache.begin(), modelCache.end()}, "alternative")));
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<const cache::DataCache> data,
                          toHalResult(cache::DataCache::fromBytes(dataCache)));
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<Program> program, Program::load(context, model, *data, {}, unlimited()));
  AVOCET_ASSIGN_OR_RETURN(std::unique_ptr<JobSlot> slot, boundJob(*program));
  AVOCET_RETURN_IF_ERROR(toHalResult(queue->run(slot->job())));
  return slot->job().fence()->outcome().counters.cycles;
}

} // namespace

avocet::Result<uint64_t> simulatedCycles(const std::string &target, std::span<const uint8_t> modelCache,
                                         std::span<const uint8_t> dataCache) {
  Result<uint64_t> cycles = withoutExceptions([&] { return simulate(target, modelCache, dataCache); });
  if (!cycles)
    return internalError("an alternative cannot be simulated: " + cycles.error().message);
  return *cycles;
}

} // namespace avocet::hal
