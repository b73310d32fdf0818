//===- ProtocolTest.cpp - Clients and services of other versions - *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RegistryFixture.h"

namespace avocet::hal {
namespace {

using namespace testing;
using ::testing::HasSubstr;

constexpr uint32_t kOld = kProtocols.oldest, kNew = kProtocols.newest;

class ProtocolTest : public RegistryFixture {
protected:
  Result<std::shared_ptr<IDevice>> connectAs(const std::string &service, const ProtocolRange &client) const {
    ConnectOptions options;
    options.protocols = client;
    return connectDevice(socketOf(service), "npu", options);
  }
  void expectConnects(const std::string &service, const ProtocolRange &client) const {
    Result<std::shared_ptr<IDevice>> device = connectAs(service, client);
    ASSERT_TRUE(device.isOk()) << device.error().message;
    EXPECT_TRUE((*device)->prepareModel(addModel({4}), {}).isOk());
  }
  void expectRefusal(const std::string &service, const ProtocolRange &client, const std::string &clientWords,
                     const std::string &serviceWords) const {
    const Result<std::shared_ptr<IDevice>> device = connectAs(service, client);
    EXPECT_EQ(device.code(), ErrorStatus::InvalidArgument);
    EXPECT_THAT(device.error().message, HasSubstr("the client speaks " + clientWords + " of the protocol"));
    EXPECT_THAT(device.error().message, HasSubstr("the service " + serviceWords + ";"));
  }
  /// The service's answer to a Hello with these numbers.
  fb::WelcomeT welcomeOf(const std::string &service, uint32_t protocol, uint32_t newest) const {
    auto channel = Channel::connect(socketOf(service));
    EXPECT_TRUE(channel.isOk());
    fb::HelloT hello;
    hello.protocol = protocol;
    hello.newest = newest;
    fb::EnvelopeT call;
    call.call.Set(hello);
    EXPECT_TRUE(ipc::sendEnvelope(**channel, call, {}).isOk());
    Result<Message> message = (*channel)->receive();
    Result<fb::EnvelopeT> answer = ipc::openEnvelope(message->bytes);
    EXPECT_TRUE(answer.isOk());
    EXPECT_NE(answer->answer.AsWelcome(), nullptr) << answer->message;
    return answer->answer.AsWelcome() == nullptr ? fb::WelcomeT() : std::move(*answer->answer.AsWelcome());
  }
};

TEST_F(ProtocolTest, NewestCommonVersionIsChosen) {
  const auto chosen = [](ProtocolRange client, ProtocolRange service) {
    Result<uint32_t> version = commonProtocol(client, service);
    return version ? *version : 0;
  };
  EXPECT_EQ(chosen({2, 3}, {2, 3}), 3u);
  EXPECT_EQ(chosen({2, 5}, {3, 4}), 4u);
  EXPECT_EQ(chosen({3, 4}, {2, 5}), 4u);
  EXPECT_EQ(chosen({2, 3}, {3, 6}), 3u);
  EXPECT_EQ(chosen({4, 5}, {2, 3}), 0u);
  EXPECT_EQ(chosen({2, 3}, {4, 5}), 0u);
  EXPECT_EQ(chosen({5, 3}, {2, 6}), 0u) << "an empty range";
}

TEST_F(ProtocolTest, NewClientSpeaksWithOldService) {
  start("old", {"npu"}, {kOld, kOld});
  expectConnects("old", kProtocols);
}

TEST_F(ProtocolTest, OldClientSpeaksWithNewService) {
  start("new", {"npu"});
  expectConnects("new", {kOld, kOld});
}

TEST_F(ProtocolTest, RefusalNamesBothRanges) {
  start("old", {"npu"}, {kOld, kOld});
  start("new", {"npu"});
  expectRefusal("old", {kNew, kNew}, "version 4", "version 2");
  expectRefusal("new", {kNew + 1, kNew + 3}, "versions 5 to 7", "versions 2 to 4");
  expectRefusal("new", {kOld - 1, kOld - 1}, "version 1", "versions 2 to 4");
}

TEST_F(ProtocolTest, WelcomeStatesVersionAndRange) {
  start("new", {"npu"});
  const fb::WelcomeT welcome = welcomeOf("new", kOld, kNew + 4);
  EXPECT_EQ(welcome.protocol, kNew);
  EXPECT_EQ(welcome.oldest, kOld);
  EXPECT_EQ(welcome.newest, kNew);
}

TEST_F(ProtocolTest, WelcomeOfUnnegotiatedVersionStatesNothing) {
  start("new", {"npu"});
  const fb::WelcomeT welcome = welcomeOf("new", kUnnegotiatedProtocol, 0);
  EXPECT_EQ(welcome.protocol + welcome.oldest + welcome.newest, 0u);
}

TEST_F(ProtocolTest, VersionThatClientDoesNotSpeakIsRefused) {
  startStrange("hostile", [](Channel &channel) {
    fb::WelcomeT answer;
    answer.protocol = kNew + 6;
    welcome(channel, std::move(answer));
  });
  const Result<std::shared_ptr<IDevice>> device = connectAs("hostile", kProtocols);
  EXPECT_EQ(device.code(), ErrorStatus::GeneralFailure);
  EXPECT_THAT(device.error().message, HasSubstr("chose version 10 of the protocol; the client speaks versions 2 to 4"));
}

TEST_F(ProtocolTest, ServicesOfDifferentVersionsServeTogether) {
  start("new", {"npu"});
  start("old", {"npu"}, {kOld, kOld});
  const FoundDevices found = find();
  ASSERT_EQ(found.devices.size(), 2u);
  for (const FoundDevice &device : found.devices) {
    Result<std::shared_ptr<IDevice>> connected = connectDevice(device);
    ASSERT_TRUE(connected.isOk()) << connected.error().message;
    EXPECT_TRUE((*connected)->prepareModel(addModel({4}), {}).isOk());
  }
}

} // namespace
} // namespace avocet::hal
