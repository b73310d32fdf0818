//===- TargetEdit.h - Targets with changed figures --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Target files from targets: as they are, or with changed figures. A figure has the key of the file, with the names of
// its sections before it: "clockHz", "sram.bytes", "mac.slowdown.f32". A rate is one figure ("dram.bandwidth": items in
// a cycle, as "4", "0.5" or "3/2") and two ("dram.bandwidth.bytes", "dram.bandwidth.cycles"). Figures whose keys end in
// "bytes" accept the suffixes of parseBytes().
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_FIRMWARE_IFACE_TARGETEDIT_H
#define AVOCET_FIRMWARE_IFACE_TARGETEDIT_H

#include "avocet/firmware_iface/Target.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace avocet::firmware {

struct TargetChange {
  std::string key;
  std::string value;
};

/// All keys, in the order of the file; a rate comes before its two parts.
std::vector<std::string> targetKeys();

/// All figures in that order, each value in its one form.
std::vector<TargetChange> targetFigures(const Target &target);

/// The one form of a value: "256K" and "262144" give "262144", "0.5" and "2/4" give "1/2". InvalidArgument: the key is
/// no figure, or the value is outside its limits.
Result<std::string> normalTargetValue(const TargetChange &change);

/// The text of a target file with these figures: Target::parse() gives the same fingerprint. `name` and `description`
/// are printable ASCII.
std::string printTarget(const Target &target, std::string_view name, std::string_view description);

/// The text of a target file with the figures of `base` and the changes. InvalidArgument as above. Rules between
/// figures are not checked; Target::parse() does.
Result<std::string> changedTargetText(const Target &base, std::span<const TargetChange> changes, std::string_view name,
                                      std::string_view description);

} // namespace avocet::firmware

#endif // AVOCET_FIRMWARE_IFACE_TARGETEDIT_H
