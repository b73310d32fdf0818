//===- Zygote.cpp - The process that forks workers -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Zygote.h"

#include "BackOff.h"
#include "FatalSignals.h"
#include "WarmUp.h"
#include "Worker.h"

#include "avocet/base/File.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <set>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

namespace avocet::hal {
namespace {

/// Limits that all workers inherit. When the machine runs out of memory, the kernel ends workers first.
void limitProcess(const ZygoteOptions &options) {
  const rlimit none{0, 0}, time{options.seconds, options.seconds + 1}, file{options.memoryBytes, options.memoryBytes};
  (void)::setrlimit(RLIMIT_CORE, &none);
  (void)::setrlimit(RLIMIT_FSIZE, &file);
  (void)::setrlimit(RLIMIT_CPU, &time);
  if (FileDescriptor score(::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC)); score.isValid())
    (void)!::write(score.get(), "1000", 4);
}

/// Discards the compiler's output. Not in sanitizer builds, whose reports use these streams.
void silence() {
  FileDescriptor null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!null.isValid() || isSanitizerBuild())
    return;
  (void)::dup2(null.get(), STDOUT_FILENO);
  (void)::dup2(null.get(), STDERR_FILENO);
}

class Zygote {
public:
  explicit Zygote(const ZygoteOptions &options)
      : options_(options), setup_{warmCompiler(options.compilerLibrary, options.targets), {}} {
    setup_.zygote = options.number;
    setup_.control = options.control;
    setup_.memoryBytes = options.memoryBytes;
    allowWorkerCalls(setup_.filter);
  }

  int run() {
    if (!openDescriptors())
      return EXIT_FAILURE;
    while (!isServiceGone_) {
      if (!backOff_.isWaiting())
        fillUp();
      await();
    }
    killBusyWorkers();
    return EXIT_SUCCESS;
  }

private:
  bool openDescriptors() {
    int ends[2] = {-1, -1};
    if (::pipe2(ends, O_CLOEXEC) != 0)
      return false;
    taken_ = FileDescriptor(ends[0]);
    takenEnd_ = FileDescriptor(ends[1]);
    setup_.takenPipe = takenEnd_.get();
    (void)::fcntl(taken_.get(), F_SETFL, O_NONBLOCK);
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    ::sigprocmask(SIG_BLOCK, &child, nullptr);
    ended_ = FileDescriptor(::signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK));
    return ended_.isValid();
  }

  void fillUp() {
    while (idle_.size() < options_.idleWorkers) {
      const pid_t process = ::fork();
      if (process == 0)
        becomeWorker();
      if (process < 0)
        return backOff_.fail();
      idle_.insert(process);
    }
  }

  [[noreturn]] void becomeWorker() {
    taken_.reset();
    ended_.reset();
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    runWorker(setup_);
  }

  void await() {
    pollfd entries[] = {{options_.control, 0, 0}, {taken_.get(), POLLIN, 0}, {ended_.get(), POLLIN, 0}};
    (void)::poll(entries, std::size(entries), backOff_.milliseconds());
    isServiceGone_ = (entries[0].revents & (POLLHUP | POLLERR)) != 0;
    signalfd_siginfo ignored;
    while (::read(ended_.get(), &ignored, sizeof(ignored)) > 0)
      ;
    reap();
  }

  /// A worker reports a request before it can end, so a dead worker that is still idle here ended without a request.
  void reap() {
    std::set<pid_t> dead;
    for (pid_t process; (process = ::waitpid(-1, nullptr, WNOHANG)) > 0;)
      dead.insert(process);
    for (pid_t process; ::read(taken_.get(), &process, sizeof(process)) == sizeof(process);) {
      idle_.erase(process);
      busy_.insert(process);
      backOff_.succeed();
    }
    for (pid_t process : dead) {
      busy_.erase(process);
      if (idle_.erase(process) != 0)
        backOff_.fail();
    }
  }

  /// A service that exits normally has killed its workers. If it was killed, workers would compute until the limit of
  /// processor time, unless the compiler checks for cancellation. Idle workers end by themselves.
  void killBusyWorkers() {
    reap();
    for (pid_t process : busy_)
      (void)::kill(process, SIGKILL);
  }

  const ZygoteOptions &options_;
  WorkerSetup setup_;
  FileDescriptor taken_, takenEnd_; ///< a pipe: numbers of workers that took a request
  FileDescriptor ended_;            ///< readable when a worker ended
  std::set<pid_t> idle_;            ///< workers without a request
  std::set<pid_t> busy_;            ///< workers with a request; unreaped, so that their numbers are not reused
  BackOff backOff_;
  bool isServiceGone_ = false;
};

} // namespace

int runZygote(const ZygoteOptions &options) {
  ::prctl(PR_SET_NAME, "avocetZygote");
  ::signal(SIGPIPE, SIG_IGN);
  limitProcess(options);
  Zygote zygote(options);
  silence();
  installFatalSignalHandlers();
  return zygote.run();
}

} // namespace avocet::hal
