//===- StrangeServiceTest.cpp - Services with invalid answers ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ServiceFixture.h"
#include "TemporaryFolder.h"
#include "avocet/hal/wire/Envelope.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <thread>

namespace avocet::hal {
namespace {

using namespace testing;
using namespace ipc;

/// A socket in its own folder.
class StrangeServiceTest : public ::testing::Test {
protected:
  const test::TemporaryFolder folder_{"avocetStrange"};
  const std::string path_ = (folder_.path() / "socket").string();
};

TEST_F(StrangeServiceTest, ConnectTimesOutWhenServiceNeverAccepts) {
  const FileDescriptor listener(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  path_.copy(address.sun_path, sizeof(address.sun_path) - 1);
  const auto *name = reinterpret_cast<const sockaddr *>(&address);
  ASSERT_EQ(::bind(listener.get(), name, sizeof(address)), 0);
  ASSERT_EQ(::listen(listener.get(), 0), 0);
  std::vector<FileDescriptor> waiting;
  do
    waiting.emplace_back(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  while (::connect(waiting.back().get(), name, sizeof(address)) == 0);
  ASSERT_EQ(errno, EAGAIN);
  Result<std::unique_ptr<Channel>> channel = Channel::connect(path_, std::chrono::seconds(1));
  EXPECT_EQ(channel.code(), ErrorStatus::DeadObject);
  EXPECT_NE(channel.error().message.find("accepted no connection"), std::string::npos) << channel.error().message;
}

/// Passes each call of one client to `answer`, which sends the reply.
template <typename Answer> void answerCalls(Listener &listener, Answer &&answer) {
  Result<std::unique_ptr<Channel>> channel = listener.accept();
  ASSERT_TRUE(channel.isOk());
  while (Result<Message> message = (*channel)->receive()) {
    Result<fb::EnvelopeT> call = openEnvelope(message->bytes);
    ASSERT_TRUE(call.isOk());
    answer(**channel, *call);
  }
}

/// Replies to each call of one client with an envelope that `answers` fills.
template <typename Answers> void serve(Listener &listener, Answers &&answers) {
  answerCalls(listener, [&](Channel &channel, const fb::EnvelopeT &call) {
    fb::EnvelopeT reply;
    reply.number = call.number;
    answers(call, reply);
    ASSERT_TRUE(sendEnvelope(channel, reply, HandleWriter()).isOk());
  });
}

TEST_F(StrangeServiceTest, UnknownNumbersMapToUnknownOrLatest) {
  auto listener = Listener::listen(path_);
  ASSERT_TRUE(listener.isOk());
  std::thread service([&] {
    serve(**listener, [](const fb::EnvelopeT &call, fb::EnvelopeT &reply) {
      if (call.call.type == fb::Call::Hello) {
        fb::WelcomeT welcome;
        welcome.name = "strange";
        welcome.feature_level = 4711;
        welcome.type = -5;
        reply.answer.Set(std::move(welcome));
      } else {
        fb::StatusAnswerT status;
        status.status = 99;
        reply.answer.Set(std::move(status));
      }
    });
  });
  {
    Result<std::shared_ptr<IDevice>> device = connectDevice(path_, "strange");
    ASSERT_TRUE(device.isOk());
    EXPECT_EQ((*device)->featureLevel(), kLatestVersion);
    EXPECT_EQ((*device)->type(), DeviceType::Unknown);
    EXPECT_EQ((*device)->status(), DeviceStatus::Unknown);
  }
  service.join();
}

/// Answers Hello correctly, and each other call with the bytes that `bytesFor` builds for its number.
template <typename BytesFor> void serveBytes(Listener &listener, BytesFor &&bytesFor) {
  answerCalls(listener, [&](Channel &channel, const fb::EnvelopeT &call) {
    if (call.call.type == fb::Call::Release)
      return;
    flatbuffers::FlatBufferBuilder builder;
    if (call.call.type == fb::Call::Hello) {
      auto welcome = fb::CreateWelcome(builder);
      builder.Finish(fb::CreateEnvelope(builder, call.number, false, false, fb::Call::NONE, 0, fb::Answer::Welcome,
                                        welcome.Union()),
                     fb::EnvelopeIdentifier());
    } else {
      bytesFor(builder, call.number);
    }
    ASSERT_TRUE(channel.send({builder.GetBufferPointer(), builder.GetSize()}, {}).isOk());
  });
}

TEST_F(StrangeServiceTest, AnswersToCallsNeverMadeEndTheConnection) {
  auto listener = Listener::listen(path_);
  ASSERT_TRUE(listener.isOk());
  std::thread service([&] {
    serveBytes(**listener, [](flatbuffers::FlatBufferBuilder &builder, uint64_t number) {
      builder.Finish(fb::CreateEnvelope(builder, number ^ 1ull << 40, false, false, fb::Call::NONE, 0,
                                        fb::Answer::Nothing, fb::CreateNothing(builder).Union()),
                     fb::EnvelopeIdentifier());
    });
  });
  {
    Result<std::shared_ptr<IDevice>> device = connectDevice(path_, "strange");
    ASSERT_TRUE(device.isOk()) << device.error().message;
    auto supported = (*device)->getSupportedOperations(addModel({4}));
    EXPECT_EQ(supported.code(), ErrorStatus::DeadObject);
    EXPECT_NE(supported.error().message.find("answered a call that was not made"), std::string::npos)
        << supported.error().message;
  }
  service.join();
}

TEST_F(StrangeServiceTest, MalformedAnswersFailTheirCallsOnly) {
  auto listener = Listener::listen(path_);
  ASSERT_TRUE(listener.isOk());
  int numCalls = 0;
  std::thread service([&] {
    serveBytes(**listener, [&](flatbuffers::FlatBufferBuilder &builder, uint64_t number) {
      const int tag = static_cast<int>(fb::Answer::MAX) + ++numCalls;
      flatbuffers::Offset<void> body = fb::CreateNothing(builder).Union();
      auto kind = static_cast<fb::Answer>(tag);
      if (tag > 255) { // an invalid execution time
        body = fb::CreateExecuted(builder, 0, -2, -1).Union();
        kind = fb::Answer::Executed;
      }
      builder.Finish(fb::CreateEnvelope(builder, number, false, false, fb::Call::NONE, 0, kind, body),
                     fb::EnvelopeIdentifier());
    });
  });
  {
    Result<std::shared_ptr<IDevice>> device = connectDevice(path_, "strange");
    ASSERT_TRUE(device.isOk()) << device.error().message;
    for (int tag = static_cast<int>(fb::Answer::MAX) + 1; tag <= 256; ++tag) {
      auto supported = (*device)->getSupportedOperations(addModel({4}));
      EXPECT_EQ(supported.code(), ErrorStatus::GeneralFailure) << tag;
      EXPECT_NE(supported.error().message.find("cannot be used"), std::string::npos) << supported.error().message;
    }
  }
  service.join();
}

} // namespace
} // namespace avocet::hal
