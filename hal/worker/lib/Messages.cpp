//===- Messages.cpp - Requests and answers of compile workers -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Messages.h"

#include "compileWorker_generated.h"

#include <fmt/core.h>

namespace avocet::hal {
namespace {

using Builder = flatbuffers::FlatBufferBuilder;
using compiler::CompileRequest;
using compiler::CompileResult;

avocet::Status broken(std::string_view rule) {
  return dataLoss(fmt::format("message of the compile worker: {}", rule));
}

workerfb::Bytes toMessage(MessageRange range) { return workerfb::Bytes(range.offset, range.size); }
MessageRange fromMessage(const workerfb::Bytes &bytes) { return {bytes.offset(), bytes.size()}; }

WorkerMessageWriter finish(Builder &builder, WorkerMessageWriter writer,
                           flatbuffers::Offset<workerfb::CompileRequest> request,
                           flatbuffers::Offset<workerfb::CompileAnswer> answer) {
  builder.Finish(workerfb::CreateCompileMessage(builder, request, answer), workerfb::CompileMessageIdentifier());
  writer.setHead({builder.GetBufferPointer(), builder.GetSize()});
  return writer;
}

avocet::Result<const workerfb::CompileMessage *> messageIn(const WorkerMessage &source) {
  flatbuffers::Verifier verifier(source.head().data(), source.head().size());
  if (!workerfb::VerifyCompileMessageBuffer(verifier))
    return broken("its structure is broken");
  return workerfb::GetCompileMessage(source.head().data());
}

flatbuffers::Offset<workerfb::CompileDiagnostic> toMessage(Builder &builder, const compiler::Diagnostic &diagnostic) {
  return workerfb::CreateCompileDiagnostic(builder, static_cast<uint32_t>(diagnostic.severity),
                                           builder.CreateString(diagnostic.location),
                                           builder.CreateString(diagnostic.message));
}

flatbuffers::Offset<workerfb::CompileRefusal> toMessage(Builder &builder, const compiler::Refusal &refusal) {
  return workerfb::CreateCompileRefusal(builder, builder.CreateString(refusal.location),
                                        builder.CreateString(refusal.operation), builder.CreateString(refusal.operand),
                                        builder.CreateString(refusal.rule), builder.CreateString(refusal.value),
                                        builder.CreateString(refusal.limit), refusal.index);
}

flatbuffers::Offset<workerfb::CompilePhase> toMessage(Builder &builder, const compiler::PhaseCost &cost) {
  return workerfb::CreateCompilePhase(builder, builder.CreateString(cost.phase), cost.milliseconds,
                                      cost.peakMemoryBytes);
}

template <typename Entry> auto listOf(Builder &builder, const std::vector<Entry> &entries) {
  std::vector<decltype(toMessage(builder, entries[0]))> list;
  for (const Entry &entry : entries)
    list.push_back(toMessage(builder, entry));
  return builder.CreateVector(list);
}

avocet::Result<compiler::Diagnostic> fromMessage(const workerfb::CompileDiagnostic &diagnostic) {
  if (diagnostic.severity() > static_cast<uint32_t>(compiler::Severity::Note))
    return broken(fmt::format("a diagnostic has severity {}", diagnostic.severity()));
  return compiler::Diagnostic{static_cast<compiler::Severity>(diagnostic.severity()), diagnostic.location()->str(),
                              diagnostic.message()->str()};
}

avocet::Result<compiler::Refusal> fromMessage(const workerfb::CompileRefusal &refusal) {
  return compiler::Refusal{
      refusal.location()->str(), refusal.operation()->str(), refusal.operand()->str(), refusal.rule()->str(),
      refusal.value()->str(),    refusal.limit()->str(),     refusal.index()};
}

avocet::Result<compiler::PhaseCost> fromMessage(const workerfb::CompilePhase &cost) {
  return compiler::PhaseCost{cost.phase()->str(), cost.milliseconds(), cost.peak_memory_bytes()};
}

template <typename Entry, typename List> avocet::Status readList(const List *list, std::vector<Entry> &entries) {
  if (list == nullptr)
    return Status::ok();
  for (const auto *entry : *list) {
    AVOCET_ASSIGN_OR_RETURN(Entry read, fromMessage(*entry));
    entries.push_back(std::move(read));
  }
  return Status::ok();
}

avocet::Status readLists(const workerfb::CompileAnswer &answer, CompileResult &result) {
  AVOCET_RETURN_IF_ERROR(readList(answer.diagnostics(), result.diagnostics));
  AVOCET_RETURN_IF_ERROR(readList(answer.refusals(), result.refusals));
  AVOCET_RETURN_IF_ERROR(readList(answer.phases(), result.phases));
  if (answer.value_inputs() != nullptr)
    result.valueInputs.assign(answer.value_inputs()->begin(), answer.value_inputs()->end());
  return Status::ok();
}

avocet::Status readStatus(const workerfb::CompileAnswer &answer, CompileResult &result) {
  if (answer.status() < 0 || answer.status() > static_cast<int32_t>(StatusCode::Internal))
    return broken(fmt::format("its status is {}", answer.status()));
  if (const auto code = static_cast<StatusCode>(answer.status()); code != StatusCode::Ok)
    result.status = Status(code, answer.message()->str());
  return Status::ok();
}

avocet::Status readCaches(const WorkerMessage &source, const workerfb::CompileAnswer &answer, CompileResult &result) {
  if (!result.status.isOk())
    return Status::ok();
  if (answer.model_cache() == nullptr || answer.data_cache() == nullptr || answer.needs_specialisation())
    return broken("its status is Ok, but it has no artefacts");
  AVOCET_ASSIGN_OR_RETURN(result.modelCache, source.block(fromMessage(*answer.model_cache())));
  AVOCET_ASSIGN_OR_RETURN(result.dataCache, source.block(fromMessage(*answer.data_cache())));
  if (answer.ir() != nullptr) {
    AVOCET_ASSIGN_OR_RETURN(result.ir, source.block(fromMessage(*answer.ir())));
  }
  return Status::ok();
}

/// The verifier does not check the alignment of elements, which may be larger than that of a vector's length. An empty
/// list may lie anywhere.
avocet::Status readPools(const WorkerMessage &source, const flatbuffers::Vector<const workerfb::Bytes *> &ranges,
                         CompileRequest &request) {
  if (ranges.size() != 0 && reinterpret_cast<uintptr_t>(ranges.Data()) % alignof(workerfb::Bytes) != 0)
    return broken("its list of pools is not aligned");
  for (const workerfb::Bytes *range : ranges) {
    AVOCET_ASSIGN_OR_RETURN(std::span<const uint8_t> pool, source.block(fromMessage(*range)));
    request.pools.push_back(pool);
  }
  return Status::ok();
}

} // namespace

WorkerMessageWriter requestMessage(const CompileRequest &request, Urgency urgency) {
  Builder builder;
  WorkerMessageWriter writer;
  const workerfb::Bytes model = toMessage(writer.add(request.modelBytes));
  std::vector<workerfb::Bytes> pools;
  for (std::span<const uint8_t> pool : request.pools)
    pools.push_back(toMessage(writer.add(pool)));
  auto offset = workerfb::CreateCompileRequest(
      builder, builder.CreateString(request.modelPath), &model, static_cast<uint32_t>(request.format),
      builder.CreateVectorOfStructs(pools), builder.CreateString(request.target), request.supportOnly,
      request.isSpecialised, request.optimise, urgency == Urgency::Background, builder.CreateString(request.startAt),
      builder.CreateString(request.stopAfter));
  return finish(builder, std::move(writer), offset, 0);
}

avocet::Result<CompileRequest> readRequest(const WorkerMessage &source) {
  AVOCET_ASSIGN_OR_RETURN(const workerfb::CompileMessage *message, messageIn(source));
  const workerfb::CompileRequest *stored = message->request();
  if (stored == nullptr || stored->format() > static_cast<uint32_t>(compiler::InputFormat::Bytecode))
    return broken("it is no request");
  CompileRequest request;
  request.modelPath = stored->model_path()->str();
  request.format = static_cast<compiler::InputFormat>(stored->format());
  request.target = stored->target()->str();
  request.supportOnly = stored->support_only();
  request.isSpecialised = stored->is_specialised();
  request.optimise = stored->optimise();
  if (stored->start_at() != nullptr)
    request.startAt = stored->start_at()->str();
  if (stored->stop_after() != nullptr)
    request.stopAfter = stored->stop_after()->str();
  AVOCET_ASSIGN_OR_RETURN(request.modelBytes, source.block(fromMessage(*stored->model())));
  if (stored->pools() != nullptr)
    AVOCET_RETURN_IF_ERROR(readPools(source, *stored->pools(), request));
  return request;
}

Urgency urgencyOf(const WorkerMessage &source) {
  const workerfb::CompileRequest &stored = *workerfb::GetCompileMessage(source.head().data())->request();
  return stored.is_background() ? Urgency::Background : Urgency::Foreground;
}

WorkerMessageWriter answerMessage(const CompileResult &result) {
  Builder builder;
  WorkerMessageWriter writer;
  const workerfb::Bytes model = toMessage(writer.add(result.modelCache));
  const workerfb::Bytes data = toMessage(writer.add(result.dataCache));
  const workerfb::Bytes ir = toMessage(writer.add(result.ir));
  auto answer = workerfb::CreateCompileAnswer(
      builder, static_cast<int32_t>(result.status.code()), builder.CreateString(result.status.message()), &model, &data,
      listOf(builder, result.diagnostics), listOf(builder, result.refusals), listOf(builder, result.phases),
      result.needsSpecialisation, builder.CreateVector(result.valueInputs), result.isTooLarge, &ir);
  return finish(builder, std::move(writer), 0, answer);
}

avocet::Result<CompileResult> readAnswer(const WorkerMessage &source) {
  AVOCET_ASSIGN_OR_RETURN(const workerfb::CompileMessage *message, messageIn(source));
  const workerfb::CompileAnswer *answer = message->answer();
  if (answer == nullptr)
    return broken("it is no answer");
  CompileResult result;
  result.storage = source.storage();
  result.needsSpecialisation = answer->needs_specialisation();
  result.isTooLarge = answer->is_too_large();
  AVOCET_RETURN_IF_ERROR(readStatus(*answer, result));
  AVOCET_RETURN_IF_ERROR(readCaches(source, *answer, result));
  AVOCET_RETURN_IF_ERROR(readLists(*answer, result));
  return result;
}

} // namespace avocet::hal
