//===- Subgraphs.h - Models inside of models ---------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_NNAPI_LIB_MODEL_SUBGRAPHS_H
#define AVOCET_HAL_NNAPI_LIB_MODEL_SUBGRAPHS_H

#include "model/FinishedModel.h"

#include "avocet/hal/types/Types.h"

#include <map>
#include <vector>

namespace avocet::nnapi {

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

} // namespace avocet::nnapi

#endif // AVOCET_HAL_NNAPI_LIB_MODEL_SUBGRAPHS_H
