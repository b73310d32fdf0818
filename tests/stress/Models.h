//===- Models.h - Small models with one input and one output of the same shape - -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chains of operations that depend on a seed only. Input and output have the same type and shape, so that an output can
// be the next input: three applications have known bits.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_STRESS_MODELS_H
#define AVOCET_TESTS_STRESS_MODELS_H

#include "avocet/hal/types/Interfaces.h"

#include <string>
#include <vector>

namespace avocet::stress {

using Bytes = std::vector<uint8_t>;
inline constexpr size_t kApplications = 3;

struct StressModel {
  std::string name;
  hal::Model model;
  Bytes input;
  std::vector<Bytes> golden; ///< after 1, 2, 3 applications; empty until computed or read
  uint64_t bytes() const { return input.size(); }
};

/// The same arguments give the same models, in every process.
std::vector<StressModel> makeModels(uint64_t seed, size_t count);

/// Computes all golden bits on a device.
hal::Outcome computeGoldens(hal::IDevice &device, std::vector<StressModel> &models);

/// Golden bits of all models, one after the other.
Bytes packGoldens(const std::vector<StressModel> &models);
/// The inverse of packGoldens(); false: the bytes are not those of these models.
bool unpackGoldens(const Bytes &bytes, std::vector<StressModel> &models);

} // namespace avocet::stress

#endif // AVOCET_TESTS_STRESS_MODELS_H
