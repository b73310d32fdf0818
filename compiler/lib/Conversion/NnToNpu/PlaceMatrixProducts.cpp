//===- PlaceMatrixProducts.cpp - Matrix products and fully connected layers ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rows of the left matrices are the pixels of an image, the right matrices are weights. The DSP first brings
// computed right matrices into the array's order.
//
//===----------------------------------------------------------------------===//

#include "Layers/ComputedWeights.h"
#include "Layers/MacLayer.h"
#include "Layers/WindowLayer.h"
#include "Placement.h"
#include "Views.h"
#include "avocet/base/Rounding.h"
#include "avocet/kernels/Roofline.h"

#include <cstring>

using namespace mlir;
using namespace avocet::firmware;

namespace avocet::compiler {
namespace {

/// Row `row` of the input, as the only one.
FailureOr<Value> rowOf(Operation *op, Value storage, int64_t row, int64_t depth, Placement &placement) {
  kernels::RearrangeParameters parameters;
  parameters.moves.push_back({0, static_cast<uint32_t>(row * depth), 0, {{static_cast<uint32_t>(depth), 1, 1}}});
  return placeRearrange(op, storage, {1, 1, depth}, parameters, placement);
}

/// Puts up to kMost rows of equal length below each other, as few commands as possible.
FailureOr<Value> joinRows(Operation *op, SmallVector<Value> parts, Placement &placement) {
  constexpr size_t kMost = 24; // a command has limited words
  while (parts.size() > 1) {
    SmallVector<Value> joined;
    for (ArrayRef<Value> rest = parts; !rest.empty(); rest = rest.drop_front(std::min(kMost, rest.size()))) {
      kernels::RearrangeParameters parameters;
      int64_t elements = 0;
      ArrayRef<Value> group = rest.take_front(kMost);
      for (auto [number, part] : llvm::enumerate(group)) {
        int64_t own = tensorOf(part).getNumElements();
        parameters.moves.push_back(
            {static_cast<uint32_t>(number), 0, static_cast<uint32_t>(elements), {{static_cast<uint32_t>(own), 1, 1}}});
        elements += own;
      }
      FailureOr<Value> whole = placeRearrange(op, group, {1, 1, elements}, parameters, placement);
      if (failed(whole))
        return failure();
      joined.push_back(*whole);
    }
    parts = joined;
  }
  return parts.front();
}

/// Places a layer of 8-bit weights once for each row of `storage`, which becomes 8-bit numbers with a scale of its own.
/// The layer's shapes are those of one row. Binds the operation's result.
LogicalResult placeHybridRows(MacLayer layer, Value storage, int64_t rows, Placement &placement) {
  // A row takes four commands; more rows would make the program too long.
  constexpr int64_t kMostRows = 512;
  if (rows > kMostRows)
    return placement.refuse(layer.op, "input", "rows with a run-time scale", Twine(rows), Twine(kMostRows));
  const int64_t depth = tensorOf(storage).getNumElements() / rows;
  FailureOr<MacConstants> constants = createMacConstants(layer, placement);
  if (failed(constants))
    return failure();
  SmallVector<Value> results;
  for (int64_t row = 0; row < rows; ++row) {
    FailureOr<Value> input = rowOf(layer.op, storage, row, depth, placement);
    if (failed(input))
      return failure();
    layer.inputStorage = *input;
    FailureOr<Value> result = createMacLayer(layer, *constants, placement);
    if (failed(result))
      return failure();
    results.push_back(*result);
  }
  FailureOr<Value> joined = joinRows(layer.op, std::move(results), placement);
  return failed(joined) ? failure() : placement.finish(layer.op, *joined);
}

/// A part takes a step's time for its products even if it has one output, so that more parts than this take longer to
/// multiply than to decode. It has at least the bytes that a channel keeps in flight.
/// Parts in which a fully connected layer with one row should run, 1: as one. The scheduler cuts weights at whole steps
/// of the array, so that a layer with fewer outputs waits for all its weights, and decodes them after the last one has
/// come. Parts of it decode while the weights of the next part come.
uint32_t outputPartsOf(const MacLayer &layer, Placement &placement) {
  const Target &target = placement.target();
  const MacArrayModel &mac = target.mac();
  const Type element = storageElement(tensorOf(layer.filter).getElementType());
  const uint64_t outputs = layer.dims.outputChannels, depth = layer.dims.inputChannels;
  const bool isPlain = isQuantized(layer.filter) && element.isInteger(8) &&
                       storageElement(tensorOf(layer.input).getElementType()).isInteger(8);
  if (!isPlain || !layer.filter.getDefiningOp<nn::ConstantOp>() || outputs > mac.dense.channels)
    return 1;
  const uint64_t decode = outputs * depth / mac.denseDecodeRate;
  const uint64_t multiply = divideUp(depth, mac.dense.products) * mac.dense.cycles;
  const uint64_t inFlight = std::max(1u, target.dma().outstandingBytes);
  return uint32_t(std::max<uint64_t>(1, std::min({outputs, decode / multiply, outputs * depth / inFlight})));
}

/// Places the layer as so many layers that write their outputs side by side.
LogicalResult placeInOutputParts(const MacLayer &layer, uint32_t parts, Placement &placement) {
  const uint32_t outputs = layer.dims.outputChannels;
  SmallVector<Value> results;
  for (uint32_t number = 0; number < parts; ++number) {
    const uint32_t first = outputs * number / parts, end = outputs * (number + 1) / parts;
    MacLayer part = layer;
    part.dims.outputChannels = end - first;
    part.outputShape[2] = end - first;
    part.order = takeFilterRows(first, end - first, layer.dims.inputChannels);
    part.firstRecord = first;
    part.recordPeriod = outputs;
    FailureOr<Value> result = createMacLayer(part, placement);
    if (failed(result))
      return failure();
    results.push_back(*result);
  }
  FailureOr<Value> whole = placeJoin(layer.op, results, 2, placement);
  return failed(whole) ? failure() : placement.finish(layer.op, *whole);
}

/// A layer over some rows of its input, which become an image.
MacLayer overRows(MacLayer layer, int64_t first, int64_t rows, Placement &placement) {
  const Location location = layer.op->getLoc();
  const int64_t depth = layer.dims.inputChannels, all = tensorOf(layer.inputStorage).getNumElements() / depth;
  auto [height, width] = rowsAsImage(rows, placement);
  Value storage = layer.inputStorage;
  if (rows != all) {
    storage = placement.view(location, storage, {all, 1, depth});
    storage = npu::PartOp::create(placement.builder(), location,
                                  storageType({rows, 1, depth}, tensorOf(storage).getElementType()), storage,
                                  ArrayRef<int32_t>{static_cast<int32_t>(first), 0, 0}, ArrayRef<int32_t>{1, 1});
  }
  layer.inputStorage = placement.view(location, storage, {height, width, depth});
  layer.outputShape = {height, width, layer.outputShape[2]};
  return layer;
}

/// Cycles of the layer over so many rows; nullopt if the array cannot run it.
std::optional<uint64_t> cyclesOfRows(MacLayer layer, int64_t rows, Placement &placement) {
  auto [height, width] = rowsAsImage(rows, placement);
  layer.inputPart = InputPart{{0, 0, 0}, {height, width, static_cast<int64_t>(layer.dims.inputChannels)}};
  layer.outputShape = {height, width, layer.outputShape[2]};
  return arrayCycles(layer, placement);
}

/// How many rows at the end become a layer of their own, so that the others fill the width of a step: 197 rows fill one
/// column of the two or four that a step has, and 196 rows all of them. 0 if that takes no fewer cycles. The last rows
/// wait for all weights, and read them again if they do not stay on chip.
int64_t rowsApart(const MacLayer &layer, int64_t rows, Placement &placement) {
  const Target &target = placement.target();
  const int64_t width = target.mac().dense.width, rest = rows % width;
  if (rest == 0 || rows < width)
    return 0;
  const auto whole = cyclesOfRows(layer, rows, placement), most = cyclesOfRows(layer, rows - rest, placement),
             last = cyclesOfRows(layer, rest, placement);
  if (!whole || !most || !last)
    return 0;
  const Type weight = storageElement(tensorOf(layer.filter).getElementType());
  const uint64_t bytes =
      uint64_t(layer.dims.outputChannels) * layer.dims.inputChannels * sizeOf(*npu::dataTypeOf(weight));
  const uint64_t again = bytes > target.sram().bytes / 4 ? kernels::rooflineCycles(target, 0, bytes) : 0;
  const uint64_t loaded = layer.computedWeights ? 0 : bytes;
  const uint64_t together = kernels::rooflineCycles(target, *whole, loaded);
  return kernels::rooflineCycles(target, *most, loaded) + *last + again < together ? rest : 0;
}

/// Creates the layer over `rows` rows from row `first` of its input on, as one or two layers with the same constants.
/// Appends their results as columns of rows.
LogicalResult createOverRows(const MacLayer &layer, int64_t first, int64_t rows, Placement &placement,
                             SmallVectorImpl<Value> &results) {
  FailureOr<MacConstants> constants = createMacConstants(layer, placement);
  if (failed(constants))
    return failure();
  const int64_t apart = rowsApart(layer, rows, placement);
  for (auto [from, count] : {std::pair(first, rows - apart), std::pair(first + rows - apart, apart)}) {
    if (count == 0)
      continue;
    FailureOr<Value> result = createMacLayer(overRows(layer, from, count, placement), *constants, placement);
    if (failed(result))
      return failure();
    results.push_back(placement.view(layer.op->getLoc(), *result, {count, 1, layer.outputShape[2]}));
  }
  return success();
}

/// Binds the operation's result to rows that follow each other.
LogicalResult finishRows(Operation *op, ArrayRef<Value> results, Placement &placement) {
  FailureOr<Value> whole = placeArrayResults(op, results, 0, /*isInterleaved=*/false, placement);
  return failed(whole) ? failure() : placement.finish(op, *whole);
}

/// Places the layer over all rows of its input.
LogicalResult placeRows(const MacLayer &layer, Placement &placement) {
  const int64_t rows = layer.outputShape[0] * layer.outputShape[1];
  if (rowsApart(layer, rows, placement) == 0)
    return placeMacLayer(layer, placement);
  SmallVector<Value> results;
  if (failed(createOverRows(layer, 0, rows, placement, results)))
    return failure();
  return finishRows(layer.op, results, placement);
}

/// A 1 x 1 window over rows, which are pixels in one column.
LogicalResult placeOnDsp(nn::FullyConnectedOp op, int64_t rows, int64_t outputs, int64_t depth, Placement &placement) {
  WindowLayer layer{op, op.getInput(), op.getFilter(), op.getBias()};
  layer.inputShape = {rows, 1, depth};
  layer.filterShape = {outputs, 1, depth};
  layer.outputShape = {rows, 1, outputs};
  layer.activation = op.getActivation();
  layer.numerics = numericsOfLayer(op);
  return placeWindowLayer(layer, placement);
}

LogicalResult placeFullyConnected(nn::FullyConnectedOp op, Placement &placement) {
  auto filter = tensorOf(op.getFilter());
  int64_t outputs = filter.getDimSize(0), depth = filter.getDimSize(1);
  int64_t rows = tensorOf(op.getInput()).getNumElements() / depth;
  if (op.getBias() && !op.getBias().getDefiningOp<nn::ConstantOp>())
    return placeOnDsp(op, rows, outputs, depth, placement);
  bool quantizedFilter = isa<quant::QuantizedType>(filter.getElementType());
  bool hybrid = quantizedFilter && tensorOf(op.getInput()).getElementType().isF32();
  auto [height, width] = rowsAsImage(hybrid ? 1 : rows, placement);
  Value input = placement.operand(op.getInput());
  if (!hybrid || rows == 1)
    input = placement.view(op.getLoc(), input, {height, width, depth});
  MacLayer layer{op, op.getInput(), input, op.getFilter(), op.getBias(), op.getActivation()};
  layer.dims = {static_cast<uint32_t>(outputs), 1, 1, static_cast<uint32_t>(depth)};
  layer.outputShape = {height, width, outputs};
  layer.numerics = numericsOfLayer(op);
  if (hybrid && rows > 1)
    return placeHybridRows(layer, input, rows, placement);
  if (!hybrid && !arrayTakesLayer(layer, placement))
    return placeOnDsp(op, rows, outputs, depth, placement);
  if (!op.getFilter().getDefiningOp<nn::ConstantOp>()) {
    FailureOr<Value> weights =
        reorderWeights(op, {placement.operand(op.getFilter()), {}, {outputs, depth}, {depth, 1}}, placement);
    if (failed(weights))
      return failure();
    layer.computedWeights = *weights;
  }
  const uint32_t parts = rows == 1 ? outputPartsOf(layer, placement) : 1;
  if (parts > 1)
    return placeInOutputParts(layer, parts, placement);
  return placeRows(layer, placement);
}

/// An operand's matrices, as axes of its dense tensor.
struct Matrices {
  Matrices(Value value, bool isTransposed, ArrayRef<int64_t> resultShape) {
    ArrayRef<int64_t> shape = tensorOf(value).getShape();
    SmallVector<int64_t> strides = denseStrides(shape);
    const size_t rank = shape.size(), missing = resultShape.size() - rank;
    for (size_t axis = 0; axis + 2 < resultShape.size(); ++axis) {
      const bool repeats = axis < missing || shape[axis - missing] == 1;
      batch.push_back({resultShape[axis], repeats ? 0 : strides[axis - missing]});
      matrices *= repeats ? 1 : resultShape[axis];
      result *= resultShape[axis];
    }
    rows = {shape[rank - 2], strides[rank - 2]};
    columns = {shape[rank - 1], strides[rank - 1]};
    if (isTransposed)
      std::swap(rows, columns);
  }

