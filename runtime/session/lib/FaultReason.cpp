//===- FaultReason.cpp - Which rule a faulted command breaks --------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FaultReason.h"

#include "avocet/firmware_iface/Codec.h"
#include "avocet/kernels/Kernel.h"

#include <fmt/core.h>
#include <optional>

namespace avocet::session {
namespace {

using firmware::FaultCode;
using runtime::JobOutcome;

std::optional<firmware::Command> faultedCommand(const cache::ModelCache &model, const JobOutcome &outcome) {
  for (size_t i = 0; i < model.numStreams(); ++i) {
    const cache::StreamView stream = model.stream(i);
    if (static_cast<uint32_t>(stream.engine.kind) != outcome.faultEngineKind ||
        stream.engine.index != outcome.faultEngineIndex || stream.section != outcome.faultSection)
      continue;
    const auto commands = firmware::decodeStream(stream.words);
    if (commands && outcome.faultCommand < commands->size())
      return (*commands)[outcome.faultCommand];
  }
  return std::nullopt;
}

std::string kernelRule(const firmware::Target &target, const firmware::CommandBody &body) {
  if (const kernels::Kernel *kernel = kernels::findKernel(body)) {
    const Status status = kernel->check(target, body);
    return status.isOk() ? fmt::format("{} runs on another engine", kernel->name()) : status.message();
  }
  if (const auto *dsp = std::get_if<firmware::DspCommand>(&body))
    return fmt::format("kernel is {}, must be one of the {} kernels of the DSP", dsp->kernel,
                       kernels::allKernels().size());
  return std::holds_alternative<firmware::DmaCommand>(body)
             ? "dma: its destination has fewer bytes than it moves, must not write a byte twice"
             : std::string();
}

} // namespace

std::string faultReason(const cache::ModelCache &model, const firmware::Target &target, const JobOutcome &outcome) {
  const std::optional<firmware::Command> command = faultedCommand(model, outcome);
  if (!command)
    return {};
  switch (outcome.fault) {
  case FaultCode::UnsupportedCommand:
    return kernelRule(target, command->body);
  case FaultCode::BadSemaphore:
    return fmt::format("{}: semaphore is {}, must be below {}", firmware::nameOf(command->body), outcome.faultAddress,
                       target.command().semaphores);
  default:
    return {};
  }
}

} // namespace avocet::session
