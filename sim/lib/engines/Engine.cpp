//===- Engine.cpp - An engine and its command front end ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "engines/Engine.h"

#include <algorithm>

namespace avocet::sim {

using namespace firmware;

void Engine::bookStall(StallCause cause, uint64_t until) {
  if (until <= booked_)
    return;
  job_.counters.addStall(program_.engine().kind, bookLayer_, cause, until - booked_);
  booked_ = until;
}

void Engine::bookBusy(uint64_t until) {
  if (until <= booked_)
    return;
  job_.counters.addBusy(program_.engine().kind, bookLayer_, until - booked_);
  booked_ = until;
}

void Engine::bookDrain(uint64_t now) {
  bookLayer_ = workLayer_;
  bookStall(StallCause::FrontEnd, std::min(lastCompletion_, now));
}

JobFault Engine::blame(JobFault fault) const {
  if (position_ >= program_.commands().size())
    return fault;
  return fault.at(program_.engine(), position_, current().command.layer);
}

void Engine::step(uint64_t now) {
  while (!job_.fault) {
    if (isActive_) {
      const Progress progress = advance(now);
      if (!progress.isIssued)
        return schedule(progress.next, EventKind::Step);
      isActive_ = false;
      retire(activeStart_, progress.completion);
      if (progress.next > now)
        return schedule(progress.next, EventKind::Step);
    }
    if (!dispatch(now))
      return;
  }
}

/// Dispatches the command at position_. False: the engine sleeps, or the stream has ended.
bool Engine::dispatch(uint64_t now) {
  if (position_ == program_.commands().size())
    return false;
  const PreparedCommand &command = current();
  if (command.fault) {
    job_.raise(blame(command.fault));
    return false;
  }
  if (const auto *wait = std::get_if<WaitCommand>(&command.command.body))
    return dispatchWait(*wait, now);
  if (std::holds_alternative<YieldCommand>(command.command.body))
    return dispatchYield(now);
  if (std::holds_alternative<SignalCommand>(command.command.body) ||
      std::holds_alternative<EndCommand>(command.command.body)) {
    retire(now, now);
    return true;
  }
  return dispatchWork(command, now);
}

bool Engine::dispatchWait(const WaitCommand &wait, uint64_t now) {
  if (!job_.semaphores.isReached(wait.semaphore, wait.value)) {
    if (!isWaiting_)
      waitStart_ = now; // else a stop came in between
    isWaiting_ = true;
    job_.semaphores.wait(wait.semaphore, wait.value, number_);
    return false;
  }
  if (isWaiting_) {
    isWaiting_ = false;
    bookDrain(now);
    bookLayer_ = current().layer;
    bookStall(StallCause::Semaphore, now);
    if (job_.keepSpans)
      job_.addSpan({program_.engine(), position_, current().layer,
                    static_cast<uint32_t>(current().command.body.index()), job_.elapsed + waitStart_,
                    job_.elapsed + now});
  }
  ++position_;
  return true;
}

bool Engine::dispatchYield(uint64_t now) {
  if (job_.isStopping)
    return false;
  job_.lastYield = now;
  ++position_;
  return true;
}

/// Whether bytes of a suspended job are in the command's way. If so, the engine is woken when the first of them are
/// evacuated, or, if the job is stopping, when the job resumes.
bool Engine::isHeld(const PreparedCommand &command, uint64_t now) {
  if (job_.isStopping && !job_.evacuation->isFree(command.ranges))
    return true;
  const uint64_t free = job_.evacuation->makeRoom(command.ranges, now, job_.sramPort, job_.dramPort);
  if (isHeld_)
    bookStall(StallCause::SramPort, now);
  isHeld_ = free > now;
  if (isHeld_) {
    bookDrain(now);
    bookLayer_ = command.layer;
    schedule(free, EventKind::Step);
  }
  return isHeld_;
}

bool Engine::dispatchWork(const PreparedCommand &command, uint64_t now) {
  if (JobFault fault = job_.memory.checkRegions(command.ranges)) {
    job_.raise(blame(fault));
    return false;
  }
  if (job_.evacuation && isHeld(command, now))
    return false;
  isHeld_ = false;
  bookLayer_ = workLayer_ = command.layer;
  activeStart_ = std::max(now, decoded_);
  decoded_ = activeStart_ + issueCycles_;
  isActive_ = true;
  begin(command, activeStart_);
  return true;
}

/// Puts the command at position_ in flight. Completion is in order.
void Engine::retire(uint64_t start, uint64_t completion) {
  lastCompletion_ = std::max(lastCompletion_, completion);
  const uint64_t turned = std::clamp(booked_, start, lastCompletion_); // to the next command
  inFlight_.push_back({position_++, start, lastCompletion_, lastCompletion_ - turned});
  schedule(lastCompletion_, EventKind::Complete);
}

void Engine::complete(uint64_t now) {
  const InFlight done = inFlight_.front();
  inFlight_.pop_front();
  finish(done, now);
  if (!job_.fault)
    job_.observe(program_.engine(), done.command, program_.commands()[done.command], job_.elapsed + done.completion);
}

void Engine::finish(const InFlight &done, uint64_t now) {
  const PreparedCommand &command = program_.commands()[done.command];
  const CommandBody &body = command.command.body;
  if (const auto *signal = std::get_if<SignalCommand>(&body))
    return job_.semaphores.signal(signal->semaphore, [&](uint32_t engine) {
      if (!job_.isStopping)
        job_.events.push(now + job_.target.command().semaphoreCycles, engine, EventKind::Step);
    });
  if (std::holds_alternative<EndCommand>(body)) {
    bookDrain(now);
    hasEnded_ = true;
    return;
  }
  if (JobFault fault = job_.execute(command))
    return job_.raise(fault.at(program_.engine(), done.command, command.command.layer));
  const uint64_t start = job_.elapsed + done.start, end = job_.elapsed + done.completion;
  job_.counters.addCommand(program_.engine().kind, command, start, end);
  if (job_.keepSpans)
    job_.addSpan({program_.engine(), done.command, command.layer, static_cast<uint32_t>(body.index()), start, end, 0,
                  done.drainCycles});
}

} // namespace avocet::sim
