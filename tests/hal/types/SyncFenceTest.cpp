//===- SyncFenceTest.cpp - Fences between processes -----------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/types/SyncFence.h"

#include "avocet/base/DescriptorPassing.h"

#include <gtest/gtest.h>

#include <csignal>
#include <fcntl.h>
#include <span>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace avocet::hal::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;

SharedHandle share(FileDescriptor fd) { return std::make_shared<const FileDescriptor>(std::move(fd)); }
SharedHandle share(int fd) { return share(FileDescriptor(fd)); }

struct Pair {
  SyncFence fence;
  FenceSignaler signaler;
};

Pair makeFence() {
  auto made = FenceSignaler::create();
  EXPECT_TRUE(made.isOk()) << made.error().message;
  return {std::move(made->first), std::move(made->second)};
}

SyncFence adopted(SharedHandle handle) {
  auto fence = SyncFence::adopt(std::move(handle));
  EXPECT_TRUE(fence.isOk()) << fence.error().message;
  return fence ? *fence : SyncFence();
}

struct Pipe {
  Pipe() {
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    reader = share(ends[0]);
    writer = FileDescriptor(ends[1]);
  }
  SharedHandle reader;
  FileDescriptor writer;
};

TEST(SyncFence, WithoutDescriptorHasSignaled) {
  SyncFence fence;
  EXPECT_EQ(fence.handle(), nullptr);
  EXPECT_EQ(fence.state(), FenceState::Signaled);
  EXPECT_EQ(fence.wait(std::nullopt), FenceState::Signaled);
  EXPECT_FALSE(fence.identity().has_value());
}

TEST(SyncFence, IsActiveUntilSignaled) {
  auto [fence, signaler] = makeFence();
  EXPECT_EQ(fence.state(), FenceState::Active);
  EXPECT_EQ(fence.wait(Duration(0)), FenceState::Active);
  EXPECT_EQ(fence.wait(Duration(-5)), FenceState::Active);
  EXPECT_EQ(fence.wait(milliseconds(1)), FenceState::Active);
  signaler.signal();
  EXPECT_EQ(fence.state(), FenceState::Signaled);
  EXPECT_EQ(fence.wait(std::nullopt), FenceState::Signaled);
  EXPECT_EQ(fence.wait(Duration(0)), FenceState::Signaled);
}

TEST(SyncFence, FirstDecisionIsFinal) {
  auto [good, signaler] = makeFence();
  signaler.signal();
  signaler.fail();
  signaler.signal();
  auto [bad, failing] = makeFence();
  failing.fail();
  failing.signal();
  for (int look = 0; look < 3; ++look) {
    EXPECT_EQ(good.state(), FenceState::Signaled);
    EXPECT_EQ(bad.state(), FenceState::Error);
  }
}

TEST(SyncFence, FailsWhenSignalerIsDropped) {
  auto fence = makeFence().fence;
  EXPECT_EQ(fence.state(), FenceState::Error);
  EXPECT_EQ(fence.wait(std::nullopt), FenceState::Error);
}

TEST(SyncFence, FailingFenceNeverReadsAsSignaled) {
  int signaled = 0;
  for (int round = 0; round < 500; ++round) {
    auto [fence, signaler] = makeFence();
    std::thread failing([&signaler = signaler] { signaler.fail(); });
    FenceState state = FenceState::Active;
    while (state == FenceState::Active)
      state = fence.state();
    failing.join();
    signaled += state == FenceState::Signaled ? 1 : 0;
  }
  EXPECT_EQ(signaled, 0);
}

TEST(SyncFence, SocketShutDownWithoutSignalHasFailed) {
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  SyncFence fence = adopted(share(ends[0]));
  FileDescriptor peer(ends[1]);
  EXPECT_EQ(fence.state(), FenceState::Active);
  ASSERT_EQ(::shutdown(peer.get(), SHUT_WR), 0);
  EXPECT_EQ(fence.state(), FenceState::Error);
  peer.reset();
  EXPECT_EQ(fence.state(), FenceState::Error);
}

TEST(SyncFence, MovedSignalerKeepsItsFence) {
  auto [fence, first] = makeFence();
  FenceSignaler second = std::move(first);
  first.fail(); // NOLINT: the moved-from signaler is empty
  EXPECT_EQ(fence.state(), FenceState::Active);
  auto [other, third] = makeFence();
  third = std::move(second); // drops the previous signaler of `third`
  EXPECT_EQ(other.state(), FenceState::Error);
  third.signal();
  EXPECT_EQ(fence.state(), FenceState::Signaled);
}

TEST(SyncFence, WakesThreadsThatWait) {
  for (bool isGood : {true, false}) {
    auto [fence, signaler] = makeFence();
    FenceState states[2] = {};
    std::thread forEver([&, &fence = fence] { states[0] = fence.wait(std::nullopt); });
    std::thread bounded([&, &fence = fence] { states[1] = fence.wait(minutes(10)); });
    isGood ? signaler.signal() : signaler.fail();
    forEver.join();
    bounded.join();
    EXPECT_EQ(states[0], isGood ? FenceState::Signaled : FenceState::Error);
    EXPECT_EQ(states[1], states[0]);
  }
}

