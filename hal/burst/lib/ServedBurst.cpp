//===- ServedBurst.cpp - A burst of another process -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BurstLink.h"
#include "avocet/hal/burst/BurstServer.h"

#include <algorithm>

namespace avocet::hal {
namespace {

/// A server that uses a link for slots and for the death of its client.
class LinkedServer final : public ServedBurst {
public:
  static Result<std::unique_ptr<ServedBurst>> create(std::shared_ptr<IBurst> burst, const BurstOffer &offer,
                                                     const BurstServerOptions &options, std::function<void()> onEnd) {
    auto served = std::make_unique<LinkedServer>();
    AVOCET_ASSIGN_OR_RETURN(served->link_, BurstLink::create(offer.link, options.clientTimeout));
    auto memories = [link = served->link_.get(), admit = options.admit](std::span<const int32_t> slots) {
      auto received = askFor(*link, slots);
      return received && admit ? admitted(std::move(*received), admit) : received;
    };
    auto end = [link = served->link_.get(), onEnd = std::move(onEnd)] {
      link->hangUp(); // reports to the client that the server ended by itself
      if (onEnd)
        onEnd();
    };
    AVOCET_ASSIGN_OR_RETURN(served->server_, BurstServer::create(std::move(burst), offer.requests, offer.results,
                                                                 std::move(memories), options, std::move(end)));
    BurstServer &server = *served->server_;
    AVOCET_RETURN_IF_ERROR(served->link_->start(
        [&server](const LinkMessage &question) { return answer(server, question); }, [&server] { server.close(); }));
    return std::unique_ptr<ServedBurst>(std::move(served));
  }

  ~LinkedServer() override {
    if (link_)
      link_->shutdown(); // its thread uses the server, and the server's thread the link
  }

  bool hasEnded() const override { return server_->hasEnded(); }

private:
  /// Sends as many messages as the slots need; the link's time-out bounds each.
  static Result<std::vector<SharedMemory>> askFor(BurstLink &link, std::span<const int32_t> slots) {
    std::vector<SharedMemory> memories;
    while (!slots.empty()) {
      std::span<const int32_t> part = slots.first(std::min(slots.size(), LinkMessage::kMaxEntries));
      slots = slots.subspan(part.size());
      AVOCET_ASSIGN_OR_RETURN(
          LinkMessage answer,
          link.ask({LinkMessage::Kind::GetMemories, 0, std::vector<int32_t>(part.begin(), part.end()), {}}));
      if (answer.kind != LinkMessage::Kind::Memories || answer.memories.size() != part.size())
        return generalFailure("burst: the client gave no memories for its slots");
      std::ranges::move(answer.memories, std::back_inserter(memories));
    }
    return memories;
  }

  static std::vector<SharedHandle> descriptorsOf(const Memory &memory) {
    if (const auto *unknown = std::get_if<UnknownHandle>(&memory.handle))
      return unknown->fds;
    return std::visit(
        [](const auto &handle) -> std::vector<SharedHandle> {
          if constexpr (requires { handle.fd; })
            return {handle.fd};
          return {};
        },
        memory.handle);
  }

  /// Each memory together with the object that `admit` returned for its descriptors.
  static Result<std::vector<SharedMemory>> admitted(std::vector<SharedMemory> memories,
                                                    const decltype(BurstServerOptions::admit) &admit) {
    for (SharedMemory &memory : memories) {
      if (memory == nullptr)
        continue;
      AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<const void> kept, admit(descriptorsOf(*memory)));
      auto both = std::make_shared<const std::pair<SharedMemory, std::shared_ptr<const void>>>(memory, std::move(kept));
      memory = SharedMemory(both, both->first.get());
    }
    return memories;
  }

  static std::optional<LinkMessage> answer(BurstServer &server, const LinkMessage &question) {
    if (question.kind != LinkMessage::Kind::FreeSlot)
      return std::nullopt;
    server.freeMemory(question.slots.front());
    return LinkMessage{LinkMessage::Kind::Freed, 0, {}, {}};
  }

  std::unique_ptr<BurstLink> link_;
  std::unique_ptr<BurstServer> server_; ///< destroyed first
};

} // namespace

Result<std::unique_ptr<ServedBurst>> serveBurst(std::shared_ptr<IBurst> burst, const BurstOffer &offer,
                                                const BurstServerOptions &options, std::function<void()> onEnd) {
  return LinkedServer::create(std::move(burst), offer, options, std::move(onEnd));
}

} // namespace avocet::hal
