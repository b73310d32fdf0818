//===- SyncFence.cpp - Fences shared between processes ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/types/SyncFence.h"

#include "avocet/hal/types/SaturatedTime.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <fmt/core.h>
#include <limits>
#include <linux/sync_file.h>
#include <poll.h>
#include <string_view>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace avocet::hal {
namespace {

/// Whether there are bytes to read. poll() alone does not show it, since it reports POLLIN also after a hang-up.
bool hasBytes(int fd) {
  int unread = 0;
  return ::ioctl(fd, FIONREAD, &unread) == 0 && unread > 0;
}

/// Whether the sync_file, which has signaled, did so without an error. poll() does not show it.
bool hasSucceeded(int fd) {
  sync_file_info info = {};
  return ::ioctl(fd, SYNC_IOC_FILE_INFO, &info) == 0 && info.status > 0;
}

/// A descriptor that hung up with nothing to read can never signal: a pipe without a writer, or a socket whose peer is
/// being closed, since the kernel reports the hang-up slightly before the error.
FenceState stateOf(int fd, short events) {
  if ((events & (POLLERR | POLLNVAL)) != 0)
    return FenceState::Error;
  if ((events & (POLLHUP | POLLRDHUP)) != 0)
    return hasBytes(fd) ? FenceState::Signaled : FenceState::Error;
  return (events & POLLIN) != 0 ? FenceState::Signaled : FenceState::Active;
}

/// Polls for at most `timeout` milliseconds; negative: for ever.
FenceState look(const SharedHandle &handle, bool isSyncFile, int timeout) {
  if (handle == nullptr)
    return FenceState::Signaled;
  pollfd entry{handle->get(), POLLIN | POLLRDHUP, 0};
  if (::poll(&entry, 1, timeout) <= 0)
    return FenceState::Active;
  const FenceState state = stateOf(handle->get(), entry.revents);
  return isSyncFile && state == FenceState::Signaled && !hasSucceeded(handle->get()) ? FenceState::Error : state;
}

int millisecondsUntil(TimePoint end) {
  auto left = std::chrono::ceil<std::chrono::milliseconds>(end - BootClock::now()).count();
  return static_cast<int>(std::clamp<int64_t>(left, 0, std::numeric_limits<int>::max()));
}

enum class Kind { Other, SyncFile, Refused };

/// Refused: polling the descriptor may not return. Files, and sets of files (epoll), may belong to a file system
/// that another process serves; querying it, even for its type, could block for ever.
Kind kindOf(int fd) {
  struct statx status = {};
  if (::statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE, &status) != 0)
    return Kind::Refused;
  if (S_ISSOCK(status.stx_mode) || S_ISFIFO(status.stx_mode))
    return Kind::Other;
  char name[32] = {};
  if (::readlink(fmt::format("/proc/self/fd/{}", fd).c_str(), name, sizeof(name) - 1) < 0)
    return Kind::Refused;
  if (std::string_view(name) == "anon_inode:sync_file")
    return Kind::SyncFile;
  return std::string_view(name) == "anon_inode:[eventfd]" ? Kind::Other : Kind::Refused;
}

} // namespace

Result<SyncFence> SyncFence::adopt(SharedHandle handle) {
  if (handle == nullptr || !handle->isValid())
    return invalidArgument("fence: there is no descriptor");
  const Kind kind = kindOf(handle->get());
  if (kind == Kind::Refused)
    return invalidArgument(
        fmt::format("fence: descriptor {} is none of socket, pipe, eventfd, sync_file", handle->get()));
  pollfd entry{handle->get(), POLLIN, 0};
  if (::poll(&entry, 1, 0) < 0 || (entry.revents & POLLNVAL) != 0)
    return invalidArgument(fmt::format("fence: descriptor {} cannot be polled", handle->get()));
  return SyncFence(std::move(handle), kind == Kind::SyncFile);
}

FenceState SyncFence::state() const { return look(handle_, isSyncFile_, 0); }

FenceState SyncFence::wait(const OptionalDuration &timeout) const {
  FenceState state = look(handle_, isSyncFile_, timeout ? 0 : -1);
  if (!timeout) {
    while (state == FenceState::Active) // interrupted by a signal
      state = look(handle_, isSyncFile_, -1);
    return state;
  }
  TimePoint end = later(BootClock::now(), *timeout);
  while (state == FenceState::Active && BootClock::now() < end)
    state = look(handle_, isSyncFile_, millisecondsUntil(end));
  return state;
}

std::optional<std::pair<uint64_t, uint64_t>> SyncFence::identity() const {
  struct stat status = {};
  if (handle_ == nullptr || ::fstat(handle_->get(), &status) != 0 || !S_ISSOCK(status.st_mode))
    return std::nullopt;
  return std::pair<uint64_t, uint64_t>(status.st_dev, status.st_ino);
}

Result<std::pair<SyncFence, FenceSignaler>> FenceSignaler::create() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0)
    return error(ErrorStatus::ResourceExhaustedTransient, fmt::format("cannot make a fence: {}", std::strerror(errno)));
  FileDescriptor waiting(ends[0]), signaling(ends[1]);
  const char unread = 0;
  if (::send(waiting.get(), &unread, 1, MSG_NOSIGNAL) != 1)
    return error(ErrorStatus::ResourceExhaustedTransient, fmt::format("cannot arm a fence: {}", std::strerror(errno)));
  AVOCET_ASSIGN_OR_RETURN(SyncFence fence,
                          SyncFence::adopt(std::make_shared<const FileDescriptor>(std::move(waiting))));
  return std::pair<SyncFence, FenceSignaler>(std::move(fence), FenceSignaler(std::move(signaling)));
}

void FenceSignaler::signal() {
  char unread = 0;
  if (!socket_.isValid() || ::recv(socket_.get(), &unread, 1, MSG_DONTWAIT) != 1)
    return;
  const char done = 1;
  (void)!::send(socket_.get(), &done, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
  socket_.reset();
}

void FenceSignaler::fail() { socket_.reset(); }

} // namespace avocet::hal
