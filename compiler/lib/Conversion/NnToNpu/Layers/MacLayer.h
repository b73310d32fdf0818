//===- MacLayer.h - Convolutions and fully connected layers on the array ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_LAYERS_MACLAYER_H
#define AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_LAYERS_MACLAYER_H

#include "LayerNumerics.h"
#include "Placement.h"
#include "avocet/base/Rounding.h"
#include "avocet/firmware_iface/WeightLayout.h"
#include "mlir/Support/LLVM.h"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>

namespace avocet::compiler {

/// Writes a filter's elements of the given size in another order, possibly several times; elements that it does not
/// write keep their value.
using FilterOrder =
    std::function<void(llvm::ArrayRef<uint8_t> plain, size_t elementSize, llvm::MutableArrayRef<uint8_t> ordered)>;

/// [rows, columns] to [columns, rows].
FilterOrder swapFilterAxes(size_t rows, size_t columns);

/// `count` rows of [rows, columns], from row `first` on.
FilterOrder takeFilterRows(size_t first, size_t count, size_t columns);

/// A box of a storage tensor, or every n-th row and column of one.
struct InputPart {
  StorageShape position = {}, shape = {};
  std::array<int64_t, 2> steps = {1, 1}; ///< distance of rows, and of columns
};

/// A layer with weights in the form that the array needs. The quantization comes from the network's types.
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
  /// What the array reads of the storage, if not all of it.
  std::optional<InputPart> inputPart = {};
  /// Reorders the filter if it is not in the array's order; the destination starts as all zeros.
  FilterOrder order = {};
  /// Storage of weights in the array's order if the filter is not constant (PlaceMatrixProducts.cpp); may be null.
  mlir::Value computedWeights = {};
  /// Number of output channels of bias and scales, after which they repeat; 0: all channels.
  uint32_t recordPeriod = 0;
  /// First channel of the layer in bias and scales.
  uint32_t firstRecord = 0;
  /// Multipliers are products of floats instead of doubles, as in the reference for some operations.
  LayerNumerics numerics = {};
  /// The operation has no activation in its formats, so that infinities stay.
  bool keepsInfinities = false;
  /// A hybrid layer's input is quantized around a zero point.
  bool asymmetric = false;
};

/// Weights and channel records in the array's order, which layers that differ only in what they read may share.
struct MacConstants {
  mlir::Value weights, records;
};

/// Creates the constants of the layer, or refuses it.
mlir::FailureOr<MacConstants> createMacConstants(const MacLayer &layer, Placement &placement);
/// Creates the operations of the layer, or refuses it; returns its result in the layer's shape.
mlir::FailureOr<mlir::Value> createMacLayer(const MacLayer &layer, const MacConstants &constants, Placement &placement);
mlir::FailureOr<mlir::Value> createMacLayer(const MacLayer &layer, Placement &placement);
/// The same for the one input, and binds the operation's result.
mlir::LogicalResult placeMacLayer(const MacLayer &layer, Placement &placement);

/// Whether the array can run the layer: blocks of its windows must fit into the array's buffer, the weights of a step
/// into SRAM.
bool arrayTakesLayer(const MacLayer &layer, Placement &placement);
/// Cycles of the layer as one command on the array; nullopt if the array cannot run it.
std::optional<uint64_t> arrayCycles(const MacLayer &layer, Placement &placement);
/// Whether the command's kernel accepts it; reports nothing.
bool arrayTakesCommand(const firmware::CommandBody &command, Placement &placement);

/// Height and width of an image whose pixels are rows of a matrix: as many side by side as one array step covers, if
/// they divide evenly.
std::pair<int64_t, int64_t> rowsAsImage(int64_t rows, Placement &placement);

/// One axis of a window, with the figures that the array needs.
struct ArrayAxis {
  int64_t input, output, kernel, stride, dilation, padBefore, padAfter;
};

/// Whether the array can walk the window: padding is narrower than the window, which never starts after the image's
/// end.
bool arrayTakesAxis(const ArrayAxis &axis);

/// Whether images can be stacked along rows: no window covers two of them.
bool arrayTakesBatch(mlir::RankedTensorType input, mlir::RankedTensorType output, int64_t kernelHeight,
                     int64_t strideHeight, int64_t padHeight);

/// Whether filter and bias, if present, are constant: the array reads both in its own order.
bool arrayTakesWeights(mlir::Value filter, mlir::Value bias);

/// Whether a filter may become one of `elements`, including added zeros. The added zeros are not in the network's file,
/// so the file's size does not bound them; they need a limit.
bool arrayTakesSpreadFilter(mlir::Value filter, uint64_t elements, Placement &placement);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_LAYERS_MACLAYER_H
