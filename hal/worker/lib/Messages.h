//===- Messages.h - Requests and answers of compile workers -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_WORKER_LIB_MESSAGES_H
#define AVOCET_HAL_WORKER_LIB_MESSAGES_H

#include "WorkerMessage.h"

#include "avocet/compiler/Compiler.h"
#include "avocet/hal/worker/CompileWorkers.h"

namespace avocet::hal {

/// A CompileRequest without its callbacks. The caller keeps the ownership of its bytes.
WorkerMessageWriter requestMessage(const compiler::CompileRequest &request, Urgency urgency = Urgency::Foreground);

/// The inverse. Spans point into the message, texts are copies. DataLoss: not a valid request.
avocet::Result<compiler::CompileRequest> readRequest(const WorkerMessage &source);
/// Of a message that readRequest() has accepted.
Urgency urgencyOf(const WorkerMessage &source);

WorkerMessageWriter answerMessage(const compiler::CompileResult &result);

/// The inverse, for answers of a possibly hostile worker. The spans live as long as `storage` of the result. DataLoss
/// names the broken rule. The contents of the two caches are not checked here.
avocet::Result<compiler::CompileResult> readAnswer(const WorkerMessage &source);

} // namespace avocet::hal

#endif // AVOCET_HAL_WORKER_LIB_MESSAGES_H
