//===- HostileTest.cpp - Clients that send invalid calls --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostileFixture.h"

namespace avocet::hal {
namespace {

using namespace testing;
using namespace ipc;

/// The service may see the end of a connection before its session has begun to serve.
TEST_F(HostileCallTest, ClientsThatDisconnectAtOnceLeaveNothing) {
  constexpr uint64_t kClients = 300;
  fb::HelloT hello;
  hello.protocol = kProtocols.newest;
  const std::vector<uint8_t> greeting = pack(hello);
  for (uint64_t i = 0; i < kClients; ++i) {
    auto channel = Channel::connect(path_);
    ASSERT_TRUE(channel.isOk()) << channel.error().message;
    (void)(*channel)->send(greeting, {});
  }
  EXPECT_TRUE(reaches(&ServiceCounters::clientsEver, 1 + kClients));
  EXPECT_TRUE(reaches(&ServiceCounters::clientsNow, 1));
  EXPECT_EQ(ask(fb::AllocateT()), ErrorStatus::None) << "others are still served";
}

TEST_F(HostileCallTest, RefusesNumbersOfAbsentObjects) {
  for (uint64_t id : {uint64_t(0), uint64_t(2), uint64_t(3), ~uint64_t(0)}) {
    fb::ConfigureBurstT burst;
    burst.prepared = id;
    EXPECT_EQ(ask(burst), ErrorStatus::InvalidArgument) << id;
    fb::ComputeFencedT compute;
    compute.execution = id;
    EXPECT_EQ(ask(compute), ErrorStatus::InvalidArgument) << id;
    fb::GetFencedInfoT info;
    info.fenced = id;
    EXPECT_EQ(ask(info), ErrorStatus::InvalidArgument) << id;
  }
  fb::ReleaseMemoryT release;
  release.burst = 1;
  EXPECT_EQ(ask(release), ErrorStatus::InvalidArgument) << "a prepared model is no burst";
}

TEST_F(HostileCallTest, RefusesMemoriesWithoutDescriptors) {
  fb::CopyToT copy;
  copy.buffer = 3;
  copy.memory = std::make_unique<fb::MemoryT>();
  copy.memory->fds = {0};
  EXPECT_EQ(ask(copy), ErrorStatus::InvalidArgument) << "no descriptor came";
  fb::ExecuteBurstT burst;
  burst.burst = 2;
  burst.options = std::make_unique<fb::ExecutionOptionsT>();
  burst.request = requestWith(memoryPool({7}));
  EXPECT_EQ(ask(std::move(burst)), ErrorStatus::InvalidArgument);
  fb::ExecuteFencedT fenced;
  fenced.prepared = 1;
  fenced.options = std::make_unique<fb::ExecutionOptionsT>();
  fenced.request = std::make_unique<fb::RequestT>();
  fenced.fences = {0, 1};
  EXPECT_EQ(ask(std::move(fenced)), ErrorStatus::InvalidArgument);
}

TEST_F(HostileCallTest, RefusesUnknownBurstMemories) {
  for (const std::vector<int64_t> &identifiers : {std::vector<int64_t>{}, {5}, {-1}}) {
    fb::ExecuteBurstT burst;
    burst.burst = 2;
    burst.options = std::make_unique<fb::ExecutionOptionsT>();
    fb::RequestPoolT pool;
    pool.known = true;
    burst.request = requestWith(std::move(pool));
    burst.identifiers = identifiers;
    EXPECT_EQ(ask(std::move(burst)), ErrorStatus::InvalidArgument);
  }
  EXPECT_EQ(executions(), 0);
}

TEST_F(HostileCallTest, RefusesInvalidQueues) {
  TestPool pool(4096);
  SharedHandle file = std::get<Ashmem>(pool.memory()->handle).fd;
  auto queue = [](std::vector<fb::Grantor> grantors, std::vector<uint32_t> fds) {
    auto made = std::make_unique<fb::QueueT>();
    made->grantors = std::move(grantors);
    made->fds = std::move(fds);
    made->element_bytes = 24;
    return made;
  };
  std::vector<fb::Grantor> huge(4, fb::Grantor(0, 0, 8, ~uint64_t(0)));
  for (uint32_t fd : {0u, 1u}) {
    fb::ServeBurstT serve;
    serve.prepared = 1;
    serve.requests = queue({}, {});
    serve.results = queue(huge, {fd});
    serve.link = fd;
    EXPECT_EQ(ask(std::move(serve), {file}), ErrorStatus::InvalidArgument);
  }
  EXPECT_EQ(service_->counters().burstsNow, 1u);
}

TEST_F(HostileCallTest, RefusesSecondDeviceOnOneConnection) {
  fb::HelloT hello;
  hello.protocol = kProtocols.newest;
  hello.device = "npu";
  EXPECT_EQ(ask(hello), ErrorStatus::InvalidArgument);
  hello.protocol = kProtocols.newest + 1;
  EXPECT_EQ(ask(hello), ErrorStatus::InvalidArgument);
}

TEST_F(HostileCallTest, UnexpectedHelloAndAnswerKeepSessionAlive) {
  EXPECT_EQ(ask(fb::HelloT()), ErrorStatus::InvalidArgument);
  fb::EnvelopeT envelope;
  envelope.answer.Set(fb::NothingT());
  ASSERT_TRUE(sendEnvelope(*channel_, envelope, {}).isOk());
  Result<Message> message = channel_->receive();
  ASSERT_TRUE(message.isOk()) << "an envelope without a call is answered as one of no known kind";
  EXPECT_EQ(ask(fb::GetStatusT()), ErrorStatus::None);
}

/// All pools of a request share one long name: 400 MB of names in a message of 200 kB.
TEST_F(HostileCallTest, RefusesMessageThatExpandsWhenUnpacked) {
  flatbuffers::FlatBufferBuilder builder;
  auto name = builder.CreateString(std::string(20000, 'x'));
  auto memory = fb::CreateMemory(builder, fb::MemoryKind::Unknown, 0, 0, 0, name);
  auto pool = fb::CreateRequestPool(builder, memory);
  auto pools = builder.CreateVector(std::vector<flatbuffers::Offset<fb::RequestPool>>(20000, pool));
  auto request = fb::CreateRequest(builder, 0, 0, pools);
  auto call = fb::CreateExecuteBurst(builder, 2, request, 0, fb::CreateExecutionOptions(builder));
  EXPECT_EQ(askWith(builder, fb::Call::ExecuteBurst, call.Union()), ErrorStatus::ResourceExhaustedTransient);
  EXPECT_EQ(ask(fb::GetStatusT()), ErrorStatus::None) << "the session must stay usable";
}

} // namespace
} // namespace avocet::hal
