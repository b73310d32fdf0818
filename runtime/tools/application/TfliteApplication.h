//===- TfliteApplication.h - A network in TensorFlow Lite -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_APPLICATION_TFLITEAPPLICATION_H
#define AVOCET_RUNTIME_TOOLS_APPLICATION_TFLITEAPPLICATION_H

#include "Application.h"
#include "TfliteApi.h"

namespace avocet::application {

/// One interpreter of TensorFlow Lite's C interface, which prints its reasons itself.
class TfliteApplication final : public Application {
public:
  TfliteApplication(const TfliteApi &api, Settings settings) : api_(api), settings_(std::move(settings)) {}
  ~TfliteApplication() override;
  TfliteApplication(const TfliteApplication &) = delete;
  TfliteApplication &operator=(const TfliteApplication &) = delete;

  Status create() override;
  NodeCounts nodes() const override { return nodes_; }
  std::vector<TensorFacts> inputs() const override;
  std::vector<TensorFacts> outputs() const override;
  Status readInput(size_t index, const std::string &path) override;
  Status reset() override;
  Status writeOutput(size_t index, const std::string &path) const override;
  Result<double> invoke() override;

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

#endif // AVOCET_RUNTIME_TOOLS_APPLICATION_TFLITEAPPLICATION_H
