//===- PlainSession.cpp - A network that the runtime computes ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernel/PlainSession.h"

#include "abi/Tensors.h"

#include <cstring>

namespace avocet::ort {

static std::vector<const char *> pointers(const std::vector<std::string> &texts) {
  std::vector<const char *> result;
  for (const std::string &text : texts)
    result.push_back(text.c_str());
  return result;
}

Result<std::unique_ptr<PlainSession>> PlainSession::open(const Runtime &runtime, std::string_view file,
                                                         std::vector<std::string> inputs,
                                                         std::vector<std::string> outputs) {
  std::unique_ptr<PlainSession> session(new PlainSession(runtime, std::move(inputs), std::move(outputs)));
  AVOCET_RETURN_IF_ERROR(session->create(file));
  return session;
}

Status PlainSession::create(std::string_view file) {
  const Api &api = runtime_.api();
  AVOCET_ASSIGN_OR_RETURN(environment_,
                          (make<abi::CreateEnv, OwnedEnvironment>(api, abi::LogLevel::Warning, "avocet")));
  AVOCET_ASSIGN_OR_RETURN(const OwnedOptions options, (make<abi::CreateSessionOptions, OwnedOptions>(api)));
  AVOCET_ASSIGN_OR_RETURN(session_, (make<abi::CreateSessionFromArray, OwnedSession>(
                                        api, environment_.get(), file.data(), file.size(), options.get())));
  return Status::ok();
}

Status PlainSession::copyOut(const abi::Value &result, size_t number, abi::KernelContext &context) const {
  AVOCET_ASSIGN_OR_RETURN(const TensorType type, typeOf(runtime_, result));
  abi::Value *output = nullptr;
  AVOCET_RETURN_IF_ERROR(
      runtime_.call<abi::KernelContextGetOutput>(&context, number, type.shape.data(), type.shape.size(), &output));
  size_t bytes = 0;
  AVOCET_RETURN_IF_ERROR(runtime_.call<abi::GetTensorSizeInBytes>(&result, &bytes));
  if (bytes == 0)
    return Status::ok();
  const void *from = nullptr;
  void *to = nullptr;
  AVOCET_RETURN_IF_ERROR(runtime_.call<abi::GetTensorData>(&result, &from));
  AVOCET_RETURN_IF_ERROR(runtime_.call<abi::GetTensorMutableData>(output, &to));
  std::memcpy(to, from, bytes);
  return Status::ok();
}

Status PlainSession::run(abi::KernelContext &context) const {
  std::vector<const abi::Value *> inputs(inputs_.size());
  for (size_t i = 0; i < inputs.size(); ++i)
    AVOCET_RETURN_IF_ERROR(runtime_.call<abi::KernelContextGetInput>(&context, i, &inputs[i]));
  std::vector<abi::Value *> outputs(outputs_.size());
  const std::vector<const char *> inputNames = pointers(inputs_), outputNames = pointers(outputs_);
  const Status status = runtime_.call<abi::Run>(session_.get(), nullptr, inputNames.data(), inputs.data(),
                                                inputs.size(), outputNames.data(), outputs.size(), outputs.data());
  std::vector<OwnedValue> results;
  for (abi::Value *output : outputs)
    results.emplace_back(output, Releaser<abi::ReleaseValue>{&runtime_.api()});
  AVOCET_RETURN_IF_ERROR(status);
  for (size_t i = 0; i < results.size(); ++i)
    AVOCET_RETURN_IF_ERROR(copyOut(*results[i], i, context));
  return Status::ok();
}

} // namespace avocet::ort
