//===- Calls.cpp - Messages that keep the protocol --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Calls.h"

#include "SmallModels.h"
#include "avocet/hal/wire/Envelope.h"
#include "avocet/hal/wire/Protocol.h"

namespace avocet::fuzz {

ipc::HelloT hello(const std::string &device) {
  ipc::HelloT call;
  call.protocol = hal::kProtocols.newest;
  call.device = device;
  return call;
}

std::unique_ptr<ipc::ModelT> model() {
  hal::ipc::HandleWriter none;
  return hal::ipc::toMessage(hal::testing::addModel({4}), none);
}

ipc::PrepareModelT prepareModel() {
  ipc::PrepareModelT call;
  call.model = model();
  call.options = std::make_unique<ipc::PrepareOptionsT>();
  call.options->preference = 1;
  call.options->priority = 1;
  return call;
}

std::unique_ptr<ipc::MemoryT> memory(uint32_t fd, uint64_t bytes) {
  auto memory = std::make_unique<ipc::MemoryT>();
  memory->size = bytes;
  memory->fds = {fd};
  return memory;
}

std::unique_ptr<ipc::RequestT> request() {
  auto request = std::make_unique<ipc::RequestT>();
  auto argument = [](uint32_t pool, uint64_t offset) {
    auto argument = std::make_unique<ipc::ArgumentT>();
    argument->location = ipc::Location(pool, offset, kTensorBytes, 0);
    return argument;
  };
  request->inputs.push_back(argument(0, 0));
  request->inputs.push_back(argument(0, kTensorBytes));
  request->outputs.push_back(argument(1, 0));
  for (uint32_t fd = 0; fd < 2; ++fd) {
    request->pools.push_back(std::make_unique<ipc::RequestPoolT>());
    request->pools.back()->memory = memory(fd, (2 - fd) * kTensorBytes);
  }
  return request;
}

} // namespace avocet::fuzz
