//===- PlacedOps.cpp - Rules of the placed level ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support/AsmText.h"
#include "avocet/compiler/Dialect/Npu/NpuDialect.h"
#include "avocet/firmware_iface/WindowInputs.h"

#include "avocet/kernels/Kernel.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;
using namespace avocet::compiler::npu;
using namespace avocet::firmware;

namespace {

/// Largest extent or product of extents that the device's fields can hold.
constexpr int64_t kMaxBytes = int64_t(1) << 31;

struct MapShape {
  int64_t height, width, channels;
};

MapShape shapeOf(Value value) {
  auto shape = cast<RankedTensorType>(value.getType()).getShape();
  return {shape[0], shape[1], shape[2]};
}

int64_t bytesOf(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return tensor.getNumElements() * sizeOf(*dataTypeOf(tensor.getElementType()));
}

Type elementOf(Value value) { return cast<RankedTensorType>(value.getType()).getElementType(); }

/// A dimension of 0 or a product above 2 GiB would make all later sizes wrong.
LogicalResult checkExtent(Operation *op, Type type) {
  auto tensor = cast<RankedTensorType>(type);
  int64_t elements = 1;
  for (int64_t extent : tensor.getShape()) {
    if (extent < 1 || extent > kMaxBytes / elements)
      return op->emitOpError() << "tensor " << type << " must have extents of 1 or more and at most 2^31 bytes";
    elements *= extent;
  }
  if (elements > kMaxBytes / sizeOf(*dataTypeOf(tensor.getElementType())))
    return op->emitOpError() << "tensor " << type << " exceeds 2^31 bytes";
  return success();
}

LogicalResult checkExtents(Operation *op) {
  for (Type type : op->getOperandTypes())
    if (failed(checkExtent(op, type)))
      return failure();
  for (Type type : op->getResultTypes())
    if (failed(checkExtent(op, type)))
      return failure();
  return success();
}

/// The fields of the command itself that are addresses.
template <typename Command> SmallVector<SramAddress> ownAddresses(const Command &command) {
  SmallVector<SramAddress> addresses;
  Command::visitFields(command, [&](const char *, const auto &field) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(field)>, SramAddress>)
      addresses.push_back(field);
  });
  return addresses;
}

/// A placed command has no shapes or addresses: its maps contain only the zero point.
template <typename Command> LogicalResult checkTemplate(Operation *op, const Command &command) {
  bool ok = ownAddresses(command) == ownAddresses(Command());
  Command::visitFields(command, [&](const char *, const auto &field) {
    using Field = std::remove_cvref_t<decltype(field)>;
    if constexpr (std::is_same_v<Field, FeatureMap>)
      ok &= field == FeatureMap{.zeroPoint = field.zeroPoint};
    else if constexpr (std::is_same_v<Field, avocet::firmware::Block>)
      ok &= field == avocet::firmware::Block{};
    else if constexpr (std::is_same_v<Field, Residual>)
      ok &= field.addend == FeatureMap{.address = kNoAddress, .zeroPoint = field.addend.zeroPoint};
  });
  if (!ok)
    return op->emitOpError("a placed command must not have shapes, addresses or a block");
  return success();
}

LogicalResult checkAxis(Operation *op, StringRef axis, int64_t input, int64_t output, int64_t kernel, int64_t stride,
                        int64_t dilation, int64_t before, int64_t after) {
  constexpr int64_t kLimit = 1 << 16;
  if (kernel < 1 || stride < 1 || dilation < 1 || after < 0 || kernel > kLimit || stride > kLimit ||
      dilation > kLimit || before > kLimit || after > kLimit)
    return op->emitOpError() << "kernel, stride and dilation along the " << axis << " must be in [1, " << kLimit
                             << "], pads in [0, " << kLimit << "]";
  int64_t extent = windowReach(kernel, dilation);
  if (before >= extent || after >= extent)
    return op->emitOpError() << "padding along the " << axis << " must be smaller than the dilated kernel (" << extent
                             << ")";
  int64_t padded = input + before + after;
  int64_t expected = windowsIn(padded, stride, extent);
  if (expected != output)
    return op->emitOpError() << "output " << axis << " is " << output << ", the window gives " << expected;
  return success();
}

LogicalResult checkWindow(Operation *op, const Window &window, MapShape input, MapShape output, int64_t padBottom,
                          int64_t padRight) {
  if (failed(checkAxis(op, "height", input.height, output.height, window.kernelHeight, window.strideHeight,
                       window.dilationHeight, window.padTop, padBottom)))
    return failure();
  return checkAxis(op, "width", input.width, output.width, window.kernelWidth, window.strideWidth, window.dilationWidth,
                   window.padLeft, padRight);
}

LogicalResult checkSize(Operation *op, StringRef what, int64_t bytes, int64_t expected) {
  if (bytes == expected)
    return success();
  return op->emitOpError() << what << " have " << bytes << " bytes, must have " << expected;
}

