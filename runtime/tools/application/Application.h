//===- Application.h - A network in TensorFlow Lite -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_APPLICATION_APPLICATION_H
#define AVOCET_RUNTIME_TOOLS_APPLICATION_APPLICATION_H

#include "TfliteApi.h"

#include <cstddef>
#include <string>
#include <vector>

namespace avocet::application {

struct Settings {
  std::string folder; ///< of TensorFlow Lite's libraries
  std::string model;
  bool usesNnapi = false;
  std::string delegate; ///< path of a delegate library; empty: none
  std::vector<std::string> delegateOptions;
};

struct TensorFacts {
  std::string name;
  int32_t type = 0; ///< TfLiteType
  std::vector<int32_t> shape;
  uint64_t bytes = 0;
};

/// Of the main graph, as it runs.
struct NodeCounts {
  size_t own = 0;       ///< operators that TensorFlow Lite itself computes
  size_t delegated = 0; ///< partitions of a delegate, each in place of several operators
};

/// What a user of TensorFlow Lite's C interface does: one interpreter on one thread.
class Application {
public:
  Application(const TfliteApi &api, Settings settings) : api_(api), settings_(std::move(settings)) {}
  ~Application();
  Application(const Application &) = delete;
  Application &operator=(const Application &) = delete;

  /// Loads the network and allocates its tensors. Errors say which step TensorFlow Lite refused; it prints the reason.
  Status create();
  const NodeCounts &nodes() const { return nodes_; }
  std::vector<TensorFacts> inputs() const;
  std::vector<TensorFacts> outputs() const;

  Status readInput(size_t index, const std::string &path);
  /// Gives variables their initial values.
  Status reset();
  Status writeOutput(size_t index, const std::string &path) const;
  /// Returns the microseconds of the call.
  Result<double> invoke();

private:
  TfDelegate *createDelegate() const;
  void addObserver();
  TensorFacts factsOf(const TfTensor *tensor) const;

  const TfliteApi api_;
  const Settings settings_;
  NodeCounts nodes_;
  TfDelegate observer_{}; ///< takes no nodes; it sees what other delegates have left
  TfModel *model_ = nullptr;
  TfOptions *options_ = nullptr;
  TfDelegate *delegate_ = nullptr;
  TfInterpreter *interpreter_ = nullptr;
};

} // namespace avocet::application

#endif // AVOCET_RUNTIME_TOOLS_APPLICATION_APPLICATION_H
