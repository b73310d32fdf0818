//===- Messages.cpp - Requests and answers of compile workers -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Messages.h"

#include "avocet/compiler/Fields.h"
#include "avocet/compiler/Message.h"

#include <fmt/core.h>

namespace avocet {
namespace hal {
namespace {

/// Exactly one of the optional members is set, so that a request cannot be read as an answer.
struct Head {
  std::optional<compiler::CompileRequest> compile;
  std::optional<compiler::JudgeRequest> judge;
  std::optional<compiler::CompileResult> result;
  std::optional<compiler::Verdict> verdict;
  bool isBackground = false; ///< Urgency::Background
};

} // namespace
} // namespace hal

template <>
inline constexpr auto compiler::kFields<hal::Head> =
    kMembers<&hal::Head::compile, &hal::Head::judge, &hal::Head::result, &hal::Head::verdict, &hal::Head::isBackground>;

namespace hal {
namespace {

namespace message = compiler::message;

/// Bytes outside of the head are blocks of the data.
struct Sending {
  static constexpr bool kHasCalls = false;
  WorkerMessageWriter &message;
  message::Place lend(message::View bytes) {
    const MessageRange range = message.add(bytes);
    return {range.offset, range.size};
  }
};

struct Receiving {
  static constexpr bool kHasCalls = false;
  const WorkerMessage &source;
  avocet::Result<message::View> find(message::Place place) const { return source.block({place.start, place.size}); }
};

avocet::Status broken(std::string_view rule) {
  return dataLoss(fmt::format("message of the compile worker: {}", rule));
}

WorkerMessageWriter write(const Head &head) {
  WorkerMessageWriter writer;
  Sending border{writer};
  message::Writer<Sending> bytes{border};
  put(bytes, head);
  writer.setHead(bytes.bytes);
  return writer;
}

avocet::Result<Head> read(const WorkerMessage &source) {
  Receiving border{source};
  Head head;
  if (avocet::Status status = get(message::Reader<Receiving>{border}, source.head(), head); !status.isOk())
    return broken("its structure is broken: " + status.message());
  if (head.compile.has_value() + head.judge.has_value() + head.result.has_value() + head.verdict.has_value() != 1)
    return broken("its structure is broken: it must hold one request or one answer");
  return head;
}

} // namespace

WorkerMessageWriter requestMessage(const WorkerRequest &request) {
  Head head;
  head.isBackground = request.urgency == Urgency::Background;
  if (const auto *compile = std::get_if<compiler::CompileRequest>(&request.asked))
    head.compile = *compile;
  else
    head.judge = std::get<compiler::JudgeRequest>(request.asked);
  return write(head);
}

avocet::Result<WorkerRequest> readRequest(const WorkerMessage &source) {
  AVOCET_ASSIGN_OR_RETURN(Head head, read(source));
  WorkerRequest request;
  request.urgency = head.isBackground ? Urgency::Background : Urgency::Foreground;
  if (head.compile)
    request.asked = std::move(*head.compile);
  else if (head.judge)
    request.asked = std::move(*head.judge);
  else
    return broken("it is no request");
  return request;
}

WorkerMessageWriter answerMessage(const compiler::CompileResult &answer) {
  Head head;
  head.result = answer;
  return write(head);
}

WorkerMessageWriter answerMessage(const compiler::Verdict &answer) {
  Head head;
  head.verdict = answer;
  return write(head);
}

template <> avocet::Result<compiler::CompileResult> readAnswer(const WorkerMessage &source) {
  AVOCET_ASSIGN_OR_RETURN(Head head, read(source));
  if (!head.result)
    return broken("it is no answer to a compilation");
  compiler::CompileResult &result = *head.result;
  const bool hasOutput = !result.modelCache.empty() || !result.ir.empty(); // a network may have no constants
  if (result.status.isOk() && (!hasOutput || result.needsSpecialization))
    return broken("its status is Ok, but it has no artefacts");
  result.storage = source.storage();
  return std::move(result);
}

template <> avocet::Result<compiler::Verdict> readAnswer(const WorkerMessage &source) {
  AVOCET_ASSIGN_OR_RETURN(Head head, read(source));
  if (!head.verdict)
    return broken("it is no answer to a support query");
  return std::move(*head.verdict);
}

} // namespace hal
} // namespace avocet
