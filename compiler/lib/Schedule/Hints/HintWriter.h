//===- HintWriter.h - Decisions of a schedule as hints ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_HINTS_HINTWRITER_H
#define AVOCET_COMPILER_LIB_SCHEDULE_HINTS_HINTWRITER_H

#include "LayerTable.h"
#include "Schedule/Core/Plan.h"

#include <map>
#include <string>
#include <vector>

namespace avocet::compiler::schedule {

/// Writes the hints that make the planner choose what a decision says, for the operations of one section.
class HintWriter {
public:
  /// All must outlive the object. Layers of sections before this one come first: `firstLayer` many.
  HintWriter(const LayerTable &layers, const Problem &problem, uint32_t firstLayer);

  std::string cascade(const CascadeChoice &choice) const;
  std::string block(uint32_t operation, const firmware::Block &extents) const;
  std::string doublings(uint32_t operation, const kernels::BlockShift &shift) const;
  std::string transfers(const TransferOptions &order) const;

private:
  const std::vector<uint32_t> &operationsBeside(uint32_t operation) const;
  OperatorRef refTo(uint32_t operation) const;
  OperatorRef refToResult(uint32_t tensor) const;
  OperatorRef refToLayerOf(uint32_t operation) const;

  const LayerTable &layers_;
  const Problem &problem_;
  uint32_t firstLayer_;
  std::map<uint32_t, std::vector<uint32_t>> operations_;      ///< by layer of the section
  std::map<uint32_t, std::pair<uint32_t, uint32_t>> writers_; ///< by tensor: its first writer, and which output it is
  mutable std::map<uint32_t, OperatorRef> known_;             ///< by layer of the module
};

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_LIB_SCHEDULE_HINTS_HINTWRITER_H