LogicalResult checkLayer(Operation *op, int64_t layer) {
  if (layer >= 0)
    return success();
  return op->emitOpError() << "layer is " << layer << ", must be 0 or more";
}

} // namespace

void ConstantOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  avocet::compiler::nameConstant(getResult(), getValue(), setName);
}

LogicalResult ConstantOp::verify() {
  if (getValue().getShapedType() != getResult().getType())
    return emitOpError() << "value has type " << getValue().getShapedType() << ", the result " << getResult().getType();
  return checkExtent(*this, getResult().getType());
}

LogicalResult ViewOp::verify() {
  if (failed(checkExtents(*this)))
    return failure();
  if (bytesOf(getInput().getType()) != bytesOf(getResult().getType()))
    return emitOpError("input and result must have the same number of bytes");
  return success();
}

LogicalResult JoinOp::verify() {
  auto result = cast<RankedTensorType>(getResult().getType());
  if (failed(checkExtents(*this)))
    return failure();
  const unsigned lastAxis = getInterleaved() ? 1 : 2;
  if (getInputs().empty() || getAxis() > lastAxis)
    return emitOpError("must have inputs, and an axis of 0 to ") << lastAxis;
  int64_t extent = 0;
  for (Type type : getInputs().getTypes()) {
    auto input = cast<RankedTensorType>(type);
    extent += input.getDimSize(getAxis());
    for (unsigned axis = 0; axis < 3; ++axis)
      if (axis != getAxis() && input.getDimSize(axis) != result.getDimSize(axis))
        return emitOpError() << "inputs and result must have the same extents apart from axis " << getAxis();
    if (input.getElementType() != result.getElementType())
      return emitOpError("inputs and result must have one element type");
  }
  if (extent != result.getDimSize(getAxis()))
    return emitOpError() << "the inputs have " << extent << " in axis " << getAxis() << ", the result has "
                         << result.getDimSize(getAxis());
  for (unsigned index = 0; getInterleaved() && index < getInputs().size(); ++index)
    if (const int64_t turns = divideUp(extent - index, step());
        cast<RankedTensorType>(getInputs()[index].getType()).getDimSize(getAxis()) != turns)
      return emitOpError() << "input " << index << " must have " << turns << " positions in axis " << getAxis()
                           << " to take turns with the others";
  return success();
}

LogicalResult PartOp::verify() {
  auto input = cast<RankedTensorType>(getInput().getType()), result = cast<RankedTensorType>(getResult().getType());
  if (failed(checkExtents(*this)))
    return failure();
  if (getPosition().size() != 3 || input.getElementType() != result.getElementType())
    return emitOpError("must have a position of three numbers, and one element type");
  if (getSteps().size() != 2 || llvm::any_of(getSteps(), [](int32_t step) { return step < 1; }))
    return emitOpError("must have two steps of 1 or more");
  for (unsigned axis = 0; axis < 3; ++axis) {
    const int64_t step = axis < 2 ? getSteps()[axis] : 1;
    const int64_t last = getPosition()[axis] + (result.getDimSize(axis) - 1) * step;
    if (getPosition()[axis] < 0 || last >= input.getDimSize(axis))
      return emitOpError() << "the box exceeds the input along axis " << axis;
  }
  return success();
}

/// `bytes` are those of one set.
static LogicalResult checkWeights(ConvOp op, int64_t bytes) {
  auto type = cast<RankedTensorType>(op.getWeights().getType());
  const int64_t sets = type.getRank() == 1 ? 1 : type.getDimSize(0);
  const bool isCompressed = op.getCommand().weightFormat == WeightFormat::Compressed;
  if (isCompressed && type.getRank() != 1)
    return op.emitOpError("compressed weights must be constants");
  if (!isCompressed && failed(checkSize(op, "weights", bytesOf(type), sets * bytes)))
    return failure();
  if (type.getRank() == 1)
    return success();
  const Window pixel;
  if (op.getCommand().kind != ConvKind::Dense || !(op.getCommand().window == pixel) || op.getPadBottom() ||
      op.getPadRight())
    return op.emitOpError("computed weights require a dense convolution with a window of one pixel");
  if (const int64_t rows = cast<RankedTensorType>(op.getResult().getType()).getDimSize(0); rows % sets != 0)
    return op.emitOpError() << rows << " output rows do not fall into " << sets << " sets of weights";
  return success();
}

static LogicalResult checkAddend(ConvOp op) {
  if (!op.getAddend()) {
    if (op.getCommand().residual == Residual{})
      return success();
    return op.emitOpError("a residual addition needs an addend");
  }
  if (op.getAddend().getType() != op.getResult().getType())
    return op.emitOpError() << "addend " << op.getAddend().getType() << " must have the type of the result, "
                            << op.getResult().getType();
  if (op.getTable() || cast<RankedTensorType>(op.getWeights().getType()).getRank() > 1)
    return op.emitOpError("an addend requires constant weights and no table");
  return success();
}

