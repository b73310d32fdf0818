//===- Api.cpp - Functions of the loaded library --------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Api.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>

namespace avocet::hal::capi {
namespace {

constexpr auto kCodeNames = std::to_array<std::string_view>(
    {"NO_ERROR", "OUT_OF_MEMORY", "INCOMPLETE", "UNEXPECTED_NULL", "BAD_DATA", "OP_FAILED", "BAD_STATE", "UNMAPPABLE",
     "OUTPUT_INSUFFICIENT_SIZE", "UNAVAILABLE_DEVICE", "MISSED_DEADLINE_TRANSIENT", "MISSED_DEADLINE_PERSISTENT",
     "RESOURCE_EXHAUSTED_TRANSIENT", "RESOURCE_EXHAUSTED_PERSISTENT", "DEAD_OBJECT"});
static_assert(kCodeNames.size() == ANEURALNETWORKS_DEAD_OBJECT + 1);

std::string nameOf(int code) {
  const auto index = static_cast<size_t>(code);
  return index < kCodeNames.size() ? std::string(kCodeNames[index]) : fmt::format("the unknown code {}", code);
}

template <typename Function> Result<Function> findFunction(void *library, const std::string &path, const char *name) {
  if (void *symbol = ::dlsym(library, name))
    return reinterpret_cast<Function>(symbol);
  return generalFailure(fmt::format("{} is no NNAPI library: it exports no {}", path, name));
}

} // namespace

Result<SharedApi> Api::load(const std::string &library) {
  void *handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return generalFailure(fmt::format("cannot load the NNAPI library: {}", ::dlerror()));
  AVOCET_ASSIGN_OR_RETURN(auto getTable, findFunction<decltype(&ANeuralNetworks_getSLDriverImpl)>(
                                             handle, library, "ANeuralNetworks_getSLDriverImpl"));
  Api api;
  AVOCET_ASSIGN_OR_RETURN(api.startCompute, findFunction<decltype(api.startCompute)>(
                                                handle, library, "ANeuralNetworksExecution_startCompute"));
  const NnApiSLDriverImpl *base = getTable();
  if (base->implFeatureLevel < ANEURALNETWORKS_FEATURE_LEVEL_5)
    return generalFailure(fmt::format("the table of {} has the unknown level {}", library, base->implFeatureLevel));
  api.table = reinterpret_cast<const NnApiSLDriverImplFL7 *>(base);
  return SharedApi(std::make_shared<const Api>(api));
}

ErrorStatus statusOf(int code) {
  switch (code) {
  case ANEURALNETWORKS_NO_ERROR:
    return ErrorStatus::None;
  case ANEURALNETWORKS_UNEXPECTED_NULL:
  case ANEURALNETWORKS_BAD_DATA:
  case ANEURALNETWORKS_BAD_STATE:
    return ErrorStatus::InvalidArgument;
  case ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE:
    return ErrorStatus::OutputInsufficientSize;
  case ANEURALNETWORKS_UNAVAILABLE_DEVICE:
    return ErrorStatus::DeviceUnavailable;
  case ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT:
    return ErrorStatus::MissedDeadlineTransient;
  case ANEURALNETWORKS_MISSED_DEADLINE_PERSISTENT:
    return ErrorStatus::MissedDeadlinePersistent;
  case ANEURALNETWORKS_OUT_OF_MEMORY:
  case ANEURALNETWORKS_RESOURCE_EXHAUSTED_TRANSIENT:
    return ErrorStatus::ResourceExhaustedTransient;
  case ANEURALNETWORKS_RESOURCE_EXHAUSTED_PERSISTENT:
    return ErrorStatus::ResourceExhaustedPersistent;
  case ANEURALNETWORKS_DEAD_OBJECT:
    return ErrorStatus::DeadObject;
  default:
    return ErrorStatus::GeneralFailure;
  }
}

Outcome check(int code, std::string_view call) {
  if (code == ANEURALNETWORKS_NO_ERROR)
    return success();
  return error(statusOf(code), fmt::format("ANeuralNetworks{} answers {}", call, nameOf(code)));
}

namespace {

Result<OwnedMemory> fromFile(const Api &api, uint64_t size, int protection, int fd, uint64_t offset) {
  return createObject<ANeuralNetworksMemory>(
      api.table->ANeuralNetworksMemory_free, "Memory_createFromFd", [&](ANeuralNetworksMemory **made) {
        return api.table->ANeuralNetworksMemory_createFromFd(size, protection, fd, offset, made);
      });
}

Result<OwnedMemory> fromHardwareBuffer(const Api &api, const HardwareBuffer &buffer) {
  if (!buffer.isBlob)
    return invalidArgument("a hardware buffer that is no blob cannot be passed to the C library");
  const AvocetHardwareBuffer ours = {AVOCET_HARDWARE_BUFFER_MAGIC, buffer.fd->get(), 0, buffer.size};
  return createObject<ANeuralNetworksMemory>(api.table->ANeuralNetworksMemory_free, "Memory_createFromAHardwareBuffer",
                                             [&](ANeuralNetworksMemory **made) {
                                               return api.table->ANeuralNetworksMemory_createFromAHardwareBuffer(
                                                   reinterpret_cast<const AHardwareBuffer *>(&ours), made);
                                             });
}

} // namespace

Result<OwnedMemory> makeMemory(const Api &api, const Memory &memory, int protection) {
  if (const auto *ashmem = std::get_if<Ashmem>(&memory.handle); ashmem && ashmem->fd)
    return fromFile(api, ashmem->size, protection, ashmem->fd->get(), 0);
  if (const auto *file = std::get_if<MappableFile>(&memory.handle); file && file->fd)
    return fromFile(api, file->size, file->protection, file->fd->get(), file->offset);
  if (const auto *buffer = std::get_if<HardwareBuffer>(&memory.handle); buffer && buffer->fd)
    return fromHardwareBuffer(api, *buffer);
  return invalidArgument("a memory without a descriptor, or of an unknown kind, cannot be passed to the C library");
}

Result<uint64_t> timeUntil(const OptionalTimePoint &deadline) {
  if (!deadline)
    return uint64_t(0);
  const Duration left = *deadline - BootClock::now();
  if (left.count() <= 0)
    return error(ErrorStatus::MissedDeadlinePersistent, "the deadline passed before the call");
  return static_cast<uint64_t>(left.count());
}

} // namespace avocet::hal::capi
