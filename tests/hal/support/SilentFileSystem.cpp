//===- SilentFileSystem.cpp - A FUSE file system that blocks ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SilentFileSystem.h"

#include "avocet/base/DescriptorPassing.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <linux/fuse.h>
#include <sched.h>
#include <string>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace avocet::hal {
namespace {

constexpr uint64_t kFileNode = 2;
constexpr const char *kFolder = "/tmp"; // of the new mount namespace

void writeText(const char *path, const std::string &text) {
  const FileDescriptor file(::open(path, O_WRONLY | O_CLOEXEC));
  (void)!::write(file.get(), text.data(), text.size());
}

/// Root needs a mount namespace only; others become root of a user namespace.
bool enterNamespaces() {
  const uid_t user = ::geteuid();
  const gid_t group = ::getegid();
  if (::unshare(user == 0 ? CLONE_NEWNS : CLONE_NEWUSER | CLONE_NEWNS) != 0)
    return false;
  if (user != 0) {
    writeText("/proc/self/setgroups", "deny");
    writeText("/proc/self/uid_map", "0 " + std::to_string(user) + " 1");
    writeText("/proc/self/gid_map", "0 " + std::to_string(group) + " 1");
  }
  return ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

fuse_attr attributesOf(uint64_t node) {
  fuse_attr attributes = {};
  attributes.ino = node;
  attributes.size = SilentFileSystem::kFileBytes;
  attributes.mode = node == kFileNode ? S_IFREG | 0666 : S_IFDIR | 0755;
  attributes.nlink = 1;
  attributes.blksize = 4096;
  return attributes;
}

template <typename Body> void answer(int fuse, uint64_t unique, const Body &body) {
  struct {
    fuse_out_header header;
    Body body;
  } packet = {{sizeof(packet), 0, unique}, body};
  (void)!::write(fuse, &packet, sizeof(packet));
}

void answerNothing(int fuse, uint64_t unique) {
  const fuse_out_header header = {sizeof(header), 0, unique};
  (void)!::write(fuse, &header, sizeof(header));
}

void answerInit(int fuse, uint64_t unique) {
  fuse_init_out init = {};
  init.major = FUSE_KERNEL_VERSION;
  init.minor = 31;
  init.max_readahead = 65536;
  init.max_write = 65536;
  answer(fuse, unique, init);
}

/// Answers a request. FUSE_FLUSH is answered for `opener` only, so that it can close its descriptor.
void answerOne(int fuse, const fuse_in_header &request, pid_t opener) {
  const uint64_t valid = 3600;
  switch (request.opcode) {
  case FUSE_INIT:
    return answerInit(fuse, request.unique);
  case FUSE_LOOKUP: {
    fuse_entry_out entry = {};
    entry.nodeid = kFileNode;
    entry.entry_valid = entry.attr_valid = valid;
    entry.attr = attributesOf(kFileNode);
    return answer(fuse, request.unique, entry);
  }
  case FUSE_GETATTR: {
    if (request.nodeid == kFileNode)
      return; // an fstat() blocks as well
    fuse_attr_out attributes = {};
    attributes.attr_valid = valid;
    attributes.attr = attributesOf(request.nodeid);
    return answer(fuse, request.unique, attributes);
  }
  case FUSE_OPEN:
    return answer(fuse, request.unique, fuse_open_out{});
  case FUSE_FLUSH:
    return static_cast<pid_t>(request.pid) == opener ? answerNothing(fuse, request.unique) : void();
  default:
    return;
  }
}

[[noreturn]] void openAndSend(int socket) {
  const std::string path = std::string(kFolder) + "/file";
  const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  char byte = 0;
  iovec part = {&byte, 1};
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  DescriptorRoom<1> room;
  attachDescriptors(message, room.bytes, std::span(&file, file < 0 ? 0 : 1));
  (void)!::sendmsg(socket, &message, MSG_NOSIGNAL);
  ::_exit(0);
}

[[noreturn]] void serve(int socket) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int fuse = enterNamespaces() ? ::open("/dev/fuse", O_RDWR | O_CLOEXEC) : -1;
  const std::string options = "fd=" + std::to_string(fuse) + ",rootmode=40000,user_id=0,group_id=0,allow_other";
  if (fuse < 0 || ::mount("silent", kFolder, "fuse", MS_NOSUID | MS_NODEV, options.c_str()) != 0)
    ::_exit(1);
  const pid_t opener = ::fork();
  if (opener == 0) {
    ::close(fuse); // a copy would keep the file system alive
    openAndSend(socket);
  }
  ::close(socket);
  alignas(fuse_in_header) static char buffer[1 << 17];
  while (true) {
    const ssize_t got = ::read(fuse, buffer, sizeof(buffer));
    if (got < 0 && errno != EINTR && errno != ENOENT)
      ::_exit(1);
    fuse_in_header request = {};
    if (got < static_cast<ssize_t>(sizeof(request)))
      continue;
    std::memcpy(&request, buffer, sizeof(request));
    answerOne(fuse, request, opener);
  }
}

FileDescriptor receiveFile(int socket) {
  char byte = 0;
  iovec part = {&byte, 1};
  DescriptorRoom<1> room;
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = room.bytes;
  message.msg_controllen = sizeof(room.bytes);
  if (::recvmsg(socket, &message, MSG_CMSG_CLOEXEC) <= 0)
    return FileDescriptor();
  std::vector<FileDescriptor> received = takeDescriptors(message);
  return received.empty() ? FileDescriptor() : std::move(received[0]);
}

} // namespace

std::optional<SilentFileSystem> SilentFileSystem::start() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return std::nullopt;
  FileDescriptor ours(ends[0]), theirs(ends[1]);
  const pid_t server = ::fork();
  if (server == 0) {
    ours.reset();
    serve(theirs.release());
  }
  theirs.reset();
  SilentFileSystem system(server, receiveFile(ours.get()));
  if (!system.file_.isValid())
    return std::nullopt;
  return system;
}

SilentFileSystem::SilentFileSystem(SilentFileSystem &&other) noexcept
    : server_(std::exchange(other.server_, -1)), file_(std::move(other.file_)) {}

SilentFileSystem &SilentFileSystem::operator=(SilentFileSystem &&other) noexcept {
  std::swap(server_, other.server_);
  std::swap(file_, other.file_);
  return *this;
}

SilentFileSystem::~SilentFileSystem() {
  if (server_ < 0)
    return;
  ::kill(server_, SIGKILL);
  ::waitpid(server_, nullptr, 0);
}

} // namespace avocet::hal
