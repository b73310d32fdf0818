//===- DividedStates.cpp - States of a divided network --------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DividedStates.h"

namespace avocet::session {

Status DividedStates::allocate() {
  values_.resize(model_->numStates());
  for (size_t i = 0; i < values_.size(); ++i)
    for (ValueMemory &memory : values_[i]) {
      AVOCET_ASSIGN_OR_RETURN(memory, ValueMemory::make(description(i).bytes));
    }
  reset();
  return Status::ok();
}

} // namespace avocet::session
