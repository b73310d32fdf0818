//===- FurtherResults.h - Results after the first ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The source map has names and places of the first result of each operation. Further results have names in the file of
// the network: an operator whose first output has the name of the operation, and that has as many outputs as the
// operation has results, makes them in the same order. Their tiles have the rows of the first result's tiles, or all.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_COMPARE_FURTHERRESULTS_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_COMPARE_FURTHERRESULTS_H

#include "sources/SourceMap.h"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace avocet::tool {

struct FurtherResult {
  uint32_t operation = 0; ///< in the source map
  std::string name;       ///< of the tensor in the user's file
  firmware::DataType type = firmware::DataType::Int8;
  uint32_t height = 0, width = 0, channels = 0;
  std::vector<uint8_t> bytes; ///< dense
  uint64_t written = 0;       ///< elements, counted once for each time that they were written
  bool isComplete() const { return !bytes.empty() && written >= uint64_t{height} * width * channels; }
};

class FurtherResults {
public:
  /// `network`: path of a .tflite file; without one there are no names, so no results. `map` is borrowed.
  FurtherResults(const SourceMap &map, const std::string &network);

  /// A tile has been written.
  void record(const CommandPlace &tile, std::span<const uint8_t> sram);

  std::vector<FurtherResult> take() && { return std::move(results_); }

private:
  void addTile(const CommandPlace &tile, const std::vector<std::string> &names);

  const SourceMap &map_;
  std::vector<FurtherResult> results_;
  std::map<uint32_t, size_t> firstOf_; ///< by operation: place of its second result in `results_`
};

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_COMPARE_FURTHERRESULTS_H