TEST(SyncFence, LongestWaitDoesNotOverflow) {
  auto [fence, signaler] = makeFence();
  FenceState state = FenceState::Error;
  std::thread waiter([&, &fence = fence] { state = fence.wait(Duration::max()); });
  signaler.signal();
  waiter.join();
  EXPECT_EQ(state, FenceState::Signaled);
}

TEST(SyncFence, CopiesSignalTogether) {
  auto [fence, signaler] = makeFence();
  SyncFence copy = fence;
  SyncFence duplicate = adopted(share(::fcntl(fence.handle()->get(), F_DUPFD_CLOEXEC, 0)));
  signaler.signal();
  EXPECT_EQ(copy.state(), FenceState::Signaled);
  EXPECT_EQ(duplicate.state(), FenceState::Signaled);
}

TEST(SyncFence, DuplicateOutlivesOriginalDescriptor) {
  auto made = makeFence();
  SyncFence duplicate = adopted(share(::dup(made.fence.handle()->get())));
  made.fence = SyncFence();
  EXPECT_EQ(duplicate.state(), FenceState::Active);
  made.signaler.signal();
  EXPECT_EQ(duplicate.state(), FenceState::Signaled);
}

TEST(SyncFence, SignalWithoutWaiterRaisesNoSigpipe) {
  auto made = makeFence();
  made.fence = SyncFence();
  made.signaler.signal(); // must not raise SIGPIPE
}

TEST(SyncFence, FullSocketDoesNotBlockSignaler) {
  auto [fence, signaler] = makeFence();
  std::vector<char> junk(1 << 16);
  while (::send(fence.handle()->get(), junk.data(), junk.size(), MSG_DONTWAIT | MSG_NOSIGNAL) > 0) {
  }
  signaler.signal();
  EXPECT_NE(fence.wait(std::nullopt), FenceState::Active);
}

TEST(SyncFence, DuplicateDescriptorsHaveSameIdentity) {
  auto [first, one] = makeFence();
  auto [second, two] = makeFence();
  ASSERT_TRUE(first.identity().has_value());
  EXPECT_EQ(first.identity(), SyncFence(first).identity());
  EXPECT_EQ(first.identity(), adopted(share(::dup(first.handle()->get()))).identity());
  EXPECT_NE(first.identity(), second.identity());
  auto before = first.identity();
  one.signal();
  EXPECT_EQ(first.identity(), before);
}

TEST(SyncFence, RefusesInvalidDescriptors) {
  EXPECT_EQ(SyncFence::adopt(nullptr).code(), ErrorStatus::InvalidArgument);
  EXPECT_EQ(SyncFence::adopt(share(-1)).code(), ErrorStatus::InvalidArgument);
  int closed = ::dup(0);
  ASSERT_GE(closed, 0);
  auto handle = share(closed);
  ::close(closed);
  EXPECT_EQ(SyncFence::adopt(handle).code(), ErrorStatus::InvalidArgument);
  ::open("/dev/null", O_RDONLY | O_CLOEXEC); // takes the number that the handle closes
}

TEST(SyncFence, RefusesFilesDevicesAndEpoll) {
  EXPECT_EQ(SyncFence::adopt(share(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC))).code(),
            ErrorStatus::InvalidArgument);
  EXPECT_EQ(SyncFence::adopt(share(::open("/dev/null", O_RDONLY | O_CLOEXEC))).code(), ErrorStatus::InvalidArgument);
  EXPECT_EQ(SyncFence::adopt(share(::open("/", O_RDONLY | O_CLOEXEC))).code(), ErrorStatus::InvalidArgument);
  EXPECT_EQ(SyncFence::adopt(share(::epoll_create1(EPOLL_CLOEXEC))).code(), ErrorStatus::InvalidArgument);
}

TEST(SyncFence, AcceptsEventDescriptors) {
  SharedHandle event = share(::eventfd(0, EFD_CLOEXEC));
  SyncFence fence = adopted(event);
  EXPECT_EQ(fence.state(), FenceState::Active);
  EXPECT_FALSE(fence.identity().has_value());
  uint64_t one = 1;
  ASSERT_EQ(::write(event->get(), &one, sizeof(one)), ssize_t(sizeof(one)));
  EXPECT_EQ(fence.state(), FenceState::Signaled);
  EXPECT_EQ(fence.wait(std::nullopt), FenceState::Signaled);
}

