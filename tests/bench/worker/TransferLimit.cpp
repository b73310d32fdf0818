//===- TransferLimit.cpp - Least cost of moving bytes to a worker ---------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TransferLimit.h"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

namespace avocet::hal::bench {
namespace {

/// Newly allocated pages, large ones if the kernel has any.
class FreshMemory {
public:
  explicit FreshMemory(size_t bytes) : mapped_(bytes + kLargePage) {
    void *start = ::mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED)
      std::abort();
    (void)::madvise(start, mapped_, MADV_HUGEPAGE);
    start_ = static_cast<volatile uint8_t *>(start);
    for (size_t at = 0; at < bytes; at += kPage)
      start_[at] = 1;
  }
  ~FreshMemory() { ::munmap(const_cast<uint8_t *>(start_), mapped_); }
  FreshMemory(const FreshMemory &) = delete;
  FreshMemory &operator=(const FreshMemory &) = delete;

  uint8_t *bytes() const { return const_cast<uint8_t *>(start_); }

private:
  static constexpr size_t kPage = 4096, kLargePage = size_t{2} << 20;
  size_t mapped_;
  volatile uint8_t *start_ = nullptr;
};

void write(const FileDescriptor &file, std::span<const uint8_t> bytes) {
  if (::pwrite(file.get(), bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    std::abort();
}

void mapAndUnmap(const FileDescriptor &file, size_t bytes) {
  void *start = ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file.get(), 0);
  if (start == MAP_FAILED)
    std::abort();
  ::munmap(start, bytes);
}

} // namespace

TransferLimit::TransferLimit()
    : request_(::memfd_create("request", MFD_CLOEXEC)), answer_(::memfd_create("answer", MFD_CLOEXEC)) {}

double TransferLimit::measure(std::span<const uint8_t> request, std::span<const uint8_t> answer) {
  write(request_, request); // allocates the pages
  write(answer_, answer);
  const auto start = std::chrono::steady_clock::now();
  write(request_, request);
  mapAndUnmap(request_, request.size());
  const FreshMemory compiler(2 * answer.size()), received(answer.size());
  write(answer_, answer);
  std::memcpy(received.bytes(), answer.data(), answer.size());
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

} // namespace avocet::hal::bench
