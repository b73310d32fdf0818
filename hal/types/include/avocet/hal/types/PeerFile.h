//===- PeerFile.h - Files that another process sent -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A client may send a descriptor of a file system that a process of its own serves (FUSE). The client can then block
// every operation on such a file for any time: read, write, stat, statfs, ioctl, poll, lock and even close.
//
// One function decides which files are used directly: answersPromptly(). All other files of a peer are used on spare
// threads (withPeerFiles), which do no other work. The caller waits a limited time. A thread that does not return is
// abandoned: it keeps the objects it uses alive, and ends when the file system answers or the process ends.
//
// Thread-safe.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_TYPES_PEERFILE_H
#define AVOCET_HAL_TYPES_PEERFILE_H

#include "avocet/hal/types/Result.h"
#include "avocet/hal/types/Types.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace avocet::hal {

/// Default time limit of one operation on a file that is not prompt.
inline constexpr std::chrono::milliseconds kPeerFileLimit = std::chrono::seconds(2);

/// Whether operations on the descriptor end in a short time, independent of the process that sent it. True for memory
/// (memfd, tmpfs, hugetlbfs, dma-buf), for sockets, pipes and other descriptors without a file, and for regular files
/// of ext2 to ext4, XFS, Btrfs, F2FS and tmpfs that are mounted in this process's mount namespace. False for all other
/// files. Does not query the file system.
bool answersPromptly(const FileDescriptor &file);

/// The first file that is there and does not answer promptly; null: there is none. Cheaper than the question for each.
const SharedHandle *firstSlow(const std::vector<SharedHandle> &files);

/// Whether the descriptor is memory: memfd, or a file of tmpfs or hugetlbfs. Does not query the file system.
bool isMemoryFile(const FileDescriptor &file);

/// Whether the descriptor is a dma-buf, whose size never changes. Does not query the file system.
bool isDmaBuffer(const FileDescriptor &file);

/// Attributes of a file that the kernel has cached. The size of a file that is not prompt may be outdated.
struct PeerFileFacts {
  uint64_t device = 0;
  uint64_t inode = 0;
  uint64_t size = 0;
  bool isRegular = false;
};
/// Does not query the file system. Empty: the descriptor is not open.
std::optional<PeerFileFacts> factsOf(const FileDescriptor &file);

/// Makes a shared handle of a descriptor that a peer sent. The last copy closes it: directly, or on a spare thread if
/// it is not prompt. `kept` is released after that.
SharedHandle adoptPeerFile(FileDescriptor file, std::shared_ptr<const void> kept = nullptr);

/// Runs `work` on a spare thread. It may continue after this call has returned, so it must own all that it uses.
/// GeneralFailure: it did not end within `limit`. ResourceExhaustedTransient: too many threads wait for the same file
/// system, or for all of them. DeviceUnavailable: a PeerFilesEnding exists.
Outcome runAside(const FileDescriptor &file, std::function<void()> work,
                 std::chrono::milliseconds limit = kPeerFileLimit);

/// Runs `work`, which uses `files`, and returns its result: directly if all are prompt, else as runAside().
template <typename T> Result<T> withPeerFiles(std::vector<SharedHandle> files, std::function<Result<T>()> work) {
  const SharedHandle *slow = firstSlow(files);
  if (slow == nullptr)
    return work();
  auto result = std::make_shared<std::optional<Result<T>>>();
  AVOCET_RETURN_IF_ERROR(runAside(**slow, [work = std::move(work), result, files] { result->emplace(work()); }));
  if (!result->has_value())
    return error(ErrorStatus::ResourceExhaustedTransient, "out of memory");
  return std::move(**result);
}

/// While an object exists, waits for spare threads end at once with an error: a service that shuts down must not wait
/// for its clients' file systems.
class PeerFilesEnding {
public:
  PeerFilesEnding();
  ~PeerFilesEnding();
  PeerFilesEnding(const PeerFilesEnding &) = delete;
  PeerFilesEnding &operator=(const PeerFilesEnding &) = delete;
};

} // namespace avocet::hal

#endif // AVOCET_HAL_TYPES_PEERFILE_H
