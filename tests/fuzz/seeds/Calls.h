//===- Calls.h - Messages that keep the protocol ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All seeds use one model: output = input0 + input1, four floating-point numbers each.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_FUZZ_SEEDS_CALLS_H
#define AVOCET_TESTS_FUZZ_SEEDS_CALLS_H

#include "avocet/hal/wire/Convert.h"
#include "script_generated.h"

namespace avocet::fuzz {

namespace ipc = hal::ipc::fb;

inline constexpr uint64_t kTensorBytes = 16;

ipc::HelloT hello(const std::string &device);
std::unique_ptr<ipc::ModelT> model();
ipc::PrepareModelT prepareModel();

/// The memory of descriptor number `fd` of the message.
std::unique_ptr<ipc::MemoryT> memory(uint32_t fd, uint64_t bytes);
/// Inputs in the first pool, the output in the second one. Both are memories, descriptors 0 and 1 of the message.
std::unique_ptr<ipc::RequestT> request();
template <typename Call> Call execution(uint64_t prepared) {
  Call call;
  call.prepared = prepared;
  call.request = request();
  call.options = std::make_unique<ipc::ExecutionOptionsT>();
  return call;
}

/// A message with this body. `fds`: indexes of descriptors of the script.
template <typename Body> std::unique_ptr<fb::MessageT> callOf(Body body, std::vector<uint8_t> fds = {}) {
  auto message = std::make_unique<fb::MessageT>();
  message->envelope = std::make_unique<ipc::EnvelopeT>();
  message->envelope->number = 1;
  message->envelope->call.Set(std::move(body));
  message->fds = std::move(fds);
  return message;
}
template <typename Body> std::unique_ptr<fb::MessageT> answerOf(Body body, std::vector<uint8_t> fds = {}) {
  auto message = std::make_unique<fb::MessageT>();
  message->envelope = std::make_unique<ipc::EnvelopeT>();
  message->envelope->answer.Set(std::move(body));
  message->fds = std::move(fds);
  return message;
}

/// Adds a descriptor to a script and returns its index.
template <typename Script> uint8_t addDescriptor(Script &script, fb::DescriptorKind kind, uint64_t bytes = 0) {
  auto descriptor = std::make_unique<fb::DescriptorT>();
  descriptor->kind = kind;
  descriptor->bytes = bytes;
  script.descriptors.push_back(std::move(descriptor));
  return static_cast<uint8_t>(script.descriptors.size() - 1);
}

} // namespace avocet::fuzz

#endif // AVOCET_TESTS_FUZZ_SEEDS_CALLS_H
