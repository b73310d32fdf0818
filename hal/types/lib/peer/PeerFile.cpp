//===- PeerFile.cpp - Files that another process sent -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/types/PeerFile.h"

#include "peer/SpareThreads.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <string_view>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

namespace avocet::hal {
namespace {

/// Without AT_STATX_DONT_SYNC, the kernel queries the file system.
bool examine(const FileDescriptor &file, unsigned wanted, struct statx &status) {
  return ::statx(file.get(), "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, wanted, &status) == 0;
}

uint64_t deviceOf(const struct statx &status) { return makedev(status.stx_dev_major, status.stx_dev_minor); }

/// Device and number of a mount.
using Mount = std::pair<uint64_t, uint64_t>;

bool isTrustedType(std::string_view type) {
  static constexpr std::string_view kTrusted[] = {"ext2", "ext3", "ext4", "xfs", "btrfs", "f2fs", "tmpfs", "ramfs"};
  return std::ranges::find(kTrusted, type) != std::end(kTrusted);
}

/// The text up to a separator, or all of it; `rest` becomes what follows.
std::string_view takeUntil(std::string_view &rest, std::string_view separator) {
  const size_t end = rest.find(separator);
  const std::string_view text = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + separator.size());
  return text;
}

/// Empty: it cannot be read.
std::string mountList() {
  const FileDescriptor file(::open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC));
  std::string list;
  char piece[1 << 14];
  for (ssize_t count; (count = ::read(file.get(), piece, sizeof(piece))) != 0;) {
    if (count < 0 && errno != EINTR)
      return "";
    list.append(piece, static_cast<size_t>(std::max<ssize_t>(count, 0)));
  }
  return list;
}

/// Whether the list of mounts (proc_pid_mountinfo(5)) has a trusted file system of this mount or device. Compares the
/// device too, since a service in its own mount namespace has other mounts of the same file systems.
bool isOnTrustedMount(const struct statx &status) {
  const std::string device = fmt::format("{}:{}", status.stx_dev_major, status.stx_dev_minor);
  const std::string mount = fmt::format("{}", status.stx_mnt_id);
  const std::string mounts = mountList();
  for (std::string_view rest = mounts; !rest.empty();) {
    std::string_view line = takeUntil(rest, "\n");
    const std::string_view lineMount = takeUntil(line, " ");
    takeUntil(line, " "); // the parent
    const std::string_view lineDevice = takeUntil(line, " ");
    takeUntil(line, " - ");
    if ((lineDevice == device || lineMount == mount) && isTrustedType(takeUntil(line, " ")))
      return true;
  }
  return false;
}

/// `trusted`: a mount that was found in the list, which takes the kernel 0.1 ms to write.
bool isPrompt(const FileDescriptor &file, std::optional<Mount> &trusted) {
  if (isMemoryFile(file) || !file.isValid())
    return true;
  struct statx status;
  if (!examine(file, STATX_TYPE | STATX_MNT_ID, status))
    return false;
  const mode_t type = status.stx_mode & S_IFMT;
  if (type == 0 || type == S_IFSOCK || type == S_IFIFO || isDmaBuffer(file))
    return true;
  const Mount mount{deviceOf(status), status.stx_mnt_id};
  if (type != S_IFREG || (trusted != mount && !isOnTrustedMount(status)))
    return false;
  trusted = mount;
  return true;
}

/// Closes files that are not prompt on a spare thread: the kernel reports each close to a FUSE server and waits for its
/// answer.
class Adopted {
public:
  Adopted(FileDescriptor file, std::shared_ptr<const void> kept)
      : kept_(std::move(kept)), isPrompt_(answersPromptly(file)), file_(std::move(file)) {}
  ~Adopted() {
    if (!isPrompt_)
      SpareThreads::instance().close(factsOf(file_).value_or(PeerFileFacts()).device, std::move(file_),
                                     std::move(kept_));
  }
  Adopted(const Adopted &) = delete;
  Adopted &operator=(const Adopted &) = delete;

  const FileDescriptor &file() const { return file_; }

private:
  std::shared_ptr<const void> kept_; ///< declared before the file, hence destroyed after it
  const bool isPrompt_;
  FileDescriptor file_;
};

} // namespace

/// By its name: a dma-buf has no file type or that of a regular file, depending on the kernel version.
bool isDmaBuffer(const FileDescriptor &file) {
  char name[16] = {};
  const std::string link = fmt::format("/proc/self/fd/{}", file.get());
  return ::readlink(link.c_str(), name, sizeof(name) - 1) > 0 && std::string_view(name).starts_with("/dmabuf:");
}

bool isMemoryFile(const FileDescriptor &file) { return isSealed(file, 0); }

bool answersPromptly(const FileDescriptor &file) {
  std::optional<Mount> trusted;
  return isPrompt(file, trusted);
}

const SharedHandle *firstSlow(const std::vector<SharedHandle> &files) {
  std::optional<Mount> trusted;
  auto slow = std::ranges::find_if(
      files, [&](const SharedHandle &file) { return file != nullptr && !isPrompt(*file, trusted); });
  return slow == files.end() ? nullptr : &*slow;
}

std::optional<PeerFileFacts> factsOf(const FileDescriptor &file) {
  struct statx status;
  if (!examine(file, STATX_TYPE | STATX_INO | STATX_SIZE, status))
    return std::nullopt;
  return PeerFileFacts{deviceOf(status), status.stx_ino, status.stx_size, S_ISREG(status.stx_mode)};
}

SharedHandle adoptPeerFile(FileDescriptor file, std::shared_ptr<const void> kept) {
  auto adopted = std::make_shared<const Adopted>(std::move(file), std::move(kept));
  const FileDescriptor *descriptor = &adopted->file();
  return {std::move(adopted), descriptor};
}

Outcome runAside(const FileDescriptor &file, std::function<void()> work, std::chrono::milliseconds limit) {
  const uint64_t fileSystem = factsOf(file).value_or(PeerFileFacts()).device;
  switch (SpareThreads::instance().run(fileSystem, std::move(work), limit)) {
  case SpareThreads::End::Done:
    return success();
  case SpareThreads::End::TooLate:
    return generalFailure(
        fmt::format("a file system that is no local disk (FUSE, a network) has not answered for {:.1f} "
                    "s; copy the file into memory (memfd) or onto a local disk",
                    static_cast<double>(limit.count()) / 1e3));
  case SpareThreads::End::Ending:
    return error(ErrorStatus::DeviceUnavailable, "the service is ending");
  case SpareThreads::End::NoThread:
    break;
  }
  return error(ErrorStatus::ResourceExhaustedTransient,
               "too many operations wait for file systems that do not answer; use memory (memfd) or a local disk");
}

PeerFilesEnding::PeerFilesEnding() { SpareThreads::instance().beginEnding(); }
PeerFilesEnding::~PeerFilesEnding() { SpareThreads::instance().finishEnding(); }

} // namespace avocet::hal
