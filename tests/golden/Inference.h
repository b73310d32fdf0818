//===- Inference.h - From a model file to its outputs -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles and runs models on the simulator through the library of the avocet command.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_GOLDEN_INFERENCE_H
#define AVOCET_TESTS_GOLDEN_INFERENCE_H

#include "GoldenModels.h"
#include "avocet/session/LocalSession.h"
#include "model/ModelSource.h"

#include <memory>
#include <string>
#include <vector>

namespace avocet::golden {

Result<session::LoadedModel> compile(const std::string &path, const std::string &target);

/// One model on its own simulator. `model` must outlive it. One thread at a time.
class Inference {
public:
  struct Mode {
    bool functional = true;
    bool timing = true;
    uint32_t threads = 1; ///< without timing
    bool acceptsBadIndices = false;
  };
  static Result<Inference> open(const session::LoadedModel &model, Mode mode);

  /// States have their initial values before each run. InvalidArgument if the inputs do not have the model's sizes.
  Result<std::vector<Bytes>> run(const std::vector<Bytes> &inputs);

  /// Device cycles of the last run; 0 without timing.
  uint64_t cycles() const { return cycles_; }

private:
  explicit Inference(std::unique_ptr<session::LocalSession> session) : session_(std::move(session)) {}

  std::unique_ptr<session::LocalSession> session_;
  uint64_t cycles_ = 0;
};

} // namespace avocet::golden

#endif // AVOCET_TESTS_GOLDEN_INFERENCE_H
