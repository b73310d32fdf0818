//===- WindowLayer.h - Convolutions and matrix products on the vector DSP --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_LAYERS_WINDOWLAYER_H
#define AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_LAYERS_WINDOWLAYER_H

#include "Layers/MacLayer.h"
#include "Placement.h"

#include "avocet/kernels/dsp/Window.h"

#include <optional>

namespace avocet::compiler {

/// A layer in the form that the DSP's windowConv needs, for filters known only at run time and windows that the array
/// cannot walk. The quantization comes from the network's types.
struct WindowLayer {
  mlir::Operation *op;             ///< of the network
  mlir::Value input, filter, bias; ///< of the network; the bias may be null
  StorageShape inputShape = {}, filterShape = {}, outputShape = {};
  nn::Activation activation = nn::Activation::kNone;
  LayerNumerics numerics = {};
  kernels::WindowConvParameters parameters = {}; ///< all but bias and clamp
};

/// Creates the operation of the layer and binds its result, or refuses it.
mlir::LogicalResult placeWindowLayer(const WindowLayer &layer, Placement &placement);

/// Cycles of the layer as one command; nullopt if the kernel does not take it.
std::optional<uint64_t> windowLayerCycles(const WindowLayer &layer, const firmware::Target &target);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_LAYERS_WINDOWLAYER_H
