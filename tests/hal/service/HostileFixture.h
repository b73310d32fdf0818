//===- HostileFixture.h - A client with hand-made messages ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_HAL_SERVICE_HOSTILEFIXTURE_H
#define AVOCET_TESTS_HAL_SERVICE_HOSTILEFIXTURE_H

#include "ServiceFixture.h"
#include "avocet/hal/wire/Envelope.h"
#include "avocet/hal/wire/Protocol.h"

namespace avocet::hal::testing {

namespace fb = ipc::fb;

/// Sends hand-made messages on a connection to "fake" with one prepared model (1), burst (2) and buffer (3).
class HostileCallTest : public ServiceFixture {
protected:
  void SetUp() override {
    ServiceFixture::SetUp();
    auto channel = Channel::connect(path_);
    ASSERT_TRUE(channel.isOk());
    channel_ = std::move(*channel);
    fb::HelloT hello;
    hello.protocol = kProtocols.newest;
    hello.device = "fake";
    ASSERT_EQ(ask(hello), ErrorStatus::None);
    fb::PrepareModelT prepare;
    prepare.model = std::make_unique<fb::ModelT>();
    prepare.model->main = std::make_unique<fb::SubgraphT>();
    prepare.options = std::make_unique<fb::PrepareOptionsT>();
    ASSERT_EQ(ask(std::move(prepare)), ErrorStatus::None);
    fb::ConfigureBurstT burst;
    burst.prepared = 1;
    ASSERT_EQ(ask(burst), ErrorStatus::None);
    ASSERT_EQ(ask(fb::AllocateT()), ErrorStatus::None);
  }

  template <typename Table> static std::vector<uint8_t> pack(Table table) {
    fb::EnvelopeT envelope;
    envelope.number = 42;
    envelope.call.Set(std::move(table));
    flatbuffers::FlatBufferBuilder builder;
    builder.Finish(fb::Envelope::Pack(builder, &envelope), fb::EnvelopeIdentifier());
    return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
  }
  /// The answer's status; DeadObject: the service closed the connection.
  template <typename Table> ErrorStatus ask(Table table, const std::vector<SharedHandle> &fds = {}) {
    if (Outcome sent = channel_->send(pack(std::move(table)), fds); !sent)
      return sent.code();
    return receiveStatus();
  }
  /// The same for a message that the test has built.
  ErrorStatus askWith(flatbuffers::FlatBufferBuilder &builder, fb::Call kind, flatbuffers::Offset<void> body,
                      fb::Answer answerKind = fb::Answer::NONE, flatbuffers::Offset<void> answer = 0) {
    builder.Finish(fb::CreateEnvelope(builder, 42, false, false, kind, body, answerKind, answer),
                   fb::EnvelopeIdentifier());
    return askRaw({builder.GetBufferPointer(), builder.GetSize()});
  }
  ErrorStatus askRaw(std::span<const uint8_t> bytes) {
    if (Outcome sent = channel_->send(bytes, {}); !sent)
      return sent.code();
    return receiveStatus();
  }
  ErrorStatus receiveStatus() {
    Result<Message> message = channel_->receive();
    Result<fb::EnvelopeT> answer = message ? ipc::openEnvelope(message->bytes) : message.error();
    if (!answer)
      return answer.code();
    EXPECT_EQ(answer->number, 42u);
    return ipc::statusOf(answer->error);
  }
  static std::unique_ptr<fb::RequestT> requestWith(fb::RequestPoolT pool) {
    auto request = std::make_unique<fb::RequestT>();
    request->pools.push_back(std::make_unique<fb::RequestPoolT>(std::move(pool)));
    return request;
  }
  static fb::RequestPoolT memoryPool(std::vector<uint32_t> fds) {
    fb::RequestPoolT pool;
    pool.memory = std::make_unique<fb::MemoryT>();
    pool.memory->fds = std::move(fds);
    return pool;
  }

  std::unique_ptr<Channel> channel_;
};

} // namespace avocet::hal::testing

#endif // AVOCET_TESTS_HAL_SERVICE_HOSTILEFIXTURE_H
