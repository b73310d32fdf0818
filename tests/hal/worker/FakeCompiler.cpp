//===- FakeCompiler.cpp - A compiler that fails on request ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeCompiler.h"

#include "avocet/compiler/InProcess.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <memory>
#include <string>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

namespace avocet::compiler {
namespace {

using hal::testing::FakeBehavior;

/// The library that this one replaces, in the same folder. Not through LoadedCompiler, which logs: inside a sandbox,
/// this library's own logger could not ask what the error stream is.
const AvocetCompilerApi &realCompiler() {
  static const AvocetCompilerApi *const kApi = [] {
    Dl_info self = {};
    ::dladdr(reinterpret_cast<void *>(&realCompiler), &self);
    std::string path(self.dli_fname);
    path = path.substr(0, path.rfind('/') + 1) + "libavocetCompiler.so";
    void *library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr)
      std::abort();
    return reinterpret_cast<AvocetCompilerGetApiFunction>(::dlsym(library, "avocetCompilerGetApi"))(
        AVOCET_COMPILER_ABI_VERSION);
  }();
  return *kApi;
}

template <typename Answer, typename Request> Answer askReal(AvocetQuestion question, const Request &request) {
  return message::ask<Answer>(realCompiler(), question, request);
}

uint32_t behaviorIn(std::span<const uint8_t> model) {
  for (size_t i = 0; i + sizeof(uint32_t) <= model.size(); i += sizeof(uint32_t)) {
    uint32_t word = 0;
    std::memcpy(&word, model.data() + i, sizeof(word));
    if (word >= static_cast<uint32_t>(FakeBehavior::Crash) && word <= static_cast<uint32_t>(FakeBehavior::RefuseLevel0))
      return word;
  }
  return 0;
}

int overflow(uint64_t depth) {
  volatile char frame[4096];
  frame[0] = static_cast<char>(depth);
  return depth == 0 ? 0 : overflow(depth - 1) + frame[0];
}

int openDescriptors() {
  int open = 0;
  for (int fd = 0; fd < 1024; ++fd)
    open += ::fcntl(fd, F_GETFD) >= 0;
  return open;
}

/// Sends a packet in the format of hal/worker/lib/Packet.h on all descriptors.
void sendAnswer(uint32_t bytes) {
  const uint32_t packet[] = {3, bytes, 0};
  for (int fd = 3; fd < 64; ++fd) {
    iovec part{const_cast<uint32_t *>(packet), sizeof(packet)};
    msghdr message = {};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    (void)::sendmsg(fd, &message, MSG_NOSIGNAL);
  }
}

Status perform(FakeBehavior behavior) {
  volatile bool forEver = true;
  switch (behavior) {
  case FakeBehavior::Crash:
  case FakeBehavior::CrashAboveLevel0:
    *static_cast<volatile int *>(nullptr) = 1;
    break;
  case FakeBehavior::Abort:
    std::abort();
  case FakeBehavior::Hang:
  case FakeBehavior::HangAboveLevel0:
    while (forEver)
      ;
    break;
  case FakeBehavior::UseMemory:
    for (std::vector<std::unique_ptr<volatile char[]>> blocks; forEver;)
      blocks.emplace_back(new volatile char[size_t{1} << 24])[0] = 1;
    break;
  case FakeBehavior::Overflow:
    return internalError(std::to_string(overflow(UINT64_MAX)));
  case FakeBehavior::Execute:
    ::execl("/bin/true", "true", nullptr);
    break;
  case FakeBehavior::Connect:
    (void)::socket(AF_INET, SOCK_STREAM, 0);
    break;
  case FakeBehavior::Trace:
    (void)::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    break;
  case FakeBehavior::Signal:
    (void)::kill(::getpid(), SIGCONT);
    break;
  case FakeBehavior::NewCode:
    (void)::mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    break;
  case FakeBehavior::RefuseLevel0:
    return unsupported("level 0");
  case FakeBehavior::ReadFile:
    return ::open("/etc/passwd", O_RDONLY) >= 0 ? internalError("read a file") : unsupported("read a file");
  case FakeBehavior::Descriptors:
    return internalError(std::to_string(openDescriptors()) + " descriptors");
  case FakeBehavior::LongAnswer:
    sendAnswer(UINT32_MAX);
    while (forEver)
      ;
    break;
  case FakeBehavior::EmptyAnswer:
    sendAnswer(4096);
    while (forEver)
      ;
    break;
  }
  return internalError("the sandbox let it pass");
}

/// Whether the behavior concerns a compilation at this level.
bool concerns(FakeBehavior behavior, uint32_t level) {
  if (behavior == FakeBehavior::CrashAboveLevel0 || behavior == FakeBehavior::HangAboveLevel0)
    return level > 0;
  return behavior != FakeBehavior::RefuseLevel0 || level == 0;
}

/// What a model requests of a compilation at this level; none: the real answer.
std::optional<Status> fakeAnswer(const ModelRequest &request, uint32_t level) {
  const uint32_t behavior = behaviorIn(request.modelBytes);
  if (behavior == 0 || !concerns(static_cast<FakeBehavior>(behavior), level))
    return std::nullopt;
  return perform(static_cast<FakeBehavior>(behavior));
}

CompileResult compileOrFail(const CompileRequest &request) {
  std::optional<Status> fake = fakeAnswer(request, request.optimize);
  return fake ? failedAnswer<CompileResult>(*fake) : askReal<CompileResult>(realCompiler().compile, request);
}

Verdict judgeOrFail(const JudgeRequest &request) {
  std::optional<Status> fake = fakeAnswer(request, kDefaultOptimize);
  return fake ? failedAnswer<Verdict>(*fake) : askReal<Verdict>(realCompiler().judge, request);
}

DivideResult divideWell(const DivideRequest &request) { return askReal<DivideResult>(realCompiler().divide, request); }

} // namespace
} // namespace avocet::compiler

extern "C" const AvocetCompilerApi *avocetCompilerGetApi(uint32_t version) {
  using namespace avocet::compiler;
  static const AvocetCompilerApi kApi = {AVOCET_COMPILER_ABI_VERSION,   "fake",
                                         message::serve<compileOrFail>, message::serve<judgeOrFail>,
                                         message::serve<divideWell>,    message::destroyAnswer};
  (void)realCompiler();
  return version == AVOCET_COMPILER_ABI_VERSION ? &kApi : nullptr;
}
