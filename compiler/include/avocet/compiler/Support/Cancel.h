//===- Cancel.h - Cancellation of a compilation -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A compilation runs on its caller's thread, and stops the threads that it starts. The caller installs a callback that
// returns whether to cancel. Loops that may take more than a millisecond poll it and, when it returns true, stop early
// with a partial result. Each phase polls again
// before it uses such a result, and fails without a diagnostic. Rejected: an argument passed down to every loop, which
// adds a parameter to a hundred signatures; an exception, which would have to pass through a library built without
// them.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_SUPPORT_CANCEL_H
#define AVOCET_COMPILER_SUPPORT_CANCEL_H

#include <functional>

namespace avocet::compiler {

/// Installs the cancellation callback of the compilation on this thread while the object exists. Not nested.
class Cancellation {
public:
  /// `ask` is borrowed and may be empty: never cancelled.
  explicit Cancellation(const std::function<bool()> &ask) { current() = {ask ? &ask : nullptr, false}; }
  ~Cancellation() { current() = {}; }
  Cancellation(const Cancellation &) = delete;
  Cancellation &operator=(const Cancellation &) = delete;

  /// Whether the compilation is cancelled; once true it stays true. False outside compilations.
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

/// For loops: whether the compilation on this thread is cancelled.
inline bool isCancelled() { return Cancellation::isWanted(); }

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_SUPPORT_CANCEL_H
