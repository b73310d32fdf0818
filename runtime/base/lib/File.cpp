//===- File.cpp - Files and descriptors -------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A peer that shares a file can truncate it while it is mapped; the next access after its new end raises SIGBUS. The
// guard keeps a table of all mappings of the process. It handles such a fault by mapping zero-filled memory in place of
// the lost pages: reads give zeros, writes are lost, and the process continues. Faults elsewhere go to the previous
// handler of SIGBUS. POSIX sigaction() and mmap(MAP_FIXED) as on Linux: SIGBUS of a mapping is synchronous, so the
// handler runs in the thread that touched the memory, which therefore is not inside this guard.
//
//===----------------------------------------------------------------------===//

#include "avocet/base/File.h"

#include "TemporaryFiles.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <fmt/core.h>
#include <limits>
#include <map>
#include <mutex>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace avocet::mapping_guard {
namespace {

struct Range {
  size_t size = 0;
  bool writable = false;
  bool damaged = false;
};

/// A lock that a signal handler may take: its holders never touch guarded memory, so a handler waits only for other
/// threads, which continue.
class SpinLock {
public:
  void lock() {
    while (flag_.test_and_set(std::memory_order_acquire)) {
    }
  }
  void unlock() { flag_.clear(std::memory_order_release); }

private:
  std::atomic_flag flag_ = ATOMIC_FLAG_INIT;
};

struct Registry {
  SpinLock lock;
  std::map<uintptr_t, Range> ranges;
};

/// Never destroyed: mappings in static objects may be destroyed later than any other object.
Registry &registry() {
  static Registry *const kRegistry = new Registry;
  return *kRegistry;
}

struct sigaction previous;

/// Maps zero pages from the faulting page to the end of its range; all bytes after a lost page are lost too.
bool repair(uintptr_t address) {
  Registry &all = registry();
  std::lock_guard guard(all.lock);
  auto next = all.ranges.upper_bound(address);
  if (next == all.ranges.begin())
    return false;
  auto &[start, range] = *std::prev(next);
  if (address - start >= range.size)
    return false;
  auto page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  uintptr_t first = address / page * page;
  int protection = range.writable ? PROT_READ | PROT_WRITE : PROT_READ;
  void *zeros = ::mmap(reinterpret_cast<void *>(first), start + range.size - first, protection,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  range.damaged = zeros != MAP_FAILED;
  return range.damaged;
}

void passOn(int signal, siginfo_t *info, void *context) {
  if ((previous.sa_flags & SA_SIGINFO) != 0 && previous.sa_sigaction != nullptr)
    return previous.sa_sigaction(signal, info, context);
  if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN)
    return previous.sa_handler(signal);
  // The access is repeated on return and ends the process as it would without the guard.
  ::sigaction(SIGBUS, &previous, nullptr);
}

void handle(int signal, siginfo_t *info, void *context) {
  int error = errno;
  bool isMapping = info->si_code == BUS_ADRERR || info->si_code == BUS_OBJERR;
  bool repaired = isMapping && repair(reinterpret_cast<uintptr_t>(info->si_addr));
  errno = error;
  if (!repaired)
    passOn(signal, info, context);
}

void install() {
  struct sigaction action = {};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGBUS, &action, &previous);
}

/// Guards [start, start + size), one whole mapping, until remove(start). Thread-safe.
void add(void *start, size_t size, bool writable) {
  static std::once_flag once;
  std::call_once(once, install);
  Registry &all = registry();
  std::lock_guard guard(all.lock);
  all.ranges[reinterpret_cast<uintptr_t>(start)] = {size, writable, false};
}

void remove(void *start) {
  Registry &all = registry();
  std::lock_guard guard(all.lock);
  all.ranges.erase(reinterpret_cast<uintptr_t>(start));
}

/// Whether pages of the range that starts at `start` were lost.
bool isDamaged(void *start) {
  Registry &all = registry();
  std::lock_guard guard(all.lock);
  auto found = all.ranges.find(reinterpret_cast<uintptr_t>(start));
  return found != all.ranges.end() && found->second.damaged;
}

} // namespace

} // namespace avocet::mapping_guard

