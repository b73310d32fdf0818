//===- PeerFile.h - Files that another process sent -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A client may send a descriptor of a file system that a process of its own serves (FUSE). Every operation on such a
// file may then block for as long as the client likes: read, write, stat, statfs, ioctl, poll, lock and even close.
//
// One function decides what is used directly: answersPromptly(). Everything else that a peer sent is used on spare
// threads (withPeerFiles), which no other work needs. The caller waits a limited time. A thread that does not come back
// is abandoned: it keeps what it uses alive, and ends when the file system answers or the process ends.
//
// Thread-safe.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_PEERFILE_H
#define AVOCET_HAL_PEERFILE_H

#include "avocet/hal/Result.h"
#include "avocet/hal/Types.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace avocet::hal {

/// How long one operation on a file that is not prompt may take.
inline constexpr std::chrono::milliseconds kPeerFileLimit = std::chrono::seconds(2);

/// Whether operations on the descriptor end in a short time whatever the process does that sent it. Yes for memory
/// (memfd, tmpfs, hugetlbfs, dma-buf), for sockets, pipes and other descriptors without a file, and for regular files
/// of ext2 to ext4, XFS, Btrfs, F2FS and tmpfs that are mounted where this process sees them. No for all other files.
/// Does not ask the file system.
bool answersPromptly(const FileDescriptor &file);

/// Whether the descriptor is memory: memfd, or a file of tmpfs or hugetlbfs. Does not ask the file system.
bool isMemoryFile(const FileDescriptor &file);

/// What the kernel remembers of a file. Of a file that is not prompt the size may be outdated.
struct PeerFileFacts {
  uint64_t device = 0;
  uint64_t inode = 0;
  uint64_t size = 0;
  bool isRegular = false;
};
/// Does not ask the file system. Nothing: the descriptor is not open.
std::optional<PeerFileFacts> factsOf(const FileDescriptor &file);

/// A descriptor that a peer sent, to be shared. It is closed when the last copy goes: here, or on a spare thread if it
/// is not prompt. `kept` is released after that.
SharedHandle adoptPeerFile(FileDescriptor file, std::shared_ptr<const void> kept = nullptr);

/// Runs `work` on a spare thread. It may go on after this has returned, so that it must own all that it uses.
/// GeneralFailure: it did not end within `limit`. ResourceExhaustedTransient: too many threads wait for the same file
/// system, or for all of them. DeviceUnavailable: a PeerFilesEnding exists.
Outcome runAside(const FileDescriptor &file, std::function<void()> work,
                 std::chrono::milliseconds limit = kPeerFileLimit);

/// What `work` answers, which uses these files: directly if all are prompt, else as runAside().
template <typename T> Result<T> withPeerFiles(std::vector<SharedHandle> files, std::function<Result<T>()> work) {
  for (const SharedHandle &file : files) {
    if (file == nullptr || answersPromptly(*file))
      continue;
    auto result = std::make_shared<std::optional<Result<T>>>();
    AVOCET_HAL_RETURN_IF_ERROR(runAside(*file, [work = std::move(work), result, files] { result->emplace(work()); }));
    if (!result->has_value())
      return error(ErrorStatus::ResourceExhaustedTransient, "out of memory");
    return std::move(**result);
  }
  return work();
}

/// While one exists, waiting for spare threads ends at once with an error: a service that is shutting down must not
/// wait for its clients' file systems.
class PeerFilesEnding {
public:
  PeerFilesEnding();
  ~PeerFilesEnding();
  PeerFilesEnding(const PeerFilesEnding &) = delete;
  PeerFilesEnding &operator=(const PeerFilesEnding &) = delete;
};

} // namespace avocet::hal

#endif // AVOCET_HAL_PEERFILE_H
