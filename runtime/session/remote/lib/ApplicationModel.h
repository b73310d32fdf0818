//===- ApplicationModel.h - Tensors of an application -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_SESSION_LIB_APPLICATIONMODEL_H
#define AVOCET_SESSION_LIB_APPLICATIONMODEL_H

#include "avocet/base/Status.h"
#include "avocet/cache/ModelCache.h"

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace avocet::session {

/// Inputs and outputs as the framework describes them. States stay inside.
class ApplicationModel {
public:
  /// Unsupported: a tensor has a type that no file of raw elements can hold (strings), or an input has an open extent.
  static Result<ApplicationModel> read(const nlohmann::json &inputs, const nlohmann::json &outputs);

  size_t numInputs() const { return inputs_.size(); }
  size_t numOutputs() const { return outputs_.size(); }
  cache::OperandView input(size_t index) const { return viewOf(inputs_[index]); }
  cache::OperandView output(size_t index) const { return viewOf(outputs_[index]); }
  /// The bytes of an output are final only after a run: its shape may be computed.
  void resizeOutput(size_t index, uint64_t bytes) { outputs_[index].bytes = bytes; }

private:
  struct Tensor {
    std::string name;
    firmware::DataType type = firmware::DataType::Int8;
    std::vector<int32_t> shape;
    uint64_t bytes = 0;
  };
  static Result<Tensor> tensorOf(const nlohmann::json &json);
  static Status checkClosed(const Tensor &tensor);
  static Result<std::vector<Tensor>> tensorsOf(const nlohmann::json &list);
  static cache::OperandView viewOf(const Tensor &tensor) {
    return {tensor.name, tensor.type, tensor.shape, tensor.bytes, {}, {}, 0};
  }

  std::vector<Tensor> inputs_, outputs_;
};

} // namespace avocet::session

#endif // AVOCET_SESSION_LIB_APPLICATIONMODEL_H
