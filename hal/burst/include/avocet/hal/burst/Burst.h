//===- Burst.h - Bursts between two processes -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The burst of HAL 1.2: requests and results are sent through two message queues in shared memory, and a thread of the
// service executes each request itself. A transport between the two processes needs only this header:
//
//   client                                              service
//   openBurst(model, send)
//     makes both queues and a socket pair
//     send(offer)  --- one call of the transport --->   serveBurst(model's burst, offer)
//     is an IBurst                                      ServedBurst, kept until hasEnded() or the client is gone
//
// The transport carries the BurstOffer once: two queue descriptors (one file descriptor each) and one socket. Nothing
// later uses the transport. The socket carries the few messages that the queues cannot carry: "which memories do these
// slots denote" (service to client) and "this slot is free" (client to service). When one process dies, the socket
// hangs up: the client's calls return DeadObject, the service's thread ends.
//
// A service whose transport reports slots and deaths itself uses BurstServer.h and BurstController.h directly.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_BURST_BURST_H
#define AVOCET_HAL_BURST_BURST_H

#include "avocet/hal/queue/MessageQueue.h"
#include "avocet/hal/types/Interfaces.h"

#include <cstdint>
#include <functional>
#include <memory>

namespace avocet::hal {

/// Most memories that a client may have in slots at a time.
inline constexpr size_t kMaxBurstSlots = 256;

/// What a client sends to a service to open a burst. Untrusted until serveBurst() has checked it.
struct BurstOffer {
  QueueDescriptor requests; ///< of FmqRequestDatum
  QueueDescriptor results;  ///< of FmqResultDatum
  SharedHandle link;        ///< the service's end of a SOCK_SEQPACKET pair
};

/// Default time that a side polls: about two wake-ups. After polls without success a side sleeps at once
/// (PollingHabit).
inline constexpr Duration kUsualPollingWindow = std::chrono::microseconds(50);

struct BurstClientOptions {
  uint64_t queueElements = 1024; ///< of each queue; a request that needs more runs without the burst
  /// Time to poll for a result before sleeping. Polling occupies a processor, sleeping costs a context switch.
  Duration pollingWindow = kUsualPollingWindow;
  /// Longest time of an execution; after it the service counts as dead. Hang-ups are detected at once.
  Duration answerTimeout = std::chrono::minutes(5);
  /// Called after each `questionInterval` of an execution, on the caller's thread. False: the service is dead. Empty:
  /// it counts as alive until `answerTimeout`.
  std::function<bool()> isPeerAlive{};
  Duration questionInterval = std::chrono::seconds(5);
};

struct BurstServerOptions {
  Duration pollingWindow = kUsualPollingWindow; ///< time to poll for a request before sleeping
  /// Longest wait for a client that does not read its results or does not answer a query for its slots. Hang-ups end
  /// the wait at once. Longer than a loaded machine leaves a client without a processor.
  Duration clientTimeout = std::chrono::seconds(10);
  size_t maxSlots = kMaxBurstSlots; ///< memories that one client may have in the server at a time
  /// Called with the descriptors of each memory that the client sends, before it is used. Refuses them with an error,
  /// or returns an object to be kept as long as they are. Empty: all are accepted.
  std::function<Result<std::shared_ptr<const void>>(std::vector<SharedHandle>)> admit{};
};

/// A burst of a model over a transport. `send` passes the offer to the service and returns its answer; the caller
/// must not keep the offer, else the link never hangs up. Requests that a burst of 1.2 cannot carry (deadlines, loop
/// time-outs, hints, tokens, pools of unknown kinds, locations beyond 32 bits) run through `model`, with the same
/// results. GeneralFailure: no descriptors left; else the error of `send`.
Result<std::shared_ptr<IBurst>> openBurst(std::shared_ptr<IPreparedModel> model,
                                          const std::function<Outcome(const BurstOffer &)> &send,
                                          const BurstClientOptions &options = {});

/// The service's side of one burst. Owns two threads: one executes, one receives from the link. The destructor ends
/// both and waits for a running execution.
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

#endif // AVOCET_HAL_BURST_BURST_H
