//===- ServiceSeeds.cpp - Clients of the service ----------------*- C++ -*-===//
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

using fb::DescriptorKind;
using fb::StepKind;

/// A client that has sent Hello. Its prepared model, if it has one, is object 1.
class Client {
public:
  explicit Client(bool prepares = true) {
    call(callOf(hello("npu")));
    if (prepares)
      call(callOf(prepareModel()));
    inputs_ = addDescriptor(script_, DescriptorKind::Memory, 2 * kTensorBytes);
    outputs_ = addDescriptor(script_, DescriptorKind::Memory, kTensorBytes);
  }

  fb::StepT &step(StepKind kind, uint8_t descriptor = 0) {
    script_.steps.push_back(std::make_unique<fb::StepT>());
    script_.steps.back()->kind = kind;
    script_.steps.back()->descriptor = descriptor;
    return *script_.steps.back();
  }
  void call(std::unique_ptr<fb::MessageT> message, StepKind kind = StepKind::Call) {
    step(kind).message = std::move(message);
  }
  uint8_t descriptor(DescriptorKind kind, uint64_t bytes = 0) { return addDescriptor(script_, kind, bytes); }
  std::vector<uint8_t> pools() const { return {inputs_, outputs_}; }

  Status write(const std::string &path) const {
    flatbuffers::FlatBufferBuilder builder;
    builder.Finish(fb::ServiceScript::Pack(builder, &script_));
    return writeFile(path, std::span<const uint8_t>(builder.GetBufferPointer(), builder.GetSize()));
  }

private:
  fb::ServiceScriptT script_;
  uint8_t inputs_ = 0, outputs_ = 0;
};

Client executions() {
  Client client;
  client.call(callOf(execution<ipc::ExecuteT>(1), client.pools()));
  client.call(callOf(execution<ipc::CreateExecutionT>(1), client.pools()));
  ipc::ComputeT compute;
  compute.execution = 2;
  client.call(callOf(compute));
  auto released = [](uint64_t id) {
    ipc::ReleaseT release;
    release.object = id;
    return callOf(release);
  };
  client.call(released(2), StepKind::Send);
  client.call(released(1), StepKind::Send);
  client.call(callOf(compute));
  return client;
}

Client asynchronous() {
  Client client(false);
  auto prepare = callOf(prepareModel());
  prepare->envelope->asynchronous = true;
  client.call(std::move(prepare));
  for (int i = 0; i < 2; ++i) {
    auto run = callOf(execution<ipc::ExecuteT>(1), client.pools());
    run->envelope->asynchronous = true;
    client.call(std::move(run), StepKind::Send);
  }
  client.step(StepKind::Settle);
  return client;
}

Client fenced() {
  Client client;
  const uint8_t fence = client.descriptor(DescriptorKind::Fence);
  auto run = execution<ipc::ExecuteFencedT>(1);
  run.fences = {2};
  std::vector<uint8_t> fds = client.pools();
  fds.push_back(fence);
  client.call(callOf(std::move(run), fds));
  client.step(StepKind::Signal, fence);
  ipc::GetFencedInfoT info;
  info.fenced = 2;
  client.call(callOf(info));
  client.call(callOf(execution<ipc::CreateExecutionT>(1), client.pools()));
  ipc::ComputeFencedT compute;
  compute.execution = 3;
  compute.fences = {0};
  compute.timeout_after_fence = 1000000;
  client.call(callOf(compute, {client.descriptor(DescriptorKind::EventCounter)}));
  return client;
}

Client buffers() {
  Client client;
  ipc::AllocateT allocate;
  allocate.dimensions = {4};
  allocate.inputs = {ipc::Role(1, 0, 1)};
  client.call(callOf(allocate));
  ipc::CopyFromT from;
  from.buffer = 2;
  from.memory = memory(0, kTensorBytes);
  client.call(callOf(std::move(from), {client.pools()[1]}));
  ipc::CopyToT to;
  to.buffer = 2;
  to.memory = memory(0, kTensorBytes);
  client.call(callOf(std::move(to), {client.pools()[1]}));
  auto run = execution<ipc::ExecuteT>(1);
  run.request->inputs[0]->location = ipc::Location(2, 0, 0, 0);
  run.request->pools.push_back(std::make_unique<ipc::RequestPoolT>());
  run.request->pools.back()->token = 1;
  client.call(callOf(std::move(run), client.pools()));
  return client;
}

Client burstOfCalls() {
  Client client;
  ipc::ConfigureBurstT configure;
  configure.prepared = 1;
  client.call(callOf(configure));
  auto run = [](bool known) {
    ipc::ExecuteBurstT call;
    call.burst = 2;
    call.request = request();
    call.identifiers = {1, 2};
    call.options = std::make_unique<ipc::ExecutionOptionsT>();
    for (auto &pool : call.request->pools)
      if (pool->known = known; known)
        pool->memory.reset();
    return call;
  };
  client.call(callOf(run(false), client.pools()));
  client.call(callOf(run(true)));
  ipc::ReleaseMemoryT release;
  release.burst = 2;
  release.identifier = 1;
  client.call(callOf(release));
  client.call(callOf(run(true)));
  return client;
}

