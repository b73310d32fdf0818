//===- ClientSeeds.cpp - Services for the client ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Seeds.h"

#include "Calls.h"

#include "avocet/base/File.h"
#include "avocet/hal/burst/BurstPacket.h"

#include <cstring>

namespace avocet::fuzz {
namespace {

using Kind = fb::ClientCallKind;
using fb::DescriptorKind;

ipc::WelcomeT welcome() {
  ipc::WelcomeT welcome;
  welcome.devices = {"npu"};
  welcome.name = "npu";
  welcome.version = "1";
  welcome.feature_level = static_cast<uint32_t>(hal::kLatestVersion);
  welcome.extensions.push_back(std::make_unique<ipc::ExtensionT>());
  welcome.extensions.back()->types = {ipc::ExtensionOperandType(1, true, 4)};
  welcome.capabilities = std::make_unique<ipc::CapabilitiesT>();
  welcome.capabilities->operands = {ipc::OperandPerformance(3, ipc::Performance(0.5f, 0.5f))};
  welcome.totals = std::make_unique<ipc::TotalsT>();
  welcome.totals->devices.push_back(std::make_unique<ipc::DeviceTotalsT>());
  return welcome;
}

template <typename Answer> Answer numbered(uint64_t id) {
  Answer answer;
  answer.id = id;
  return answer;
}

ipc::SupportedT supported() {
  ipc::SupportedT answer;
  answer.supported = {true};
  answer.reasons.push_back(std::make_unique<ipc::ReasonT>());
  return answer;
}

ipc::ExecutedT executed() {
  ipc::ExecutedT answer;
  answer.shapes.push_back(std::make_unique<ipc::OutputShapeT>());
  answer.shapes.back()->dimensions = {4};
  answer.shapes.back()->sufficient = true;
  return answer;
}

/// The elements of a successful execution's result.
std::vector<uint8_t> resultPacket() {
  hal::ExecutionOutcome outcome;
  outcome.outputShapes = {{{4}, true}};
  std::vector<hal::FmqResultDatum> packet;
  hal::writeResultPacket(outcome, packet);
  const auto *bytes = reinterpret_cast<const uint8_t *>(packet.data());
  return {bytes, bytes + packet.size() * sizeof(packet.front())};
}

/// The answer to a request to free a slot.
std::vector<uint8_t> freed() {
  const uint32_t header[] = {0x4C425641, 4, 0, 0};
  std::vector<uint8_t> bytes(sizeof(header));
  std::memcpy(bytes.data(), header, sizeof(header));
  return bytes;
}

/// A service that answers every call with success.
class Service {
public:
  Service() {
    const uint8_t fence = addDescriptor(script_, DescriptorKind::Fence);
    for (ipc::Call tag : ipc::EnumValuesCall())
      reply(tag, answer(tag, fence));
    script_.queue_results = resultPacket();
    script_.link_messages = freed();
  }

  fb::ClientScriptT &script() { return script_; }
  void reply(ipc::Call tag, std::unique_ptr<fb::MessageT> message) {
    script_.replies.push_back(std::make_unique<fb::ReplyT>());
    script_.replies.back()->tag = static_cast<uint8_t>(tag);
    script_.replies.back()->messages.push_back(std::move(message));
  }
  void calls(std::initializer_list<Kind> kinds) {
    for (Kind kind : kinds) {
      script_.calls.push_back(std::make_unique<fb::ClientCallT>());
      script_.calls.back()->kind = kind;
    }
  }
  Status write(const std::string &path) const {
    flatbuffers::FlatBufferBuilder builder;
    builder.Finish(fb::ClientScript::Pack(builder, &script_));
    return writeFile(path, std::span<const uint8_t>(builder.GetBufferPointer(), builder.GetSize()));
  }

private:
  static std::unique_ptr<fb::MessageT> answer(ipc::Call tag, uint8_t fence) {
    switch (tag) {
    case ipc::Call::Hello:
      return answerOf(welcome());
    case ipc::Call::GetStatus:
      return answerOf(ipc::StatusAnswerT());
    case ipc::Call::GetSupportedOperations:
      return answerOf(supported());
    case ipc::Call::PrepareModel:
    case ipc::Call::PrepareFromCache:
    case ipc::Call::CreateExecution:
    case ipc::Call::ConfigureBurst:
    case ipc::Call::ServeBurst:
      return answerOf(numbered<ipc::ObjectT>(1));
    case ipc::Call::Execute:
    case ipc::Call::Compute:
    case ipc::Call::ExecuteBurst:
      return answerOf(executed());
    case ipc::Call::ExecuteFenced:
    case ipc::Call::ComputeFenced: {
      auto launch = numbered<ipc::FencedAnswerT>(2);
      launch.fence = {0};
      return answerOf(std::move(launch), {fence});
    }
    case ipc::Call::GetFencedInfo:
      return answerOf(ipc::FencedTimesT());
    case ipc::Call::Allocate: {
      auto buffer = numbered<ipc::BufferAnswerT>(3);
      buffer.token = 1;
      return answerOf(buffer);
    }
    default:
      return answerOf(ipc::NothingT());
    }
  }

