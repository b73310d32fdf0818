//===- FakeDevice.h - A device with chosen faults ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements the driver's interface without computing anything: an execution copies input 0 to output 0. The runner
// must detect each fault.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_CONFORMANCE_FAKEDEVICE_H
#define AVOCET_TESTS_CONFORMANCE_FAKEDEVICE_H

#include "avocet/hal/types/Interfaces.h"

#include <chrono>
#include <memory>

namespace avocet::hal::conformance {

struct Faults {
  bool unsupported = false;
  bool noReason = false; ///< unsupported, without stating a rule
  bool signedUnsupported = false;
  ErrorStatus supportError = ErrorStatus::None;
  ErrorStatus prepareError = ErrorStatus::None;
  ErrorStatus executeError = ErrorStatus::None;
  ErrorStatus dynamicError = ErrorStatus::None; ///< of executions with unknown output shapes
  bool outOfMemory = false;                     ///< an execution throws
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
  bool offersNothing = false; ///< no bursts, no fences, no buffers
  bool burstWrong = false;    ///< in the last of four executions
  bool burstForgets = false;  ///< refuses identifiers of memories after a release
  bool ignoresFences = false; ///< runs without waiting
  bool fenceFails = false;    ///< signals an error although the execution succeeds
  bool timesTooEarly = false; ///< available before the end
  bool noTimes = false;       ///< the times stay empty
  bool fenceNeverSignals = false;
  bool buffersStartFull = false;      ///< new buffers count as initialized
  bool bufferWrong = false;           ///< copyTo() flips a bit
  std::chrono::milliseconds delay{0}; ///< of each execution
};

std::shared_ptr<IDevice> makeFakeDevice(const Faults &faults, Version level = kLatestVersion);

} // namespace avocet::hal::conformance

#endif // AVOCET_TESTS_CONFORMANCE_FAKEDEVICE_H
