//===- Messages.h - Requests and answers of compile workers -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The messages between the service and a compile worker: one request, one answer, each at the start of a memory file
// (WorkerMessage.h) with a head as in avocet/compiler/Message.h. The worker parses models of untrusted clients, so the
// service trusts no answer.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_WORKER_LIB_MESSAGES_H
#define AVOCET_HAL_WORKER_LIB_MESSAGES_H

#include "WorkerMessage.h"

#include "avocet/compiler/Compiler.h"
#include "avocet/hal/worker/CompileWorkers.h"

#include <variant>

namespace avocet::hal {

struct WorkerRequest {
  std::variant<compiler::CompileRequest, compiler::JudgeRequest> asked; ///< without functions
  Urgency urgency = Urgency::Foreground;
};

/// The caller keeps the ownership of bytes. Functions are left out.
WorkerMessageWriter requestMessage(const WorkerRequest &request);

/// The inverse. Spans point into the message, texts are copies. DataLoss: not a valid request.
avocet::Result<WorkerRequest> readRequest(const WorkerMessage &source);

WorkerMessageWriter answerMessage(const compiler::CompileResult &answer);
WorkerMessageWriter answerMessage(const compiler::Verdict &answer);

/// The inverse, for answers of a possibly hostile worker; `Answer` is one of the two. The spans live as long as its
/// `storage`. DataLoss names the broken rule. The contents of the two caches are not checked here.
template <typename Answer> avocet::Result<Answer> readAnswer(const WorkerMessage &source);

} // namespace avocet::hal

#endif // AVOCET_HAL_WORKER_LIB_MESSAGES_H
