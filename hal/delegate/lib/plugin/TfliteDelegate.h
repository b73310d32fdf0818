//===- TfliteDelegate.h - The delegate - *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DELEGATE_LIB_PLUGIN_TFLITEDELEGATE_H
#define AVOCET_HAL_DELEGATE_LIB_PLUGIN_TFLITEDELEGATE_H

#include "abi/TfliteC.h"
#include "kernel/Shared.h"
#include "options/Options.h"

#include <atomic>
#include <memory>

namespace avocet::delegate {

/// What the interpreter calls. It must be destroyed after all interpreters that use it.
class TfliteDelegate {
public:
  static Result<std::unique_ptr<TfliteDelegate>> create(const Options &options);
  ~TfliteDelegate();
  TfliteDelegate(const TfliteDelegate &) = delete;
  TfliteDelegate &operator=(const TfliteDelegate &) = delete;

  abi::Delegate *get() { return &interface_; }
  /// The inverse of get().
  static TfliteDelegate *of(abi::Delegate *delegate) { return static_cast<TfliteDelegate *>(delegate->data); }

  const std::shared_ptr<Shared> &shared() const { return shared_; }
  /// Takes what the device can run. Ok if that is nothing.
  Status take(abi::Context &context);

private:
  explicit TfliteDelegate(Options options);
  std::string summary() const;

  const Options options_;
  std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
  abi::Delegate interface_{};
  std::atomic<const abi::Context *> main_ = nullptr; ///< the first graph that the delegate saw
};

} // namespace avocet::delegate

#endif // AVOCET_HAL_DELEGATE_LIB_PLUGIN_TFLITEDELEGATE_H
