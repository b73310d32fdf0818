//===- FileHook.cpp - File changes between system calls ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FileHook.h"

#include <atomic>
#include <mutex>

#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace avocet::test {

struct FileHook::State {
  Call call;
  std::function<void()> action;
  struct stat file = {};
  std::atomic<size_t> runs{0};
};

namespace {

std::mutex gMutex; ///< guards gHook while it is used
FileHook::State *gHook = nullptr;
thread_local bool tInAction = false;

void afterCall(int fd, FileHook::Call call) {
  if (tInAction)
    return;
  std::lock_guard lock(gMutex);
  struct stat status = {};
  if (gHook == nullptr || gHook->call != call || ::fstat(fd, &status) != 0 || status.st_dev != gHook->file.st_dev ||
      status.st_ino != gHook->file.st_ino)
    return;
  tInAction = true;
  gHook->action();
  ++gHook->runs;
  tInAction = false;
}

} // namespace

FileHook::FileHook(const FileDescriptor &file, Call call, std::function<void()> action)
    : state_(new State{call, std::move(action), {}, {}}) {
  (void)::fstat(file.get(), &state_->file);
  std::lock_guard lock(gMutex);
  gHook = state_.get();
}

FileHook::~FileHook() {
  std::lock_guard lock(gMutex);
  gHook = nullptr;
}

size_t FileHook::runs() const { return state_->runs; }

} // namespace avocet::test

// Replace the functions of the C library in the whole program.
extern "C" ssize_t pread(int fd, void *bytes, size_t size, off_t offset) {
  ssize_t count = ::syscall(SYS_pread64, fd, bytes, size, offset);
  avocet::test::afterCall(fd, avocet::test::FileHook::Call::Read);
  return count;
}

extern "C" ssize_t pwrite(int fd, const void *bytes, size_t size, off_t offset) {
  ssize_t count = ::syscall(SYS_pwrite64, fd, bytes, size, offset);
  avocet::test::afterCall(fd, avocet::test::FileHook::Call::Write);
  return count;
}
