//===- TensorTrace.h - Inner tensors of a run -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The results of all operations of a compiled network, read from on-chip memory when the simulator has written each
// tile. The schedule is the same as without observation.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_COMPARE_TENSORTRACE_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_COMPARE_TENSORTRACE_H

#include "StoredPieces.h"
#include "avocet/analysis/SourceMap.h"
#include "model/ModelSource.h"
#include "run/RunPlace.h"

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

/// The source map has names and places of the first result of each operation. Further results have names in the file of
/// the network: an operator whose first output has the name of the operation, and that has as many outputs as the
/// operation has results, makes them in the same order. Their tiles have the rows of the first result's tiles, or all.
class FurtherResults {
public:
  /// `network`: path of a .tflite file; without one there are no names, so no results. `map` is borrowed.
  FurtherResults(const analysis::SourceMap &map, const std::string &network);

  /// A tile has been written.
  void record(const analysis::CommandPlace &tile, std::span<const uint8_t> sram);

  std::vector<FurtherResult> take() && { return std::move(results_); }

private:
  void addTile(const analysis::CommandPlace &tile, const std::vector<std::string> &names);

  const analysis::SourceMap &map_;
  std::vector<FurtherResult> results_;
  std::map<uint32_t, size_t> firstOf_; ///< by operation: place of its second result in `results_`
};

/// The first result of an operation, dense, in the storage layout [height, width, channels]: for a tensor of the
/// network that is its rows of elements in order.
struct TracedTensor {
  std::vector<uint8_t> bytes;
  uint64_t written = 0; ///< elements, counted once for each time that they were written
  uint64_t stored = 0;  ///< bytes that were seen when a transfer stored them, for an operation in pieces
};

class TensorTrace {
public:
  /// Runs the model once with the inputs of `options`, whose model names further results. FailedPrecondition without a
  /// source map; Unsupported for networks with branches or loops.
  static Result<TensorTrace> run(const LoadedModel &model, const analysis::SourceMap &map, const RunOptions &options);

  /// By source operation.
  const TracedTensor &operator[](size_t operation) const { return tensors_[operation]; }
  size_t size() const { return tensors_.size(); }
  /// Results after the first of their operations, in the order of their first tiles.
  const std::vector<FurtherResult> &further() const { return further_; }
  /// The outputs of the network, without states.
  const std::vector<std::vector<uint8_t>> &outputs() const { return outputs_; }
  /// Whether every element of an operation's result was written.
  bool isComplete(const analysis::SourceMap &map, size_t operation) const;

private:
  void record(const analysis::SourceMap &map, const analysis::CommandPlace &place, std::span<const uint8_t> sram);
  void recordStore(const StoredPieces &pieces, const analysis::CommandPlace &transfer, std::span<const uint8_t> sram);

  std::vector<TracedTensor> tensors_;
  std::vector<FurtherResult> further_;
  std::vector<std::vector<uint8_t>> outputs_;
};

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_COMPARE_TENSORTRACE_H
