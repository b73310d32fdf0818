//===- Observer.h - Who follows the work on a network -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_NETWORK_OBSERVER_H
#define AVOCET_NETWORK_OBSERVER_H

#include "avocet/compiler/Compiler.h"
#include "avocet/compiler/Loader.h"

#include <cstdint>
#include <string_view>

namespace avocet::network {

/// What the caller of long work wants to hear. All calls come on the thread that does the work. The default is silence.
class Observer {
public:
  Observer() = default;
  Observer(const Observer &) = delete;
  Observer &operator=(const Observer &) = delete;
  virtual ~Observer() = default;

  /// What is done from now on: "running".
  virtual void stage(std::string_view /*text*/) {}
  /// The same, so often that not every call has to be shown.
  virtual void update(std::string_view /*text*/) {}
  /// Step `index` of `count` of the compiler: the name of a phase, or "emit".
  virtual void phase(std::string_view /*model*/, std::string_view /*phase*/, uint32_t /*index*/, uint32_t /*count*/) {}
  /// The work that stage() named is done.
  virtual void clear() {}

  /// Polled at least every few milliseconds while the compiler runs; true ends the work with Aborted.
  virtual bool isCancelled() { return false; }

  /// The compiler will run in this process.
  virtual void beforeCompiler() {}
  /// Every answer of the compiler, before its caller gets it. May replace the status.
  virtual void answered(const compiler::LoadedCompiler & /*compiler*/, const compiler::CompileRequest & /*request*/,
                        compiler::CompileResult & /*result*/) {}
  virtual void answered(const compiler::LoadedCompiler & /*compiler*/, const compiler::DivideRequest & /*request*/,
                        compiler::DivideResult & /*result*/) {}
};

} // namespace avocet::network

#endif // AVOCET_NETWORK_OBSERVER_H
