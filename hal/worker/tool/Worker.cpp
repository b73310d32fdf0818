//===- Worker.cpp - One worker process -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Worker.h"

#include "Buffers.h"
#include "FatalSignals.h"
#include "Messages.h"
#include "Packet.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace avocet::hal {
namespace {

constexpr uint64_t kMaxRequestBytes = uint64_t{1} << 34;

/// Not the library's function, whose call could also change the limits of other processes. Fails if the limit is above
/// the one before.
bool limitMemory(uint64_t bytes) {
  // The shadow memory of sanitizers counts as address space too.
  if (isSanitizerBuild())
    return true;
  const rlimit addressSpace{bytes, bytes};
  return ::syscall(SYS_setrlimit, RLIMIT_AS, &addressSpace) == 0;
}

/// Whether the service has closed the socket of the request, which cancels it. The compiler calls this thousands of
/// times; the socket is polled once in two milliseconds.
class GiveUpWatch {
public:
  explicit GiveUpWatch(int socket) : socket_(socket) {}

  bool operator()() {
    const auto now = std::chrono::steady_clock::now();
    if (now < next_)
      return false;
    next_ = now + std::chrono::milliseconds(2);
    pollfd entry{socket_, 0, 0};
    return ::poll(&entry, 1, 0) > 0 && (entry.revents & (POLLHUP | POLLERR)) != 0;
  }

private:
  int socket_;
  std::chrono::steady_clock::time_point next_;
};

/// A worker shares no lock with other processes, so that it may wait for an idle processor for any time. Failure is
/// ignored: only speed depends on it.
void yieldToOthers() {
  const sched_param none = {};
  (void)::sched_setscheduler(0, SCHED_IDLE, &none);
}

avocet::Result<WorkerMessage> openRequest(const ReceivedPacket &request) {
  const uint32_t lentBytes = request.packet.value;
  return lentBytes == 0 ? WorkerMessage::open(request.descriptors[1], kMaxRequestBytes)
                        : WorkerMessage::openShared(request.descriptors[1], lentBytes);
}

compiler::CompileResult answerTo(const compiler::LoadedCompiler &compiler, const compiler::CompileRequest &request) {
  return compiler.compile(request);
}
compiler::Verdict answerTo(const compiler::LoadedCompiler &compiler, const compiler::JudgeRequest &request) {
  return compiler.judge(request);
}

/// Its answer is not destroyed: the end of the process frees it.
WorkerMessageWriter answerTo(const WorkerSetup &setup, int socket, WorkerRequest &request) {
  if (request.urgency == Urgency::Background)
    yieldToOthers();
  const auto answer = [&](auto &asked) {
    using Answer = decltype(answerTo(*setup.compiler, asked));
    asked.cancelled = GiveUpWatch(socket);
    const auto *made = new Answer(setup.compiler ? answerTo(*setup.compiler, asked)
                                                 : compiler::failedAnswer<Answer>(setup.compiler.status()));
    return answerMessage(*made);
  };
  return std::visit(answer, request.asked);
}

bool sendInLentFile(int socket, const WorkerMessageWriter &answer) {
  const std::optional<ReceivedPacket> lent = receivePacket(socket);
  return lent && lent->packet.kind == PacketKind::AnswerFile && lent->descriptors.size() == 1 &&
         answer.writeTo(lent->descriptors[0]).isOk() &&
         sendPacket(socket, {PacketKind::Answer, static_cast<uint32_t>(answer.size())});
}

bool sendInOwnFile(int socket, const WorkerMessageWriter &answer) {
  const avocet::Result<FileDescriptor> file = answer.write();
  if (!file)
    return false;
  const int descriptors[] = {file->get()};
  return sendPacket(socket, {PacketKind::Answer, 0}, descriptors);
}

bool sendAnswer(int socket, const WorkerMessageWriter &answer, const Packet &request) {
  const bool isLent = request.value != 0 && answer.size() <= MemoryBuffer::kBytes;
  return isLent ? sendInLentFile(socket, answer) : sendInOwnFile(socket, answer);
}

[[noreturn]] void serve(const WorkerSetup &setup, const FileDescriptor &process, ReceivedPacket request) {
  const int socket = request.descriptors[0].get();
  const int own[] = {process.get()};
  reportFatalSignalsTo(socket);
  if (!limitMemory(uint64_t{request.packet.mebibytes} << 20))
    ::_exit(EXIT_FAILURE);
  if (!sendPacket(socket, {PacketKind::Taken, setup.zygote}, own))
    ::_exit(EXIT_SUCCESS);
  avocet::Result<WorkerMessage> message = openRequest(request); // the end of the process frees it
  avocet::Result<WorkerRequest> asked = message ? readRequest(*message) : message.status();
  const WorkerMessageWriter answer =
      asked ? answerTo(setup, socket, *asked)
            : answerMessage(compiler::failedAnswer<compiler::CompileResult>(asked.status()));
  ::_exit(sendAnswer(socket, answer, request.packet) ? EXIT_SUCCESS : EXIT_FAILURE);
}

} // namespace

