//===- Messages.h - Requests and answers of compile workers -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_WORKER_LIB_MESSAGES_H
#define AVOCET_HAL_WORKER_LIB_MESSAGES_H

#include "Parcel.h"

#include "avocet/compiler/Compiler.h"

namespace avocet::hal {

/// What a CompileRequest says beside its callbacks. Its bytes stay the caller's.
ParcelWriter requestParcel(const compiler::CompileRequest &request);

/// The inverse. Spans point into the parcel, texts are copies. DataLoss: it is no request.
avocet::Result<compiler::CompileRequest> readRequest(const Parcel &parcel);

ParcelWriter answerParcel(const compiler::CompileResult &result);

/// The inverse, from a worker that may be in the hands of an attacker. The spans live as long as `storage` of the
/// result. DataLoss names the rule that is broken. What the two caches contain is not looked at here.
avocet::Result<compiler::CompileResult> readAnswer(const Parcel &parcel);

} // namespace avocet::hal

#endif // AVOCET_HAL_WORKER_LIB_MESSAGES_H
