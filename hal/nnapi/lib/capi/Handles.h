//===- Handles.h - What the handles of the C interface hold -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_NNAPI_LIB_CAPI_HANDLES_H
#define AVOCET_HAL_NNAPI_LIB_CAPI_HANDLES_H

#include "api/ApiResult.h"
#include "avocet/NeuralNetworks.h"
#include "device/DeviceList.h"
#include "device/ProcessGeneration.h"

#include <memory>
#include <span>
#include <vector>

namespace avocet::nnapi {
class Burst;
class Compilation;
class Device;
class Event;
class Execution;
class Memory;
class MemoryDescription;
class ModelBuilder;

/// What each handle holds. Objects are shared: those that use one keep it alive after the application has freed its
/// handle.
template <typename Object> struct Handle {
  std::shared_ptr<Object> object;
  uint32_t generation = processGeneration(); ///< of the process that made it
  bool isStale() const { return generation != processGeneration(); }
};

} // namespace avocet::nnapi

struct ANeuralNetworksModel : avocet::nnapi::Handle<avocet::nnapi::ModelBuilder> {};
struct ANeuralNetworksCompilation : avocet::nnapi::Handle<avocet::nnapi::Compilation> {};
struct ANeuralNetworksExecution : avocet::nnapi::Handle<avocet::nnapi::Execution> {};
struct ANeuralNetworksBurst : avocet::nnapi::Handle<avocet::nnapi::Burst> {};
struct ANeuralNetworksEvent : avocet::nnapi::Handle<avocet::nnapi::Event> {};
struct ANeuralNetworksMemory : avocet::nnapi::Handle<avocet::nnapi::Memory> {};
struct ANeuralNetworksMemoryDesc : avocet::nnapi::Handle<avocet::nnapi::MemoryDescription> {};
struct ANeuralNetworksDevice : avocet::nnapi::Handle<avocet::nnapi::Device> {};

namespace avocet::nnapi {

/// The devices that an application has chosen. BAD_DATA: none, one that is unknown, or one twice.
ApiResult<std::vector<std::shared_ptr<Device>>> devicesOf(std::span<const ANeuralNetworksDevice *const> handles);

} // namespace avocet::nnapi

#endif // AVOCET_HAL_NNAPI_LIB_CAPI_HANDLES_H
