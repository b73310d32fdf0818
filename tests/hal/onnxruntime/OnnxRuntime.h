//===- OnnxRuntime.h - ONNX Runtime for tests -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_HAL_ONNXRUNTIME_ONNXRUNTIME_H
#define AVOCET_TESTS_HAL_ONNXRUNTIME_ONNXRUNTIME_H

#include "avocet/hal/onnxruntime/Api.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace avocet::ort {

/// The unmodified library of npm's package, with the provider registered. One for the process.
class OnnxRuntime {
public:
  /// Null: the library is not installed.
  static const OnnxRuntime *get();

  /// A session on the provider, which must take all nodes. `error` is empty on success.
  OwnedSession open(const std::string &model, const std::vector<std::pair<std::string, std::string>> &options,
                    std::string &error) const;

  /// Runs with one input and one output of float32; empty with an error.
  std::vector<float> run(const OwnedSession &session, const char *input, const std::vector<int64_t> &shape,
                         std::vector<float> numbers, const char *output, std::string &error) const;

private:
  explicit OnnxRuntime(const Api &api);
  /// The message; empty: success.
  template <typename Entry, typename... Arguments> std::string call(Arguments... arguments) const {
    return api_.call<Entry>(arguments...).message();
  }

  const Api api_;
  abi::Environment *environment_ = nullptr;
  abi::MemoryInfo *memory_ = nullptr; ///< of the host
};

} // namespace avocet::ort

#endif // AVOCET_TESTS_HAL_ONNXRUNTIME_ONNXRUNTIME_H
