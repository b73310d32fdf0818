//===- Exchange.cpp - One request to a compile worker -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Exchange.h"

#include "avocet/hal/sandbox/SystemCallFilter.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fmt/core.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace avocet::hal {
namespace {

using compiler::ModelRequest;

/// Interval of calls of `cancelled`.
constexpr int kStepMilliseconds = 5;

const char *signalName(uint32_t number) {
  const char *name = ::sigabbrev_np(static_cast<int>(std::min<uint32_t>(number, NSIG)));
  return name != nullptr ? name : "unknown";
}

/// Signal 0 only checks. A process that has ended (ESRCH) counts too.
bool isProcess(const FileDescriptor &descriptor) {
  return ::syscall(SYS_pidfd_send_signal, descriptor.get(), 0, nullptr, 0) == 0 || errno == ESRCH;
}

} // namespace

avocet::Status givenUp(const ModelRequest &request) {
  return {StatusCode::Aborted, request.modelPath + ": the compilation was cancelled"};
}

/// Bounds the time that a worker runs after its answer.
Exchange::~Exchange() { (void)endWorker(); }

FileDescriptor Exchange::endWorker() {
  if (process_.isValid())
    ::syscall(SYS_pidfd_send_signal, process_.get(), SIGKILL, nullptr, 0);
  return std::move(process_);
}

avocet::Status Exchange::crashed(std::string message) {
  hasCrashed_ = true;
  return internalError(std::move(message));
}

avocet::Status Exchange::send() {
  int ends[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return errnoStatus(errno, "cannot make a socket for a compile worker");
  socket_ = FileDescriptor(ends[0]);
  const FileDescriptor theirs(ends[1]);
  const FileDescriptor &message = files_.lent == nullptr ? *files_.message : files_.lent->requestFile();
  const int descriptors[] = {theirs.get(), message.get()};
  const auto lentBytes = static_cast<uint32_t>(files_.lent == nullptr ? 0 : files_.lent->requestBytes());
  if (sendPacket(control_, {PacketKind::Request, lentBytes, mebibytes(memoryBytes_)}, descriptors)) {
    if (files_.lent != nullptr)
      lendAnswerFile();
    return avocet::Status::ok();
  }
  if (errno == EPIPE || errno == ECONNRESET)
    return failedPrecondition("the processes that compile models have ended; restart the service");
  return errnoStatus(errno, "cannot send a request to a compile worker");
}

/// Clears the file while the worker compiles. If the worker has ended meanwhile, receive() detects it.
void Exchange::lendAnswerFile() {
  files_.lent->clearAnswer();
  const int descriptors[] = {files_.lent->answerFile().get()};
  (void)sendPacket(socket_.get(), {PacketKind::AnswerFile, 0}, descriptors);
}

avocet::Status Exchange::awaitPacket(const ModelRequest &request) const {
  pollfd entry{socket_.get(), POLLIN, 0};
  while (::poll(&entry, 1, kStepMilliseconds) <= 0) {
    if (request.cancelled && request.cancelled())
      return givenUp(request);
    if (std::chrono::steady_clock::now() >= end_)
      return {StatusCode::DeadlineExceeded, fmt::format("{}: the compilation takes longer than the limit of {} s",
                                                        request.modelPath, options_.timeLimit.count())};
  }
  return avocet::Status::ok();
}

avocet::Result<WorkerMessage> Exchange::answerIn(const ReceivedPacket &received) const {
  const uint32_t lentBytes = received.packet.value;
  if (lentBytes == 0 && received.descriptors.size() == 1)
    return WorkerMessage::open(received.descriptors[0], memoryBytes_);
  if (files_.lent == nullptr || lentBytes == 0 || lentBytes > MemoryBuffer::kBytes || !received.descriptors.empty())
    return dataLoss("message of the compile worker: an answer has one descriptor, or a size in the lent file");
  return files_.lent->readAnswer(lentBytes);
}

/// Handles the first packet, which a worker sends before it reads the request. Requires a process descriptor: another
/// kind could look like a dead worker while the worker survives its kill. A worker has no descriptor of another
/// process.
bool Exchange::noteTaken(ReceivedPacket &received) {
  if (wasTaken() || received.packet.kind != PacketKind::Taken || received.descriptors.size() != 1 ||
      !isProcess(received.descriptors[0]))
    return false;
  process_ = std::move(received.descriptors[0]);
  zygote_ = received.packet.value;
  return true;
}

avocet::Status Exchange::receive(const ModelRequest &request, const Accept &accept) {
  while (true) {
    AVOCET_RETURN_IF_ERROR(awaitPacket(request));
    std::optional<ReceivedPacket> received = receivePacket(socket_.get());
    if (!received)
      return crashed("the compile worker ended without an answer");
    if (noteTaken(*received))
      continue;
    const uint32_t value = received->packet.value;
    switch (received->packet.kind) {
    case PacketKind::Answer: {
      AVOCET_ASSIGN_OR_RETURN(const WorkerMessage message, answerIn(*received));
      return accept(message);
    }
    case PacketKind::Signal:
      return crashed(fmt::format("the compiler crashed (signal {}, SIG{})", value, signalName(value)));
    case PacketKind::SystemCall:
      return crashed(fmt::format("the compiler made the system call {} ({}), which its sandbox does not allow",
                                 systemCallName(static_cast<int>(value)), value));
    case PacketKind::OutOfMemory:
      hasCrashed_ = hasExhaustedMemory_ = true;
      return resourceExhausted(fmt::format("the compiler needs more memory than its limit of {} bytes", memoryBytes_));
    default:
      return dataLoss("message of the compile worker: a packet is of an unknown kind");
    }
  }
}

avocet::Status Exchange::run(const RequestFiles &files, const ModelRequest &request, const Accept &accept) {
  files_ = files;
  end_ = std::chrono::steady_clock::now() + options_.timeLimit;
  AVOCET_RETURN_IF_ERROR(send());
  avocet::Status status = receive(request, accept);
  wasAnswered_ = status.isOk();
  return status.code() == StatusCode::DataLoss ? crashed(status.message()) : status;
}

} // namespace avocet::hal
