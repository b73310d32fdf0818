//===- OnnxApplication.h - A network in ONNX Runtime ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_APPLICATION_ONNXAPPLICATION_H
#define AVOCET_RUNTIME_TOOLS_APPLICATION_ONNXAPPLICATION_H

#include "Application.h"

#include "avocet/hal/onnxruntime/TensorType.h"

#include <optional>

namespace avocet::application {

/// One session of ONNX Runtime's C interface with the provider of a library. Nodes that the provider leaves run on the
/// runtime's CPU provider, on one thread.
class OnnxApplication final : public Application {
public:
  explicit OnnxApplication(Settings settings) : settings_(std::move(settings)) {}
  Status create() override;
  std::vector<TensorFacts> inputs() const override { return factsOf(inputs_); }
  std::vector<TensorFacts> outputs() const override { return factsOf(outputs_); }
  Status readInput(size_t index, const std::string &path) override;
  Status writeOutput(size_t index, const std::string &path) const override;
  Result<double> invoke() override;

private:
  struct Tensor {
    std::string name;
    ort::TensorType type;                 ///< element 0: no tensor
    std::vector<std::string> extentNames; ///< empty texts: none
    std::vector<uint8_t> bytes;           ///< of an input
  };

  static std::vector<TensorFacts> factsOf(const std::vector<Tensor> &tensors);
  Status load();
  Result<ort::OwnedOptions> makeOptions() const;
  Result<ort::OwnedSession> makeSession(const ort::OwnedOptions &options) const;
  Status addProvider(const ort::OwnedOptions &options) const;
  /// Extents of the model's own names: those given, and those that given shapes have in their places.
  Status fixExtents(const ort::OwnedOptions &options) const;
  Status giveShapes(std::vector<Tensor> &inputs) const;
  template <typename Count, typename Name, typename Type>
  Result<std::vector<Tensor>> tensorsOf(const ort::OwnedSession &session) const;
  Result<std::vector<Tensor>> inputsOf(const ort::OwnedSession &session) const;
  Status readType(const ort::abi::TypeInfo *type, Tensor &tensor) const;
  Result<ort::OwnedValue> valueOf(Tensor &input) const;

  const Settings settings_;
  std::optional<ort::Api> api_; ///< of the objects below
  ort::OwnedEnvironment environment_;
  ort::OwnedMemoryInfo memory_; ///< of the host
  ort::OwnedSession session_;
  std::vector<Tensor> inputs_, outputs_;
  std::vector<ort::OwnedValue> results_; ///< of the last run
};

} // namespace avocet::application

#endif // AVOCET_RUNTIME_TOOLS_APPLICATION_ONNXAPPLICATION_H
