//===- OnnxApplication.h - A network in ONNX Runtime ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_APPLICATION_ONNXAPPLICATION_H
#define AVOCET_RUNTIME_TOOLS_APPLICATION_ONNXAPPLICATION_H

#include "Application.h"

#include "avocet/hal/onnxruntime/Api.h"

#include <memory>
#include <optional>

namespace avocet::application {

/// One session of ONNX Runtime's C interface with the provider of a library. Nodes that the provider leaves run on the
/// runtime's CPU provider, on one thread.
class OnnxApplication final : public Application {
public:
  explicit OnnxApplication(Settings settings) : settings_(std::move(settings)) {}
  ~OnnxApplication() override;
  OnnxApplication(const OnnxApplication &) = delete;
  OnnxApplication &operator=(const OnnxApplication &) = delete;

  Status create() override;
  std::vector<TensorFacts> inputs() const override { return factsOf(inputs_); }
  std::vector<TensorFacts> outputs() const override { return factsOf(outputs_); }
  Status readInput(size_t index, const std::string &path) override;
  Status writeOutput(size_t index, const std::string &path) const override;
  Result<double> invoke() override;

private:
  struct Tensor {
    std::string name;
    int32_t element = 0;                  ///< 0: no tensor
    std::vector<int64_t> shape;           ///< -1: open
    std::vector<std::string> extentNames; ///< of open extents; empty: none
    std::vector<uint8_t> bytes;           ///< of an input
  };
  template <typename Release> struct Releaser {
    const ort::Api *api;
    template <typename Object> void operator()(Object *object) const { api->get<Release>(object); }
  };
  template <typename Object, typename Release> using Owned = std::unique_ptr<Object, Releaser<Release>>;
  using OwnedOptions = Owned<ort::abi::SessionOptions, ort::abi::ReleaseSessionOptions>;
  using OwnedSession = Owned<ort::abi::Session, ort::abi::ReleaseSession>;
  using OwnedValue = Owned<ort::abi::Value, ort::abi::ReleaseValue>;

  static std::vector<TensorFacts> factsOf(const std::vector<Tensor> &tensors);
  Status load();
  Result<OwnedOptions> makeOptions() const;
  Result<OwnedSession> makeSession(const OwnedOptions &options) const;
  Status addProvider(const OwnedOptions &options) const;
  /// Extents of the model's own names: those given, and those that given shapes have in their places.
  Status fixExtents(const OwnedOptions &options) const;
  Status giveShapes(std::vector<Tensor> &inputs) const;
  template <typename Count, typename Name, typename Type>
  Result<std::vector<Tensor>> tensorsOf(const OwnedSession &session) const;
  Result<std::vector<Tensor>> inputsOf(const OwnedSession &session) const;
  Status readType(const ort::abi::TypeInfo *type, Tensor &tensor) const;
  Result<OwnedValue> valueOf(Tensor &input) const;

  const Settings settings_;
  std::optional<ort::Api> api_;
  ort::abi::Environment *environment_ = nullptr;
  ort::abi::MemoryInfo *memory_ = nullptr; ///< of the host
  OwnedSession session_{nullptr, {nullptr}};
  std::vector<Tensor> inputs_, outputs_;
  std::vector<OwnedValue> results_; ///< of the last run
};

} // namespace avocet::application

#endif // AVOCET_RUNTIME_TOOLS_APPLICATION_ONNXAPPLICATION_H
