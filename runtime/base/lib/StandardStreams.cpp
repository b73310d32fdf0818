//===- StandardStreams.cpp - Output that never ends the process -----------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/StandardStreams.h"

#include "avocet/base/File.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

namespace avocet {
namespace {

/// errno of the first failure of the standard output; 0: none.
std::atomic<int> outputError{0};

/// Blocks SIGPIPE in this thread and discards the signal that the write raised. A library cannot ignore the signal in
/// the whole process, and write() has no flag for it.
class WithoutSigpipe {
public:
  WithoutSigpipe() {
    sigset_t pending;
    sigemptyset(&sigpipe_);
    sigaddset(&sigpipe_, SIGPIPE);
    sigpending(&pending);
    wasPending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &sigpipe_, &before_);
  }
  ~WithoutSigpipe() {
    const int error = errno;
    constexpr timespec kNoWait = {};
    if (!wasPending_)
      while (::sigtimedwait(&sigpipe_, nullptr, &kNoWait) < 0 && errno == EINTR) {
      }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = error;
  }
  WithoutSigpipe(const WithoutSigpipe &) = delete;
  WithoutSigpipe &operator=(const WithoutSigpipe &) = delete;

private:
  sigset_t sigpipe_ = {}, before_ = {};
  bool wasPending_ = false;
};

void noteOutputError(int error) {
  int none = 0;
  outputError.compare_exchange_strong(none, error == 0 ? EIO : error);
}

/// Opens `descriptor` if it is closed, so that its use fails: the standard input for writing, the others for reading.
void occupy(int descriptor) {
  if (::fcntl(descriptor, F_GETFD) >= 0)
    return;
  const int opened = ::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  if (opened < 0 || opened == descriptor)
    return;
  (void)::dup2(opened, descriptor);
  ::close(opened);
}

} // namespace

void prepareStandardStreams() {
  for (int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    occupy(descriptor);
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN); // a file above RLIMIT_FSIZE is a failed write, as on a full disk
}

void writeStandardOutput(std::string_view text) noexcept {
  if (outputError.load(std::memory_order_relaxed) != 0)
    return;
  WithoutSigpipe guard;
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size())
    noteOutputError(errno);
}

void writeStandardError(std::string_view text) noexcept {
  WithoutSigpipe guard;
  while (!text.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return;
    text.remove_prefix(static_cast<size_t>(written));
  }
}

void flushStandardOutput() noexcept {
  WithoutSigpipe guard;
  errno = 0;
  if (std::fflush(stdout) != 0)
    noteOutputError(errno);
}

Status finishStandardOutput() noexcept {
  flushStandardOutput();
  const int error = outputError.load(std::memory_order_relaxed);
  return error == 0 ? Status::ok() : errnoStatus(error, "cannot write to the standard output");
}

} // namespace avocet
