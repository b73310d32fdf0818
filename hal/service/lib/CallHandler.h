//===- CallHandler.h - One call of one client -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_SERVICE_LIB_CALLHANDLER_H
#define AVOCET_HAL_SERVICE_LIB_CALLHANDLER_H

#include "Session.h"

namespace avocet::hal {

/// Performs a call and answers it, at once or (asynchronous calls) when the driver calls back.
class CallHandler {
public:
  CallHandler(Session &session, IDevice &device, const ipc::fb::EnvelopeT &call, const ipc::HandleReader &handles)
      : session_(session), device_(device), call_(call), handles_(handles) {}

  void handle();

private:
  using Answer = ipc::fb::AnswerUnion;

  Result<Answer> getStatus() const;
  Result<Answer> getSupported(const ipc::fb::GetSupportedOperationsT &call) const;
  Result<Answer> prepareFromCache(const ipc::fb::PrepareFromCacheT &call) const;
  Result<Answer> createExecution(const ipc::fb::CreateExecutionT &call) const;
  void prepare(const ipc::fb::PrepareModelT &call) const;
  void execute(const ipc::fb::ExecuteT &call) const;
  void compute(const ipc::fb::ComputeT &call) const;
  Outcome launchExecution(const ipc::fb::ExecuteT &call) const;
  Outcome launchPreparation(const Model &model, const PrepareOptions &options) const;

  Session &session_;
  IDevice &device_;
  const ipc::fb::EnvelopeT &call_;
  const ipc::HandleReader &handles_;
};

} // namespace avocet::hal

#endif // AVOCET_HAL_SERVICE_LIB_CALLHANDLER_H