  SmallVector<StridedAxis> batch; ///< of the result
  StridedAxis rows, columns;
  int64_t matrices = 1, result = 1; ///< in the operand, and in the result
};

/// The left matrices without transposition, one for each matrix of the result.
FailureOr<Value> leftStorage(nn::BatchMatmulOp op, const Matrices &lhs, Placement &placement) {
  Value storage = placement.operand(op.getLhs());
  if (!op.getTransposeLhs() && lhs.matrices == lhs.result)
    return storage;
  kernels::Move move;
  int64_t stride = lhs.rows.extent * lhs.columns.extent;
  auto addAxis = [&move](const StridedAxis &axis, int64_t to) {
    move.axes.insert(move.axes.begin(),
                     {static_cast<uint32_t>(axis.extent), static_cast<int32_t>(axis.stride), static_cast<int32_t>(to)});
  };
  addAxis(lhs.columns, 1);
  addAxis(lhs.rows, lhs.columns.extent);
  for (size_t axis = lhs.batch.size(); axis-- > 0; stride *= lhs.batch[axis].extent)
    addAxis(lhs.batch[axis], stride);
  return placeRearrange(op, storage, {lhs.result, lhs.rows.extent, lhs.columns.extent}, {false, 0, {move}}, placement,
                        placement.addLayer(op, "TRANSPOSE"));
}

/// Sets the right matrices in the array's order, or the filter order of a constant.
LogicalResult setWeights(nn::BatchMatmulOp op, const Matrices &rhs, int64_t sets, MacLayer &layer,
                         Placement &placement) {
  const int64_t channels = rhs.columns.extent, products = rhs.rows.extent;
  if (sets == 1 && op.getRhs().getDefiningOp<nn::ConstantOp>()) {
    if (!op.getTransposeRhs())
      layer.order = swapFilterAxes(products, channels);
    return success();
  }
  ComputedWeights weights{placement.operand(op.getRhs()), {}, rhs.columns, rhs.rows};
  if (sets > 1)
    weights.sets = rhs.batch;
  FailureOr<Value> reordered = reorderWeights(op, weights, placement);
  if (failed(reordered))
    return failure();
  reorderBeforeRows(*reordered, layer.inputStorage);
  layer.computedWeights = *reordered;
  return success();
}

/// More constant matrices than this are reordered by the device, so that the program does not grow with them.
constexpr int64_t kMostConstantSets = 64;

/// Where the matrix of each set begins in the operand, in elements.
SmallVector<int64_t> matrixOffsets(const Matrices &operand, int64_t sets) {
  SmallVector<int64_t> offsets(sets, 0);
  for (int64_t set = 0; set < sets; ++set)
    for (int64_t rest = set, axis = static_cast<int64_t>(operand.batch.size()); axis-- > 0;) {
      offsets[set] += rest % operand.batch[axis].extent * operand.batch[axis].stride;
      rest /= operand.batch[axis].extent;
    }
  return offsets;
}

/// The matrix that begins at an element, as rows of products for each channel.
FilterOrder takeMatrix(const Matrices &operand, int64_t offset) {
  return [=, channels = operand.columns, products = operand.rows](ArrayRef<uint8_t> plain, size_t elementSize,
                                                                  llvm::MutableArrayRef<uint8_t> ordered) {
    uint8_t *to = ordered.data();
    for (int64_t channel = 0; channel < channels.extent; ++channel)
      for (int64_t product = 0; product < products.extent; ++product, to += elementSize)
        std::memcpy(to, &plain[(offset + channel * channels.stride + product * products.stride) * elementSize],
                    elementSize);
  };
}

/// Places a product with several constant matrices as a layer for each. The compiler orders and compresses the weights,
/// and those of a matrix come while the one before is multiplied.
LogicalResult placeConstantSets(MacLayer layer, const Matrices &rhs, int64_t sets, Placement &placement) {
  const int64_t rows = layer.outputShape[0] * layer.outputShape[1] / sets;
  SmallVector<Value> results;
  for (auto [set, offset] : llvm::enumerate(matrixOffsets(rhs, sets))) {
    layer.order = takeMatrix(rhs, offset);
    if (failed(createOverRows(layer, static_cast<int64_t>(set) * rows, rows, placement, results)))
      return failure();
  }
  return finishRows(layer.op, results, placement);
}

/// Each row of a hybrid product has a scale of its own.
LogicalResult placeHybrid(nn::BatchMatmulOp op, const Matrices &rhs, Value left, int64_t rows, Placement &placement) {
  const int64_t channels = rhs.columns.extent, products = rhs.rows.extent;
  if (rhs.matrices != 1)
    return placement.refuse(op, "rhs", "one 8-bit matrix", Twine(rhs.matrices), "1");
  MacLayer layer{op, op.getLhs(), left, op.getRhs(), Value(), nn::Activation::kNone};
  layer.dims = {static_cast<uint32_t>(channels), 1, 1, static_cast<uint32_t>(products)};
  layer.outputShape = {1, 1, channels};
  layer.keepsInfinities = true;
  layer.asymmetric = op.getAsymmetric();
  if (failed(setWeights(op, rhs, 1, layer, placement)))
    return failure();
  return placeHybridRows(layer, left, rows, placement);
}

/// Products with one right matrix are one product whose rows are those of all left matrices.
LogicalResult placeBatchMatmul(nn::BatchMatmulOp op, Placement &placement) {
  ArrayRef<int64_t> shape = tensorOf(op.getOutput()).getShape();
  const Matrices lhs(op.getLhs(), op.getTransposeLhs(), shape), rhs(op.getRhs(), op.getTransposeRhs(), shape);
  const int64_t sets = rhs.matrices == 1 ? 1 : rhs.result;
  const int64_t channels = rhs.columns.extent, products = rhs.rows.extent;
  FailureOr<Value> left = leftStorage(op, lhs, placement);
  if (failed(left))
    return failure();
  const bool isHybrid = isQuantized(op.getRhs()) && tensorOf(op.getLhs()).getElementType().isF32();
  if (isHybrid)
    return placeHybrid(op, rhs, *left, lhs.result * lhs.rows.extent, placement);
  auto [height, width] = rowsAsImage(lhs.result / sets * lhs.rows.extent, placement);
  Value input = placement.view(op.getLoc(), *left, {sets * height, width, products});
  MacLayer layer{op, op.getLhs(), input, op.getRhs(), Value(), nn::Activation::kNone};
  layer.dims = {static_cast<uint32_t>(channels), 1, 1, static_cast<uint32_t>(products)};
  layer.outputShape = {sets * height, width, channels};
  layer.numerics = numericsOfLayer(op);
  layer.keepsInfinities = true;
  if (sets > 1 && sets <= kMostConstantSets && op.getRhs().getDefiningOp<nn::ConstantOp>())
    return placeConstantSets(layer, rhs, sets, placement);
  if (failed(setWeights(op, rhs, sets, layer, placement)))
    return failure();
  return sets == 1 ? placeRows(layer, placement) : placeMacLayer(layer, placement);
}

} // namespace

void addMatrixProductPlacers(PlacerTable &table) {
  table.add(placeFullyConnected);
  table.add(placeBatchMatmul);
}

} // namespace avocet::compiler
