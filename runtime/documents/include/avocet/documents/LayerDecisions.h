//===- LayerDecisions.h - What the compiler decided for a layer -----------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_DOCUMENTS_LAYERDECISIONS_H
#define AVOCET_DOCUMENTS_LAYERDECISIONS_H

#include "avocet/analysis/SourceMap.h"
#include "avocet/documents/Remarks.h"

#include <string>
#include <vector>

namespace avocet::documents {

/// A decision with its alternatives.
struct Decision {
  std::vector<uint32_t> layers;             ///< that it is about, in order; none: the network
  std::vector<const OwnedRemark *> choices; ///< in order, not empty

  /// What was chosen: of several plans of a network the last. Null: an operator was not fused.
  const OwnedRemark *taken() const;
};

/// The decisions in the order of their first remarks, which must outlive them: those about the layers that their choice
/// includes, and those about the layers whose operators in the user's file they name. Facts (`Analysis`) are left out.
std::vector<Decision> groupDecisions(const cache::ModelCache &model, const std::vector<OwnedRemark> &remarks);

/// The decisions about a layer with their alternatives, in order.
std::vector<OwnedRemark> decisionsAbout(const analysis::SourceMap &map, uint32_t layer,
                                        const std::vector<OwnedRemark> &remarks);

} // namespace avocet::documents

#endif // AVOCET_DOCUMENTS_LAYERDECISIONS_H
