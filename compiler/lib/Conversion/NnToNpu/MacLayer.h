//===- MacLayer.h - Convolutions and fully connected layers on the array -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_MACLAYER_H
#define AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_MACLAYER_H

#include "Placement.h"

#include "ChannelRescales.h"
#include "FilterOrder.h"

#include "avocet/firmware_iface/WeightLayout.h"

namespace avocet::compiler {

/// What a layer with weights looks like to the array. The quantisation comes from the network's types.
struct MacLayer {
  mlir::Operation *op;      ///< of the network
  mlir::Value input;        ///< of the network
  mlir::Value inputStorage; ///< in the shape that the array reads
  mlir::Value filter, bias; ///< of the network; the bias may be null
  nn::Activation activation;
  firmware::ConvKind kind = firmware::ConvKind::Dense;
  firmware::WeightDims dims = {};
  firmware::Window window = {};
  uint32_t padBottom = 0, padRight = 0;
  StorageShape outputShape = {};
  /// How the filter comes into the array's order, where it is not in it; it starts as all zeros.
  FilterOrder order = {};
  /// Output channels of bias and scales, after which they repeat; 0: all of them.
  uint32_t recordPeriod = 0;
  /// Multipliers are products of floats and not of doubles, as the reference has it for some operations.
  bool floatMultipliers = false;
  /// A hybrid layer's input is quantised around a zero point.
  bool asymmetric = false;
};

/// Creates the operations of the layer, or refuses it; its result in the layer's shape.
mlir::FailureOr<mlir::Value> createMacLayer(const MacLayer &layer, Placement &placement);
/// The same, and makes it the operation's result.
mlir::LogicalResult placeMacLayer(const MacLayer &layer, Placement &placement);

/// Whether the array can do the layer: blocks of its windows have to fit into the array's buffer, the weights of a step
/// into SRAM.
bool arrayTakesLayer(const MacLayer &layer, Placement &placement);
/// Whether the command's kernel accepts it; nothing is reported.
bool arrayTakesCommand(const firmware::CommandBody &command, Placement &placement);

/// One axis of a window, as the array needs to know it.
struct ArrayAxis {
  int64_t input, output, kernel, stride, dilation, padBefore, padBehind;
};

/// Whether the array can walk the window: padding is narrower than the window, which never starts behind the image.
bool arrayTakesAxis(const ArrayAxis &axis);

/// Whether images can lie one below the other: no window sees two of them.
bool arrayTakesBatch(mlir::RankedTensorType input, mlir::RankedTensorType output, int64_t kernelHeight,
                     int64_t strideHeight, int64_t padHeight);

/// Whether the array can have the weights: it takes constants in an order of its own.
bool arrayTakesWeights(mlir::Value filter, mlir::Value bias);

/// Whether a filter may become one of `elements`, zeros among them. They are made of nothing that the network's file
/// has to hold, so their number needs a limit.
bool arrayTakesSpreadFilter(mlir::Value filter, uint64_t elements, Placement &placement);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_MACLAYER_H
