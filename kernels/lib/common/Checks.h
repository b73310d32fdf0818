//===- Checks.h - Rules that many kernels share --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each function returns ok, or an error with the field and the rule that it breaks. The rules bound every loop of a
// kernel by the size of SRAM (windows of outputs and of most inputs do not overlap themselves) and keep every access
// aligned.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_COMMON_CHECKS_H
#define AVOCET_KERNELS_LIB_COMMON_CHECKS_H

#include "avocet/base/Status.h"
#include "avocet/firmware_iface/Command.h"
#include "avocet/firmware_iface/Target.h"
#include "avocet/kernels/Quantization.h"

#include <initializer_list>
#include <string>
#include <string_view>

namespace avocet::kernels {

/// InvalidArgument "name is value, must be rule".
Status ruleBroken(std::string_view name, int64_t value, std::string_view rule);

/// Whether strides of 0 are allowed (broadcast inputs of eltwise).
enum class Broadcast { No, Yes };

/// Checks extents, ring, alignment, strides and zero point.
Status checkMap(std::string_view name, const firmware::FeatureMap &map, Broadcast broadcast = Broadcast::No);

Status checkType(std::string_view name, firmware::DataType type, std::initializer_list<firmware::DataType> allowed);
Status checkEqual(std::string_view name, uint64_t value, std::string_view otherName, uint64_t other);

/// Checks that height, width and channels are equal.
Status checkSameShape(std::string_view name, const firmware::FeatureMap &map, std::string_view otherName,
                      const firmware::FeatureMap &other);

/// Checks that kernel, strides and dilation are at least 1, padding is smaller than the dilated kernel, and all output
/// positions start inside the padded input.
Status checkWindow(const firmware::Window &window, const firmware::FeatureMap &input,
                   const firmware::FeatureMap &output);

/// Checks that the clamp is not empty in the output type.
Status checkClamp(const firmware::Clamp &clamp, firmware::DataType outputType);

/// Checks that the block is at least 1 x 1 x 1, at most the target's largest, and small enough with its input for the
/// array's buffer. The rest of the command must be legal.
Status checkBlock(const firmware::Target &target, const firmware::Block &block, const firmware::CommandBody &command);

/// Checks that the MAC array supports the element type.
Status checkArrayType(const firmware::Target &target, firmware::DataType type);

/// Checks leastShift <= shift <= kSaturatingShift, multiplier not negative.
Status checkRescale(std::string_view name, const firmware::Rescale &rescale, int leastShift = kLeastShift);

/// Checks that the number is one of the enumeration.
Status checkRounding(std::string_view name, firmware::Rounding rounding);

/// A clamp intersected with the range of an integer type.
firmware::Clamp integerClamp(const firmware::Clamp &clamp, firmware::DataType type);

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_COMMON_CHECKS_H
