//===- FinishedModel.h - A model that can be compiled -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_NNAPI_LIB_MODEL_FINISHEDMODEL_H
#define AVOCET_HAL_NNAPI_LIB_MODEL_FINISHEDMODEL_H

#include "api/ApiResult.h"
#include "avocet/hal/types/Types.h"

#include <cstdint>
#include <map>
#include <vector>

namespace avocet::nnapi {

/// A valid model, apart from `undefined` operations. Immutable.
struct FinishedModel {
  hal::Model model; ///< operations in executable order
  /// By position in that order: the number of the application's call of addOperation().
  std::vector<uint32_t> callOrder;
  /// Positions of operations that no device supports (FinishedModel.h), sorted. The model is valid without them.
  std::vector<uint32_t> undefined;
};

/// Makes models the branches and bodies of another one: their constants, pools and own subgraphs are appended to its.
class SubgraphMerger {
public:
  explicit SubgraphMerger(hal::Model &into) : into_(into) {}

  /// The number of the part among Model::referenced; a model that is added twice is one part.
  uint32_t add(const FinishedModel &part);

private:
  hal::Subgraph moved(const hal::Subgraph &subgraph, uint32_t firstPool, uint64_t firstValue,
                      uint32_t firstSubgraph) const;
  hal::Model &into_;
  std::map<const FinishedModel *, uint32_t> known_;
};

/// The extensions whose codes occur in a model.
std::vector<hal::ExtensionNameAndPrefix> usedExtensions(const hal::Model &model);

/// Sorts the operations of a subgraph so that each reads only what earlier ones wrote; keeps the given order where it
/// can. Returns the old number of each. BAD_DATA: there is no such order. Requires indices in range.
ApiResult<std::vector<uint32_t>> sortIntoRunOrder(hal::Subgraph &subgraph);

/// Whether a model may have an operation although NNAPI does not define it for these types. TensorFlow Lite (2.9) first
/// builds models of all nodes and then asks which operations are supported; it sends UNIDIRECTIONAL_SEQUENCE_LSTM with
/// 8-bit inputs, which NNAPI lacks, and gives up if the model is refused. No device supports these operations.
bool isToleratedThoughUndefined(const hal::Subgraph &subgraph, const hal::Operation &operation);

/// The model without some operations: what they write is an input then. `positions`: sorted.
hal::Model withoutOperations(const hal::Model &model, const std::vector<uint32_t> &positions);

} // namespace avocet::nnapi

#endif // AVOCET_HAL_NNAPI_LIB_MODEL_FINISHEDMODEL_H
