//===- CallHandler.cpp - One call of one client -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CallHandler.h"

namespace avocet::hal {

using namespace ipc;

namespace {

Result<fb::AnswerUnion> objectAnswer(Result<uint64_t> id) {
  if (!id)
    return id.error();
  fb::ObjectT object;
  object.id = *id;
  fb::AnswerUnion answer;
  answer.Set(std::move(object));
  return answer;
}

Result<fb::AnswerUnion> addPrepared(ObjectTable &objects, Result<std::shared_ptr<IPreparedModel>> prepared) {
  if (!prepared)
    return prepared.error();
  return objectAnswer(objects.add(std::move(*prepared)));
}

ExecutionOutcome outcomeOf(const Error &error) { return {error.code, error.message, {}, {}}; }

} // namespace

void CallHandler::handle() {
  const fb::CallUnion &call = call_.call;
  if (call.AsGetStatus() != nullptr)
    session_.answer(call_.number, getStatus());
  else if (const auto *supported = call.AsGetSupportedOperations())
    session_.answer(call_.number, getSupported(*supported));
  else if (const auto *fromCache = call.AsPrepareFromCache())
    session_.answer(call_.number, prepareFromCache(*fromCache));
  else if (const auto *create = call.AsCreateExecution())
    session_.answer(call_.number, createExecution(*create));
  else if (const auto *prepareModel = call.AsPrepareModel())
    prepare(*prepareModel);
  else if (const auto *run = call.AsExecute())
    execute(*run);
  else if (const auto *again = call.AsCompute())
    compute(*again);
  else
    session_.answer(call_.number, invalidArgument("the call is of a kind that the service does not know"));
}

Result<fb::AnswerUnion> CallHandler::getStatus() const {
  fb::StatusAnswerT status;
  status.status = static_cast<int32_t>(device_.status());
  Answer answer;
  answer.Set(std::move(status));
  return answer;
}

Result<fb::AnswerUnion> CallHandler::getSupported(const fb::GetSupportedOperationsT &call) const {
  AVOCET_HAL_ASSIGN_OR_RETURN(Model model, fromMessage(*call.model, handles_));
  AVOCET_HAL_ASSIGN_OR_RETURN(SupportedOperations supported, device_.getSupportedOperations(model));
  Answer answer;
  answer.Set(toMessage(supported));
  return answer;
}

Result<fb::AnswerUnion> CallHandler::prepareFromCache(const fb::PrepareFromCacheT &call) const {
  AVOCET_HAL_ASSIGN_OR_RETURN(CacheFiles cache, fromMessage(*call.cache, handles_));
  return addPrepared(session_.objects_, device_.prepareModelFromCache(timePointOf(call.deadline), cache));
}

Result<fb::AnswerUnion> CallHandler::createExecution(const fb::CreateExecutionT &call) const {
  AVOCET_HAL_ASSIGN_OR_RETURN(auto prepared, session_.objects_.find<IPreparedModel>(call.prepared));
  AVOCET_HAL_ASSIGN_OR_RETURN(Request request, fromMessage(*call.request, handles_));
  AVOCET_HAL_ASSIGN_OR_RETURN(auto execution, prepared->createReusableExecution(request, fromMessage(*call.options)));
  return objectAnswer(session_.objects_.add(std::move(execution)));
}

void CallHandler::prepare(const fb::PrepareModelT &call) const {
  Result<Model> model = fromMessage(*call.model, handles_);
  Result<PrepareOptions> options = fromMessage(*call.options, handles_);
  if (!model || !options)
    return session_.answer(call_.number, !model ? model.error() : options.error());
  if (!call_.asynchronous)
    return session_.answer(call_.number, addPrepared(session_.objects_, device_.prepareModel(*model, *options)));
  if (launchPreparation(*model, *options))
    session_.sendLaunched(call_.number);
}

/// The callback answers, on a refusal too.
Outcome CallHandler::launchPreparation(const Model &model, const PrepareOptions &options) const {
  auto callback = [session = session_.shared_from_this(), number = call_.number](ErrorStatus status, auto prepared) {
    Result<std::shared_ptr<IPreparedModel>> result = std::move(prepared);
    if (status != ErrorStatus::None)
      result = error(status, "the model was not prepared");
    session->answer(number, addPrepared(session->objects_, std::move(result)));
  };
  ErrorStatus status = device_.prepareModelAsynchronously(model, options, callback);
  return status == ErrorStatus::None ? success() : Outcome(error(status, ""));
}

void CallHandler::execute(const fb::ExecuteT &call) const {
  if (call_.asynchronous) {
    Outcome launched = launchExecution(call);
    if (launched)
      session_.sendLaunched(call_.number);
    return;
  }
  auto prepared = session_.objects_.find<IPreparedModel>(call.prepared);
  Result<Request> request = fromMessage(*call.request, handles_);
  if (!prepared || !request)
    return session_.answerExecution(call_.number, outcomeOf(!prepared ? prepared.error() : request.error()));
  session_.answerExecution(call_.number, (*prepared)->execute(*request, fromMessage(*call.options)));
}

Outcome CallHandler::launchExecution(const fb::ExecuteT &call) const {
  auto prepared = session_.objects_.find<IPreparedModel>(call.prepared);
  Result<Request> request = fromMessage(*call.request, handles_);
  if (!prepared || !request) {
    Error reason = !prepared ? prepared.error() : request.error();
    session_.answerExecution(call_.number, outcomeOf(reason));
    return reason;
  }
  auto callback = [session = session_.shared_from_this(), number = call_.number](const ExecutionOutcome &outcome) {
    session->answerExecution(number, outcome);
  };
  ErrorStatus status = (*prepared)->executeAsynchronously(*request, fromMessage(*call.options), callback);
  return status == ErrorStatus::None ? success() : Outcome(error(status, ""));
}

void CallHandler::compute(const fb::ComputeT &call) const {
  auto execution = session_.objects_.find<IExecution>(call.execution);
  session_.answerExecution(call_.number, execution ? (*execution)->compute(timePointOf(call.deadline))
                                                   : outcomeOf(execution.error()));
}

} // namespace avocet::hal
