//===- OnnxCases.h - Folders with models and data sets of ONNX --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ONNX publishes its tests as folders test_NAME with model.onnx and test_data_set_K/{input,output}_J.pb.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_VALIDATION_TOOL_ONNX_ONNXCASES_H
#define AVOCET_VALIDATION_TOOL_ONNX_ONNXCASES_H

#include "avocet/base/Status.h"
#include "avocet/validation/Results.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace avocet::tool {

struct OnnxInput {
  std::string name;
  std::optional<std::vector<int64_t>> shape; ///< as the file declares it, -1 for open extents; none: an open rank

  bool isOpen() const;
  bool admits(const std::vector<int64_t> &extents) const;
};

struct OnnxCase {
  hal::conformance::CaseInfo info; ///< the name is the path below the folder of all cases: "node/test_abs"
  std::string model;               ///< path of the file
  std::vector<OnnxInput> inputs;   ///< without initializers, in the order of the graph
  std::vector<std::string> outputs;
  bool hasOnlyTensors = true;        ///< no sequence, map or optional value comes in or goes out
  std::vector<std::string> dataSets; ///< paths of their folders, sorted
};

/// All below a folder, by name. NotFound: there are none; DataLoss: a model cannot be read at all.
Result<std::vector<OnnxCase>> findOnnxCases(const std::string &folder);

} // namespace avocet::tool

#endif // AVOCET_VALIDATION_TOOL_ONNX_ONNXCASES_H
