//===- Client.cpp - A context with programs to run ----------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Client.h"

#include "CopyProgram.h"

#include "avocet/firmware_iface/Control.h"
#include "avocet/firmware_iface/Version.h"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>

namespace avocet::uapi {

namespace {

using namespace firmware;

// Places in the code buffer.
constexpr uint32_t kCopyAt = 0, kNothingAt = 1024, kControlAt = 2048, kCodeBytes = 4096;
constexpr uint32_t kGateRegion = 3;
/// The most that a device accepts, so that nothing but the gate, a cancellation or a reset ends the loop.
constexpr uint64_t kLoopTimeout = kMaxLoopTimeoutNs;

std::vector<uint32_t> gateProgram() {
  const std::vector<ControlInstruction> program = {
      LoopEnterInstruction{0}, LoopCheckInstruction{0}, JumpIfFalseInstruction{kGateRegion, 0, 5},
      RunInstruction{1},       JumpInstruction{1},      RunInstruction{0},
      EndInstruction{}};
  return encodeControl(program);
}

uint32_t put(Buffer &code, uint32_t at, const std::vector<uint32_t> &words) {
  std::memcpy(code.bytes().data() + at, words.data(), words.size() * sizeof(words[0]));
  return static_cast<uint32_t>(words.size());
}

} // namespace

Client::Client(const Device &device, uint32_t owner)
    : device_(device), code_(device, kCodeBytes), input_(device, kBytes), output_(device, kBytes), gate_(device, 1) {
  avocet_context_create call{.flags = 0, .context = 0, .owner = owner, .pad = 0};
  EXPECT_EQ(device.call(AVOCET_IOCTL_CONTEXT_CREATE, call), 0);
  context_ = call.context;
  const uint64_t code = map(code_.handle(), AVOCET_ACCESS_READ);
  const std::vector<Command> nothing = {{kNoLayer, EndCommand{}}};
  streams = {{AVOCET_ENGINE_DMA, 0, code + kCopyAt, put(code_, kCopyAt, runtime::test::copyProgram(kBytes)), 0},
             {AVOCET_ENGINE_DMA, 0, code + kNothingAt, put(code_, kNothingAt, encodeStream(nothing)), 1}};
  control_ = code + kControlAt;
  controlWords_ = put(code_, kControlAt, gateProgram());
  regions = {{map(input_.handle(), AVOCET_ACCESS_READ), kBytes, AVOCET_ACCESS_READ, 0},
             {map(output_.handle(), AVOCET_ACCESS_WRITE), kBytes, AVOCET_ACCESS_WRITE, 0},
             {map(gate_.handle(), AVOCET_ACCESS_READ), 1, AVOCET_ACCESS_READ, 0}};
  closeGate();
}

Client::~Client() { destroyContext(device_, context_); }

uint64_t Client::map(uint32_t handle, uint32_t access) {
  avocet_map call{.context = context_, .handle = handle, .access = access, .pad = 0, .device_address = 0};
  EXPECT_EQ(device_.call(AVOCET_IOCTL_MAP, call), 0);
  return call.device_address;
}

avocet_submit Client::describe(Program program) {
  avocet_submit call{};
  call.context = context_;
  call.streams = reinterpret_cast<uintptr_t>(streams.data());
  call.regions = reinterpret_cast<uintptr_t>(regions.data());
  call.stream_count = program == Program::Gate ? 2 : 1;
  call.region_count = static_cast<uint32_t>(regions.size());
  call.target_fingerprint = device_.parameter(AVOCET_PARAM_TARGET_FINGERPRINT);
  call.encoding_version = kEncodingVersion;
  if (program == Program::Gate) {
    call.control_program = control_;
    call.control_words = controlWords_;
    call.loop_timeout_ns = kLoopTimeout;
  }
  return call;
}

Submitted Client::submit(avocet_submit call, const std::vector<int> &after) {
  call.flags |= AVOCET_SUBMIT_OUT_FENCE;
  call.in_fences = reinterpret_cast<uintptr_t>(after.data());
  call.in_fence_count = static_cast<uint32_t>(after.size());
  Submitted submitted;
  submitted.error = device_.call(AVOCET_IOCTL_SUBMIT, call);
  if (submitted.error == 0) {
    submitted.job = call.job;
    submitted.fence = FileDescriptor(call.out_fence);
  }
  return submitted;
}

Waited Client::wait(uint64_t job, int64_t until) {
  avocet_wait call{};
  call.context = context_;
  call.job = job;
  call.timeout_ns = until;
  const int error = device_.call(AVOCET_IOCTL_WAIT, call);
  return {error, call.state, call.fault_code};
}

int Client::cancel(uint64_t job) {
  avocet_cancel call{.context = context_, .pad = 0, .job = job};
  return device_.call(AVOCET_IOCTL_CANCEL, call);
}

void Client::fill(uint8_t value) {
  std::ranges::fill(input_.bytes(), value);
  std::ranges::fill(output_.bytes(), uint8_t(~value));
}

bool Client::hasCopied(uint8_t value) {
  return std::ranges::all_of(output_.bytes().first(kBytes), [&](uint8_t byte) { return byte == value; });
}

void Client::closeGate() { gate_.bytes()[0] = 1; }

void Client::openGate() { gate_.bytes()[0] = 0; }

int destroyContext(const Device &device, uint32_t context) {
  avocet_context_destroy call{.context = context, .pad = 0};
  return device.call(AVOCET_IOCTL_CONTEXT_DESTROY, call);
}

} // namespace avocet::uapi