void allowWorkerCalls(SystemCallFilter &filter) {
  filter.allow({SYS_read,          SYS_write,          SYS_pread64,      SYS_pwrite64,    SYS_close,
                SYS_lseek,         SYS_fstat,          SYS_poll,         SYS_ppoll,       SYS_sendmsg,
                SYS_recvmsg,       SYS_munmap,         SYS_mremap,       SYS_madvise,     SYS_brk,
                SYS_futex,         SYS_memfd_create,   SYS_ftruncate,    SYS_exit,        SYS_exit_group,
                SYS_rt_sigreturn,  SYS_rt_sigprocmask, SYS_rt_sigaction, SYS_gettid,      SYS_getpid,
                SYS_clock_gettime, SYS_gettimeofday,   SYS_getrandom,    SYS_sched_yield, SYS_restart_syscall});
  // For writing a line of the log without SIGPIPE.
  filter.allow({SYS_rt_sigtimedwait, SYS_rt_sigpending});
  // No new code: no JIT, no library, no page that is first written and then executed.
  for (int call : {SYS_mmap, SYS_mprotect})
    filter.allowIf(call, 2, PROT_EXEC, 0);
  for (uint64_t command : {F_ADD_SEALS, F_GET_SEALS, F_GETFD, F_SETFD, F_GETFL})
    filter.allowIf(SYS_fcntl, 1, UINT32_MAX, command);
  // Only its own limit of memory, which it can only lower, and its own class of priority.
  filter.allowIf(SYS_setrlimit, 0, UINT32_MAX, RLIMIT_AS);
  filter.allowIf(SYS_sched_setscheduler, 0, UINT32_MAX, 0);
  // For fstat() of the C library.
  filter.allowIf(SYS_newfstatat, 3, AT_EMPTY_PATH, AT_EMPTY_PATH);
  // abort() sends SIGABRT to its own process. The filter cannot check the process number, since it is made before the
  // process.
  filter.allowIf(SYS_tgkill, 2, UINT32_MAX, SIGABRT);
  // The compiler reads its peak memory from /proc, and works without it.
  for (int call : {SYS_open, SYS_openat, SYS_readlink, SYS_access})
    filter.refuse(call, EACCES);
  if (isSanitizerBuild())
    filter.allow({SYS_nanosleep, SYS_clock_nanosleep, SYS_sigaltstack, SYS_prctl, SYS_sched_getaffinity, SYS_getrlimit,
                  SYS_prlimit64, SYS_sysinfo, SYS_tgkill, SYS_personality, SYS_process_vm_readv, SYS_clone, SYS_pipe,
                  SYS_pipe2, SYS_mincore, SYS_getuid,
                  // The thread of TSan's run-time library may start only now.
                  SYS_set_robust_list, SYS_rseq});
}

void runWorker(const WorkerSetup &setup) {
  ::prctl(PR_SET_NAME, "avocetCompile");
  const FileDescriptor process(static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0)));
  if (!process.isValid() || !limitMemory(setup.memoryBytes) || !setup.filter.load().isOk())
    ::_exit(EXIT_FAILURE);
  std::optional<ReceivedPacket> request = receivePacket(setup.control);
  // Empty: the service is gone.
  if (!request || request->packet.kind != PacketKind::Request || request->descriptors.size() != 2)
    ::_exit(EXIT_SUCCESS);
  const pid_t number = ::getpid();
  (void)!::write(setup.takenPipe, &number, sizeof(number));
  // From here on the process has access only to this request.
  ::close(setup.takenPipe);
  ::close(setup.control);
  serve(setup, process, std::move(*request));
}

} // namespace avocet::hal
