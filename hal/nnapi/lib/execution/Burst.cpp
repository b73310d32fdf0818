//===- Burst.cpp ----------------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "execution/Burst.h"

namespace avocet::nnapi {

ApiResult<std::shared_ptr<Burst>> Burst::create(std::shared_ptr<const Compilation> compilation) {
  AVOCET_RETURN_IF_ERROR(compilation->checkUsable());
  auto burst = compilation->prepared()->configureBurst();
  if (!burst)
    return fromHal(burst.error());
  return std::shared_ptr<Burst>(new Burst(std::move(compilation), std::move(*burst)));
}

} // namespace avocet::nnapi
