//===- RemarkStream.cpp - Remarks of MLIR for the caller --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RemarkStream.h"

#include "avocet/compiler/Support/Refusal.h"
#include "avocet/compiler/Support/Remarks.h"

#include "mlir/IR/Remarks.h"

#include <optional>
#include <string>
#include <unordered_set>

using namespace mlir;

namespace avocet::compiler {
namespace {

RemarkKind kindOf(llvm::remarks::Type type) {
  switch (type) {
  case llvm::remarks::Type::Passed:
    return RemarkKind::Passed;
  case llvm::remarks::Type::Missed:
    return RemarkKind::Missed;
  case llvm::remarks::Type::Failure:
    return RemarkKind::Failed;
  default:
    return RemarkKind::Analysis;
  }
}

std::string_view viewOf(StringRef text) { return {text.data(), text.size()}; }

class Stream : public remark::detail::MLIRRemarkStreamerBase {
public:
  explicit Stream(const std::function<void(const Remark &)> &remark) : remark_(remark) {}

  void streamOptimizationRemark(const remark::detail::Remark &made) override {
    const std::string location = describeLocation(made.getLocation());
    Remark remark{
        kindOf(made.getRemarkType()), viewOf(made.getCategoryName()), viewOf(made.getRemarkName()), location, {}};
    for (const remark::detail::Remark::Arg &argument : made.getArgs())
      remark.arguments.push_back({argument.key, argument.val});
    if (made.getCategoryName() != remarks::kFusion || isNew(remark))
      remark_(remark);
  }

private:
  /// Fusing patterns visit operations repeatedly, and fail for the same reason each time.
  bool isNew(const Remark &remark) {
    std::string key = std::to_string(static_cast<uint32_t>(remark.kind));
    for (std::string_view part : {remark.category, remark.name, remark.location})
      (key += '\0') += part;
    for (const Remark::Argument &argument : remark.arguments)
      ((key += '\0') += argument.key) += argument.value;
    return known_.insert(std::move(key)).second;
  }

  const std::function<void(const Remark &)> &remark_;
  std::optional<Location> last_;
  std::string location_; ///< described
  std::unordered_set<std::string> known_;
};

} // namespace

void streamRemarks(MLIRContext &context, const std::function<void(const Remark &)> &remark) {
  const std::string any = ".*"; // a kind without a filter is off
  const remark::RemarkCategories all{any, any, any, any, any};
  (void)remark::enableOptimizationRemarks(context, std::make_unique<Stream>(remark),
                                          std::make_unique<remark::RemarkEmittingPolicyAll>(), all);
}

} // namespace avocet::compiler
