//===- FakeDevice.h - A device with faults ----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Answers the driver's interface without computing anything: every output is a copy of the input of the same number.
// Each fault is something that a runner must notice.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_CONFORMANCE_FAKEDEVICE_H
#define AVOCET_TESTS_CONFORMANCE_FAKEDEVICE_H

#include "avocet/hal/Interfaces.h"

#include <chrono>
#include <memory>

namespace avocet::hal::conformance {

struct Faults {
  bool unsupported = false;
  bool noReason = false; ///< unsupported without a rule
  bool signedUnsupported = false;
  ErrorStatus supportError = ErrorStatus::None;
  ErrorStatus prepareError = ErrorStatus::None;
  ErrorStatus executeError = ErrorStatus::None;
  ErrorStatus dynamicError = ErrorStatus::None; ///< of executions with unknown output shapes
  bool wrongByte = false;                       ///< in the first output
  bool wrongSignedByte = false;                 ///< only if the operand is signed
  bool wrongShape = false;
  bool noShapes = false;
  bool ignoresShortOutput = false;
  bool writesBeyondOutput = false;
  bool writesInput = false;
  bool cacheLost = false;
  bool cacheWrong = false;
  bool reuseWrong = false; ///< in the second computation
  int callbacks = 1;
  bool keepsNoCache = false;
  bool offersNothing = false; ///< no bursts, fences, buffers
  bool burstWrong = false;    ///< in the last of four executions
  bool burstForgets = false;  ///< a name of a memory that was released is refused
  bool ignoresFences = false; ///< runs at once
  bool fenceFails = false;    ///< though the execution succeeds
  bool timesTooEarly = false; ///< known before the end
  bool noTimes = false;       ///< never
  bool fenceNeverSignals = false;
  bool buffersStartFull = false;      ///< as if they were initialised
  bool bufferWrong = false;           ///< in what an output buffer gives back
  std::chrono::milliseconds delay{0}; ///< of each execution
};

std::shared_ptr<IDevice> makeFakeDevice(const Faults &faults, Version level = kLatestVersion);

} // namespace avocet::hal::conformance

#endif // AVOCET_TESTS_CONFORMANCE_FAKEDEVICE_H
