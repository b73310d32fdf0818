//===- DspParameters.h - Parameter words of DSP kernels ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A DSP kernel's parameters are a plain struct that lists its fields once, in visitFields; the words of the command are
// derived from that list: one word per 32-bit field, floats as their bits.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_DSPPARAMETERS_H
#define AVOCET_KERNELS_DSPPARAMETERS_H

#include "avocet/base/Status.h"

#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace avocet::kernels {

/// The words for DspCommand::parameters.
template <typename Parameters> std::vector<uint32_t> packParameters(const Parameters &parameters) {
  std::vector<uint32_t> words;
  Parameters::visitFields(parameters, [&](const char *, const auto &field) {
    static_assert(sizeof(field) == 4);
    words.push_back(std::bit_cast<uint32_t>(field));
  });
  return words;
}

/// Number of words that packParameters returns.
template <typename Parameters> size_t parameterCount() { return packParameters(Parameters()).size(); }

/// The inverse. InvalidArgument if the number of words is not the number of fields; check() validates the values.
template <typename Parameters> Result<Parameters> unpackParameters(std::span<const uint32_t> words) {
  if (words.size() != parameterCount<Parameters>())
    return invalidArgument("parameters: " + std::to_string(words.size()) + " words, must be " +
                           std::to_string(parameterCount<Parameters>()));
  Parameters parameters;
  size_t position = 0;
  Parameters::visitFields(parameters, [&](const char *, auto &field) {
    field = std::bit_cast<std::remove_reference_t<decltype(field)>>(words[position++]);
  });
  return parameters;
}

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_DSPPARAMETERS_H