TEST(SyncFence, AcceptsPipes) {
  Pipe pipe;
  SyncFence fence = adopted(pipe.reader);
  EXPECT_EQ(fence.state(), FenceState::Active);
  EXPECT_FALSE(fence.identity().has_value());
  ASSERT_EQ(::write(pipe.writer.get(), "x", 1), 1);
  EXPECT_EQ(fence.state(), FenceState::Signaled);
  pipe.writer.reset();
  EXPECT_EQ(fence.state(), FenceState::Signaled);
}

TEST(SyncFence, PipeWithoutWriterHasFailed) {
  Pipe pipe;
  SyncFence fence = adopted(pipe.reader);
  pipe.writer.reset();
  EXPECT_EQ(fence.state(), FenceState::Error);
  EXPECT_EQ(fence.wait(std::nullopt), FenceState::Error);
}

TEST(SyncFence, PolledErrorHasFailed) {
  Pipe pipe;
  SyncFence fence = adopted(share(pipe.writer.release()));
  EXPECT_EQ(fence.state(), FenceState::Active); // it can be written, but not read
  pipe.reader.reset();
  EXPECT_EQ(fence.state(), FenceState::Error); // a writer without a reader polls POLLERR
}

TEST(SyncFence, CreateFailsWithoutFreeDescriptors) {
  rlimit before = {};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit none = before;
  none.rlim_cur = 0;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  auto made = FenceSignaler::create();
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(made.code(), ErrorStatus::ResourceExhaustedTransient);
}

/// A child process that runs `work`; killed in the destructor.
class Child {
public:
  explicit Child(const std::function<void()> &work) : pid_(::fork()) {
    if (pid_ != 0)
      return;
    work();
    ::_exit(0);
  }
  ~Child() {
    if (pid_ > 0)
      end();
  }
  void end() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }

private:
  pid_t pid_;
};

/// Sends a descriptor over a socket.
bool sendDescriptor(int socket, int fd) {
  char byte = 0;
  iovec data{&byte, 1};
  msghdr message = {};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  DescriptorRoom<1> room;
  attachDescriptors(message, room.bytes, std::span(&fd, 1));
  return ::sendmsg(socket, &message, 0) == 1;
}

FileDescriptor receiveDescriptor(int socket) {
  char byte = 0;
  iovec data{&byte, 1};
  DescriptorRoom<1> room;
  msghdr message = {};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = room.bytes;
  message.msg_controllen = sizeof(room.bytes);
  if (::recvmsg(socket, &message, MSG_CMSG_CLOEXEC) != 1)
    return FileDescriptor();
  std::vector<FileDescriptor> received = takeDescriptors(message);
  return received.empty() ? FileDescriptor() : std::move(received.front());
}

/// Two connected sockets, one for each process.
struct Connection {
  Connection() {
    int ends[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    ours = FileDescriptor(ends[0]);
    theirs = FileDescriptor(ends[1]);
  }
  FileDescriptor ours, theirs;
};

TEST(SyncFenceOfAnotherProcess, FailsWhenThatProcessIsKilled) {
  Connection connection;
  Child child([&] {
    connection.ours.reset();
    auto made = FenceSignaler::create();
    sendDescriptor(connection.theirs.get(), made->first.handle()->get());
    while (true)
      ::pause();
  });
  connection.theirs.reset();
  SyncFence fence = adopted(share(receiveDescriptor(connection.ours.get())));
  EXPECT_EQ(fence.state(), FenceState::Active);
  std::thread killer([&] { child.end(); });
  EXPECT_EQ(fence.wait(std::nullopt), FenceState::Error);
  killer.join();
}

TEST(SyncFenceOfAnotherProcess, IsSignaledByThatProcess) {
  Connection connection;
  Child child([&] {
    auto made = FenceSignaler::create();
    sendDescriptor(connection.theirs.get(), made->first.handle()->get());
    char go = 0;
    (void)!::read(connection.theirs.get(), &go, 1);
    made->second.signal();
  });
  SyncFence fence = adopted(share(receiveDescriptor(connection.ours.get())));
  EXPECT_EQ(fence.state(), FenceState::Active);
  ASSERT_EQ(::write(connection.ours.get(), "g", 1), 1);
  EXPECT_EQ(fence.wait(std::nullopt), FenceState::Signaled);
}

TEST(SyncFenceOfAnotherProcess, KeepsIdentityOnReturn) {
  Connection connection;
  auto [fence, signaler] = makeFence();
  Child child([&] {
    const FileDescriptor received = receiveDescriptor(connection.theirs.get());
    sendDescriptor(connection.theirs.get(), received.get());
  });
  ASSERT_TRUE(sendDescriptor(connection.ours.get(), fence.handle()->get()));
  SyncFence returned = adopted(share(receiveDescriptor(connection.ours.get())));
  EXPECT_NE(returned.handle()->get(), fence.handle()->get());
  EXPECT_EQ(returned.identity(), fence.identity());
  signaler.signal();
  EXPECT_EQ(returned.state(), FenceState::Signaled);
}

} // namespace
} // namespace avocet::hal::test
