//===- ModelDumps.h - Graphs of models as files -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file for each model that is prepared: option --dump-models of avocetd, knob AVOCET_NNAPI_DUMPS of the C library.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_TYPES_MODELDUMPS_H
#define AVOCET_HAL_TYPES_MODELDUMPS_H

#include "avocet/hal/types/Types.h"

#include <atomic>
#include <cstdint>
#include <string>

namespace avocet::hal {

/// Thread-safe.
class ModelDumps {
public:
  /// Clients decide how many models there are, so the number of files is bounded.
  static constexpr uint32_t kMostFiles = 10'000;

  /// `folder` exists.
  explicit ModelDumps(std::string folder) : folder_(std::move(folder)) {}

  /// Writes FOLDER/model-00001.dot, -00002, ... in the order of the calls: which HAL versions express the model as
  /// comments, then its graph (avocet/hal/types/GraphDump.h). Failures are logged.
  void write(const std::string &device, const Model &model);

private:
  const std::string folder_;
  std::atomic<uint32_t> models_{0};
};

} // namespace avocet::hal

#endif // AVOCET_HAL_TYPES_MODELDUMPS_H
