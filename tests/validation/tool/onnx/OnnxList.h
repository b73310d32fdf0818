//===- OnnxList.h - What a suite of ONNX models is known to do --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A text file with a line for each model that does not pass: its name, "unsupported" or "failed", and the reason,
// separated by tabs. The reason of an unsupported model is the compiler's. A failed one has a wrong result, and the
// reason says why the difference is none of ours. Lines with # are comments.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_VALIDATION_TOOL_ONNX_ONNXLIST_H
#define AVOCET_VALIDATION_TOOL_ONNX_ONNXLIST_H

#include "avocet/base/Status.h"
#include "avocet/validation/Results.h"

#include <map>
#include <string>
#include <vector>

namespace avocet::tool {

class OnnxList {
public:
  /// InvalidArgument names a line that is not of this form.
  static Result<OnnxList> read(const std::string &path);

  /// A line for each result that the list does not say. `isWhole`: the results are of all models, so that a line about
  /// none of them is one too.
  std::vector<std::string> differences(const std::vector<hal::conformance::CaseResult> &results, bool isWhole) const;

  /// The text of the list after these results. A failure stays out of it unless it was listed.
  std::string updated(const std::vector<hal::conformance::CaseResult> &results) const;

private:
  struct Entry {
    hal::conformance::Verdict verdict = hal::conformance::Verdict::Unsupported;
    std::string reason;
  };
  std::string differenceOf(const hal::conformance::CaseResult &result) const;

  std::string comments_; ///< the lines at the top
  std::map<std::string, Entry> entries_;
};

} // namespace avocet::tool

#endif // AVOCET_VALIDATION_TOOL_ONNX_ONNXLIST_H
