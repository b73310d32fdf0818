//===- ExecutionCalls.cpp - Synchronous and asynchronous executions ---*- C++ -*-===//
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

namespace {

Result<Answered> configureBurst(const Call &call, const fb::ConfigureBurstT &body) {
  AVOCET_ASSIGN_OR_RETURN(auto prepared, call.session.objects().find<IPreparedModel>(body.prepared));
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<IBurst> burst, prepared->configureBurst());
  return answerObject(call, Result<std::shared_ptr<KeptBurst>>(std::make_shared<KeptBurst>(std::move(burst))));
}

/// The memory of a pool, sent by the client or kept for it.
Result<SharedMemory> memoryOf(const Call &call, const fb::ExecuteBurstT &body, size_t index, const KeptBurst &kept) {
  const fb::RequestPoolT &pool = *body.request->pools[index];
  if (!pool.known)
    return fromMessage(*pool.memory, call.handles);
  int64_t identifier = index < body.identifiers.size() ? body.identifiers[index] : -1;
  SharedMemory memory = kept.find(identifier);
  if (memory == nullptr)
    return invalidArgument("there is no memory with the identifier " + std::to_string(identifier));
  return memory;
}

Result<Request> requestOf(const Call &call, const fb::ExecuteBurstT &body, const KeptBurst &kept) {
  Request request = fromMessageWithoutMemory(*body.request);
  for (size_t i = 0; i < request.pools.size(); ++i)
    if (body.request->pools[i]->known || body.request->pools[i]->memory) {
      AVOCET_ASSIGN_OR_RETURN(request.pools[i], memoryOf(call, body, i, kept));
    }
  return request;
}

/// Keeps the memories of this message; the other ones are kept already.
Outcome keepMemories(const Call &call, const fb::ExecuteBurstT &body, KeptBurst &kept, const Request &request) {
  const std::vector<int64_t> &identifiers = body.identifiers;
  for (size_t i = 0; identifiers.size() == request.pools.size() && i < identifiers.size(); ++i)
    if (const auto *memory = std::get_if<SharedMemory>(&request.pools[i]);
        memory != nullptr && identifiers[i] >= 0 && !body.request->pools[i]->known &&
        !kept.keep(identifiers[i], keeping(*memory, call.charge)))
      return error(ErrorStatus::ResourceExhaustedTransient, "burst: it names too many memories; release some");
  return success();
}

void executeBurst(const Call &call, const fb::ExecuteBurstT &body) {
  auto kept = call.session.objects().find<KeptBurst>(body.burst);
  Result<Request> request = kept ? requestOf(call, body, **kept) : kept.error();
  Outcome isKept = request ? keepMemories(call, body, **kept, *request) : request.error();
  if (!isKept) // an answer of another kind than of an execution: nothing of the request is known
    return call.session.answer(call.number(), isKept.error());
  call.session.answerExecution(call.number(),
                               (*kept)->burst().execute(*request, body.identifiers, fromMessage(*body.options)));
}

Result<Answered> releaseMemory(const Call &call, const fb::ReleaseMemoryT &body) {
  AVOCET_ASSIGN_OR_RETURN(auto kept, call.session.objects().find<KeptBurst>(body.burst));
  kept->drop(body.identifier);
  AVOCET_RETURN_IF_ERROR(kept->burst().releaseMemoryResource(body.identifier));
  return answered(fb::NothingT());
}

/// Later requests and results do not use the connection.
Result<Answered> serveQueues(const Call &call, const fb::ServeBurstT &body) {
  AVOCET_ASSIGN_OR_RETURN(auto prepared, call.session.objects().find<IPreparedModel>(body.prepared));
  BurstOffer offer;
  AVOCET_ASSIGN_OR_RETURN(offer.requests, fromMessage(*body.requests, call.handles));
  AVOCET_ASSIGN_OR_RETURN(offer.results, fromMessage(*body.results, call.handles));
  AVOCET_ASSIGN_OR_RETURN(offer.link, call.handles.handle(body.link));
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<IBurst> burst, prepared->configureBurst());
  AVOCET_ASSIGN_OR_RETURN(std::unique_ptr<ServedBurst> served,
                          serveBurst(std::move(burst), offer, call.session.burstOptions()));
  return answerObject(call, Result<std::shared_ptr<ServedBurst>>(std::move(served)));
}

} // namespace

void addBurstCalls(CallTable &table) {
  table.add(configureBurst);
  table.add(executeBurst);
  table.add(releaseMemory);
  table.add(serveQueues);
}

} // namespace avocet::hal
