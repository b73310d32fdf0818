//===- Burst.h - Bursts between two processes -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The burst of HAL 1.2: requests and results travel in two message queues in shared memory, and a thread of the service
// runs each request on itself. This header is all that a transport between the two processes needs:
//
//   client                                              service
//   openBurst(model, send)
//     makes both queues and a socket pair
//     send(offer)  --- one call of the transport --->   serveBurst(model's burst, offer)
//     is an IBurst                                      ServedBurst, kept until hasEnded() or the client is gone
//
// The transport carries the BurstOffer once: two queue descriptors (one file descriptor each) and one socket.
// Everything later goes past it. Over the socket travel the few messages that the queues cannot carry: "which memories
// are behind these slots" (service to client) and "this slot is free" (client to service). Its hang-up is how either
// side learns of the other's death, at once and without the transport's help: the client's calls answer DeadObject, the
// service's thread ends.
//
// A service that has a transport of its own for slots and deaths takes BurstServer.h and BurstController.h as they are.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_BURST_H
#define AVOCET_HAL_BURST_H

#include "avocet/hal/Interfaces.h"
#include "avocet/hal/MessageQueue.h"

#include <cstdint>
#include <functional>
#include <memory>

namespace avocet::hal {

/// Memories that a client may name at a time.
inline constexpr size_t kMaxBurstSlots = 256;

/// What a client sends to a service to open a burst. Untrusted until serveBurst() has looked at it.
struct BurstOffer {
  QueueDescriptor requests; ///< of FmqRequestDatum
  QueueDescriptor results;  ///< of FmqResultDatum
  SharedHandle link;        ///< the service's end of a SOCK_SEQPACKET pair
};

/// How long a side polls unless it is told otherwise: about two wake-ups. Where polling brings nothing, it soon sleeps
/// at once (PollingHabit).
inline constexpr Duration kUsualPollingWindow = std::chrono::microseconds(50);

struct BurstClientOptions {
  uint64_t queueElements = 1024; ///< of each queue; a request that needs more runs without the burst
  /// How long to poll for a result before sleeping. Polling costs a processor, sleeping a change of context.
  Duration pollingWindow = kUsualPollingWindow;
  /// Longest time that an execution may take before the service counts as dead. Hang-ups are seen long before.
  Duration answerTimeout = std::chrono::minutes(5);
};

struct BurstServerOptions {
  Duration pollingWindow = kUsualPollingWindow; ///< how long to poll for a request before sleeping
  /// How long to wait for a client that does not read its results, or does not answer for its slots.
  Duration clientTimeout = std::chrono::seconds(2);
  size_t maxSlots = kMaxBurstSlots; ///< memories that one client may have here at a time
  /// Told of the descriptors of each memory that the client sends, before it is used: refuses them with an error of its
  /// own, or returns what is to be kept as long as they are. Empty: all are welcome.
  std::function<Result<std::shared_ptr<const void>>(std::vector<SharedHandle>)> admit;
};

/// A burst of a model behind a transport. `send` gives the offer to the service and returns its answer; the caller must
/// not keep the offer, or the link never hangs up. What a burst of 1.2 cannot carry (deadlines, loop time-outs, hints,
/// tokens, pools of unknown kinds, locations beyond 32 bits) runs through `model`, with the same answers.
/// GeneralFailure: no descriptors left; else the error of `send`.
Result<std::shared_ptr<IBurst>> openBurst(std::shared_ptr<IPreparedModel> model,
                                          const std::function<Outcome(const BurstOffer &)> &send,
                                          const BurstClientOptions &options = {});

/// The service's side of one burst. Owns two threads: one executes, one watches the link. The destructor ends both; it
/// waits for an execution that is running.
class ServedBurst {
public:
  virtual ~ServedBurst() = default;
  /// The client hung up, broke a rule of the link or the queues, or stopped reading. Any thread.
  virtual bool hasEnded() const = 0;
};

/// Serves a client's offer with executions of `burst`. InvalidArgument: a queue without event word, of other elements
/// or not mappable, or no link. `onEnd` (may be empty) is called once, on a thread of this object, when hasEnded()
/// becomes true; it must not destroy this object and not block.
Result<std::unique_ptr<ServedBurst>> serveBurst(std::shared_ptr<IBurst> burst, const BurstOffer &offer,
                                                const BurstServerOptions &options = {},
                                                std::function<void()> onEnd = {});

} // namespace avocet::hal

#endif // AVOCET_HAL_BURST_H