LogicalResult ConvOp::verify() {
  const ConvCommand &command = getCommand();
  MapShape input = shapeOf(getInput()), output = shapeOf(getResult());
  if (failed(checkExtents(*this)) || failed(checkLayer(*this, getLayer())) || failed(checkTemplate(*this, command)) ||
      failed(checkWindow(*this, command.window, input, output, getPadBottom(), getPadRight())))
    return failure();
  if (command.weightBytes || command.sliceChannels || command.firstSliceChannel)
    return emitOpError("a placed command must not have the size of its weights");
  bool depthwise = command.kind == ConvKind::Depthwise;
  if (depthwise && output.channels % input.channels)
    return emitOpError() << output.channels << " output channels are no multiple of " << input.channels << " inputs";
  int64_t products =
      int64_t(command.window.kernelHeight) * command.window.kernelWidth * (depthwise ? 1 : input.channels);
  if (products > kMaxBytes / output.channels)
    return emitOpError("the weights exceed 2^31 elements");
  if (failed(checkWeights(*this, products * output.channels * sizeOf(command.weightType))) ||
      failed(checkSize(*this, "records", bytesOf(getRecords().getType()),
                       output.channels * channelRecordBytes(command.scaling))))
    return failure();
  if ((command.scaling == OutputScaling::Dynamic) != bool(getDynamicScale()))
    return emitOpError("a dynamic scale and scaling \"dynamic\" must be used together");
  if (getDynamicScale() &&
      failed(checkSize(*this, "dynamic scale", bytesOf(getDynamicScale().getType()), sizeof(DynamicRecord))))
    return failure();
  if (failed(checkAddend(*this)))
    return failure();
  return getTable() ? checkSize(*this, "table", bytesOf(getTable().getType()), 256) : success();
}

LogicalResult PoolOp::verify() {
  MapShape input = shapeOf(getInput()), output = shapeOf(getResult());
  if (failed(checkExtents(*this)) || failed(checkLayer(*this, getLayer())) ||
      failed(checkTemplate(*this, getCommand())) ||
      failed(checkWindow(*this, getCommand().window, input, output, getPadBottom(), getPadRight())))
    return failure();
  if (input.channels != output.channels || elementOf(getInput()) != elementOf(getResult()))
    return emitOpError("input and result must have the same channels and element type");
  return success();
}

LogicalResult EltwiseOp::verify() {
  if (failed(checkExtents(*this)) || failed(checkLayer(*this, getLayer())) ||
      failed(checkTemplate(*this, getCommand())))
    return failure();
  auto output = cast<RankedTensorType>(getResult().getType()).getShape();
  for (Value input : getOperands())
    for (auto [have, want] : llvm::zip(cast<RankedTensorType>(input.getType()).getShape(), output))
      if (have != want && have != 1)
        return emitOpError() << "operand " << input.getType() << " does not broadcast to " << getResult().getType();
  return success();
}

LogicalResult LookupOp::verify() {
  if (failed(checkExtents(*this)) || failed(checkLayer(*this, getLayer())) ||
      failed(checkTemplate(*this, getCommand())))
    return failure();
  if (cast<RankedTensorType>(getInput().getType()).getShape() != getResult().getType().getShape())
    return emitOpError("input and result must have the same shape");
  if (sizeOf(*dataTypeOf(elementOf(getInput()))) != 1)
    return emitOpError("the input must have 8-bit elements");
  return checkSize(*this, "table", bytesOf(getTable().getType()), 256 * sizeOf(*dataTypeOf(elementOf(getResult()))));
}

LogicalResult DspOp::verify() {
  if (failed(checkExtents(*this)) || failed(checkLayer(*this, getLayer())))
    return failure();
  if (auto number = avocet::kernels::dspKernelNumber(getKernel().str()); !number.isOk())
    return emitOpError(number.status().message());
  if (getInputs().size() > DspCommand::kMaxDspOperands || getNumResults() > DspCommand::kMaxDspOperands)
    return emitOpError() << "at most " << DspCommand::kMaxDspOperands << " operands and results";
  if (getParameters().size() > DspCommand::kMaxDspParameters)
    return emitOpError() << "at most " << DspCommand::kMaxDspParameters << " parameter words";
  if (getInputZeroPoints().size() != getInputs().size() || getOutputZeroPoints().size() != getNumResults())
    return emitOpError("needs one zero point for each operand and result");
  if (!getResultFills().empty() && getResultFills().size() != getNumResults())
    return emitOpError("needs no fill bytes or one for each result");
  for (int32_t fill : getResultFills())
    if (fill < -1 || fill > 255)
      return emitOpError() << "fill byte " << fill << " must be in [-1, 255]";
  if (!getNumResults())
    return emitOpError("needs a result");
  return success();
}
