//===- HostileService.cpp - A service with the answers of a script *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostileService.h"

#include "Require.h"
#include "script_generated.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace avocet::fuzz {
namespace {

using hal::ipc::HandleReader;
namespace ipc = hal::ipc::fb;

/// The poll time-out while there are bursts: queues in shared memory cannot be polled.
constexpr int kBurstPeriodMilliseconds = 1;

FileDescriptor listenAt(const std::string &path) {
  FileDescriptor socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  ::unlink(path.c_str());
  const bool listens = ::bind(socket.get(), reinterpret_cast<const sockaddr *>(&address), sizeof(address)) == 0 &&
                       ::listen(socket.get(), 16) == 0;
  require(listens, "cannot listen at " + path);
  return socket;
}

} // namespace

HostileService::HostileService(const std::string &path, const Table &script)
    : script_(script), listener_(listenAt(path)), wake_(::eventfd(0, EFD_CLOEXEC)),
      descriptors_(tablesOf(script, fb::ClientScript::VT_DESCRIPTORS)), thread_([this] { run(); }) {}

HostileService::~HostileService() {
  const uint64_t one = 1;
  (void)!::write(wake_.get(), &one, sizeof(one));
  thread_.join();
}

void HostileService::run() {
  while (true) {
    std::vector<pollfd> waiting = {{wake_.get(), POLLIN, 0}, {listener_.get(), POLLIN, 0}};
    for (const Connection &connection : connections_)
      waiting.push_back({connection.socket.get(), POLLIN, 0});
    (void)::poll(waiting.data(), waiting.size(), bursts_.empty() ? -1 : kBurstPeriodMilliseconds);
    if (waiting[0].revents != 0)
      return;
    size_t index = 2;
    for (auto connection = connections_.begin(); connection != connections_.end(); ++index)
      if (waiting[index].revents != 0 && !serve(*connection))
        connection = connections_.erase(connection);
      else
        ++connection;
    for (HostileBurst &burst : bursts_)
      burst.serve();
    if (waiting[1].revents != 0)
      accept();
  }
}

void HostileService::accept() {
  FileDescriptor socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  FileDescriptor second(::dup(socket.get()));
  if (second.isValid())
    connections_.push_back({std::make_unique<hal::Channel>(std::move(socket)), std::move(second)});
}

bool HostileService::serve(Connection &connection) {
  hal::Result<hal::Message> message = connection.channel->receive();
  if (!message)
    return false;
  hal::Result<ipc::EnvelopeT> call = hal::ipc::openEnvelope(message->bytes);
  require(call.isOk(), "a call of the client cannot be read");
  if (call->call.type == ipc::Call::Release)
    return true;
  if (const ipc::ServeBurstT *burst = call->call.AsServeBurst())
    open(*burst, HandleReader(std::move(message->fds)));
  return reply(connection, *call);
}

void HostileService::open(const ipc::ServeBurstT &call, const HandleReader &handles) {
  constexpr size_t kMaxBursts = 4;
  auto requests = hal::ipc::fromMessage(*call.requests, handles),
       results = hal::ipc::fromMessage(*call.results, handles);
  auto link = handles.handle(call.link);
  require(requests.isOk() && results.isOk() && link.isOk(), "a burst of the client lacks its descriptors");
  if (bursts_.size() < kMaxBursts)
    bursts_.emplace_back(script_, *requests, *results, std::move(*link));
}

/// The next reply for this tag or, if there is none, for any tag. Null: no reply.
const Table *HostileService::replyTo(uint8_t tag) {
  for (uint8_t wanted : {tag, uint8_t(0)}) {
    std::vector<const Table *> suitable;
    for (const TablePointer &reply : tablesOf(script_, fb::ClientScript::VT_REPLIES))
      if (numberOf(*reply, fb::Reply::VT_TAG) == wanted)
        suitable.push_back(reply.get());
    if (!suitable.empty())
      return suitable[numReplies_[tag]++ % suitable.size()];
  }
  return nullptr;
}

bool HostileService::reply(Connection &connection, const ipc::EnvelopeT &call) {
  const Table *reply = replyTo(static_cast<uint8_t>(call.call.type));
  if (reply == nullptr)
    return false;
  const bool hasWrongNumber = numberOf(*reply, fb::Reply::VT_WRONG_NUMBER) != 0;
  bool isAnswered = false;
  for (const TablePointer &message : tablesOf(*reply, fb::Reply::VT_MESSAGES)) {
    const Packet packet =
        packetOf(*message, descriptors_, hasWrongNumber ? std::nullopt : std::optional<uint64_t>(call.number));
    if (!sendPacket(connection.socket.get(), *message, packet))
      return false;
    const auto summary = packet.summary();
    isAnswered |= summary && summary->number == call.number && (!summary->isLaunched || call.asynchronous);
  }
  return isAnswered && numberOf(*reply, fb::Reply::VT_HANG_UP) == 0;
}

} // namespace avocet::fuzz
