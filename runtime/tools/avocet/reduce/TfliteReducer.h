//===- TfliteReducer.h - Reduction of a .tflite model -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_REDUCE_TFLITEREDUCER_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_REDUCE_TFLITEREDUCER_H

#include "CandidateTester.h"
#include "TfliteEdits.h"

#include <functional>
#include <string>

namespace avocet::tool {

/// What a reduction has found so far.
struct ReductionState {
  const tflite::ModelT &model;
  const Bytes &file;
  std::string_view step; ///< "operators"
};

/// Delta debugging: tries smaller models until no single change leaves an interesting one, the largest changes first.
/// The result depends on the model and the command only. One thread at a time.
class TfliteReducer {
public:
  /// Whether a candidate may be run: the caller's checks beyond the format's. Called from any thread.
  using Accept = std::function<bool(const Bytes &)>;

  TfliteReducer(CandidateTester &tester, Accept accept) : tester_(tester), accept_(std::move(accept)) {}

  /// Begins with an interesting file. FailedPrecondition: it is no longer interesting when this program has written it
  /// anew, which loses signatures and metadata.
  Status begin(const Bytes &file, const std::string &name);

  /// Aborted: interrupted; state() is the best so far.
  Status run();

  ReductionState state() const { return {model_, file_, step_}; }
  /// Called when state() has changed.
  std::function<Status()> onProgress;

private:
  using Edit = std::function<bool(tflite::ModelT &)>;
  using RangeEdit = std::function<bool(tflite::ModelT &, Range)>;
  using Count = std::function<size_t()>;

  std::optional<Bytes> make(const Edit &edit) const;
  Result<std::optional<size_t>> applyFirst(const std::vector<Edit> &edits);
  Status sweep(const Count &count, const RangeEdit &edit, size_t &chunk);
  Status shrink(std::string_view step, const Count &count, const RangeEdit &edit);
  Status shrinkOperators();
  Status shrinkConstants();
  Status shrinkShapes();

  CandidateTester &tester_;
  Accept accept_;
  tflite::ModelT model_;
  Bytes file_; ///< of model_
  std::string_view step_;
};

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_REDUCE_TFLITEREDUCER_H
