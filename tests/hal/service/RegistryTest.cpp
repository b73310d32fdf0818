//===- RegistryTest.cpp - Devices of several services -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RegistryFixture.h"

#include <sys/stat.h>

namespace avocet::hal {
namespace {

using namespace testing;
using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ServedRegistryTest : public RegistryFixture {
protected:
  static std::vector<std::string> namesOf(const FoundDevices &found) {
    std::vector<std::string> names;
    for (const FoundDevice &device : found.devices)
      names.push_back(device.name);
    return names;
  }
  /// The service is the only one that is left out, with these words in the reason.
  static void expectLeftOut(const FoundDevices &found, const std::string &service, const std::string &words) {
    ASSERT_EQ(found.leftOut.size(), 1u);
    EXPECT_EQ(found.leftOut[0].name, service);
    EXPECT_THAT(found.leftOut[0].why.message, HasSubstr(words));
  }
  void expectHostile(fb::WelcomeT welcomed, const std::string &words) {
    start("good", {"npu"});
    startStrange("hostile", [&](Channel &channel) { welcome(channel, welcomed); });
    const FoundDevices found = find();
    EXPECT_THAT(namesOf(found), ElementsAre("npu"));
    expectLeftOut(found, "hostile", words);
  }
};

TEST_F(ServedRegistryTest, MergesDevicesInOrderOfServices) {
  start("b", {"npu", "dsp"});
  start("a", {"tpu", "npu"});
  const FoundDevices found = find();
  EXPECT_THAT(namesOf(found), ElementsAre("tpu", "npu", "npu@b", "dsp"));
  EXPECT_THAT(found.leftOut, IsEmpty());
  EXPECT_EQ(found.devices[2].device, "npu");
  EXPECT_EQ(found.devices[2].service, "b");
  EXPECT_EQ(found.devices[2].socket, socketOf("b"));
}

TEST_F(ServedRegistryTest, DeadServiceIsLeftOutUntilNextStart) {
  leaveSocket("dead");
  start("live", {"npu"});
  const FoundDevices found = find();
  EXPECT_THAT(namesOf(found), ElementsAre("npu"));
  expectLeftOut(found, "dead", "a service that has ended");
  EXPECT_TRUE(std::filesystem::is_socket(socketOf("dead"))) << "a client removes nothing";
  start("dead", {"dsp"});
  EXPECT_THAT(namesOf(find()), ElementsAre("dsp", "npu")) << "the next start replaces the socket";
}

TEST_F(ServedRegistryTest, ManyDeadServicesHideNoLivingOne) {
  for (size_t i = 0; i < 2 * kMostServices; ++i)
    leaveSocket("dead" + std::to_string(i));
  start("live", {"npu"});
  const FoundDevices found = find();
  EXPECT_THAT(namesOf(found), ElementsAre("npu"));
  EXPECT_EQ(found.leftOut.size(), 2 * kMostServices);
}

TEST_F(ServedRegistryTest, ManyHangingServicesDelayOnlyOnce) {
  for (size_t i = 0; i < 2 * kMostServices; ++i)
    startHanging("hanging" + std::to_string(i));
  const auto start = std::chrono::steady_clock::now();
  const FoundDevices found = find(200ms);
  EXPECT_LT(std::chrono::steady_clock::now() - start, 5s);
  EXPECT_EQ(found.leftOut.size(), 2 * kMostServices);
  EXPECT_THAT(found.leftOut.back().why.message, HasSubstr("others took too long"));
}

TEST_F(ServedRegistryTest, HangingServicesDelayOnlyOnce) {
  constexpr int kHanging = 8;
  constexpr auto kEach = 500ms;
  for (int i = 0; i < kHanging; ++i)
    startHanging("hanging" + std::to_string(i));
  start("live", {"npu"});
  const auto start = std::chrono::steady_clock::now();
  const FoundDevices found = find(kEach);
  EXPECT_LT(std::chrono::steady_clock::now() - start, kHanging * kEach);
  EXPECT_THAT(namesOf(found), ElementsAre("npu"));
  ASSERT_EQ(found.leftOut.size(), size_t(kHanging));
  EXPECT_THAT(found.leftOut[0].why.message, HasSubstr("not answered in time"));
}

TEST_F(ServedRegistryTest, ServiceThatSendsRubbishIsLeftOut) {
  start("good", {"npu"});
  startStrange("hostile", [](Channel &channel) {
    const std::vector<uint8_t> rubbish(100, 0x5a);
    (void)channel.send(rubbish, {});
  });
  const FoundDevices found = find();
  EXPECT_THAT(namesOf(found), ElementsAre("npu"));
  expectLeftOut(found, "hostile", "no message of the protocol");
}

TEST_F(ServedRegistryTest, ServiceWithTooManyDevicesIsLeftOut) {
  fb::WelcomeT many;
  for (size_t i = 0; i <= kMostServiceDevices; ++i)
    many.devices.push_back("d" + std::to_string(i));
  expectHostile(std::move(many), "at most 256");
}

TEST_F(ServedRegistryTest, ServiceWithUnprintableNameIsLeftOut) {
  fb::WelcomeT escape;
  escape.devices = {"npu\x1b[2J"};
  expectHostile(std::move(escape), "'npu?[2J'");
}

TEST_F(ServedRegistryTest, ServiceOfferingLongNameIsLeftOut) {
  fb::WelcomeT other;
  other.devices = {"npu@good"};
  expectHostile(std::move(other), "without '@'");
}

TEST_F(ServedRegistryTest, ServiceWithOneNameTwiceIsLeftOut) {
  fb::WelcomeT twice;
  twice.devices = {"dsp", "dsp"};
  expectHostile(std::move(twice), "two devices of one name");
}

TEST_F(ServedRegistryTest, ServiceWithHugeGreetingIsLeftOut) {
  fb::WelcomeT huge;
  huge.version = std::string(size_t(2) << 20, 'x');
  expectHostile(std::move(huge), "at most 1048576");
}

TEST_F(ServedRegistryTest, RefusalsOfServicesArePrintable) {
  startStrange("hostile", [](Channel &channel) {
    fb::EnvelopeT reply;
    reply.number = 1;
    reply.error = static_cast<int32_t>(ErrorStatus::GeneralFailure);
    reply.message = "\x1b]0;title\n" + std::string(5000, 'x');
    reply.answer.Set(fb::NothingT());
    (void)ipc::sendEnvelope(channel, reply, {});
  });
  const FoundDevices found = find();
  expectLeftOut(found, "hostile", "?]0;title?xxx");
  EXPECT_LT(found.leftOut[0].why.message.size(), 1000u);
}

TEST_F(ServedRegistryTest, DevicesAreFoundByBothNames) {
  start("a", {"npu"});
  start("b", {"npu"});
  for (const auto &[name, service] : {std::pair("npu", "a"), std::pair("npu@a", "a"), std::pair("npu@b", "b")}) {
    Result<FoundDevice> found = findDevice(folder_, name);
    ASSERT_TRUE(found.isOk()) << found.error().message;
    EXPECT_EQ(found->service, service) << name;
    EXPECT_EQ(found->device, "npu");
    const FoundDevices all = find();
    ASSERT_NE(deviceIn(all, name), nullptr);
    EXPECT_EQ(deviceIn(all, name)->service, service);
  }
}

TEST_F(ServedRegistryTest, AbsentDeviceIsRefusedWithReasons) {
  start("a", {"npu"});
  leaveSocket("dead");
  const Result<FoundDevice> found = findDevice(folder_, "dsp");
  EXPECT_EQ(found.code(), ErrorStatus::InvalidArgument);
  for (const char *words : {"no device 'dsp'", "it has npu", "service dead is left out", "has ended"})
    EXPECT_THAT(found.error().message, HasSubstr(words));
  EXPECT_THAT(findDevice(folder_, "npu@other").error().message, HasSubstr("no service 'other'"));
}

TEST_F(ServedRegistryTest, ConnectedDeviceHasItsNameInTheList) {
  start("a", {"npu"});
  start("b", {"npu"});
  const FoundDevices found = find();
  ASSERT_EQ(found.devices.size(), 2u);
  Result<std::shared_ptr<IDevice>> device = connectDevice(found.devices[1]);
  ASSERT_TRUE(device.isOk()) << device.error().message;
  EXPECT_EQ((*device)->name(), "npu@b");
  EXPECT_TRUE((*device)->prepareModel(addModel({4}), {}).isOk());
}

TEST_F(ServedRegistryTest, ResilientDeviceFollowsItsServiceOnly) {
  start("a", {"npu"});
  start("b", {"npu"});
  const Result<std::shared_ptr<IDevice>> device = connectResilientDevice(find().devices.at(1));
  ASSERT_TRUE(device.isOk()) << device.error().message;
  services_.erase("b");
  start("b", {"npu"});
  EXPECT_TRUE((*device)->prepareModel(addModel({4}), {}).isOk());
  EXPECT_EQ((*device)->name(), "npu@b");
  EXPECT_EQ(services_["b"]->counters().clientsEver, 1u);
}

TEST_F(ServedRegistryTest, ResilientDeviceChecksTheRegistryAgain) {
  start("a", {"npu"});
  ResilientOptions options;
  options.patience = 50ms;
  const Result<std::shared_ptr<IDevice>> device = connectResilientDevice(find().devices.at(0), options);
  ASSERT_TRUE(device.isOk()) << device.error().message;
  services_.erase("a");
  ASSERT_EQ(::chmod(folder_.c_str(), 0777), 0);
  start("a", {"npu"});
  EXPECT_EQ((*device)->prepareModel(addModel({4}), {}).code(), ErrorStatus::DeadObject);
}

TEST_F(ServedRegistryTest, DevicesOfOneServiceShareOnePatience) {
  startHanging("a");
  start("b", {"npu"});
  std::vector<FoundDevice> devices;
  for (int i = 0; i < 8; ++i)
    devices.push_back({"slow" + std::to_string(i), "slow" + std::to_string(i), "a", socketOf("a")});
  devices.push_back({"npu", "npu", "b", socketOf("b")});
  ResilientOptions options;
  options.connect.patience = 500ms;
  const auto start = std::chrono::steady_clock::now();
  const ConnectedDevices connected = connectResilientDevices(devices, options);
  EXPECT_LT(std::chrono::steady_clock::now() - start, 8 * 500ms);
  ASSERT_EQ(connected.devices.size(), 1u);
  EXPECT_EQ(connected.devices[0]->name(), "npu");
  EXPECT_EQ(connected.leftOut.size(), 8u);
}

TEST_F(ServedRegistryTest, UntrustedRegistryIsRefused) {
  start("a", {"npu"});
  ASSERT_EQ(::chmod(folder_.c_str(), 0777), 0);
  for (const auto code :
       {findDevices(folder_).code(), findDevice(folder_, "npu").code(), findDevice(folder_, "npu@a").code()})
    EXPECT_EQ(code, ErrorStatus::InvalidArgument);
}

TEST_F(ServedRegistryTest, SocketIsPlaceOfOneService) {
  start("a", {"npu"});
  const Result<FoundDevices> found = findDevices(socketOf("a"));
  ASSERT_TRUE(found.isOk()) << found.error().message;
  EXPECT_THAT(namesOf(*found), ElementsAre("npu"));
  EXPECT_EQ(found->devices[0].service, "");
  EXPECT_EQ(findDevices(socketOf("absent")).code(), ErrorStatus::DeadObject);
}

} // namespace
} // namespace avocet::hal
