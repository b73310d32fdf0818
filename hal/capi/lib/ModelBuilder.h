//===- ModelBuilder.h - Models of the C library -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_CAPI_LIB_MODELBUILDER_H
#define AVOCET_HAL_CAPI_LIB_MODELBUILDER_H

#include "Api.h"

#include <vector>

namespace avocet::hal::capi {

/// A finished model and what it refers to, in the order in which they may be freed from the back.
struct BuiltModel {
  std::vector<OwnedMemory> pools;
  std::vector<OwnedModel> referenced; ///< by subgraph; null for one that no operand uses
  OwnedModel main;
};

/// Builds the model as an application would. InvalidArgument: the library refuses it, or it cannot be said in the C
/// interface (a constant outside its pool, subgraphs that contain each other). `model` may go once this returns.
Result<BuiltModel> buildModel(const Api &api, const Model &model);

} // namespace avocet::hal::capi

#endif // AVOCET_HAL_CAPI_LIB_MODELBUILDER_H
