//===- Call.cpp - One call of one client -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Call.h"

#include "avocet/hal/wire/CallTrace.h"

namespace avocet::hal {
namespace {

CallTable makeTable() {
  CallTable table;
  for (auto add : {addDeviceCalls, addExecutionCalls, addFencedCalls, addBufferCalls, addBurstCalls})
    add(table);
  return table;
}

} // namespace

void performCall(const Call &call) {
  static const CallTable table = makeTable();
  ipc::CallSpan span("service", call.envelope.call.type);
  if (const CallTable::Performer *perform = table.performerOf(call.envelope.call.type))
    return (*perform)(call);
  call.session.answer(call.number(), invalidArgument("the call is of a kind that is unknown to the service"));
}

} // namespace avocet::hal
