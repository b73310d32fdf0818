//===- NnShapes.h - Shapes of results ---------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function for each rule by which shapes of results follow from shapes of operands and from attributes. The
// operations infer their results with them (NnInference.h), and so do all who know shapes before there are values, such
// as readers of model files.
//
// Extents may be open (ShapedType::kDynamic): an open extent fits every other one, and the extents of the result that
// depend on it are open. A rule that known extents break is an error, which the function starts with `errors`; its text
// continues "'nn.pad' op" and "operator 3 PAD". Extents are below 2^31; numbers of attributes are checked.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_DIALECT_NN_NNSHAPES_H
#define AVOCET_COMPILER_DIALECT_NN_NNSHAPES_H

#include "mlir/IR/BuiltinTypeInterfaces.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Support/LLVM.h"

#include <cstdint>
#include <optional>
#include <string>

namespace avocet::compiler::nn {

using Shape = llvm::SmallVector<int64_t>;
using ShapeRef = llvm::ArrayRef<int64_t>;
using Shapes = llvm::SmallVector<Shape, 1>;

/// Starts the report of a broken rule.
using ShapeErrors = llvm::function_ref<mlir::InFlightDiagnostic()>;

inline bool isOpen(int64_t extent) { return mlir::ShapedType::isDynamic(extent); }

/// Whether two extents can be the same number.
inline bool fits(int64_t a, int64_t b) { return a == b || isOpen(a) || isOpen(b); }
bool fits(ShapeRef a, ShapeRef b);

/// The product of the extents; nullopt: one is open, or the product is not below 2^31.
std::optional<int64_t> elementsOf(ShapeRef shape);

/// Whether the dialect has tensors of the shape: known extents, rank at most 32, 1 to 2^31 - 1 elements.
bool isBounded(ShapeRef shape);

/// "[2, ?, 3]"
std::string textOf(ShapeRef shape);

//===----------------------------------------------------------------------===//
// Element by element (NnElementShapes.cpp)
//===----------------------------------------------------------------------===//

/// Of two inputs that broadcast as in NumPy.
mlir::FailureOr<Shape> broadcastShape(ShapeRef lhs, ShapeRef rhs, ShapeErrors errors);

/// Of inputs whose shapes are equal.
mlir::FailureOr<Shape> commonShape(llvm::ArrayRef<ShapeRef> inputs, ShapeErrors errors);

/// Of a function along an axis, from -rank to rank - 1.
mlir::FailureOr<Shape> linesShape(ShapeRef input, int64_t axis, ShapeErrors errors);

/// Of an image [batch, height, width, channels] that keeps its shape.
mlir::FailureOr<Shape> imageShape(ShapeRef input, ShapeErrors errors);

/// Without the axes, which are sorted, unique and not negative; with `keepDims` they have extent 1 instead.
mlir::FailureOr<Shape> reducedShape(ShapeRef input, ShapeRef axes, bool keepDims, ShapeErrors errors);

/// The input's shape with extent 1 along the axes, which it has.
Shape keptShape(ShapeRef input, ShapeRef axes);

//===----------------------------------------------------------------------===//
// Moves of elements (NnMoveShapes.cpp)
//===----------------------------------------------------------------------===//

/// `shape`, if it has as many elements as the input.
mlir::FailureOr<Shape> reshapedShape(ShapeRef input, ShapeRef shape, ShapeErrors errors);

/// Of the same bytes as elements of another width (nn.bitcast).
mlir::FailureOr<Shape> bitcastShape(ShapeRef input, int64_t fromBytes, int64_t toBytes, ShapeErrors errors);

/// Axis i of the result is axis permutation[i] of the input.
mlir::FailureOr<Shape> transposedShape(ShapeRef input, ShapeRef permutation, ShapeErrors errors);

/// `size` elements along each axis, `strides` apart, from `begin`, all inside of the input.
mlir::FailureOr<Shape> slicedShape(ShapeRef input, ShapeRef begin, ShapeRef size, ShapeRef strides, ShapeErrors errors);

mlir::FailureOr<Shape> tiledShape(ShapeRef input, ShapeRef multiples, ShapeErrors errors);
mlir::FailureOr<Shape> paddedShape(ShapeRef input, ShapeRef low, ShapeRef high, ShapeErrors errors);
mlir::FailureOr<Shape> concatenatedShape(llvm::ArrayRef<ShapeRef> inputs, int64_t axis, ShapeErrors errors);

//===----------------------------------------------------------------------===//
// Windows and matrices (NnWindowShapes.cpp)
//===----------------------------------------------------------------------===//

/// How a window moves over rows and columns: attributes of the operation, not yet checked.
struct Window {
  ShapeRef stride;   ///< [y, x]
  ShapeRef dilation; ///< [y, x]
  ShapeRef pad;      ///< [top, bottom, left, right]
};

/// Input NHWC, filter OHWI with the input channels of one of the groups.
mlir::FailureOr<Shape> convolutionShape(ShapeRef input, ShapeRef filter, int64_t groups, const Window &window,
                                        ShapeErrors errors);
/// Input NHWC, filter [1, height, width, output channels].
mlir::FailureOr<Shape> depthwiseShape(ShapeRef input, ShapeRef filter, const Window &window, ShapeErrors errors);
/// Input NHWC, filter OHWI; padding after the last row and column may be negative.
mlir::FailureOr<Shape> transposedConvolutionShape(ShapeRef input, ShapeRef filter, ShapeRef stride, ShapeRef pad,
                                                  ShapeErrors errors);
mlir::FailureOr<Shape> poolShape(ShapeRef input, ShapeRef kernel, ShapeRef stride, ShapeRef pad, ShapeErrors errors);

/// Filter [outputs, inputs]. The rows of the input, in all its elements, become rows [rows, outputs]; with `keepDims`
/// the last axis has the inputs, and the outputs replace it.
mlir::FailureOr<Shape> fullyConnectedShape(ShapeRef input, ShapeRef filter, bool keepDims, ShapeErrors errors);

/// Of the matrices in the last two axes, each perhaps transposed; the other axes broadcast.
mlir::FailureOr<Shape> matrixProductShape(ShapeRef lhs, ShapeRef rhs, bool transposeLhs, bool transposeRhs,
                                          ShapeErrors errors);

/// Real and imaginary part of half a spectrum along the last axis.
mlir::FailureOr<Shapes> rfftShapes(ShapeRef input, int64_t points, ShapeErrors errors);

//===----------------------------------------------------------------------===//
// Lookups (NnLookupShapes.cpp)
//===----------------------------------------------------------------------===//

/// The axes of the indices replace the axis of the input.
mlir::FailureOr<Shape> gatheredShape(ShapeRef input, ShapeRef indices, int64_t axis, ShapeErrors errors);

/// The last axis of the indices has coordinates on the first axes of the table, whose slice replaces it.
mlir::FailureOr<Shape> slicesShape(ShapeRef table, ShapeRef indices, ShapeErrors errors);

/// The shape of the table, if `updates` has the slices at the indices.
mlir::FailureOr<Shape> scatteredShape(ShapeRef table, ShapeRef indices, ShapeRef updates, ShapeErrors errors);

/// Values and indices of the `k` largest elements along the last axis.
mlir::FailureOr<Shapes> topKShapes(ShapeRef input, int64_t k, ShapeErrors errors);

/// Rows and hits.
mlir::FailureOr<Shapes> hashtableShapes(ShapeRef lookups, ShapeRef keys, ShapeRef values, ShapeErrors errors);

/// `weights`: nullopt if there are none.
mlir::FailureOr<Shape> lshProjectionShape(ShapeRef seeds, ShapeRef input, std::optional<ShapeRef> weights, bool isDense,
                                          ShapeErrors errors);

/// Images [batch, height, width, channels] of another size [height, width].
mlir::FailureOr<Shape> resizedShape(ShapeRef input, ShapeRef size, ShapeErrors errors);

/// [batch, samples] of logits [batch, classes].
mlir::FailureOr<Shape> drawnShape(ShapeRef logits, ShapeRef seeds, int64_t samples, ShapeErrors errors);

//===----------------------------------------------------------------------===//
// Boxes (NnDetectionShapes.cpp), in the order of the results
//===----------------------------------------------------------------------===//

/// `boxes` of each batch.
mlir::FailureOr<Shapes> detectionShapes(ShapeRef scores, ShapeRef offsets, ShapeRef anchors, bool hasBackground,
                                        int64_t boxes, ShapeErrors errors);
mlir::FailureOr<Shape> movedBoxesShape(ShapeRef boxes, ShapeRef offsets, ShapeRef batches, ShapeRef images,
                                       ShapeErrors errors);
mlir::FailureOr<Shapes> keypointShapes(ShapeRef heatmaps, ShapeRef boxes, ShapeErrors errors);
mlir::FailureOr<Shapes> suppressedShapes(ShapeRef boxes, ShapeRef scores, int64_t rows, ShapeErrors errors);
mlir::FailureOr<Shapes> limitedBoxesShapes(ShapeRef scores, ShapeRef boxes, ShapeRef batches, int64_t rows,
                                           ShapeErrors errors);
mlir::FailureOr<Shapes> proposalShapes(ShapeRef scores, ShapeRef offsets, ShapeRef anchors, ShapeRef images,
                                       int64_t rows, ShapeErrors errors);
/// Bins [regions, height, width, channels], with `size` [height, width].
mlir::FailureOr<Shape> regionShape(ShapeRef images, ShapeRef regions, ShapeRef batches, ShapeRef size,
                                   ShapeErrors errors);

//===----------------------------------------------------------------------===//
// Recurrent cells (NnCellShapes.cpp), in the order of the results
//===----------------------------------------------------------------------===//

/// A step [batch, features] or a sequence [steps, batch, features], or [batch, steps, features].
struct Sequence {
  ShapeRef input;
  bool isBatchMajor;
};

mlir::FailureOr<Shapes> lstmCellShapes(const Sequence &sequence, ShapeRef outputState, ShapeRef cellState, size_t gates,
                                       ShapeErrors errors);
mlir::FailureOr<Shapes> quantizedLstmShapes(ShapeRef input, ShapeRef outputState, ShapeRef cellState,
                                            ShapeErrors errors);
mlir::FailureOr<Shapes> rnnCellShapes(const Sequence &sequence, ShapeRef state, ShapeErrors errors);
mlir::FailureOr<Shapes> svdfShapes(ShapeRef input, ShapeRef featureWeights, ShapeRef timeWeights, ShapeRef state,
                                   int64_t rank, ShapeErrors errors);
/// Of a sequence, with the recurrent weights [cells, cells] of one gate.
mlir::FailureOr<Shape> lstmShape(ShapeRef input, std::optional<ShapeRef> recurrentWeights, ShapeErrors errors);

} // namespace avocet::compiler::nn

#endif // AVOCET_COMPILER_DIALECT_NN_NNSHAPES_H
