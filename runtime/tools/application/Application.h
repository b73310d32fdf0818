//===- Application.h - A network in a framework -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_APPLICATION_APPLICATION_H
#define AVOCET_RUNTIME_TOOLS_APPLICATION_APPLICATION_H

#include "avocet/base/Status.h"

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace avocet::application {

struct Settings {
  std::string folder; ///< of the framework's libraries
  std::string model;
  bool usesNnapi = false;
  std::string delegate;             ///< path of a delegate library of TensorFlow Lite; empty: none
  std::string provider;             ///< path of a provider library of ONNX Runtime; empty: TensorFlow Lite
  std::vector<std::string> options; ///< "KEY=VALUE" for the delegate or provider
  std::vector<std::string> shapes;  ///< "input=1x3x224x224", of ONNX Runtime
  std::vector<std::string> extents; ///< "batch=1", of ONNX Runtime
};

struct TensorFacts {
  std::string name;
  std::string type;           ///< as NumPy calls it; others cannot be in files of raw elements
  std::vector<int32_t> shape; ///< -1: open
  uint64_t bytes = 0;
};

/// Of the main graph, as it runs.
struct NodeCounts {
  size_t own = 0;       ///< operators that the framework itself computes
  size_t delegated = 0; ///< partitions of a delegate, each in place of several operators
};

/// "KEY" and "VALUE" of "KEY=VALUE", divided at this equals sign; without one, the value is empty.
inline std::pair<std::string, std::string> splitAt(const std::string &text, size_t equals) {
  return equals < text.size() ? std::pair(text.substr(0, equals), text.substr(equals + 1))
                              : std::pair(text, std::string());
}

/// What a user of a framework does: one network on one thread.
class Application {
public:
  virtual ~Application() = default;

  /// Loads the network and makes it ready. Errors say what the framework refused, with its reason if it does not print
  /// it.
  virtual Status create() = 0;
  virtual NodeCounts nodes() const { return {}; } ///< those that the framework tells
  virtual std::vector<TensorFacts> inputs() const = 0;
  virtual std::vector<TensorFacts> outputs() const = 0;

  virtual Status readInput(size_t index, const std::string &path) = 0;
  /// Gives variables their initial values.
  virtual Status reset() { return Status::ok(); }
  virtual Status writeOutput(size_t index, const std::string &path) const = 0;
  /// Returns the microseconds of the framework's call.
  virtual Result<double> invoke() = 0;

protected:
  /// Microseconds of a call.
  template <typename Call> static double timeOf(Call &&call) {
    const auto start = std::chrono::steady_clock::now();
    call();
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
  }
};

} // namespace avocet::application

#endif // AVOCET_RUNTIME_TOOLS_APPLICATION_APPLICATION_H
