//===- Reflection.cpp - Walking the fields of commands ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/firmware_iface/Reflection.h"

namespace avocet::firmware {

static_assert(alternativesListAllFields<CommandBody>(), "visitFields of a command lacks a field");

namespace {

constexpr std::string_view kDataTypeNames[] = {"i8", "u8", "i16", "i32", "i64", "f16", "f32", "bool8", "u16", "bf16"};
static_assert(std::size(kDataTypeNames) == kNumDataTypes);
constexpr std::string_view kConvKindNames[] = {"dense", "depthwise"};
constexpr std::string_view kOutputScalingNames[] = {"requantize",     "float", "dynamic",
                                                    "requantizeWide", "sums",  "sumsWide"};
constexpr std::string_view kRoundingNames[] = {"double", "single", "even"};
constexpr std::string_view kWeightFormatNames[] = {"packed", "compressed"};
constexpr std::string_view kPoolKindNames[] = {"max", "average"};
constexpr std::string_view kEltwiseKindNames[] = {"add", "sub", "mul", "min", "max"};
constexpr std::string_view kDmaKindNames[] = {"copy", "fill"};

} // namespace

std::span<const std::string_view> valueNames(DataType) { return kDataTypeNames; }
std::span<const std::string_view> valueNames(ConvKind) { return kConvKindNames; }
std::span<const std::string_view> valueNames(OutputScaling) { return kOutputScalingNames; }
std::span<const std::string_view> valueNames(Rounding) { return kRoundingNames; }
std::span<const std::string_view> valueNames(WeightFormat) { return kWeightFormatNames; }
std::span<const std::string_view> valueNames(PoolKind) { return kPoolKindNames; }
std::span<const std::string_view> valueNames(EltwiseKind) { return kEltwiseKindNames; }
std::span<const std::string_view> valueNames(DmaKind) { return kDmaKindNames; }

} // namespace avocet::firmware