namespace avocet {
namespace {

StatusCode codeOf(int error) {
  switch (error) {
  case ENOENT:
    return StatusCode::NotFound;
  case ENOMEM:
  case ENOSPC:
  case EFBIG:
  case EMFILE:
  case ENFILE:
  case EDQUOT:
    return StatusCode::ResourceExhausted;
  case ENODEV:
    return StatusCode::DeviceLost;
  default:
    return StatusCode::InvalidArgument;
  }
}

Status readExactly(int fd, std::span<uint8_t> bytes, const std::string &path) {
  while (!bytes.empty()) {
    ssize_t count = ::read(fd, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return errnoStatus(errno, "cannot read " + path);
    if (count == 0)
      return dataLoss(fmt::format("{}: became {} bytes shorter while it was read", path, bytes.size()));
    bytes = bytes.subspan(static_cast<size_t>(count));
  }
  return Status::ok();
}

} // namespace

Status errnoStatus(int error, const std::string &what) {
  return {codeOf(error), fmt::format("{}: {}", what, std::strerror(error))};
}

FileDescriptor &FileDescriptor::operator=(FileDescriptor &&other) noexcept {
  if (this != &other) {
    reset();
    fd_ = other.release();
  }
  return *this;
}

int FileDescriptor::release() { return std::exchange(fd_, -1); }

void FileDescriptor::reset() {
  if (fd_ >= 0)
    ::close(std::exchange(fd_, -1));
}

Result<FileDescriptor> FileDescriptor::duplicate() const {
  int copy = ::fcntl(fd_, F_DUPFD_CLOEXEC, 0);
  if (copy < 0)
    return errnoStatus(errno, "cannot duplicate a descriptor");
  return FileDescriptor(copy);
}

Mapping::~Mapping() {
  if (data_ == nullptr)
    return;
  mapping_guard::remove(data_);
  ::munmap(data_, size_);
}

Mapping::Mapping(Mapping &&other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

Mapping &Mapping::operator=(Mapping &&other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

Result<Mapping> Mapping::map(int fd, uint64_t size, Access access, uint64_t offset) {
  Mapping mapping;
  if (size == 0)
    return mapping;
  if (size > std::numeric_limits<size_t>::max() / 2 || offset > uint64_t{std::numeric_limits<off_t>::max()} - size)
    return resourceExhausted(fmt::format("cannot map {} bytes", size));
  int protection = access == Access::Read ? PROT_READ : PROT_READ | PROT_WRITE;
  void *data = ::mmap(nullptr, static_cast<size_t>(size), protection, MAP_SHARED, fd, static_cast<off_t>(offset));
  if (data == MAP_FAILED)
    return errnoStatus(errno, fmt::format("cannot map {} bytes", size));
  mapping.data_ = static_cast<uint8_t *>(data);
  mapping.size_ = static_cast<size_t>(size);
  mapping_guard::add(data, mapping.size_, access == Access::ReadWrite);
  return mapping;
}

bool Mapping::isDamaged() const { return data_ != nullptr && mapping_guard::isDamaged(data_); }

Result<Mapping> Mapping::mapFile(const std::string &path) {
  AVOCET_ASSIGN_OR_RETURN(FileDescriptor file, openForReading(path));
  AVOCET_ASSIGN_OR_RETURN(uint64_t size, fileSize(file, path));
  Result<Mapping> mapping = map(file.get(), size, Access::Read);
  return mapping ? std::move(mapping) : Result<Mapping>(mapping.status().withContext(path));
}

Result<FileDescriptor> createMemoryFile(const std::string &name, uint64_t size) {
  if (size > static_cast<uint64_t>(std::numeric_limits<off_t>::max()))
    return resourceExhausted(fmt::format("memory file {}: {} bytes are more than the largest file has", name, size));
  FileDescriptor file(::memfd_create(name.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file.isValid())
    return errnoStatus(errno, "cannot create memory file " + name);
  if (::ftruncate(file.get(), static_cast<off_t>(size)) != 0)
    return errnoStatus(errno, fmt::format("cannot give memory file {} its {} bytes", name, size));
  return file;
}

Status seal(const FileDescriptor &file, int seals, const std::string &name) {
  if (::fcntl(file.get(), F_ADD_SEALS, seals) != 0)
    return errnoStatus(errno, "cannot seal memory file " + name);
  return Status::ok();
}

bool isSealed(const FileDescriptor &file, int seals) {
  const int present = ::fcntl(file.get(), F_GET_SEALS);
  return present >= 0 && (present & seals) == seals;
}

Result<FileDescriptor> openForReading(const std::string &path) {
  // O_NONBLOCK: opening a FIFO without a writer must not block before it can be refused.
  FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.isValid())
    return errnoStatus(errno, "cannot open " + path);
  struct stat info;
  if (::fstat(file.get(), &info) != 0)
    return errnoStatus(errno, "cannot examine " + path);
  if (!S_ISREG(info.st_mode))
    return invalidArgument("cannot open " + path + ": not a regular file");
  return file;
}

Result<uint64_t> fileSize(const FileDescriptor &file, const std::string &path) {
  struct stat info;
  if (::fstat(file.get(), &info) != 0)
    return errnoStatus(errno, "cannot examine " + path);
  return static_cast<uint64_t>(info.st_size);
}

Result<std::vector<uint8_t>> readFile(const std::string &path, uint64_t maxBytes) {
  AVOCET_ASSIGN_OR_RETURN(FileDescriptor file, openForReading(path));
  return readAll(file, path, maxBytes);
}

Result<std::vector<uint8_t>> readAll(const FileDescriptor &file, const std::string &path, uint64_t maxBytes) {
  AVOCET_ASSIGN_OR_RETURN(uint64_t size, fileSize(file, path));
  if (size > maxBytes)
    return dataLoss(fmt::format("{}: is {} bytes long, at most {} are allowed", path, size, maxBytes));
  std::vector<uint8_t> bytes(size);
  AVOCET_RETURN_IF_ERROR(readExactly(file.get(), bytes, path));
  return bytes;
}

namespace {

/// Small enough that a block stays in the processor's cache between the read and the write.
constexpr uint64_t kPieceBytes = uint64_t{1} << 18;

Status readAt(const FileDescriptor &file, off_t offset, std::span<uint8_t> bytes, const std::string &name) {
  while (!bytes.empty()) {
    ssize_t count = ::pread(file.get(), bytes.data(), bytes.size(), offset);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return errnoStatus(errno, "cannot read " + name);
    if (count == 0)
      return dataLoss(fmt::format("{}: ends {} bytes too early", name, bytes.size()));
    offset += count;
    bytes = bytes.subspan(static_cast<size_t>(count));
  }
  return Status::ok();
}

} // namespace

Status writeAt(const FileDescriptor &file, uint64_t offset, std::span<const uint8_t> bytes, const std::string &name) {
  while (!bytes.empty()) {
    ssize_t count = ::pwrite(file.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return errnoStatus(errno, "cannot write " + name);
    offset += static_cast<uint64_t>(count);
    bytes = bytes.subspan(static_cast<size_t>(count));
  }
  return Status::ok();
}

Status writeFromStart(const FileDescriptor &file, std::span<const uint8_t> bytes, const std::string &name) {
  return writeAt(file, 0, bytes, name);
}

Result<Checksum> copyFromStart(const FileDescriptor &from, const FileDescriptor &to, uint64_t size,
                               const std::string &name) {
  ChecksumStream checksum;
  std::vector<uint8_t> buffer(std::min(size, kPieceBytes));
  for (uint64_t done = 0; done < size;) {
    std::span piece = std::span(buffer).first(std::min(size - done, kPieceBytes));
    AVOCET_RETURN_IF_ERROR(readAt(from, static_cast<off_t>(done), piece, name));
    AVOCET_RETURN_IF_ERROR(writeAt(to, done, piece, "the copy of " + name));
    checksum.add(piece);
    done += piece.size();
  }
  return checksum.checksum();
}

} // namespace avocet
