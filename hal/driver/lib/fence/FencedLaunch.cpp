//===- FencedLaunch.cpp - The launch of a fenced execution ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fence/FencedExecution.h"

#include "avocet/firmware_iface/JobRing.h"
#include "avocet/hal/types/Tracing.h"
#include "avocet/hal/types/Utils.h"
#include "avocet/hal/types/VerboseLog.h"
#include "device/HalResult.h"

#include <fmt/core.h>
#include <utility>

namespace avocet::hal {
namespace {

bool isComplete(Operand operand, const RequestArgument &argument) {
  std::optional<std::vector<uint32_t>> dimensions = combineDimensions(operand.dimensions, argument.dimensions);
  if (!dimensions)
    return false;
  operand.dimensions = std::move(*dimensions);
  return isFullySpecified(operand);
}

/// The caller may pass the outputs on before they are written, so their sizes must be known now.
Outcome checkOutputs(const Signature &signature, const RequestView &view) {
  for (size_t i = 0; i < view.numOutputs(); ++i)
    if (!view.isOutputOmitted(i) && !isComplete(signature.output(i), view.output(i)))
      return invalidArgument(fmt::format("fenced execution: the dimensions of output {} are not all known", i));
  return success();
}

Outcome checkFences(const std::vector<SyncFence> &fences) {
  for (size_t i = 0; i < fences.size(); ++i)
    if (fences[i].state() == FenceState::Error)
      return invalidArgument(fmt::format("fenced execution: fence {} is in its error state", i));
  return success();
}

} // namespace

FencedExecution::FencedExecution(FencedCall call, FencedRegistry::Identity identity, FenceSignaler signaler)
    : clock_(call.model->client().core().clock()), deadline_(call.deadline), timeoutAfterFence_(call.timeoutAfterFence),
      identity_(identity), signaler_(std::move(signaler)) {
  held_->model = std::move(call.model);
  held_->bound = std::move(call.bound);
  held_->whenEnded = std::move(call.whenEnded);
  for (const SyncFence &fence : call.waitFor)
    if (fence.state() != FenceState::Signaled)
      active_.push_back(fence);
}

Result<FencedLaunch> FencedExecution::launch(FencedCall call) {
  const TraceRequestScope request;
  HalSpan span(TraceLayer::Driver, TracePhase::Execution, "executeFenced");
  call.model->client().awaitSettled();
  AVOCET_RETURN_IF_ERROR(checkOutputs(call.model->signature(), *call.bound->view));
  AVOCET_RETURN_IF_ERROR(checkFences(call.waitFor));
  AVOCET_ASSIGN_OR_RETURN(auto ends, FenceSignaler::create());
  auto execution =
      std::make_shared<FencedExecution>(std::move(call), ends.first.identity().value(), std::move(ends.second));
  AVOCET_RETURN_IF_ERROR(execution->start());
  return FencedLaunch{execution->visibleFence(ends.first), execution};
}

SyncFence FencedExecution::visibleFence(const SyncFence &socket) const {
  std::lock_guard lock(mutex_);
  return end_.value_or(socket);
}

Outcome FencedExecution::start() {
  const ClientState &client = held_->model->client();
  ExecutionOptions options = held_->bound->options;
  options.deadline = deadline_;
  held_->run = std::make_shared<Run>(*held_->model, *held_->bound->view, options);
  if (active_.empty() || !held_->model->programs().readsValues())
    AVOCET_RETURN_IF_ERROR(prepare());
  AVOCET_ASSIGN_OR_RETURN(held_->awaited, client.awaitedFences()->take(active_.size()));
  core().fenced().add(identity_, {weak_from_this(), &client});
  if (Outcome watched = watch(chooseHostFences()); !watched) {
    withdraw();
    return watched;
  }
  followPredecessors();
  held_->whenGone = std::make_unique<WhenGone>(client.whenGone(), [execution = weak_from_this()] {
    if (auto self = execution.lock())
      self->fail(generalFailure("the client has disconnected"));
  });
  active_.clear();
  endLaunch();
  return success();
}

void FencedExecution::followPredecessors() {
  for (const auto &predecessor : held_->predecessors) {
    {
      std::lock_guard lock(mutex_);
      ++unready_;
    }
    if (!predecessor->joinQueue(shared_from_this()))
      becomeReady();
  }
}

void FencedExecution::endLaunch() {
  std::optional<Error> overrule;
  {
    std::lock_guard lock(mutex_);
    stage_ = Stage::Waiting;
    overrule = std::exchange(overrule_, std::nullopt);
  }
  if (overrule)
    fail(*overrule);
  becomeReady();
}

Outcome FencedExecution::prepare() {
  Run::Conditions conditions;
  conditions.mayWait = false;
  conditions.inputsMayBePending = !active_.empty();
  AVOCET_RETURN_IF_ERROR(run().prepare(conditions));
  writesDirectly_ = !run().copiesOutputs();
  isPrepared_ = true;
  return success();
}

bool FencedExecution::canDeviceAwait(const SyncFence &fence) const {
  return fence.isSyncFile() && core().device()->properties().hasSyncFiles &&
         held_->predecessors.size() + held_->syncFiles.size() < firmware::kMaxDependencies;
}

/// Returns the fences that the device cannot wait for. The others become predecessors, or stay sync_files.
std::vector<SyncFence> FencedExecution::chooseHostFences() {
  std::vector<SyncFence> hostFences;
  const bool readsDirectly = isPrepared_ && !run().copiesInputs();
  for (const SyncFence &fence : active_) {
    std::shared_ptr<FencedExecution> own = readsDirectly ? core().fenced().find(fence) : nullptr;
    if (readsDirectly && canDeviceAwait(fence))
      held_->syncFiles.push_back(fence);
    else if (own != nullptr && own->writesDirectly_ &&
             held_->predecessors.size() + held_->syncFiles.size() < firmware::kMaxDependencies)
      held_->predecessors.push_back(std::move(own));
    else
      hostFences.push_back(fence);
  }
  verbose(VerboseTag::Execution,
          "fenced execution: {} fences: the device follows {} executions and awaits {} sync_files, the host awaits {}",
          active_.size(), held_->predecessors.size(), held_->syncFiles.size(), hostFences.size());
  return hostFences;
}

/// Call-backs may come before this returns.
Outcome FencedExecution::watch(const std::vector<SyncFence> &hostFences) {
  auto self = shared_from_this();
  if (!hostFences.empty()) {
    ++unready_;
    auto ended = [self](FenceWatch::End end) { self->fencesEnded(end); };
    AVOCET_ASSIGN_OR_RETURN(FenceWatch::Ticket ticket, core().fences().await(hostFences, {}, std::move(ended)));
    keep(ticket);
  }
  if (deadline_)
    setTimer(core(), *deadline_);
  if (timeoutAfterFence_) {
    auto signaled = [execution = weak_from_this()](FenceWatch::End) {
      if (auto waiting = execution.lock())
        waiting->startTimeout();
    };
    AVOCET_ASSIGN_OR_RETURN(FenceWatch::Ticket ticket, core().fences().await(active_, {}, std::move(signaled)));
    keep(ticket);
  }
  return success();
}

/// Undoes a launch that failed.
void FencedExecution::withdraw() {
  std::vector<FenceWatch::Ticket> tickets;
  {
    std::lock_guard lock(mutex_);
    stage_ = Stage::Over;
    isAnswered_ = true;
    tickets.swap(tickets_);
  }
  core().fenced().remove(identity_);
  for (FenceWatch::Ticket ticket : tickets)
    core().fences().cancel(ticket);
}

void FencedExecution::keep(FenceWatch::Ticket ticket) {
  std::lock_guard lock(mutex_);
  tickets_.push_back(ticket);
}

} // namespace avocet::hal
