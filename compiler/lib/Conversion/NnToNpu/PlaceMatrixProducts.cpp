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

#include "Layers/MacLayer.h"
#include "Layers/WindowLayer.h"
#include "Placement.h"
#include "Views.h"
#include "avocet/base/Rounding.h"
#include "avocet/firmware_iface/WeightLayout.h"

using namespace mlir;
using namespace avocet::firmware;

namespace avocet::compiler {
namespace {

/// An axis of a dense tensor; a stride of 0 repeats it.
struct StridedAxis {
  int64_t extent = 1, stride = 0; ///< stride in elements
};

/// Sets of weights in a tensor that the device computes: every combination of the axes in `sets` has one weight for
/// each channel and product.
struct ComputedWeights {
  mlir::Value storage;
  llvm::SmallVector<StridedAxis> sets; ///< outermost first
  StridedAxis channels, products;

  int64_t setCount() const;
};

/// Equal blocks along one axis of the weights: all whole ones, or the narrower last one.
struct Blocks {
  int64_t first, count, width; ///< the first element; blocks; elements of a block
};

SmallVector<Blocks, 2> blocksOf(int64_t extent, int64_t width) {
  SmallVector<Blocks, 2> blocks;
  if (extent >= width)
    blocks.push_back({0, extent / width, width});
  if (extent % width != 0)
    blocks.push_back({extent - extent % width, 1, extent % width});
  return blocks;
}

kernels::MoveAxis moveAxis(int64_t extent, int64_t from, int64_t to) {
  return {static_cast<uint32_t>(extent), static_cast<int32_t>(from), static_cast<int32_t>(to)};
}

/// Moves the weights that are in equal blocks along both axes. In the array's order the axes of a set are: block of
/// channels, block of products, channel, product.
kernels::Move moveOf(const ComputedWeights &weights, const Blocks &channels, const Blocks &products,
                     const WeightLayout &layout) {
  const StridedAxis &channel = weights.channels, &product = weights.products;
  kernels::Move move;
  move.inputOffset = static_cast<uint32_t>(channels.first * channel.stride + products.first * product.stride);
  move.outputOffset =
      static_cast<uint32_t>(layout.indexOf(uint32_t(channels.first), static_cast<uint32_t>(products.first)));
  int64_t outputStride = channel.extent * product.extent;
  for (size_t axis = weights.sets.size(); axis-- > 0; outputStride *= weights.sets[axis].extent)
    move.axes.insert(move.axes.begin(), moveAxis(weights.sets[axis].extent, weights.sets[axis].stride, outputStride));
  move.axes.push_back(moveAxis(channels.count, channels.width * channel.stride, channels.width * product.extent));
  move.axes.push_back(moveAxis(products.count, products.width * product.stride, products.width * channels.width));
  move.axes.push_back(moveAxis(channels.width, channel.stride, products.width));
  move.axes.push_back(moveAxis(products.width, product.stride, 1));
  return move;
}

int64_t ComputedWeights::setCount() const {
  int64_t count = 1;
  for (const StridedAxis &axis : sets)
    count *= axis.extent;
  return count;
}

/// Reorders the weights on the DSP; the result is [sets, 1, channels * products] as npu.conv needs it. The work has an
/// entry of its own in the layer table.
FailureOr<Value> reorderWeights(Operation *op, const ComputedWeights &weights, Placement &placement) {
  const int64_t channels = weights.channels.extent, products = weights.products.extent;
  const uint32_t size = sizeOf(*npu::dataTypeOf(tensorOf(weights.storage).getElementType()));
  auto layout = WeightLayout::create(placement.target().mac(), ConvKind::Dense,
                                     {static_cast<uint32_t>(channels), 1, 1, static_cast<uint32_t>(products)}, size);
  const int64_t sets = weights.setCount();
  if (!layout.isOk() || sets > INT32_MAX / channels / products)
    return placement.refuse(op, "filter", "weights of at most 2^31 elements", Twine(sets * channels * products));
  kernels::RearrangeParameters parameters;
  for (const Blocks &channelBlocks : blocksOf(channels, layout->granule()))
    for (const Blocks &productBlocks : blocksOf(products, kChunkProducts))
      parameters.moves.push_back(moveOf(weights, channelBlocks, productBlocks, *layout));
  return placeRearrange(op, weights.storage, {sets, 1, channels * products}, std::move(parameters), placement,
                        placement.addLayer(op, "TRANSPOSE"), /*mayBeRowWise=*/false);
}

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
  return placeMacLayer(layer, placement);
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
  layer.computedWeights = *reordered;
  return success();
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
  if (failed(setWeights(op, rhs, sets, layer, placement)))
    return failure();
  return placeMacLayer(layer, placement);
}

} // namespace

void addMatrixProductPlacers(PlacerTable &table) {
  table.add(placeFullyConnected);
  table.add(placeBatchMatmul);
}

} // namespace avocet::compiler
