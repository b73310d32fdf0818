//===- InProcess.cpp - The device without a HAL -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SmallModels.h"
#include "Variant.h"
#include "avocet/runtime/SimBackend.h"
#include "model/CompiledModel.h"
#include "model/Compilers.h"
#include "model/Program.h"

#include <limits>
#include <memory>

namespace avocet::hal::bench {

Variant deviceAlone(const std::string &target) {
  Model model = testing::addModel({2});
  LocalCompiler compiler("", target, {});
  DeadlineClock clock;
  CompiledModel compiled = need(compileModel(compiler, model, need(modelBytesOf(model)), CallLimit(clock, {}, {})));
  runtime::registerSimBackend();
  runtime::BackendOptions backend;
  backend.target = need(firmware::Target::load(target));
  auto context = need(runtime::Context::create(need(runtime::Device::open("sim", backend))));
  auto queue = need(runtime::Queue::create(context));
  auto memory = std::make_shared<Quota>("bytes", std::numeric_limits<uint64_t>::max());
  auto program = need(Program::load(context, compiled.program, *compiled.data, {}, memory));
  std::shared_ptr<JobSlot> slot = need(program->takeSlot());
  for (size_t i = 0; i < program->model().numInputs(); ++i)
    (void)need(slot->stageInput(i));
  for (size_t i = 0; i < program->model().numOutputs(); ++i)
    (void)need(slot->stageOutput(i));
  return {"device alone, in process", [queue, program, slot] {
            if (avocet::Status status = queue->run(slot->job()); !status.isOk())
              fail(status.toString());
          }};
}

} // namespace avocet::hal::bench
