//===- Handles.h - What the handles of the C interface hold ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_NNAPI_LIB_CAPI_HANDLES_H
#define AVOCET_HAL_NNAPI_LIB_CAPI_HANDLES_H

#include "avocet/NeuralNetworks.h"

#include <memory>

namespace avocet::nnapi {
class Burst;
class Compilation;
class Device;
class Event;
class Execution;
class Memory;
class MemoryDescription;
class ModelBuilder;
} // namespace avocet::nnapi

// Objects are shared: those that use one keep it alive after the application has freed its handle.
struct ANeuralNetworksModel {
  std::shared_ptr<avocet::nnapi::ModelBuilder> object;
};
struct ANeuralNetworksCompilation {
  std::shared_ptr<avocet::nnapi::Compilation> object;
};
struct ANeuralNetworksExecution {
  std::shared_ptr<avocet::nnapi::Execution> object;
};
struct ANeuralNetworksBurst {
  std::shared_ptr<avocet::nnapi::Burst> object;
};
struct ANeuralNetworksEvent {
  std::shared_ptr<avocet::nnapi::Event> object;
};
struct ANeuralNetworksMemory {
  std::shared_ptr<avocet::nnapi::Memory> object;
};
struct ANeuralNetworksMemoryDesc {
  std::shared_ptr<avocet::nnapi::MemoryDescription> object;
};
struct ANeuralNetworksDevice {
  std::shared_ptr<avocet::nnapi::Device> object;
};

#endif // AVOCET_HAL_NNAPI_LIB_CAPI_HANDLES_H
