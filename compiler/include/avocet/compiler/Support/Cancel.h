//===- Cancel.h - Giving up a compilation -----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A compilation runs on one thread from its beginning to its end. Whoever starts it installs the question whether it is
// to be given up; loops that may take more than a millisecond ask it and, when the answer is yes, return early with
// anything that their callers can hold: each phase asks once more before it uses what it got, and fails without a word.
// (An argument handed down to every loop would say the same with a parameter in a hundred signatures; an exception would
// have to pass through a library that is built without them.)
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_SUPPORT_CANCEL_H
#define AVOCET_COMPILER_SUPPORT_CANCEL_H

#include <functional>

namespace avocet::compiler {

/// The question of the compilation on this thread, while the object lives. Not nested.
class Cancellation {
public:
  /// `ask` is borrowed and may be empty: never.
  explicit Cancellation(const std::function<bool()> &ask) {
    current() = {ask ? &ask : nullptr, false};
  }
  ~Cancellation() { current() = {}; }
  Cancellation(const Cancellation &) = delete;
  Cancellation &operator=(const Cancellation &) = delete;

  /// Whether to give up; once true it stays so. False outside compilations.
  static bool isWanted() {
    State &state = current();
    if (!state.wanted && state.ask)
      state.wanted = (*state.ask)();
    return state.wanted;
  }

private:
  struct State {
    const std::function<bool()> *ask = nullptr;
    bool wanted = false;
  };
  static State &current() {
    static thread_local State state;
    return state;
  }
};

/// For loops: whether the compilation on this thread is to be given up.
inline bool isCancelled() { return Cancellation::isWanted(); }

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_SUPPORT_CANCEL_H
