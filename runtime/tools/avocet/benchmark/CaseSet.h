//===- CaseSet.h - Inputs of a benchmark, with what is known of the outputs -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_BENCHMARK_CASESET_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_BENCHMARK_CASESET_H

#include "classify/LabeledImages.h"

#include <optional>

namespace avocet::tool {

/// Where the cases come from. Empty texts: the folder of the network if it has cases, otherwise random inputs.
struct CaseOptions {
  std::string folder; ///< of raw tensors
  ImageOptions images;
  uint32_t randomCases = 8;
  uint64_t seed = 1;
};

/// One inference; raw tensors in graph order.
struct BenchmarkCase {
  using Tensors = std::vector<std::vector<uint8_t>>;
  std::string id;
  Tensors inputs;
  Tensors goldens; ///< expected outputs; empty: not known
  std::optional<size_t> label;
};

struct CaseSet {
  std::string source; ///< for people
  std::vector<BenchmarkCase> cases;
  std::vector<std::string> classNames; ///< empty: no case has a label
};

/// The cases for the network `name`, whose file is `path` and which was compiled to `model`. A folder has the files
/// ID.in0.bin, ID.in1.bin, ... and may have ID.out0.bin, ... and labels.txt with a line "ID CLASS" for each labeled
/// case; a subfolder called like the network is preferred. InvalidArgument, NotFound: names the file, and what is
/// wrong.
Result<CaseSet> loadCases(const CaseOptions &options, const std::string &name, const std::string &path,
                          const cache::ModelCache &model);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_BENCHMARK_CASESET_H
