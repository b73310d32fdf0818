//===- Connection.h - A client's calls and their answers -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_IPC_LIB_CONNECTION_H
#define AVOCET_HAL_IPC_LIB_CONNECTION_H

#include "SilenceWatch.h"

#include "avocet/hal/ipc/Client.h"
#include "avocet/hal/types/SyncFence.h"
#include "avocet/hal/wire/Envelope.h"

#include "avocet/base/WorkerPool.h"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

namespace avocet::hal::ipc {

/// The reply to a call: an error code and message, or an answer.
struct Reply {
  ErrorStatus status = ErrorStatus::None;
  std::string message;
  fb::AnswerUnion answer;
  HandleReader handles{{}}; ///< of the answer
};

/// Sends calls over a channel and passes each answer to the caller that waits for it. Any thread may call.
///
/// One of the waiting callers receives for all of them, so that a call needs no switch of threads. The watcher, a
/// thread of the connection, receives while no caller waits and answers of asynchronous calls are due, and detects the
/// end of the service and its silence (LivenessOptions). Handlers run in a third thread, so that a handler may make
/// calls itself.
class Connection {
public:
  using Handler = std::function<void(Reply)>;

  /// `protocol`: the version of the connection. ResourceExhaustedTransient: no descriptor or thread is left.
  static Result<std::shared_ptr<Connection>> create(std::unique_ptr<Channel> channel, uint32_t protocol,
                                                    const ConnectOptions &options);
  ~Connection();
  Connection(const Connection &) = delete;
  Connection &operator=(const Connection &) = delete;

  /// Sends a call and waits for its answer. DeadObject once the connection is gone.
  Reply call(fb::CallUnion call, const HandleWriter &handles = {});

  /// Sends a call and waits only until it is launched. `handler` is called exactly once, on every path.
  ErrorStatus launch(fb::CallUnion call, const HandleWriter &handles, Handler handler);

  /// Sends a call without an answer.
  void notify(fb::CallUnion call);

  /// Asks for a sign of life and waits for it. False: the connection is dead.
  bool isAnswering() { return call(question()).status != ErrorStatus::DeadObject; }

  /// Fails the fence of an execution of the service when the connection ends.
  void watchFence(const SyncFence &fence);

  bool isDead() const;

private:
  using Clock = std::chrono::steady_clock;
  struct Pending {
    explicit Pending(Handler handler) : handler(std::move(handler)) {}
    Handler handler; ///< asynchronous calls
    bool waiting = false;
    bool launched = false;
    bool answered = false;
    Reply reply;
    std::condition_variable changed;
  };
  using Lock = std::unique_lock<std::mutex>;

  /// The number orders fences and calls by age.
  struct WatchedFence {
    uint64_t number;
    std::weak_ptr<const FileDescriptor> handle;
  };

  Connection(std::unique_ptr<Channel> channel, FileDescriptor wake, uint32_t protocol, const ConnectOptions &options);

  /// A call's number on the connection, and that of its request in traces.
  struct CallNumbers {
    uint64_t call = 0;
    uint32_t request = 0;
  };

  std::pair<uint64_t, std::shared_ptr<Pending>> enter(Handler handler);
  Outcome send(const CallNumbers &numbers, fb::CallUnion call, const HandleWriter &handles, bool asynchronous);
  template <typename Done> void await(Lock &lock, Pending &pending, Done done);
  struct Received {
    Message message;
    OpenedMessage opened;
  };
  std::optional<Received> receive();
  void receiveOne(Lock &lock);
  void dispatch(OpenedMessage opened, Message message);
  void answer(uint64_t number, Reply reply);
  /// Whether the watcher receives if no caller does: answers of launched calls, or a sign of life, are due.
  bool isWatcherNeeded() const { return numLaunched_ > 0 || silence_.isAsked(); }
  bool passToCaller();
  void handOver();
  Reply deadReply() const;
  void breakOff(const char *why);
  void die();
  void post(Handler handler, Reply reply);
  void watch();
  bool waitForSocket(Lock &lock, bool receives);
  void wakeWatcher();
  void startLooking();
  void lookForSigns();
  void forgetEndedFences();
  std::optional<uint64_t> oldestWork() const;
  fb::CallUnion question() const;
  void ask();

  const std::unique_ptr<Channel> channel_;
  const FileDescriptor wake_; ///< an eventfd that the watcher polls together with the socket
  const bool hasPing_;        ///< the service has the call Ping
  const std::chrono::milliseconds interval_;
  mutable std::mutex mutex_; ///< guards the members below; not held during a receive
  std::condition_variable received_;
  std::map<uint64_t, std::shared_ptr<Pending>> pending_;
  uint64_t nextNumber_ = 1;
  size_t numLaunched_ = 0;           ///< asynchronous calls without their last answer
  std::vector<WatchedFence> fences_; ///< some may have ended
  SilenceWatch silence_;
  bool isLooking_ = false; ///< the watcher looks for signs of life at nextLook_
  Clock::time_point nextLook_;
  bool receiving_ = false;
  bool dead_ = false;
  const char *whyDead_ = "the connection to the driver service has ended";
  bool ending_ = false;
  WorkerPool runner_{1, SIZE_MAX};
  std::thread watcher_;
};

} // namespace avocet::hal::ipc

#endif // AVOCET_HAL_IPC_LIB_CONNECTION_H
