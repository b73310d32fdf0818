//===- SocketPath.cpp - A service's socket file -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SocketPath.h"

#include "SocketPath.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace avocet::hal {
namespace {

/// Any process that may read the folder can hold its lock. This bounds the wait.
constexpr auto kLockPatience = std::chrono::seconds(2);
constexpr auto kLockPause = std::chrono::milliseconds(5);

std::string folderOf(const std::string &path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

Error refusal(const std::string &path, std::string_view why) {
  return generalFailure(fmt::format("cannot listen at {}: {}", path, why));
}

Error systemRefusal(const std::string &path, int number) { return refusal(path, std::strerror(number)); }

/// The error of a connection attempt to a socket file, or 0. Does not wait: a stopped service with a full queue gives
/// EAGAIN.
int connectError(const std::string &path) {
  Result<sockaddr_un> address = socketAddress(path);
  const FileDescriptor probe = openPacketSocket(SOCK_NONBLOCK);
  if (!address || !probe.isValid())
    return address ? errno : EINVAL;
  return ::connect(probe.get(), reinterpret_cast<const sockaddr *>(&*address), sizeof(*address)) == 0 ? 0 : errno;
}

} // namespace

Result<sockaddr_un> socketAddress(const std::string &path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof(address.sun_path))
    return invalidArgument(fmt::format("socket path '{}': has {} characters, 1 to {} are allowed", path, path.size(),
                                       sizeof(address.sun_path) - 1));
  std::copy(path.begin(), path.end(), address.sun_path);
  return address;
}

FileDescriptor openPacketSocket(int flags) {
  return FileDescriptor(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | flags, 0));
}

SocketPath::SocketPath(FileDescriptor folder, std::string path)
    : folder_(std::move(folder)), path_(std::move(path)), name_(std::filesystem::path(path_).filename().string()) {}

Result<std::unique_ptr<SocketPath>> SocketPath::bind(const FileDescriptor &socket, const std::string &path,
                                                     uint32_t mode, int backlog) {
  AVOCET_RETURN_IF_ERROR(socketAddress(path));
  FileDescriptor folder(::open(folderOf(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.isValid())
    return systemRefusal(path, errno);
  std::unique_ptr<SocketPath> file(new SocketPath(std::move(folder), path));
  AVOCET_RETURN_IF_ERROR(file->lockFolder());
  Outcome bound = file->removeDead();
  if (bound)
    bound = file->create(socket, mode, backlog);
  file->unlockFolder();
  if (!bound)
    return bound.error();
  return file;
}

/// Unlocks explicitly: if a client's descriptor blocks a thread, the process keeps its files open after its end.
SocketPath::~SocketPath() {
  if (!isOurs_ || !lockFolder())
    return; // a remaining file refuses connections; the next service replaces it
  struct stat now = {};
  if (::fstatat(folder_.get(), name_.c_str(), &now, AT_SYMLINK_NOFOLLOW) == 0 && now.st_dev == device_ &&
      now.st_ino == inode_)
    ::unlinkat(folder_.get(), name_.c_str(), 0);
  unlockFolder();
}

Outcome SocketPath::lockFolder() const {
  const auto end = std::chrono::steady_clock::now() + kLockPatience;
  while (::flock(folder_.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR)
      return systemRefusal(path_, errno);
    if (std::chrono::steady_clock::now() >= end)
      return refusal(path_,
                     fmt::format("another process has locked the folder {} for {} s; stop it, or choose a folder "
                                 "that only this user may read",
                                 folderOf(path_), kLockPatience.count()));
    std::this_thread::sleep_for(kLockPause);
  }
  return success();
}

void SocketPath::unlockFolder() const { (void)::flock(folder_.get(), LOCK_UN); }

Outcome SocketPath::removeDead() const {
  struct stat found = {};
  if (::fstatat(folder_.get(), name_.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0)
    return errno == ENOENT ? success() : systemRefusal(path_, errno);
  if (!S_ISSOCK(found.st_mode))
    return refusal(path_, fmt::format("{} exists there, and only a socket of a service that has ended is replaced; "
                                      "choose another path or remove it",
                                      fileKind(found.st_mode)));
  if (found.st_uid != ::geteuid())
    return refusal(path_, fmt::format("the socket there belongs to user {}, and this service runs as user {}; choose "
                                      "another path or remove it",
                                      found.st_uid, ::geteuid()));
  const int error = connectError(path_);
  if (error == 0 || error == EAGAIN)
    return refusal(path_, "another service listens there");
  if (error != ECONNREFUSED)
    return refusal(path_, fmt::format("the socket there is not one of a dead service: {}", std::strerror(error)));
  return ::unlinkat(folder_.get(), name_.c_str(), 0) == 0 ? success() : systemRefusal(path_, errno);
}

Outcome SocketPath::create(const FileDescriptor &socket, uint32_t mode, int backlog) {
  AVOCET_ASSIGN_OR_RETURN(sockaddr_un address, socketAddress(path_));
  if (::bind(socket.get(), reinterpret_cast<const sockaddr *>(&address), sizeof(address)) != 0)
    return systemRefusal(path_, errno);
  struct stat made = {};
  if (::fstatat(folder_.get(), name_.c_str(), &made, AT_SYMLINK_NOFOLLOW) != 0)
    return systemRefusal(path_, errno);
  if (!S_ISSOCK(made.st_mode) || made.st_uid != ::geteuid())
    return refusal(path_, "the socket was replaced while it was made; choose a folder that only this user may write");
  device_ = made.st_dev;
  inode_ = made.st_ino;
  isOurs_ = true;
  if (::fchmodat(folder_.get(), name_.c_str(), mode, AT_SYMLINK_NOFOLLOW) != 0 || ::listen(socket.get(), backlog) != 0)
    return systemRefusal(path_, errno);
  return success();
}

} // namespace avocet::hal
