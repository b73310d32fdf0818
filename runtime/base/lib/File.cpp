//===- File.cpp - Files and descriptors -------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/File.h"

#include "MappingGuard.h"
#include "ReadAll.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/core.h>
#include <limits>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

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

} // namespace avocet
