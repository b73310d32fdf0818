//===- CompilerTurns.cpp - Turns of one client at the compiler --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "client/CompilerTurns.h"

#include "avocet/hal/types/VerboseLog.h"

#include <chrono>

namespace avocet::hal {

Result<CompilerTurns::Turn> CompilerTurns::enter(const CallLimit &limit) {
  const auto start = std::chrono::steady_clock::now();
  FifoSemaphore::Place place = own_.enter([&](const FifoSemaphore::Sleep &sleep) { return limit.await(sleep); });
  if (!place)
    return limit.whyOver("while others of the client were served");
  Turn turn(std::move(place));
  if (all_ != nullptr) {
    AVOCET_ASSIGN_OR_RETURN(FairSemaphore::Turn all, all_->enter(owner_, limit));
    turn.all_.emplace(std::move(all));
  }
  verbose(VerboseTag::Compilation, "turn at the compiler after {:.1f} ms",
          std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  return turn;
}

} // namespace avocet::hal
