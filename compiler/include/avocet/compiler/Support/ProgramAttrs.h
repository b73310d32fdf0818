//===- ProgramAttrs.h - Attributes between phases ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names of the attributes that pass data between phases and into the model cache. They are defined here because one
// phase writes and another reads each of them.
//
// A module:
//   avocet.model    string: name of the model
//   avocet.phase    string: the last phase that the module has passed
//   avocet.source_map  unit: the phases record where tiles and commands come from (Support/Origin.h)
//   avocet.hints    array of dictionaries: what the schedule must have (compiler/docs/Hints.md); until phase schedule
//   avocet.keeps_infinities  unit: sums, products and fused activations of floats keep infinities, as in ONNX and TOSA;
//                   without it they become the largest finite number, as in TensorFlow Lite. Read by placement
//
// Arguments and results of the network's function, and the dictionaries of npu.program's `inputs` and `outputs`:
//   nn.name         string: name of the operand
//   nn.initial_state  elements (arguments only): the argument is a state, which has these elements in the first run.
//                   States are the last arguments, and the last results in the same order are their next values.
//   npu.network_type  type: the operand's type in the network, for example
//                   tensor<1x224x224x3x!quant.uniform<i8:f32, 0.5>>;
//                   set by placement, after which the function itself has only storage types
//   type            type (npu.program only): the storage tensor
//
// Sections of a network with branches or loops (Support/Section.h). On their arguments, results and dictionaries:
//   npu.region      i32: region of the job that holds the operand
//   npu.offset      i64: offset of the operand in that region, in bytes
// On the function and the npu.program:
//   npu.constants_region  i32: region of the constants of all sections; the scratch memory is the next region
//   npu.frame_bytes       i64: bytes at the start of the scratch memory that hold values passed between sections
//
// The dictionaries of the placed function's npu.layers and of npu.program's `layers`:
//   name, op        strings: name and kind ("CONV_2D") of the operator in the file (Support/Origin.h)
//   engine          string: "mac", "dsp" or "dma"
//   macs, computeCycles, deviceCycles, weightBytes, rooflineCycles    i64: properties of network and target, set by
//   placement from
//                   the network's operation; absent: 0 (see cache/ModelDescription.h)
//   unreadBytes     i64: of an input of the network, that its only reader, this operation, does not read; absent: 0
//   inputBytes, outputBytes    i64 (npu.program only)
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_SUPPORT_PROGRAMATTRS_H
#define AVOCET_COMPILER_SUPPORT_PROGRAMATTRS_H

#include "llvm/ADT/StringRef.h"

namespace avocet::compiler::attrs {

inline constexpr llvm::StringLiteral kModel = "avocet.model";
inline constexpr llvm::StringLiteral kPhase = "avocet.phase";
inline constexpr llvm::StringLiteral kSourceMap = "avocet.source_map";
inline constexpr llvm::StringLiteral kHints = "avocet.hints";
inline constexpr llvm::StringLiteral kKeepsInfinities = "avocet.keeps_infinities";

inline constexpr llvm::StringLiteral kOperandName = "nn.name";
inline constexpr llvm::StringLiteral kInitialState = "nn.initial_state";
inline constexpr llvm::StringLiteral kNetworkType = "npu.network_type";
inline constexpr llvm::StringLiteral kStorageType = "type";

inline constexpr llvm::StringLiteral kRegion = "npu.region";
inline constexpr llvm::StringLiteral kOffset = "npu.offset";
inline constexpr llvm::StringLiteral kConstantsRegion = "npu.constants_region";
inline constexpr llvm::StringLiteral kFrameBytes = "npu.frame_bytes";

inline constexpr llvm::StringLiteral kLayerName = "name";
inline constexpr llvm::StringLiteral kLayerOp = "op";
inline constexpr llvm::StringLiteral kLayerGroup = "group"; ///< layers that reports show as one
inline constexpr llvm::StringLiteral kLayerEngine = "engine";
inline constexpr llvm::StringLiteral kLayerMacs = "macs";
inline constexpr llvm::StringLiteral kLayerComputeCycles = "computeCycles";
inline constexpr llvm::StringLiteral kLayerDeviceCycles = "deviceCycles";
inline constexpr llvm::StringLiteral kLayerRooflineCycles = "rooflineCycles";
inline constexpr llvm::StringLiteral kLayerUnreadBytes = "unreadBytes";
inline constexpr llvm::StringLiteral kLayerWeightBytes = "weightBytes";
inline constexpr llvm::StringLiteral kLayerInputBytes = "inputBytes";
inline constexpr llvm::StringLiteral kLayerOutputBytes = "outputBytes";

} // namespace avocet::compiler::attrs

#endif // AVOCET_COMPILER_SUPPORT_PROGRAMATTRS_H
