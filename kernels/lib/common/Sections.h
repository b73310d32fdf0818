//===- Sections.h - Commands for sections of operands ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_COMMON_SECTIONS_H
#define AVOCET_KERNELS_LIB_COMMON_SECTIONS_H

#include "avocet/kernels/DspParameters.h"
#include "avocet/kernels/dsp/Section.h"
#include "common/NdShape.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

namespace avocet::kernels {

/// Parameters, with what follows them in a command for a section.
template <typename Parameters> struct Sectioned {
  Parameters parameters;
  std::optional<Section> section;
};

template <typename Parameters> Result<Sectioned<Parameters>> unpackSectioned(std::span<const uint32_t> words) {
  const size_t count = parameterCount<Parameters>();
  Sectioned<Parameters> command;
  if (words.size() != count + parameterCount<Section>()) {
    AVOCET_ASSIGN_OR_RETURN(command.parameters, unpackParameters<Parameters>(words));
    return command;
  }
  AVOCET_ASSIGN_OR_RETURN(command.parameters, unpackParameters<Parameters>(words.first(count)));
  AVOCET_ASSIGN_OR_RETURN(command.section, unpackParameters<Section>(words.subspan(count)));
  return command;
}

/// Of a command that has passed check().
template <typename Parameters> Sectioned<Parameters> sectionedOf(const firmware::DspCommand &command) {
  return *unpackSectioned<Parameters>(command.parameters);
}

/// The opposite.
template <typename Parameters> std::vector<uint32_t> packSectioned(const Sectioned<Parameters> &command) {
  std::vector<uint32_t> words = packParameters(command.parameters);
  if (command.section)
    for (uint32_t word : packParameters(*command.section))
      words.push_back(word);
  return words;
}

/// Ok if the section's fields are valid for `count` elements along the axis.
inline Status checkSectionFields(const Section &section, uint32_t count) {
  if (section.isFirst > 1 || section.isLast > 1)
    return ruleBroken("isFirst or isLast", std::max(section.isFirst, section.isLast), "0 or 1");
  if (section.length < count || section.begin > section.length - count)
    return ruleBroken("length", section.length, "at least begin and the extent of the section");
  return Status::ok();
}

/// The same, and the command has `inputs` inputs, one more in a section that reads a state.
inline Status checkSection(const firmware::DspCommand &command, const std::optional<Section> &section, uint32_t inputs,
                           uint32_t count) {
  if (!section)
    return checkEqual("input operands", command.inputs.size(), "that of the whole", inputs);
  AVOCET_RETURN_IF_ERROR(checkSectionFields(*section, count));
  for (const firmware::FeatureMap &map : command.inputs)
    AVOCET_RETURN_IF_ERROR(checkDenseCount("input", map, {elementCount(map)}));
  AVOCET_RETURN_IF_ERROR(checkEqual("height", command.inputs[0].height, "one row", 1));
  return checkEqual("input operands", command.inputs.size(), "that of a section", inputs + 1 - section->isFirst);
}

/// Ok if the states are i32, with `words` words for each of `results` results.
inline Status checkSectionStates(const firmware::DspCommand &command, const Section &section, uint64_t results,
                                 uint32_t words) {
  const auto check = [&](std::string_view name, const firmware::FeatureMap &map) {
    AVOCET_RETURN_IF_ERROR(checkType(name, map.type, {firmware::DataType::Int32}));
    return checkDenseCount(name, map, {results, words});
  };
  if (!section.isFirst)
    AVOCET_RETURN_IF_ERROR(check("state", command.inputs.back()));
  return section.isLast ? checkDenseCount("output0", command.outputs[0], {results})
                        : check("output0", command.outputs[0]);
}

/// States that a section reads and writes, one for each result.
template <typename State> class SectionStates {
public:
  SectionStates(const firmware::DspCommand &command, const Section &section, std::span<uint8_t> sram)
      : before_(section.isFirst ? nullptr : denseData<uint8_t>(command.inputs.back(), sram)),
        after_(denseData<uint8_t>(command.outputs[0], sram)) {}

  bool exist() const { return before_ != nullptr; }
  State read(uint64_t result) const {
    State state;
    std::memcpy(&state, before_ + result * sizeof(State), sizeof(State));
    return state;
  }
  void write(uint64_t result, const State &state) {
    std::memcpy(after_ + result * sizeof(State), &state, sizeof(State));
  }

private:
  const uint8_t *const before_;
  uint8_t *const after_;
};

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_COMMON_SECTIONS_H
