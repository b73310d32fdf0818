//===- Peer.h - The same network in TensorFlow Lite -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_BENCH_SIMULATOR_PEER_H
#define AVOCET_TESTS_BENCH_SIMULATOR_PEER_H

#include "TfliteApi.h"

namespace avocet::bench {

/// A network in TensorFlow Lite on one thread, with XNNPACK or its default kernels.
class Peer {
public:
  /// `api` must outlive the object. DataLoss or Unsupported if TensorFlow Lite refuses the model.
  static Result<Peer> create(const application::TfliteApi &api, const std::string &model, bool useXnnpack);
  Peer(Peer &&other) noexcept;
  Peer &operator=(Peer &&) = delete;
  ~Peer();

  /// Fills the inputs with random bytes; floats are between 0 and 1.
  void fillInputs();
  /// Computes once.
  Status run() const;

private:
  explicit Peer(const application::TfliteApi &api) : api_(api) {}

  const application::TfliteApi &api_;
  application::TfModel *model_ = nullptr;
  application::TfOptions *options_ = nullptr;
  application::TfDelegate *delegate_ = nullptr;
  application::TfInterpreter *interpreter_ = nullptr;
};

} // namespace avocet::bench

#endif // AVOCET_TESTS_BENCH_SIMULATOR_PEER_H
