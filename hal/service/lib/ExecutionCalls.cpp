//===- ExecutionCalls.cpp - Synchronous and asynchronous executions -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Call.h"

namespace avocet::hal {

using namespace ipc;

namespace {

struct Run {
  std::shared_ptr<IPreparedModel> prepared;
  Request request;
  ExecutionOptions options;
};

template <typename Body> Result<Run> runOf(const Call &call, const Body &body) {
  Run run;
  AVOCET_ASSIGN_OR_RETURN(run.prepared, call.session.objects().find<IPreparedModel>(body.prepared));
  AVOCET_ASSIGN_OR_RETURN(run.request, fromMessage(*body.request, call.handles));
  run.options = fromMessage(*body.options);
  return run;
}

ErrorStatus launch(const Call &call, const Run &run) {
  auto callback = [session = call.session.shared_from_this(), number = call.number(), charge = call.charge](
                      const ExecutionOutcome &outcome) { session->answerExecutionLater(number, outcome); };
  return run.prepared->executeAsynchronously(run.request, run.options, callback);
}

void execute(const Call &call, const fb::ExecuteT &body) {
  Result<Run> run = runOf(call, body);
  if (!run)
    return call.session.answerExecution(call.number(), outcomeOf(run.error()));
  if (!call.envelope.asynchronous)
    return call.session.answerExecution(call.number(), run->prepared->execute(run->request, run->options));
  if (launch(call, *run) == ErrorStatus::None)
    call.session.sendLaunched(call.number());
}

Result<Answered> createExecution(const Call &call, const fb::CreateExecutionT &body) {
  AVOCET_ASSIGN_OR_RETURN(Run run, runOf(call, body));
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<IExecution> execution,
                          run.prepared->createReusableExecution(run.request, run.options));
  return answerObject(call, Result<std::shared_ptr<IExecution>>(keeping(std::move(execution), call.charge)));
}

void compute(const Call &call, const fb::ComputeT &body) {
  auto execution = call.session.objects().find<IExecution>(body.execution);
  call.session.answerExecution(call.number(), execution ? (*execution)->compute(timePointOf(body.deadline))
                                                        : outcomeOf(execution.error()));
}

} // namespace

void addExecutionCalls(CallTable &table) {
  table.add(execute);
  table.add(createExecution);
  table.add(compute);
}

} // namespace avocet::hal
