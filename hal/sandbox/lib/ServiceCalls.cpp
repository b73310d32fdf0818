//===- ServiceCalls.cpp - System calls of the service -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/sandbox/ServiceSandbox.h"
#include "avocet/hal/sandbox/SystemCallFilter.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <linux/sync_file.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace avocet::hal {
namespace {

/// In a signal handler: no allocation, no lock.
void say(const char *text) { (void)!::write(STDERR_FILENO, text, std::strlen(text)); }

/// Each call is logged once, since an attack may repeat it. EPERM rather than ending the process: a client that finds a
/// way to an unlisted call would end the service for all others.
long refuseAndReport(int number) {
  static std::array<std::atomic<bool>, 1024> reported;
  const size_t index = static_cast<size_t>(number) % reported.size();
  if (!reported[index].exchange(true)) {
    say("avocetd: the sandbox stopped the system call ");
    say(systemCallName(number));
    say(", which failed with EPERM; please report it. --no-sandbox turns the sandbox off\n");
  }
  return -EPERM;
}

void allowFiles(SystemCallFilter &filter) {
  filter.allow({SYS_read,       SYS_write,     SYS_readv,     SYS_writev,      SYS_pread64,      SYS_pwrite64,
                SYS_preadv,     SYS_pwritev,   SYS_close,     SYS_close_range, SYS_lseek,        SYS_fstat,
                SYS_newfstatat, SYS_statx,     SYS_fstatfs,   SYS_statfs,      SYS_faccessat,    SYS_faccessat2,
                SYS_readlinkat, SYS_openat,    SYS_openat2,   SYS_getdents64,  SYS_mkdirat,      SYS_unlinkat,
                SYS_renameat,   SYS_renameat2, SYS_linkat,    SYS_fchmod,      SYS_fchown,       SYS_ftruncate,
                SYS_fallocate,  SYS_fsync,     SYS_fdatasync, SYS_flock,       SYS_utimensat,    SYS_umask,
                SYS_dup,        SYS_dup3,      SYS_pipe2,     SYS_fcntl,       SYS_memfd_create, SYS_copy_file_range,
                SYS_sendfile});
#ifdef SYS_open // older names that some machines have
  filter.allow({SYS_open, SYS_stat, SYS_lstat, SYS_access, SYS_readlink, SYS_mkdir, SYS_rmdir, SYS_unlink, SYS_rename,
                SYS_dup2, SYS_pipe});
#endif
  filter.allowIf(SYS_ioctl, 1, UINT32_MAX, FIONREAD);
  filter.allowIf(SYS_ioctl, 1, UINT32_MAX, SYNC_IOC_FILE_INFO); // the state of a client's fence
}

/// The letter of a request (asm/ioctl.h) names its driver. Which device nodes are opened, restrictFiles() decides.
void allowRequests(SystemCallFilter &filter, char letter) {
  filter.allowIf(SYS_ioctl, 1, uint64_t{_IOC_TYPEMASK} << _IOC_TYPESHIFT,
                 uint64_t{static_cast<uint8_t>(letter)} << _IOC_TYPESHIFT);
}

void allowWaiting(SystemCallFilter &filter) {
  filter.allow({SYS_ppoll, SYS_epoll_create1, SYS_epoll_ctl, SYS_epoll_pwait, SYS_eventfd2, SYS_timerfd_create,
                SYS_timerfd_settime, SYS_signalfd4, SYS_futex, SYS_nanosleep, SYS_clock_nanosleep, SYS_clock_gettime,
                SYS_clock_getres, SYS_gettimeofday, SYS_sched_yield, SYS_restart_syscall, SYS_membarrier});
#ifdef SYS_poll
  filter.allow({SYS_poll, SYS_epoll_wait, SYS_select});
#endif
}

/// Threads, but no other processes. A filter cannot read the structure of clone3, so it fails with ENOSYS and the C
/// library falls back to clone.
void allowThreads(SystemCallFilter &filter) {
  filter.allowIf(SYS_clone, 0, CLONE_THREAD, CLONE_THREAD);
  filter.refuse(SYS_clone3, ENOSYS);
  // The background thread of a device that compiles in this process asks for a lower priority.
  filter.refuse(SYS_setpriority, EPERM);
  filter.allow({SYS_set_robust_list, SYS_rseq, SYS_set_tid_address, SYS_exit, SYS_exit_group, SYS_gettid, SYS_getpid,
                SYS_getppid, SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid, SYS_sched_getaffinity, SYS_getrusage,
                SYS_sysinfo, SYS_uname, SYS_getrandom, SYS_getcpu});
  filter.allow({SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_rt_sigtimedwait, SYS_rt_sigpending,
                SYS_sigaltstack, SYS_tgkill});
  // To kill compile workers and to wait for the launcher.
  filter.allow({SYS_pidfd_send_signal, SYS_kill, SYS_wait4});
  filter.allowIf(SYS_prctl, 0, UINT32_MAX, PR_SET_NAME);
#ifdef PR_SET_VMA
  filter.allowIf(SYS_prctl, 0, UINT32_MAX, PR_SET_VMA);
#endif
  filter.allowIf(SYS_prlimit64, 2, UINT64_MAX, 0); // reads limits
}

void allowMemory(SystemCallFilter &filter, NewCode newCode) {
  filter.allow({SYS_munmap, SYS_mremap, SYS_madvise, SYS_brk, SYS_mincore, SYS_msync});
  for (int call : {SYS_mmap, SYS_mprotect}) {
    if (newCode == NewCode::Loaded)
      filter.allow({call});
    else
      filter.allowIf(call, 2, PROT_EXEC, 0);
  }
}

void allowSockets(SystemCallFilter &filter) {
  for (int call : {SYS_socket, SYS_socketpair})
    filter.allowIf(call, 0, UINT32_MAX, AF_UNIX);
  filter.allow({SYS_accept4, SYS_sendmsg, SYS_recvmsg, SYS_sendto, SYS_recvfrom, SYS_getsockopt, SYS_setsockopt,
                SYS_getsockname, SYS_getpeername, SYS_shutdown, SYS_connect});
}

/// Calls of the sanitizers' run-time libraries: reports with names of functions, leak detection at the exit.
void allowSanitizers(SystemCallFilter &filter) {
  if (isSanitizerBuild())
    filter.allow({SYS_clone, SYS_ptrace, SYS_prctl, SYS_execve, SYS_personality, SYS_process_vm_readv, SYS_mlock,
                  SYS_prlimit64, SYS_getrlimit, SYS_setrlimit, SYS_mmap, SYS_mprotect, SYS_vfork, SYS_fork, SYS_ioctl,
                  SYS_sched_getparam, SYS_arch_prctl});
}

} // namespace

avocet::Status restrictSystemCalls(NewCode newCode, char requests) {
  SystemCallFilter filter;
  allowFiles(filter);
  allowWaiting(filter);
  allowThreads(filter);
  allowMemory(filter, newCode);
  allowSockets(filter);
  allowSanitizers(filter);
  if (requests != kNoRequests)
    allowRequests(filter, requests);
  AVOCET_RETURN_IF_ERROR(setStoppedCallHandler(refuseAndReport));
  return filter.load();
}

} // namespace avocet::hal
