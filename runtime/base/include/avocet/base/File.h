//===- File.h - Files and descriptors ---------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The only access to the operating system's files: owned descriptors, mapped files, whole-file reads, and writes that
// appear under their name only when they are complete. Errors name the path and the operating system's reason.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_BASE_FILE_H
#define AVOCET_BASE_FILE_H

#include "avocet/base/Checksum.h"
#include "avocet/base/Status.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace avocet {

/// Owns a file descriptor; -1 is none. Moves, closes once.
class FileDescriptor {
public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  ~FileDescriptor() { reset(); }
  FileDescriptor(FileDescriptor &&other) noexcept : fd_(other.release()) {}
  FileDescriptor &operator=(FileDescriptor &&other) noexcept;

  int get() const { return fd_; }
  bool isValid() const { return fd_ >= 0; }
  int release();
  void reset();

  /// A second descriptor of the same open file.
  Result<FileDescriptor> duplicate() const;

private:
  int fd_ = -1;
};

/// Pages of a descriptor in this process; unmapped by the destructor. A mapping outlives its descriptor.
class Mapping {
public:
  enum class Access { Read, ReadWrite };

  Mapping() = default;
  ~Mapping();
  Mapping(Mapping &&other) noexcept;
  Mapping &operator=(Mapping &&other) noexcept;

  /// Maps bytes [offset, offset + size) of `fd`, shared; `offset` is a multiple of the page size. Size 0 gives an empty
  /// mapping.
  static Result<Mapping> map(int fd, uint64_t size, Access access, uint64_t offset = 0);

  /// Maps a whole file for reading.
  static Result<Mapping> mapFile(const std::string &path);

  std::span<uint8_t> bytes() { return {data_, size_}; }
  std::span<const uint8_t> bytes() const { return {data_, size_}; }

  /// Whether the file was truncated and an access then touched bytes that it no longer has. They read as zero, and
  /// writes to them are lost.
  bool isDamaged() const;

private:
  uint8_t *data_ = nullptr;
  size_t size_ = 0;
};

/// Anonymous memory with a descriptor that other processes and devices can import; `name` appears in /proc.
Result<FileDescriptor> createMemoryFile(const std::string &name, uint64_t size);

/// Adds seals (F_SEAL_SHRINK and others of fcntl(2)) to a memory file. No holder of the file can remove them. `name` is
/// for messages.
Status seal(const FileDescriptor &file, int seals, const std::string &name);

/// Whether the file is a memory file with all of these seals. 0: whether it is a memory file.
bool isSealed(const FileDescriptor &file, int seals);

/// Opens an existing regular file for reading; directories and devices are InvalidArgument.
Result<FileDescriptor> openForReading(const std::string &path);

/// Size in bytes of an open regular or memory file.
Result<uint64_t> fileSize(const FileDescriptor &file, const std::string &path);

/// Default limit of readFile() in bytes; larger files should be mapped.
inline constexpr uint64_t kMaxReadBytes = uint64_t{1} << 30;

/// The whole of a regular file. DataLoss when it is longer than `maxBytes`: a file's length is untrusted and must not
/// decide how much memory is allocated.
Result<std::vector<uint8_t>> readFile(const std::string &path, uint64_t maxBytes = kMaxReadBytes);

/// Writes a whole file by the rules of OutputFile.h: a regular file is replaced as a whole or not at all, a device or
/// FIFO is written in place. "-" writes to the standard output.
Status writeFile(const std::string &path, std::span<const uint8_t> bytes);
Status writeFile(const std::string &path, std::string_view text);

/// "what PATH: reason" from errno, with the matching code (NotFound, ResourceExhausted, ...).
Status errnoStatus(int error, const std::string &what);

/// Writes bytes [0, bytes.size()) without changing the file's own position; the file grows if necessary. `name` is for
/// messages. Any thread.
Status writeFromStart(const FileDescriptor &file, std::span<const uint8_t> bytes, const std::string &name);

/// The same from `offset` on.
Status writeAt(const FileDescriptor &file, uint64_t offset, std::span<const uint8_t> bytes, const std::string &name);

/// Copies bytes [0, size) of `from` to the same range of `to`, block by block, and returns their checksum: that of the
/// bytes in `to`, also if `from` changes meanwhile. DataLoss: `from` is shorter. `name` is that of `from`, for
/// messages.
Result<Checksum> copyFromStart(const FileDescriptor &from, const FileDescriptor &to, uint64_t size,
                               const std::string &name);

} // namespace avocet

#endif // AVOCET_BASE_FILE_H
