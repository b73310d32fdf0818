//===- OpenBurst.cpp - A burst that another process serves -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BurstLink.h"
#include "avocet/hal/burst/BurstController.h"

namespace avocet::hal {
namespace {

/// Longest time for an answer of the service on the link; to answer, it only releases a memory.
constexpr Duration kLinkTimeout = std::chrono::seconds(10);

/// A controller, and the link that it uses for slots and for the death of its service.
struct LinkedController {
  std::shared_ptr<BurstController> controller;
  std::unique_ptr<BurstLink> link; ///< destroyed first, since its thread uses the controller
};

Outcome freeSlot(BurstLink &link, int32_t slot) {
  AVOCET_ASSIGN_OR_RETURN(LinkMessage answer, link.ask({LinkMessage::Kind::FreeSlot, 0, {slot}, {}}));
  if (answer.kind != LinkMessage::Kind::Freed)
    return generalFailure("burst: the service sent an answer of another kind than the request");
  return success();
}

std::optional<LinkMessage> answer(const BurstController &controller, const LinkMessage &question) {
  if (question.kind != LinkMessage::Kind::GetMemories)
    return std::nullopt;
  Result<std::vector<SharedMemory>> memories = controller.memories(question.slots);
  LinkMessage reply{LinkMessage::Kind::Memories, 0, {}, {}};
  if (memories)
    reply.memories = std::move(*memories);
  return reply;
}

} // namespace

Result<std::shared_ptr<IBurst>> openBurst(std::shared_ptr<IPreparedModel> model,
                                          const std::function<Outcome(const BurstOffer &)> &send,
                                          const BurstClientOptions &options) {
  BurstOffer offer;
  SharedHandle own;
  AVOCET_ASSIGN_OR_RETURN(std::tie(own, offer.link), BurstLink::createSockets());
  AVOCET_ASSIGN_OR_RETURN(std::unique_ptr<BurstLink> link, BurstLink::create(std::move(own), kLinkTimeout));
  auto release = [link = link.get()](int32_t slot) { return freeSlot(*link, slot); };
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<BurstController> controller,
                          BurstController::create(std::move(model), std::move(release), options));
  offer.requests = controller->requests();
  offer.results = controller->results();
  BurstController *burst = controller.get();
  auto linked = std::make_shared<LinkedController>(LinkedController{std::move(controller), std::move(link)});
  AVOCET_RETURN_IF_ERROR(linked->link->start([burst](const LinkMessage &question) { return answer(*burst, question); },
                                             [burst] { burst->close(); }));
  AVOCET_RETURN_IF_ERROR(send(offer));
  return std::shared_ptr<IBurst>(std::move(linked), burst);
}

} // namespace avocet::hal