  fb::ClientScriptT script_;
};

Service executions() {
  Service service;
  service.calls({Kind::ListDevices, Kind::ReadTotals, Kind::Connect, Kind::Status, Kind::GetSupported, Kind::Prepare,
                 Kind::Execute, Kind::ExecuteAsynchronously, Kind::CreateExecution, Kind::Compute,
                 Kind::PrepareFromCache, Kind::Drop, Kind::Execute});
  return service;
}

Service asynchronous() {
  Service service;
  auto launched = answerOf(ipc::NothingT());
  launched->envelope->launched = true;
  for (auto &reply : service.script().replies)
    if (reply->tag == static_cast<uint8_t>(ipc::Call::PrepareModel))
      reply->messages.push_back(std::move(launched));
  service.calls({Kind::Connect, Kind::Prepare, Kind::PrepareAsynchronously, Kind::ExecuteAsynchronously,
                 Kind::ExecuteAsynchronously, Kind::Connect});
  return service;
}

Service fenced() {
  Service service;
  service.calls({Kind::Connect, Kind::Prepare, Kind::ExecuteFenced, Kind::FencedInfo, Kind::CreateExecution,
                 Kind::ComputeFenced, Kind::FencedInfo});
  return service;
}

Service buffers() {
  Service service;
  service.calls(
      {Kind::Connect, Kind::Prepare, Kind::Allocate, Kind::CopyFrom, Kind::CopyTo, Kind::Execute, Kind::Drop});
  return service;
}

Service bursts(bool areCalls) {
  Service service;
  service.script().burst_calls = areCalls;
  service.calls({Kind::Connect, Kind::Prepare, Kind::ConfigureBurst, Kind::ExecuteBurst, Kind::ExecuteBurst,
                 Kind::ReleaseMemory, Kind::ExecuteBurst});
  return service;
}

/// Hangs up on every second execution.
Service resilient() {
  Service service;
  service.script().resilient = true;
  service.reply(ipc::Call::Execute, answerOf(executed()));
  service.script().replies.back()->hang_up = true;
  service.calls({Kind::Connect, Kind::Prepare, Kind::Allocate, Kind::Execute, Kind::Execute, Kind::Execute,
                 Kind::CopyTo, Kind::CreateExecution, Kind::Compute, Kind::ConfigureBurst, Kind::ExecuteBurst,
                 Kind::Execute, Kind::ExecuteBurst, Kind::Status});
  return service;
}

} // namespace

Status makeClientSeeds(const std::string &folder) {
  AVOCET_RETURN_IF_ERROR(executions().write(folder + "executions"));
  AVOCET_RETURN_IF_ERROR(asynchronous().write(folder + "asynchronous"));
  AVOCET_RETURN_IF_ERROR(fenced().write(folder + "fenced"));
  AVOCET_RETURN_IF_ERROR(buffers().write(folder + "buffers"));
  AVOCET_RETURN_IF_ERROR(bursts(true).write(folder + "burstOfCalls"));
  AVOCET_RETURN_IF_ERROR(bursts(false).write(folder + "burstOfQueues"));
  return resilient().write(folder + "resilient");
}

} // namespace avocet::fuzz
