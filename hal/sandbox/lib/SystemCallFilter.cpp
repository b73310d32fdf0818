//===- SystemCallFilter.cpp - Which system calls a process may still make ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/sandbox/SystemCallFilter.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <seccomp.h>
#include <string>
#include <ucontext.h>

namespace avocet::hal {
namespace {

constexpr size_t kNumCalls = 512;
using Names = std::array<std::string, kNumCalls>;

Names makeNames() {
  Names names;
  for (size_t number = 0; number < kNumCalls; ++number) {
    std::unique_ptr<char, decltype(&std::free)> name(
        ::seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, static_cast<int>(number)), &std::free);
    names[number] = name ? name.get() : "unknown";
  }
  return names;
}

} // namespace

const char *systemCallName(int number) {
  static const Names *const kNames = new Names(makeNames()); // never destroyed: handlers run until the end
  return number >= 0 && static_cast<size_t>(number) < kNumCalls ? (*kNames)[static_cast<size_t>(number)].c_str()
                                                                : "unknown";
}

namespace {

StoppedCallHandler stoppedCallHandler = nullptr;

void handleStoppedCall(int, siginfo_t *info, void *context) {
  const int error = errno;
  const long result = stoppedCallHandler(info->si_syscall);
  errno = error;
#if defined(__x86_64__)
  static_cast<ucontext_t *>(context)->uc_mcontext.gregs[REG_RAX] = result;
#elif defined(__aarch64__)
  static_cast<ucontext_t *>(context)->uc_mcontext.regs[0] = static_cast<unsigned long>(result);
#else
#error "unsupported architecture: add the register that holds the result of a system call"
#endif
}

} // namespace

struct SystemCallFilter::Context {
  scmp_filter_ctx filter = nullptr;
  int error = 0; ///< of the first rule that was wrong
  void note(int result) {
    if (result != 0 && error == 0)
      error = -result;
  }
};

SystemCallFilter::SystemCallFilter() : context_(std::make_unique<Context>()) {
  context_->filter = ::seccomp_init(SCMP_ACT_TRAP);
  context_->note(::seccomp_attr_set(context_->filter, SCMP_FLTATR_CTL_TSYNC, 1));
  context_->note(::seccomp_attr_set(context_->filter, SCMP_FLTATR_CTL_OPTIMIZE, 2)); // a search tree, not a list
  (void)systemCallName(0);
}

SystemCallFilter::~SystemCallFilter() { ::seccomp_release(context_->filter); }

void SystemCallFilter::allow(std::initializer_list<int> calls) {
  for (int call : calls)
    context_->note(::seccomp_rule_add(context_->filter, SCMP_ACT_ALLOW, call, 0));
}

void SystemCallFilter::allowIf(int call, unsigned argument, uint64_t mask, uint64_t value) {
  context_->note(::seccomp_rule_add(context_->filter, SCMP_ACT_ALLOW, call, 1,
                                    SCMP_CMP(argument, SCMP_CMP_MASKED_EQ, mask, value)));
}

void SystemCallFilter::refuse(int call, int error) {
  context_->note(::seccomp_rule_add(context_->filter, SCMP_ACT_ERRNO(static_cast<unsigned>(error)), call, 0));
}

avocet::Status SystemCallFilter::load() const {
  if (context_->error != 0)
    return internalError(std::string("a rule of the system call filter is wrong: ") + std::strerror(context_->error));
  if (int result = ::seccomp_load(context_->filter); result != 0)
    return unsupported(std::string("the system call filter cannot be loaded: ") + std::strerror(-result));
  return avocet::Status::ok();
}

avocet::Status setStoppedCallHandler(StoppedCallHandler handler) {
  (void)systemCallName(0);
  stoppedCallHandler = handler;
  struct sigaction action = {};
  action.sa_sigaction = handleStoppedCall;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  if (::sigaction(SIGSYS, &action, nullptr) != 0)
    return internalError(std::string("SIGSYS cannot be handled: ") + std::strerror(errno));
  return avocet::Status::ok();
}

bool isSanitizerBuild() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return true;
#elif defined(__has_feature)
  return __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
  return false;
#endif
}

} // namespace avocet::hal
