//===- FencedCalls.cpp - Executions with fences -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Call.h"

namespace avocet::hal {

using namespace ipc;

namespace {

Result<Answered> answerLaunch(const Call &call, Result<FencedLaunch> launch) {
  if (!launch)
    return launch.error();
  AVOCET_ASSIGN_OR_RETURN(uint64_t id, call.session.objects().add(std::move(launch->info)));
  HandleWriter handles;
  fb::FencedAnswerT answer;
  answer.id = id;
  answer.fence = toMessage(std::vector<SyncFence>{launch->fence}, handles);
  return answered(std::move(answer), std::move(handles));
}

Result<Answered> executeFenced(const Call &call, const fb::ExecuteFencedT &body) {
  AVOCET_ASSIGN_OR_RETURN(auto prepared, call.session.objects().find<IPreparedModel>(body.prepared));
  AVOCET_ASSIGN_OR_RETURN(Request request, fromMessage(*body.request, call.handles));
  AVOCET_ASSIGN_OR_RETURN(std::vector<SyncFence> fences, fencesOf(body.fences, call.handles));
  FencedOptions options{fromMessage(*body.options), durationOf(body.timeout_after_fence)};
  return answerLaunch(call, prepared->executeFenced(request, fences, options));
}

Result<Answered> computeFenced(const Call &call, const fb::ComputeFencedT &body) {
  AVOCET_ASSIGN_OR_RETURN(auto execution, call.session.objects().find<IExecution>(body.execution));
  AVOCET_ASSIGN_OR_RETURN(std::vector<SyncFence> fences, fencesOf(body.fences, call.handles));
  return answerLaunch(
      call, execution->computeFenced(fences, timePointOf(body.deadline), durationOf(body.timeout_after_fence)));
}

Result<Answered> getFencedInfo(const Call &call, const fb::GetFencedInfoT &body) {
  AVOCET_ASSIGN_OR_RETURN(auto fenced, call.session.objects().find<IFencedExecution>(body.fenced));
  AVOCET_ASSIGN_OR_RETURN(FencedTimes times, fenced->executionInfo());
  return answered(toMessage(times));
}

} // namespace

void addFencedCalls(CallTable &table) {
  table.add(executeFenced);
  table.add(computeFenced);
  table.add(getFencedInfo);
}

} // namespace avocet::hal
