//===- Reshaped.h - A model whose inputs get new shapes ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_DIFFERENTIAL_RESHAPED_H
#define AVOCET_TESTS_DIFFERENTIAL_RESHAPED_H

#include "Model.h"

namespace avocet::differential {

/// The same model in a file that records other extents for all tensors but constants and variables, with the true
/// shapes of the inputs in `shapes`: the compiler must infer the shapes of all results. The model itself if no input
/// has an extent.
TestModel reshaped(const TestModel &model);

} // namespace avocet::differential

#endif // AVOCET_TESTS_DIFFERENTIAL_RESHAPED_H
