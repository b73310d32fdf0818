//===- Call.h - One call of one client -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_SERVICE_LIB_CALL_H
#define AVOCET_HAL_SERVICE_LIB_CALL_H

#include "Session.h"

#include <array>

namespace avocet::hal {

struct Call {
  Session &session;
  ClientDevice &device;
  const ipc::fb::EnvelopeT &envelope;
  const ipc::HandleReader &handles;
  const std::shared_ptr<MessageCharge> &charge; ///< shared by objects that keep parts of the message after the call

  uint64_t number() const { return envelope.number; }
};

/// Performs a call and answers it: at once, or for asynchronous calls in the driver's callback.
void performCall(const Call &call);

/// The function for each kind of call. One file for each family adds its functions.
class CallTable {
public:
  using Performer = std::function<void(const Call &)>;

  /// For calls that send their answers themselves.
  template <typename Body> void add(void (*perform)(const Call &, const Body &)) {
    performers_.at(numberOf<Body>()) = [perform](const Call &call) { perform(call, bodyOf<Body>(call)); };
  }
  /// For calls that return their answer.
  template <typename Body> void add(Result<Answered> (*perform)(const Call &, const Body &)) {
    performers_.at(numberOf<Body>()) = [perform](const Call &call) {
      call.session.answer(call.number(), perform(call, bodyOf<Body>(call)));
    };
  }
  /// Null: no function for this kind of call.
  const Performer *performerOf(ipc::fb::Call kind) const {
    const auto index = static_cast<size_t>(kind);
    return index < performers_.size() && performers_[index] ? &performers_[index] : nullptr;
  }

private:
  template <typename Body> static constexpr size_t numberOf() {
    return static_cast<size_t>(ipc::fb::CallUnionTraits<Body>::enum_value);
  }
  template <typename Body> static const Body &bodyOf(const Call &call) {
    return *static_cast<const Body *>(call.envelope.call.value);
  }
  std::array<Performer, static_cast<size_t>(ipc::fb::Call::MAX) + 1> performers_;
};

void addDeviceCalls(CallTable &table);
void addExecutionCalls(CallTable &table);
void addFencedCalls(CallTable &table);
void addBufferCalls(CallTable &table);
void addBurstCalls(CallTable &table);

/// The answer that names a new object of the client.
template <typename T> Result<Answered> answerObject(const Call &call, Result<std::shared_ptr<T>> object) {
  if (!object)
    return object.error();
  AVOCET_ASSIGN_OR_RETURN(uint64_t id, call.session.objects().add(std::move(*object)));
  ipc::fb::ObjectT answer;
  answer.id = id;
  return answered(answer);
}

inline ExecutionOutcome outcomeOf(const Error &error) { return {error.code, error.message, {}, {}}; }

} // namespace avocet::hal

#endif // AVOCET_HAL_SERVICE_LIB_CALL_H
