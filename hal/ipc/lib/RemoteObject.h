//===- RemoteObject.h - Objects of the service -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_IPC_LIB_REMOTEOBJECT_H
#define AVOCET_HAL_IPC_LIB_REMOTEOBJECT_H

#include "Connection.h"

#include <utility>

namespace avocet::hal::ipc {

template <typename Table> fb::CallUnion callOf(Table table) {
  fb::CallUnion call;
  call.Set(std::move(table));
  return call;
}

inline Error errorOf(const Reply &reply) { return error(reply.status, reply.message); }

/// The error for an answer whose kind does not match its call: the service is faulty.
Error wrongAnswer();

/// The number of the object made by a call.
Result<uint64_t> objectOf(const Reply &reply);

Outcome nothingOf(const Reply &reply);

ExecutionOutcome outcomeOf(Reply reply);

/// An object of the service, released with this one.
class RemoteObject {
public:
  RemoteObject(std::shared_ptr<Connection> connection, uint64_t id) : connection_(std::move(connection)), id_(id) {}
  ~RemoteObject();
  RemoteObject(const RemoteObject &) = delete;
  RemoteObject &operator=(const RemoteObject &) = delete;

  template <typename Table> Reply call(Table table, const HandleWriter &handles = {}) const {
    return connection_->call(callOf(std::move(table)), handles);
  }
  const std::shared_ptr<Connection> &connection() const { return connection_; }
  uint64_t id() const { return id_; }

private:
  std::shared_ptr<Connection> connection_;
  uint64_t id_;
};

} // namespace avocet::hal::ipc

#endif // AVOCET_HAL_IPC_LIB_REMOTEOBJECT_H
