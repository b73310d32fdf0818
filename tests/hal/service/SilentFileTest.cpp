//===- SilentFileTest.cpp - Clients whose files block -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ServiceFixture.h"
#include "SilentFileSystem.h"

#include "avocet/base/DescriptorPassing.h"
#include "avocet/hal/types/PeerFile.h"

#include <filesystem>

namespace avocet::hal::testing {
namespace {

using namespace std::chrono_literals;

/// A client sends files of a file system that never answers. Every call must still return.
class SilentFileTest : public ServiceFixture {
protected:
  void SetUp() override {
    silent_ = SilentFileSystem::start();
    if (!silent_)
      GTEST_SKIP() << "this user may mount no FUSE file system";
    ServiceFixture::SetUp();
  }
  void TearDown() override {
    if (service_ == nullptr)
      return;
    EXPECT_TRUE(endsInTime(std::async(std::launch::async, [this] { service_.reset(); })))
        << "the service waits for a client's file system";
    silent_.reset();
    ServiceFixture::TearDown();
  }
  template <typename T> static bool endsInTime(const std::future<T> &future) {
    return future.wait_for(kPatience) == std::future_status::ready;
  }
  /// A spare thread closes the handle, as in the service.
  SharedHandle silentHandle() const { return adoptPeerFile(silent_->file().duplicate().value()); }
  SharedMemory silentMemory(uint64_t size) const {
    return std::make_shared<const Memory>(Memory{Ashmem{silentHandle(), size}});
  }
  Request silentRequest(Sum &sum) const {
    Request request = sum.request;
    request.pools[0] = silentMemory(32);
    return request;
  }

  std::optional<SilentFileSystem> silent_;
};

TEST_F(SilentFileTest, ExecutionFromSilentPoolFailsAlone) {
  auto prepared = prepare(), other = prepare();
  Sum silent, good;
  const Request request = silentRequest(silent);
  auto failing = std::async(std::launch::async, [&] { return prepared->execute(request, {}).status; });
  EXPECT_TRUE(other->execute(good.request, {}).isOk());
  good.expectResult();
  ASSERT_TRUE(endsInTime(failing));
  EXPECT_EQ(failing.get(), ErrorStatus::GeneralFailure);
  EXPECT_TRUE(prepared->execute(good.request, {}).isOk()) << "the session must stay usable";
}

TEST_F(SilentFileTest, ServiceEndsWhileReadBlocks) {
  auto prepared = prepare();
  Sum sum;
  const Request request = silentRequest(sum);
  auto failing = std::async(std::launch::async, [&] { return prepared->execute(request, {}).isOk(); });
  std::this_thread::sleep_for(50ms); // usually during the read; the test is valid at any moment
  auto ending = std::async(std::launch::async, [this] { service_.reset(); });
  ASSERT_TRUE(endsInTime(ending));
  EXPECT_FALSE(failing.get());
}

TEST_F(SilentFileTest, BufferCopiesFail) {
  auto device = connect();
  auto prepared = device->prepareModel(addModel({4}), {});
  auto buffer = device->allocate({}, {{*prepared, 0, 1}}, {});
  ASSERT_TRUE(buffer.isOk()) << buffer.error().message;
  auto copying = std::async(std::launch::async, [&] { return (*buffer)->copyFrom(silentMemory(16), {}).code(); });
  ASSERT_TRUE(endsInTime(copying));
  EXPECT_EQ(copying.get(), ErrorStatus::GeneralFailure);
}

TEST_F(SilentFileTest, CacheFilesDoNotHoldPreparations) {
  const std::string folder = path_ + "-cache";
  DriverOptions options;
  options.cacheDirectory = folder;
  start({}, options);
  auto device = connect();
  PrepareOptions prepare;
  prepare.cache.modelCache = {silentHandle()};
  prepare.cache.dataCache = {std::make_shared<const FileDescriptor>(createMemoryFile("data", 0).value())};
  auto saving = std::async(std::launch::async, [&] { return device->prepareModel(addModel({4}), prepare).isOk(); });
  ASSERT_TRUE(endsInTime(saving));
  EXPECT_TRUE(saving.get()) << "only the cache is lost";
  auto loading =
      std::async(std::launch::async, [&] { return device->prepareModelFromCache({}, prepare.cache).code(); });
  ASSERT_TRUE(endsInTime(loading));
  EXPECT_EQ(loading.get(), ErrorStatus::GeneralFailure);
  std::filesystem::remove_all(folder);
}

TEST_F(SilentFileTest, MessageMemoryIsRefusedAtOnce) {
  auto channel = Channel::connect(path_);
  ASSERT_TRUE(channel.isOk());
  struct {
    uint32_t magic = 0x50495641, numFds = 1;
    uint64_t bytes = SilentFileSystem::kFileBytes;
    uint32_t inMemory = 1, reserved = 0;
  } header;
  iovec part = {&header, sizeof(header)};
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  DescriptorRoom<1> room;
  const int file = silent_->file().get();
  attachDescriptors(message, room.bytes, std::span(&file, 1));
  ASSERT_EQ(::sendmsg((*channel)->descriptor(), &message, MSG_NOSIGNAL), static_cast<ssize_t>(sizeof(header)));
  auto answer = std::async(std::launch::async, [&] { return (*channel)->receive().isOk(); });
  const bool hasEnded = endsInTime(answer);
  EXPECT_TRUE(hasEnded) << "the service reads the memory";
  if (!hasEnded)
    (*channel)->shutdown();
  EXPECT_FALSE(answer.get());
}

TEST_F(SilentFileTest, SessionEndsBeforeItsFilesAreClosed) {
  {
    auto prepared = prepare();
    Sum sum;
    EXPECT_FALSE(prepared->execute(silentRequest(sum), {}).isOk());
  }
  EXPECT_TRUE(reaches(&ServiceCounters::clientsNow, 0));
}

TEST_F(SilentFileTest, PlaceIsTakenUntilFilesAreClosed) {
  Quotas quotas;
  quotas.clients = 1;
  start(quotas);
  {
    auto prepared = prepare();
    Sum sum;
    EXPECT_FALSE(prepared->execute(silentRequest(sum), {}).isOk());
  }
  ConnectOptions soon;
  soon.patience = 100ms;
  EXPECT_FALSE(connectDevice(path_, "fake", soon).isOk());
  silent_.reset();
  EXPECT_TRUE(connectDevice(path_, "fake").isOk());
}

} // namespace
} // namespace avocet::hal::testing
