//===- OnnxRuntime.cpp - ONNX Runtime for tests -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OnnxRuntime.h"

#include "Sanitizer.h"

#include "avocet/hal/onnxruntime/Library.h"

#include <filesystem>
#include <gtest/gtest.h>
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#include <sanitizer/lsan_interface.h>
#endif

namespace avocet::ort {
namespace {

constexpr int kFloat = 1;

std::filesystem::path libraryPath() {
#if defined(__aarch64__)
  const char *machine = "arm64";
#else
  const char *machine = "x64";
#endif
  return std::filesystem::path(AVOCET_CLIENTS) / "onnxruntime-node/bin/napi-v6/linux" / machine / "libonnxruntime.so.1";
}

/// ONNX Runtime loses 14 bytes for each environment, also without a provider. All else is checked.
std::string createEnvironment(const Api &api, abi::Environment **environment) {
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
  const __lsan::ScopedDisabler ignored;
#endif
  return api.call<abi::CreateEnv>(abi::LogLevel::Fatal, "avocet", environment).message();
}

std::string providerPath() {
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe");
  return self.parent_path().parent_path() / "lib" / "libavocet_onnxruntime.so";
}

} // namespace

OnnxRuntime::OnnxRuntime(const Api &api) : api_(api) {
  EXPECT_EQ(createEnvironment(api_, &environment_), "");
  EXPECT_EQ(call<abi::CreateCpuMemoryInfo>(abi::AllocatorType::Arena, abi::MemoryType::Default, &memory_), "");
  EXPECT_EQ(call<abi::RegisterProviderLibrary>(environment_, "avocet", providerPath().c_str()), "");
}

const OnnxRuntime *OnnxRuntime::get() {
  static const Result<Api> kApi = loadLibrary(libraryPath());
  if (!kApi)
    return nullptr;
  static const OnnxRuntime kRuntime(*kApi);
  return &kRuntime;
}

OwnedSession OnnxRuntime::open(const std::string &model,
                               const std::vector<std::pair<std::string, std::string>> &options,
                               std::string &error) const {
  const abi::Environment *environment = environment_;
  abi::SessionOptions *made = nullptr;
  abi::Session *session = nullptr;
  std::vector<const char *> keys, values;
  for (const auto &[key, value] : options) {
    keys.push_back(key.c_str());
    values.push_back(value.c_str());
  }
  const Result<const abi::EpDevice *> device = findDevice(api_, environment);
  error = device.status().message();
  if (!device)
    return nullptr;
  EXPECT_EQ(call<abi::CreateSessionOptions>(&made), "");
  const OwnedOptions owned(made, {&api_});
  EXPECT_EQ(call<abi::SetSessionLogSeverityLevel>(made, abi::LogLevel::Fatal), "");
  EXPECT_EQ(call<abi::AddSessionConfigEntry>(made, "session.disable_cpu_ep_fallback", "1"), "");
  error += call<abi::AppendProvider>(made, environment_, &*device, size_t{1}, keys.data(), values.data(), keys.size());
  if (error.empty())
    error = call<abi::CreateSessionFromArray>(environment, static_cast<const void *>(model.data()), model.size(),
                                              static_cast<const abi::SessionOptions *>(made), &session);
  return OwnedSession(session, {&api_});
}

std::vector<float> OnnxRuntime::run(const OwnedSession &session, const char *input, const std::vector<int64_t> &shape,
                                    std::vector<float> numbers, const char *output, std::string &error) const {
  abi::Value *value = nullptr, *result = nullptr;
  error = call<abi::CreateTensorWithData>(static_cast<const abi::MemoryInfo *>(memory_),
                                          static_cast<void *>(numbers.data()), numbers.size() * sizeof(float),
                                          shape.data(), shape.size(), kFloat, &value);
  const abi::Value *given = value;
  if (error.empty())
    error = call<abi::Run>(session.get(), nullptr, &input, &given, size_t{1}, &output, size_t{1}, &result);
  const OwnedValue ownedInput(value, {&api_}), ownedResult(result, {&api_});
  if (!error.empty())
    return {};
  size_t bytes = 0;
  void *data = nullptr;
  error = call<abi::GetTensorSizeInBytes>(static_cast<const abi::Value *>(result), &bytes);
  error += call<abi::GetTensorMutableData>(result, &data);
  const float *first = static_cast<const float *>(data);
  const size_t count = bytes / sizeof(float);
  return {first, first + count};
}

} // namespace avocet::ort
