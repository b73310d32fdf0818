//===- CompilerTurns.cpp - Turns of one client at the compiler --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "client/CompilerTurns.h"

namespace avocet::hal {

Result<CompilerTurns::Turn> CompilerTurns::enter(const CallLimit &limit) {
  FifoSemaphore::Place place = own_.enter([&](const FifoSemaphore::Sleep &sleep) { return limit.await(sleep); });
  if (!place)
    return limit.whyOver("while others of the client were served");
  Turn turn(std::move(place));
  if (all_ != nullptr) {
    AVOCET_ASSIGN_OR_RETURN(FairSemaphore::Turn all, all_->enter(owner_, limit));
    turn.all_.emplace(std::move(all));
  }
  return turn;
}

} // namespace avocet::hal
