//===- HostileActions.cpp - Actions that clients must not do --------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Actions.h"
#include "Pool.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>

namespace avocet::stress {
namespace {

using namespace hal;

constexpr auto kAnything = {ErrorStatus::GeneralFailure, ErrorStatus::InvalidArgument,
                            ErrorStatus::OutputInsufficientSize};

/// Connects a socket without the client library. Invalid: no service listens at the moment.
FileDescriptor connectRaw(const std::string &path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  FileDescriptor socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  if (::connect(socket.get(), reinterpret_cast<sockaddr *>(&address), sizeof(address)) != 0)
    socket.reset();
  return socket;
}

/// Whether the peer ends the connection within a second.
bool isHungUp(const FileDescriptor &socket) {
  pollfd waiting = {socket.get(), POLLIN, 0};
  char byte = 0;
  return ::poll(&waiting, 1, 1000) == 1 && ::recv(socket.get(), &byte, 1, MSG_DONTWAIT) <= 0;
}

Bytes rubbish(Random &random) {
  Bytes bytes(1 + random.below(400));
  for (uint8_t &byte : bytes)
    byte = static_cast<uint8_t>(random.next());
  if (random.oneIn(2)) // bytes that look like a header
    std::memcpy(bytes.data(), "AVIP", std::min<size_t>(4, bytes.size()));
  return bytes;
}

/// Sends bytes that are no message: the service must end the connection. Some connections are closed before that.
void garbage(Client &client) {
  for (uint64_t i = 0, count = 1 + client.random().below(4); i < count; ++i) {
    const FileDescriptor socket = connectRaw(client.options().socket);
    const Bytes bytes = rubbish(client.random());
    const bool isSent = socket.isValid() && ::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
                                                static_cast<ssize_t>(bytes.size());
    if (isSent && client.random().oneIn(2) && isHungUp(socket))
      client.haveEffect();
    client.tick();
  }
}

/// Shrinks and grows a file while executions use it.
class Truncator {
public:
  Truncator(int descriptor, uint64_t size) : thread_([this, descriptor, size] { run(descriptor, size); }) {}
  ~Truncator() {
    isDone_ = true;
    thread_.join();
  }
  /// Number of truncations to 0 bytes.
  uint64_t cuts() const { return cuts_; }

private:
  void run(int descriptor, uint64_t size) {
    while (!isDone_) {
      cuts_ += ::ftruncate(descriptor, 0) == 0 ? 1 : 0;
      std::this_thread::yield();
      (void)!::ftruncate(descriptor, static_cast<off_t>(size));
      std::this_thread::yield();
    }
  }
  std::atomic<bool> isDone_ = false;
  std::atomic<uint64_t> cuts_ = 0;
  std::thread thread_;
};

/// Any result is accepted: only the vandal's own bytes are wrong.
void truncate(Client &client) {
  const auto held = client.anyHeld();
  auto input = held ? Pool::make(held->model->bytes()) : Error{};
  auto output = held ? Pool::make(held->model->bytes()) : Error{};
  if (!input || !output)
    return;
  const Request request = requestOf(*input, *output);
  Truncator truncator(client.random().oneIn(2) ? input->descriptor() : output->descriptor(), held->model->bytes());
  for (int i = 0; i < 10 && !client.isServiceGone(); ++i) {
    const ExecutionOutcome outcome = held->prepared->execute(request, {});
    (void)client.judge("execute in a file that shrinks", outcome.status, outcome.message, kAnything);
    if (truncator.cuts() > 0)
      client.haveEffect();
  }
}

/// Requests that break one rule each.
void nonsense(Client &client) {
  const auto held = client.anyHeld();
  auto input = held ? Pool::make(held->model->bytes()) : Error{};
  auto output = held ? Pool::make(held->model->bytes()) : Error{};
  if (!input || !output)
    return;
  Request request = requestOf(*input, *output);
  switch (client.random().below(5)) {
  case 0:
    request.inputs[0].location.offset = client.random().next();
    break;
  case 1:
    request.outputs[0].location.poolIndex = 2 + static_cast<uint32_t>(client.random().below(1000));
    break;
  case 2:
    request.pools[0] = BufferToken{static_cast<uint32_t>(client.random().next())};
    break;
  case 3:
    request.inputs.clear();
    break;
  default:
    request.inputs[0].dimensions = {static_cast<uint32_t>(client.random().next()), 0xffffffffu};
  }
  const ExecutionOutcome outcome = held->prepared->execute(request, {});
  if (client.judge("nonsense", outcome.status, outcome.message, kAnything))
    client.fail("nonsense is executed");
  if (std::ranges::find(kAnything, outcome.status) != kAnything.end())
    client.haveEffect();
}

constexpr Action kActions[] = {
    {"garbage", 3, garbage, true}, {"truncate", 3, truncate, true}, {"nonsense", 2, nonsense, true}};

} // namespace

std::span<const Action> hostileActions() { return kActions; }

} // namespace avocet::stress
