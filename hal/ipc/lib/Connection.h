//===- Connection.h - A client's calls and their answers -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_IPC_LIB_CONNECTION_H
#define AVOCET_HAL_IPC_LIB_CONNECTION_H

#include "Envelope.h"

#include "avocet/base/WorkerPool.h"

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

namespace avocet::hal::ipc {

/// What came back for a call: an error code and message, or an answer.
struct Reply {
  ErrorStatus status = ErrorStatus::None;
  std::string message;
  fb::AnswerUnion answer;
};

/// Sends calls over a channel and hands each answer to whoever waits for it. Any thread may call. One thread receives,
/// another runs the handlers of asynchronous calls, so that a handler may call again.
class Connection {
public:
  using Handler = std::function<void(Reply)>;

  explicit Connection(std::unique_ptr<Channel> channel);
  ~Connection();
  Connection(const Connection &) = delete;
  Connection &operator=(const Connection &) = delete;

  /// Sends a call and waits for its answer. DeadObject once the connection is gone.
  Reply call(fb::CallUnion call, const HandleWriter &handles = {});

  /// Sends a call and waits only until it is launched. `handler` is called exactly once, on every path.
  ErrorStatus launch(fb::CallUnion call, const HandleWriter &handles, Handler handler);

  /// Sends a call without an answer.
  void notify(fb::CallUnion call);

private:
  struct Pending {
    Handler handler; ///< asynchronous calls
    bool launched = false;
    bool answered = false;
    Reply reply;
  };

  uint64_t enter(Handler handler);
  Outcome send(uint64_t number, fb::CallUnion call, const HandleWriter &handles, bool asynchronous);
  void receive();
  void dispatch(fb::EnvelopeT envelope);
  void answer(uint64_t number, Reply reply);
  void die();
  void post(Handler handler, Reply reply);

  std::unique_ptr<Channel> channel_;
  std::mutex mutex_; ///< guards everything below
  std::condition_variable changed_;
  std::map<uint64_t, std::shared_ptr<Pending>> pending_;
  uint64_t nextNumber_ = 1;
  bool dead_ = false;
  WorkerPool runner_{1, SIZE_MAX};
  std::thread receiver_;
};

} // namespace avocet::hal::ipc

#endif // AVOCET_HAL_IPC_LIB_CONNECTION_H