std::unique_ptr<ipc::QueueT> queue(uint32_t fd) {
  auto made = hal::ByteQueue::create(32, 24);
  hal::ipc::HandleWriter handles;
  auto message = hal::ipc::toMessage((*made)->descriptor(), handles);
  message->fds = {fd};
  return message;
}

/// The request as a packet for the queue, with pools 0 and 1 in slots 0 and 1.
std::vector<uint8_t> requestPacket() {
  hal::ipc::HandleReader none(std::vector<hal::SharedHandle>(2));
  hal::Request request = hal::ipc::fromMessageWithoutMemory(*fuzz::request());
  std::vector<hal::FmqRequestDatum> packet;
  const int32_t slots[] = {0, 1};
  hal::writeRequestPacket(request, slots, hal::MeasureTiming::Yes, packet);
  const auto *bytes = reinterpret_cast<const uint8_t *>(packet.data());
  return {bytes, bytes + packet.size() * sizeof(packet.front())};
}

/// A client's answer to a request for the memories of its slots: a header, and a record for each memory.
std::vector<uint8_t> linkAnswer() {
  struct Header {
    uint32_t magic = 0x4C425641, kind = 3, sequence = 1, count = 2;
  } header;
  struct Record {
    uint32_t kind = 1;
    int32_t protection = 0;
    uint64_t offset = 0, size = 0;
  } records[2];
  records[0].size = 2 * kTensorBytes;
  records[1].size = kTensorBytes;
  std::vector<uint8_t> bytes(sizeof(header) + sizeof(records));
  std::memcpy(bytes.data(), &header, sizeof(header));
  std::memcpy(bytes.data() + sizeof(header), records, sizeof(records));
  return bytes;
}

Client burstOfQueues() {
  Client client;
  const uint8_t requests = client.descriptor(DescriptorKind::RequestQueue);
  const uint8_t results = client.descriptor(DescriptorKind::ResultQueue);
  const uint8_t link = client.descriptor(DescriptorKind::PacketSocket);
  ipc::ServeBurstT serve;
  serve.prepared = 1;
  serve.requests = queue(0);
  serve.results = queue(1);
  serve.link = 2;
  client.call(callOf(std::move(serve), {requests, results, link}));
  for (int i = 0; i < 2; ++i) {
    client.step(StepKind::WriteQueue, requests).bytes = requestPacket();
    if (i == 0) {
      fb::StepT &answer = client.step(StepKind::AnswerLink, link);
      answer.bytes = linkAnswer();
      answer.message = std::make_unique<fb::MessageT>();
      answer.message->fds = client.pools();
    }
    client.step(StepKind::ReadQueue, results);
  }
  client.step(StepKind::Write, requests).bytes = {1, 2, 3};
  return client;
}

Client caches() {
  Client client(false);
  const uint8_t model = client.descriptor(DescriptorKind::Memory), data = client.descriptor(DescriptorKind::Memory);
  auto files = [] {
    auto cache = std::make_unique<ipc::CacheFilesT>();
    cache->model = {0};
    cache->data = {1};
    cache->token.assign(hal::kByteSizeOfCacheToken, 7);
    return cache;
  };
  auto prepare = prepareModel();
  prepare.options->cache = files();
  client.call(callOf(std::move(prepare), {model, data}));
  ipc::PrepareFromCacheT again;
  again.cache = files();
  client.call(callOf(std::move(again), {model, data}));
  client.step(StepKind::Write, model).bytes = {1, 2, 3};
  ipc::PrepareFromCacheT broken;
  broken.cache = files();
  client.call(callOf(std::move(broken), {model, data}));
  client.call(callOf(execution<ipc::ExecuteT>(2), client.pools()));
  return client;
}

Client questions() {
  Client client(false);
  auto list = hello("");
  list.totals = true;
  client.call(callOf(list));
  client.call(callOf(ipc::GetStatusT()));
  ipc::GetSupportedOperationsT supported;
  supported.model = model();
  client.call(callOf(std::move(supported)));
  fb::StepT &other = client.step(StepKind::Call);
  other.connection = 1;
  other.message = callOf(hello("npu"));
  auto large = callOf(ipc::GetStatusT());
  large->framing = std::make_unique<fb::FramingT>();
  large->framing->in_memory = true;
  client.call(std::move(large));
  client.step(StepKind::Disconnect);
  return client;
}

/// One descriptor of each kind as the memory of the inputs.
Client descriptors() {
  Client client;
  for (DescriptorKind kind : fb::EnumValuesDescriptorKind()) {
    auto run = callOf(execution<ipc::ExecuteT>(1), client.pools());
    run->fds[0] = client.descriptor(kind, 2 * kTensorBytes);
    client.call(std::move(run));
  }
  return client;
}

} // namespace

Status makeServiceSeeds(const std::string &folder) {
  const std::pair<const char *, Client (*)()> kSeeds[] = {
      {"executions", executions}, {"asynchronous", asynchronous}, {"fenced", fenced},
      {"buffers", buffers},       {"burstOfCalls", burstOfCalls}, {"burstOfQueues", burstOfQueues},
      {"caches", caches},         {"questions", questions},       {"descriptors", descriptors}};
  for (const auto &[name, make] : kSeeds)
    AVOCET_RETURN_IF_ERROR(make().write(folder + name));
  return Status::ok();
}

} // namespace avocet::fuzz
