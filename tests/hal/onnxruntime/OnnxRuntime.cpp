//===- OnnxRuntime.cpp - ONNX Runtime for tests -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OnnxRuntime.h"

#include "Sanitizer.h"

#include <dlfcn.h>
#include <filesystem>
#include <gtest/gtest.h>
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#include <sanitizer/lsan_interface.h>
#endif

namespace avocet::ort {
namespace {

// What applications call.
using CreateEnv = abi::Entry<abi::Status *(int level, const char *name, void **environment), 3>;
using CreateSessionFromArray =
    abi::Entry<abi::Status *(void *environment, const void *model, size_t bytes, void *options, void **session), 8>;
using Run = abi::Entry<abi::Status *(void *session, void *options, const char *const *inputs, void *const *values,
                                     size_t count, const char *const *outputs, size_t numOutputs, void **results),
                       9>;
using CreateSessionOptions = abi::Entry<abi::Status *(void **options), 10>;
using SetSessionLogSeverityLevel = abi::Entry<abi::Status *(void *options, int level), 22>;
using CreateTensorWithData = abi::Entry<abi::Status *(void *memory, void *data, size_t bytes, const int64_t *shape,
                                                      size_t rank, int type, void **value),
                                        49>;
using CreateCpuMemoryInfo = abi::Entry<abi::Status *(int allocator, int memory, void **info), 69>;
using ReleaseSession = abi::Entry<void(void *session), 95>;
using ReleaseSessionOptions = abi::Entry<void(void *options), 100>;
using AddSessionConfigEntry = abi::Entry<abi::Status *(void *options, const char *key, const char *value), 130>;
using RegisterLibrary = abi::Entry<abi::Status *(void *environment, const char *name, const char *path), 301>;
using GetEpDevices =
    abi::Entry<abi::Status *(void *environment, const abi::EpDevice *const **devices, size_t *count), 303>;
using AppendProvider =
    abi::Entry<abi::Status *(void *options, void *environment, const abi::EpDevice *const *devices, size_t count,
                             const char *const *keys, const char *const *values, size_t numOptions),
               304>;
using EpDeviceName = abi::Entry<const char *(const abi::EpDevice *device), 312>;

constexpr int kFatal = 4;
constexpr int kFloat = 1;
constexpr const char *kName = "AvocetExecutionProvider";

const void *loadedApi = nullptr; ///< of the only runtime

std::filesystem::path libraryPath() {
#if defined(__aarch64__)
  const char *machine = "arm64";
#else
  const char *machine = "x64";
#endif
  return std::filesystem::path(AVOCET_CLIENTS) / "onnxruntime-node/bin/napi-v6/linux" / machine / "libonnxruntime.so.1";
}

/// ONNX Runtime loses 14 bytes for each environment, also without a provider. All else is checked.
abi::Status *createEnvironment(const void *api, void **environment) {
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
  const __lsan::ScopedDisabler ignored;
#endif
  return CreateEnv::in(api)(kFatal, "avocet", environment);
}

std::string providerPath() {
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe");
  return self.parent_path().parent_path() / "lib" / "libavocet_onnxruntime.so";
}

} // namespace

std::string OnnxRuntime::take(abi::Status *status) const {
  if (status == nullptr)
    return "";
  std::string text = abi::GetErrorMessage::in(api_)(status);
  abi::ReleaseStatus::in(api_)(status);
  return text;
}

bool OnnxRuntime::load() {
  // Never closed: its threads end with the process.
  void *library = ::dlopen(libraryPath().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    return false;
  auto *base = reinterpret_cast<const abi::ApiBase *(*)()>(::dlsym(library, "OrtGetApiBase"));
  loadedApi = api_ = base()->getApi(abi::kApiVersion);
  EXPECT_EQ(take(createEnvironment(api_, &environment_)), "");
  EXPECT_EQ(take(CreateCpuMemoryInfo::in(api_)(1, 0, &memory_)), "");
  EXPECT_EQ(take(RegisterLibrary::in(api_)(environment_, "avocet", providerPath().c_str())), "");
  return true;
}

const OnnxRuntime *OnnxRuntime::get() {
  static OnnxRuntime runtime;
  static const bool kIsLoaded = runtime.load();
  return kIsLoaded ? &runtime : nullptr;
}

void OnnxRuntime::SessionDeleter::operator()(void *session) const { ReleaseSession::in(loadedApi)(session); }

OnnxRuntime::Session OnnxRuntime::open(const std::string &model,
                                       const std::vector<std::pair<std::string, std::string>> &options,
                                       std::string &error) const {
  const abi::EpDevice *const *devices = nullptr;
  size_t count = 0;
  void *made = nullptr, *session = nullptr;
  std::vector<const char *> keys, values;
  for (const auto &[key, value] : options) {
    keys.push_back(key.c_str());
    values.push_back(value.c_str());
  }
  error = take(GetEpDevices::in(api_)(environment_, &devices, &count));
  size_t ours = 0;
  while (ours < count && EpDeviceName::in(api_)(devices[ours]) != std::string(kName))
    ++ours;
  EXPECT_LT(ours, count);
  EXPECT_EQ(take(CreateSessionOptions::in(api_)(&made)), "");
  EXPECT_EQ(take(SetSessionLogSeverityLevel::in(api_)(made, kFatal)), "");
  EXPECT_EQ(take(AddSessionConfigEntry::in(api_)(made, "session.disable_cpu_ep_fallback", "1")), "");
  error +=
      take(AppendProvider::in(api_)(made, environment_, devices + ours, 1, keys.data(), values.data(), keys.size()));
  if (error.empty())
    error = take(CreateSessionFromArray::in(api_)(environment_, model.data(), model.size(), made, &session));
  ReleaseSessionOptions::in(api_)(made);
  return Session(session);
}

std::vector<float> OnnxRuntime::run(const Session &session, const char *input, const std::vector<int64_t> &shape,
                                    std::vector<float> numbers, const char *output, std::string &error) const {
  void *value = nullptr, *result = nullptr;
  error = take(CreateTensorWithData::in(api_)(memory_, numbers.data(), numbers.size() * sizeof(float), shape.data(),
                                              shape.size(), kFloat, &value));
  if (error.empty())
    error = take(Run::in(api_)(session.get(), nullptr, &input, &value, 1, &output, 1, &result));
  abi::ReleaseValue::in(api_)(static_cast<abi::Value *>(value));
  if (!error.empty())
    return {};
  size_t bytes = 0;
  void *data = nullptr;
  const auto owner = [this](void *each) { abi::ReleaseValue::in(api_)(static_cast<abi::Value *>(each)); };
  const std::unique_ptr<void, decltype(owner)> owned(result, owner);
  error = take(abi::GetTensorSizeInBytes::in(api_)(static_cast<const abi::Value *>(result), &bytes));
  error += take(abi::GetTensorMutableData::in(api_)(static_cast<abi::Value *>(result), &data));
  const float *first = static_cast<const float *>(data);
  const size_t count = bytes / sizeof(float);
  return {first, first + count};
}

} // namespace avocet::ort
