//===- PeerFileTest.cpp - Files of peers that may block ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/types/PeerFile.h"

#include "SilentFileSystem.h"

#include <condition_variable>
#include <fcntl.h>
#include <future>
#include <gtest/gtest.h>
#include <mutex>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace avocet::hal {
namespace {

using namespace std::chrono_literals;

FileDescriptor opened(const char *path) { return FileDescriptor(::open(path, O_RDONLY | O_CLOEXEC)); }

TEST(PeerFileTest, MemoryIsPrompt) {
  const FileDescriptor memory = createMemoryFile("test", 1).value();
  EXPECT_TRUE(isMemoryFile(memory));
  EXPECT_TRUE(answersPromptly(memory));
}

TEST(PeerFileTest, DescriptorsWithoutFileArePrompt) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const FileDescriptor pipe(ends[0]), other(ends[1]);
  EXPECT_TRUE(answersPromptly(pipe));
  EXPECT_TRUE(answersPromptly(FileDescriptor(::eventfd(0, EFD_CLOEXEC))));
  EXPECT_TRUE(answersPromptly(FileDescriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0))));
}

TEST(PeerFileTest, OtherFilesAreNotPrompt) {
  for (const char *path : {"/proc/self/maps", "/proc", "/dev/null"}) {
    const FileDescriptor file = opened(path);
    ASSERT_TRUE(file.isValid()) << path;
    EXPECT_FALSE(answersPromptly(file)) << path;
    EXPECT_FALSE(isMemoryFile(file)) << path;
  }
}

/// A trusted mount that is remembered must not cover the files of another one.
TEST(PeerFileTest, SlowFileIsFoundAmongOthers) {
  const auto shared = [](FileDescriptor file) { return std::make_shared<const FileDescriptor>(std::move(file)); };
  const SharedHandle memory = shared(createMemoryFile("test", 1).value()), slow = shared(opened("/proc/self/maps"));
  const SharedHandle program = shared(opened("/proc/self/exe"));
  std::vector<SharedHandle> files = {nullptr, memory};
  if (answersPromptly(*program)) // not on every file system
    files.insert(files.end(), {program, program});
  EXPECT_EQ(firstSlow(files), nullptr);
  files.push_back(slow);
  files.push_back(memory);
  ASSERT_NE(firstSlow(files), nullptr);
  EXPECT_EQ(*firstSlow(files), slow);
}

TEST(PeerFileTest, FactsNameTheFile) {
  const FileDescriptor memory = createMemoryFile("test", 12345).value();
  const std::optional<PeerFileFacts> facts = factsOf(memory);
  ASSERT_TRUE(facts.has_value());
  EXPECT_EQ(facts->size, 12345u);
  EXPECT_TRUE(facts->isRegular);
  EXPECT_NE(factsOf(createMemoryFile("test", 1).value())->inode, facts->inode);
  EXPECT_FALSE(factsOf(FileDescriptor()).has_value());
}

/// Work that blocks until the test opens the gate.
class SpareThreadTest : public ::testing::Test {
protected:
  struct Gate {
    std::mutex mutex;
    std::condition_variable changed;
    bool isOpen = false;
    int waiting = 0;
  };
  ~SpareThreadTest() override {
    std::unique_lock lock(gate_->mutex);
    gate_->isOpen = true;
    gate_->changed.notify_all();
    gate_->changed.wait(lock, [this] { return gate_->waiting == 0; });
  }
  std::function<void()> blocking() const {
    return [gate = gate_] {
      std::unique_lock lock(gate->mutex);
      ++gate->waiting;
      gate->changed.notify_all();
      gate->changed.wait(lock, [&] { return gate->isOpen; });
      --gate->waiting;
      gate->changed.notify_all();
    };
  }

  const std::shared_ptr<Gate> gate_ = std::make_shared<Gate>();
  const FileDescriptor proc_ = opened("/proc/self/maps"), device_ = opened("/dev/null");
};

TEST_F(SpareThreadTest, WorkThatBlocksIsAbandoned) {
  EXPECT_EQ(runAside(proc_, blocking(), 10ms).code(), ErrorStatus::GeneralFailure);
  EXPECT_TRUE(runAside(proc_, [] {}).isOk());
}

TEST_F(SpareThreadTest, OneFileSystemLeavesThreadsForOthers) {
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(runAside(proc_, blocking(), 10ms).code(), ErrorStatus::GeneralFailure);
  EXPECT_EQ(runAside(proc_, [] {}, 10ms).code(), ErrorStatus::ResourceExhaustedTransient);
  EXPECT_TRUE(runAside(device_, [] {}).isOk());
}

TEST_F(SpareThreadTest, EndingStopsWaiting) {
  auto waiting = std::async(std::launch::async, [&] { return runAside(proc_, blocking(), 1h).code(); });
  {
    std::unique_lock lock(gate_->mutex);
    ASSERT_TRUE(gate_->changed.wait_for(lock, 20s, [this] { return gate_->waiting == 1; }));
  }
  const PeerFilesEnding ending;
  EXPECT_EQ(waiting.get(), ErrorStatus::DeviceUnavailable);
  EXPECT_EQ(runAside(proc_, [] {}).code(), ErrorStatus::DeviceUnavailable);
}

TEST_F(SpareThreadTest, ResultsComeBack) {
  const SharedHandle file = std::make_shared<const FileDescriptor>(opened("/proc/self/maps"));
  const auto here = std::this_thread::get_id();
  auto thread = [] { return Result<std::thread::id>(std::this_thread::get_id()); };
  const auto aside = withPeerFiles<std::thread::id>({file}, thread);
  ASSERT_TRUE(aside.isOk());
  EXPECT_NE(*aside, here);
  EXPECT_EQ(*withPeerFiles<std::thread::id>({nullptr}, thread), here);
  EXPECT_EQ(withPeerFiles<int>({file}, [] { return Result<int>(invalidArgument("no")); }).code(),
            ErrorStatus::InvalidArgument);
}

TEST(SilentFileTest, IsNotPromptAndClosesAside) {
  std::optional<SilentFileSystem> silent = SilentFileSystem::start();
  if (!silent)
    GTEST_SKIP() << "this user may mount no FUSE file system";
  EXPECT_FALSE(answersPromptly(silent->file()));
  EXPECT_EQ(factsOf(silent->file())->size, SilentFileSystem::kFileBytes);
  auto kept = std::make_shared<int>(0);
  SharedHandle handle = adoptPeerFile(silent->file().duplicate().value(), kept);
  handle.reset(); // closing on this thread would block
  EXPECT_EQ(kept.use_count(), 2) << "closing has not ended";
  silent.reset();
  while (kept.use_count() != 1)
    std::this_thread::yield();
}

} // namespace
} // namespace avocet::hal
