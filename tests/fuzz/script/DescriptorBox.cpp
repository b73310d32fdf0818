//===- DescriptorBox.cpp - Descriptors of every kind ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DescriptorBox.h"

#include "script_generated.h"

#include <algorithm>
#include <fcntl.h>
#include <filesystem>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

namespace avocet::fuzz {
namespace {

using fb::DescriptorKind;
using hal::ByteQueue;
using hal::SharedHandle;

constexpr uint64_t kMaxMemory = uint64_t(1) << 20, kMaxSparse = uint64_t(1) << 40;

SharedHandle shared(int descriptor) {
  return descriptor < 0 ? nullptr : std::make_shared<const FileDescriptor>(FileDescriptor(descriptor));
}

OpenDescriptor plain(int descriptor) { return {shared(descriptor), {}, nullptr, std::nullopt}; }

int openPath(const std::string &path, int flags) { return ::open(path.c_str(), flags | O_CLOEXEC, 0600); }

OpenDescriptor memory(uint64_t bytes, int seals = 0) {
  const int descriptor = ::memfd_create("fuzz", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  (void)!::ftruncate(descriptor, static_cast<off_t>(bytes));
  if (seals != 0)
    ::fcntl(descriptor, F_ADD_SEALS, seals);
  return plain(descriptor);
}

/// A memory file, opened again with other flags.
OpenDescriptor reopened(uint64_t bytes, int flags) {
  const OpenDescriptor first = memory(bytes);
  return plain(openPath("/proc/self/fd/" + std::to_string(first.shared->get()), flags));
}

/// An unnamed temporary file.
OpenDescriptor file(uint64_t bytes, int flags) {
  const int descriptor = openPath(std::filesystem::temp_directory_path(), O_TMPFILE | flags);
  (void)!::ftruncate(descriptor, static_cast<off_t>(bytes));
  return plain(descriptor);
}

OpenDescriptor pipe(bool keepsWriter) {
  int ends[2] = {-1, -1};
  (void)!::pipe2(ends, O_CLOEXEC | O_NONBLOCK);
  OpenDescriptor opened = plain(ends[0]);
  opened.other = FileDescriptor(ends[1]);
  if (!keepsWriter)
    opened.other.reset();
  return opened;
}

OpenDescriptor socket(int type) {
  int ends[2] = {-1, -1};
  (void)!::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends);
  OpenDescriptor opened = plain(ends[0]);
  opened.other = FileDescriptor(ends[1]);
  return opened;
}

OpenDescriptor fence() {
  auto made = hal::FenceSignaler::create();
  if (!made)
    return {};
  return {made->first.handle(), {}, nullptr, std::move(made->second)};
}

OpenDescriptor queue() {
  auto made = ByteQueue::create(DescriptorBox::kQueueElements, DescriptorBox::kElementBytes);
  if (!made)
    return {};
  SharedHandle handle = (*made)->descriptor().fds.front();
  return {std::move(handle), {}, std::move(*made), std::nullopt};
}

OpenDescriptor open(DescriptorKind kind, uint64_t bytes) {
  const uint64_t usual = bytes % (kMaxMemory + 1);
  switch (kind) {
  case DescriptorKind::SealedMemory:
    return memory(usual, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL);
  case DescriptorKind::ReadOnlyMemory:
    return reopened(usual, O_RDONLY);
  case DescriptorKind::SparseMemory:
    return memory(bytes % (kMaxSparse + 1));
  case DescriptorKind::File:
    return file(usual, O_RDWR);
  case DescriptorKind::ReadOnlyFile:
    return plain(openPath("/proc/self/status", O_RDONLY));
  case DescriptorKind::WriteOnlyFile:
    return file(usual, O_WRONLY);
  case DescriptorKind::PathOnly:
    return reopened(usual, O_PATH);
  case DescriptorKind::Directory:
    return plain(openPath("/", O_RDONLY | O_DIRECTORY));
  case DescriptorKind::NullDevice:
    return plain(openPath("/dev/null", O_RDWR));
  case DescriptorKind::ZeroDevice:
    return plain(openPath("/dev/zero", O_RDWR));
  case DescriptorKind::Pipe:
  case DescriptorKind::PipeWithoutWriter:
    return pipe(kind == DescriptorKind::Pipe);
  case DescriptorKind::StreamSocket:
    return socket(SOCK_STREAM);
  case DescriptorKind::PacketSocket:
    return socket(SOCK_SEQPACKET);
  case DescriptorKind::EventCounter:
    return plain(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  case DescriptorKind::PollSet:
    return plain(::epoll_create1(EPOLL_CLOEXEC));
  case DescriptorKind::Fence:
    return fence();
  case DescriptorKind::RequestQueue:
  case DescriptorKind::ResultQueue:
    return queue();
  default:
    return memory(usual);
  }
}

} // namespace

OpenDescriptor *DescriptorBox::at(size_t index) {
  if (index >= open_.size())
    return nullptr;
  std::optional<OpenDescriptor> &opened = open_[index];
  if (!opened) {
    const Table &description = *descriptions_[index];
    opened = open(static_cast<DescriptorKind>(numberOf(description, fb::Descriptor::VT_KIND)),
                  numberOf(description, fb::Descriptor::VT_BYTES));
  }
  return opened->shared != nullptr ? &*opened : nullptr;
}

void DescriptorBox::signal(size_t index) {
  OpenDescriptor *opened = at(index);
  if (opened == nullptr)
    return;
  if (opened->signaler)
    return opened->signaler->signal();
  const uint64_t one = 1;
  const int descriptor = opened->other.isValid() ? opened->other.get() : opened->shared->get();
  (void)!::write(descriptor, &one, sizeof(one));
}

void DescriptorBox::hangUp(size_t index) {
  OpenDescriptor *opened = at(index);
  if (opened == nullptr)
    return;
  opened->other.reset();
  if (opened->signaler)
    opened->signaler->fail();
}

void DescriptorBox::write(size_t index, uint64_t offset, const Bytes &bytes) {
  if (OpenDescriptor *opened = at(index))
    (void)!::pwrite(opened->shared->get(), bytes.data(), bytes.size(), static_cast<off_t>(offset % kMaxMemory));
}

void DescriptorBox::resize(size_t index, uint64_t bytes) {
  if (OpenDescriptor *opened = at(index))
    (void)!::ftruncate(opened->shared->get(), static_cast<off_t>(bytes % kMaxMemory));
}

} // namespace avocet::fuzz
