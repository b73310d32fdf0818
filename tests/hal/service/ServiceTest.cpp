//===- ServiceTest.cpp - Clients in this and other processes -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ServiceFixture.h"

#include <cerrno>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

namespace avocet::hal {
namespace {

using namespace testing;
using ::testing::ElementsAre;

using ServiceTest = ServiceFixture;

TEST_F(ServiceTest, DescribesDevicesLikeTheDriver) {
  auto names = listDevices(path_);
  ASSERT_TRUE(names.isOk());
  EXPECT_THAT(*names, ElementsAre("npu", "fake"));
  auto local = openDevice({});
  auto remote = connect();
  ASSERT_TRUE(local.isOk());
  EXPECT_EQ(remote->name(), (*local)->name());
  EXPECT_EQ(remote->versionString(), (*local)->versionString());
  EXPECT_EQ(remote->featureLevel(), (*local)->featureLevel());
  EXPECT_EQ(remote->type(), (*local)->type());
  EXPECT_EQ(remote->status(), DeviceStatus::Available);
  EXPECT_EQ(remote->capabilities().operandPerformance.size(), (*local)->capabilities().operandPerformance.size());
}

TEST_F(ServiceTest, PassesOnMemoryPreferenceOfDevice) {
  EXPECT_EQ(connect("fake")->memoryPreference().alignment, 256u);
  EXPECT_EQ(connect("fake")->memoryPreference().padding, 32u);
}

TEST_F(ServiceTest, RunsModels) {
  auto prepared = prepare();
  Sum sum;
  ExecutionOptions options;
  options.measure = MeasureTiming::Yes;
  ExecutionOutcome outcome = prepared->execute(sum.request, options);
  ASSERT_TRUE(outcome.isOk()) << outcome.message;
  sum.expectResult();
  EXPECT_THAT(outcome.outputShapes.at(0).dimensions, ElementsAre(4));
  EXPECT_LE(*outcome.timing.timeOnDevice, *outcome.timing.timeInDriver);
}

TEST_F(ServiceTest, RunsReusableExecutions) {
  Sum sum;
  auto execution = prepare()->createReusableExecution(sum.request, {});
  ASSERT_TRUE(execution.isOk()) << execution.error().message;
  for (int run = 0; run < 3; ++run) {
    std::fill(sum.outputs.bytes().begin(), sum.outputs.bytes().end(), uint8_t(0));
    ASSERT_TRUE((*execution)->compute({}).isOk());
    sum.expectResult();
  }
}

TEST_F(ServiceTest, CallsBackOnce) {
  auto device = connect();
  std::promise<std::shared_ptr<IPreparedModel>> preparing;
  EXPECT_EQ(device->prepareModelAsynchronously(addModel({4}), {},
                                               [&](ErrorStatus status, std::shared_ptr<IPreparedModel> prepared) {
                                                 EXPECT_EQ(status, ErrorStatus::None);
                                                 preparing.set_value(std::move(prepared));
                                               }),
            ErrorStatus::None);
  auto preparation = preparing.get_future();
  ASSERT_EQ(preparation.wait_for(kPatience), std::future_status::ready);
  auto prepared = preparation.get();
  Sum sum;
  std::promise<ErrorStatus> running;
  EXPECT_EQ(prepared->executeAsynchronously(
                sum.request, {}, [&](const ExecutionOutcome &outcome) { running.set_value(outcome.status); }),
            ErrorStatus::None);
  auto run = running.get_future();
  ASSERT_EQ(run.wait_for(kPatience), std::future_status::ready);
  EXPECT_EQ(run.get(), ErrorStatus::None);
  sum.expectResult();
}

TEST_F(ServiceTest, AsynchronousCallRefusesSameRequests) {
  auto prepared = prepare();
  Sum sum;
  sum.request.inputs[0].location.offset = uint64_t(1) << 40;
  EXPECT_EQ(prepared->execute(sum.request, {}).status, ErrorStatus::InvalidArgument);
  std::promise<ErrorStatus> running;
  EXPECT_EQ(prepared->executeAsynchronously(
                sum.request, {}, [&](const ExecutionOutcome &outcome) { running.set_value(outcome.status); }),
            ErrorStatus::InvalidArgument);
  EXPECT_EQ(running.get_future().get(), ErrorStatus::InvalidArgument);
}

TEST_F(ServiceTest, PassesLargeModels) {
  std::vector<float> constant(100000);
  std::iota(constant.begin(), constant.end(), 0.0f);
  Model model = addModel({4});
  model.operandValues.resize(model.operandValues.size() + 300000); // too large for a packet of the socket
  auto supported = connect()->getSupportedOperations(model);
  ASSERT_TRUE(supported.isOk()) << supported.error().message;
  EXPECT_THAT(supported->supported, ElementsAre(true));
}

TEST_F(ServiceTest, CountsObjectsUntilReleased) {
  auto prepared = prepare();
  EXPECT_EQ(service_->counters().objectsNow, 1u);
  EXPECT_EQ(service_->counters().drivers.preparedModels, 1u);
  prepared.reset();
  EXPECT_TRUE(reaches(&ServiceCounters::objectsNow, 0));
  EXPECT_TRUE(reaches(&ServiceCounters::clientsNow, 0));
}

TEST_F(ServiceTest, RejectsObjectsAboveLimit) {
  Quotas quotas;
  quotas.objects = 2;
  start(quotas);
  auto device = connect();
  auto first = device->prepareModel(addModel({4}), {}), second = device->prepareModel(addModel({4}), {});
  ASSERT_TRUE(first.isOk() && second.isOk());
  EXPECT_EQ(device->prepareModel(addModel({4}), {}).code(), ErrorStatus::ResourceExhaustedTransient);
  auto other = connect()->prepareModel(addModel({4}), {});
  EXPECT_TRUE(other.isOk()) << "another client's quota is its own";
}

TEST_F(ServiceTest, RefusesUnknownDevices) {
  EXPECT_EQ(connectDevice(path_, "cpu").code(), ErrorStatus::InvalidArgument);
  EXPECT_EQ(connectDevice(path_, "").code(), ErrorStatus::InvalidArgument);
  EXPECT_EQ(connectDevice(path_ + ".none", "npu").code(), ErrorStatus::DeadObject);
}

TEST_F(ServiceTest, SurvivesKilledClients) {
  for (int round = 0; round < 10; ++round) {
    pid_t child = ::fork();
    if (child == 0) {
      auto device = connectDevice(path_, "npu");
      auto prepared = device ? (*device)->prepareModel(addModel({4}), {}) : device.error();
      for (Sum sum; prepared;)
        (void)(*prepared)->execute(sum.request, {});
      ::_exit(1);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(round * 7));
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    ::waitpid(child, nullptr, 0);
  }
  EXPECT_TRUE(reaches(&ServiceCounters::clientsNow, 0));
  EXPECT_TRUE(reaches(&ServiceCounters::objectsNow, 0));
  Sum sum;
  EXPECT_TRUE(prepare()->execute(sum.request, {}).isOk());
}

TEST_F(ServiceTest, CallsFailAfterServiceEnds) {
  auto device = connect();
  auto prepared = prepare();
  service_.reset();
  Sum sum;
  auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(prepared->execute(sum.request, {}).status, ErrorStatus::DeadObject);
  EXPECT_EQ(device->getSupportedOperations(addModel({4})).code(), ErrorStatus::DeadObject);
  std::promise<ErrorStatus> called;
  EXPECT_EQ(prepared->executeAsynchronously(sum.request, {},
                                            [&](const ExecutionOutcome &outcome) { called.set_value(outcome.status); }),
            ErrorStatus::DeadObject);
  EXPECT_EQ(called.get_future().get(), ErrorStatus::DeadObject);
  EXPECT_LT(std::chrono::steady_clock::now() - start, kPatience);
}

TEST_F(ServiceTest, EndsConnectionsThatSendGarbage) {
  std::vector<std::vector<uint8_t>> rubbish = {{}, std::vector<uint8_t>(8), std::vector<uint8_t>(100, 0xff)};
  std::vector<uint8_t> header = {'A', 'V', 'I', 'P', 0, 0, 0, 0, 4, 0, 0, 0, 0, 0,
                                 0,   0,   0,   0,   0, 0, 0, 0, 0, 0, 1, 2, 3, 4};
  rubbish.push_back(header);
  header[8] = header[9] = header[15] = 0xff; // a message of nearly 2^64 bytes
  rubbish.push_back(header);
  for (const std::vector<uint8_t> &bytes : rubbish) {
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    std::copy(path_.begin(), path_.end(), address.sun_path);
    FileDescriptor socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    ASSERT_EQ(::connect(socket.get(), reinterpret_cast<sockaddr *>(&address), sizeof(address)), 0);
    (void)!::write(socket.get(), bytes.data(), bytes.size());
    ::shutdown(socket.get(), SHUT_WR);
    // The end of the stream, or a reset if the service had not read everything when it closed the connection.
    uint8_t byte;
    ssize_t got = ::read(socket.get(), &byte, 1);
    EXPECT_TRUE(got == 0 || (got < 0 && errno == ECONNRESET)) << got << " after " << bytes.size() << " bytes";
  }
  EXPECT_TRUE(reaches(&ServiceCounters::clientsNow, 0));
}

} // namespace
} // namespace avocet::hal
