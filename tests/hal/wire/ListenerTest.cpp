//===- ListenerTest.cpp - Files that a new service replaces -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SocketFixture.h"
#include "SocketHook.h"

#include "avocet/hal/wire/Listener.h"

#include <atomic>
#include <fstream>
#include <sys/stat.h>
#include <thread>
#include <vector>

namespace avocet::hal {
namespace {

class ListenerTest : public testing::SocketFixture {
protected:
  static ino_t inodeAt(const std::string &path) {
    struct stat found = {};
    return ::lstat(path.c_str(), &found) == 0 ? found.st_ino : 0;
  }
  /// listen() fails with a message that contains `words`, and the file stays.
  void expectRefusal(const std::string &words) const {
    const ino_t before = inodeAt(path_);
    auto listener = Listener::listen(path_);
    EXPECT_EQ(listener.code(), ErrorStatus::GeneralFailure);
    if (!listener) {
      EXPECT_NE(listener.error().message.find(words), std::string::npos) << listener.error().message;
    }
    EXPECT_EQ(inodeAt(path_), before);
  }
};

TEST_F(ListenerTest, KeepsRegularFile) {
  std::ofstream(path_) << "data";
  expectRefusal("a regular file");
  EXPECT_EQ(std::filesystem::file_size(path_), 4u);
}

TEST_F(ListenerTest, KeepsFifo) {
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  expectRefusal("a FIFO");
}

TEST_F(ListenerTest, KeepsFolder) {
  ASSERT_EQ(::mkdir(path_.c_str(), 0700), 0);
  expectRefusal("a folder");
}

TEST_F(ListenerTest, KeepsSymbolicLinkAndTarget) {
  const std::string target = folder_ + "/target";
  std::ofstream(target) << "data";
  ASSERT_EQ(::symlink(target.c_str(), path_.c_str()), 0);
  expectRefusal("a symbolic link");
  EXPECT_EQ(std::filesystem::file_size(target), 4u);
}

TEST_F(ListenerTest, KeepsLinkToDeadSocket) {
  const std::string dead = folder_ + "/dead";
  (void)bindSocket();
  std::filesystem::rename(path_, dead);
  ASSERT_EQ(::symlink(dead.c_str(), path_.c_str()), 0);
  expectRefusal("a symbolic link");
  EXPECT_NE(inodeAt(dead), 0u);
}

TEST_F(ListenerTest, KeepsSocketThatListens) {
  const FileDescriptor other = bindSocket(8);
  expectRefusal("another service listens there");
}

TEST_F(ListenerTest, KeepsSocketWithFullQueue) {
  const FileDescriptor other = bindSocket(0);
  const sockaddr_un name = address();
  std::vector<FileDescriptor> waiting;
  do
    waiting.emplace_back(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  while (::connect(waiting.back().get(), reinterpret_cast<const sockaddr *>(&name), sizeof(name)) == 0);
  expectRefusal("another service listens there");
}

TEST_F(ListenerTest, KeepsSocketOfAnotherKind) {
  const FileDescriptor stream = bindSocket(8, SOCK_STREAM);
  expectRefusal("not one of a dead service");
}

TEST_F(ListenerTest, KeepsDeadSocketOfAnotherUser) {
  (void)bindSocket();
  if (::chown(path_.c_str(), 65534, 65534) != 0)
    GTEST_SKIP() << "only root can give a file away";
  expectRefusal("belongs to user 65534");
}

TEST_F(ListenerTest, ReplacesOwnDeadSocket) {
  (void)bindSocket();
  auto listener = Listener::listen(path_, 0640);
  ASSERT_TRUE(listener.isOk()) << listener.error().message;
  struct stat made = {};
  ASSERT_EQ(::lstat(path_.c_str(), &made), 0);
  EXPECT_EQ(made.st_mode & 0777u, 0640u);
  EXPECT_TRUE(Channel::connect(path_).isOk());
  listener->reset();
  EXPECT_EQ(inodeAt(path_), 0u);
}

TEST_F(ListenerTest, LeavesSocketOfSuccessor) {
  auto first = Listener::listen(path_);
  ASSERT_TRUE(first.isOk());
  ASSERT_EQ(::unlink(path_.c_str()), 0);
  auto second = Listener::listen(path_);
  ASSERT_TRUE(second.isOk()) << second.error().message;
  first->reset();
  EXPECT_TRUE(Channel::connect(path_).isOk());
}

/// Without the lock of the folder, the second service binds the path and the first one then removes that socket.
TEST_F(ListenerTest, SecondStarterWaitsBetweenCheckAndRemoval) {
  (void)bindSocket();
  std::unique_ptr<Listener> second;
  std::atomic<bool> hasEnded = false;
  std::jthread starter;
  const size_t refusedBefore = testing::numRefusedLocks();
  const testing::RefusedConnectHook hook([&] {
    starter = std::jthread([&] {
      if (auto made = Listener::listen(path_))
        second = std::move(*made);
      hasEnded = true;
    });
    while (!hasEnded && testing::numRefusedLocks() == refusedBefore)
      std::this_thread::yield();
  });
  auto first = Listener::listen(path_);
  ASSERT_TRUE(starter.joinable()) << "the path was not tried";
  starter.join();
  EXPECT_TRUE(first.isOk()) << first.error().message;
  EXPECT_EQ(second, nullptr);
  EXPECT_TRUE(Channel::connect(path_).isOk());
}

} // namespace
} // namespace avocet::hal
