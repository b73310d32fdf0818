//===- Placement.cpp - Interface of placers to their function ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NetworkConstants.h"
#include "Views.h"

#include "avocet/compiler/Dialect/Nn/FoldedIntegers.h"
#include "avocet/compiler/Support/Origin.h"
#include "avocet/compiler/Support/ProgramAttrs.h"
#include "avocet/compiler/Support/Refusal.h"
#include "avocet/kernels/Kernel.h"

#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace avocet::firmware;

namespace avocet::compiler {

LogicalResult placeWhole(Operation *op, kernels::KernelId kernel, std::vector<uint32_t> parameters, StoredValues values,
                         Placement &placement) {
  const auto zeroPointOf = [&](Value value) {
    return values == StoredValues::Computed ? quantizationOf(value).zeroPoint : 0;
  };
  Placement::Dsp dsp;
  dsp.kernel = kernel;
  dsp.parameters = std::move(parameters);
  for (Value input : op->getOperands()) {
    dsp.inputs.push_back(placement.operand(input));
    dsp.inputZeroPoints.push_back(zeroPointOf(input));
  }
  for (Value result : op->getResults()) {
    dsp.results.push_back(storageType(tensorOf(result)));
    dsp.resultZeroPoints.push_back(zeroPointOf(result));
  }
  FailureOr<npu::DspOp> placed = placement.dsp(op, dsp);
  if (failed(placed))
    return failure();
  for (auto [result, storage] : llvm::zip(op->getResults(), placed->getResults()))
    placement.bind(result, storage);
  return success();
}

std::string operationName(Operation *op) {
  const StringRef kind = operatorKind(op->getLoc());
  return kind.empty() ? op->getName().stripDialect().upper() : kind.str();
}

LogicalResult Placement::finish(Operation *op, Value storage) {
  StorageShape shape = storageShape(tensorOf(op->getResult(0)).getShape());
  bind(op->getResult(0), view(op->getLoc(), storage, shape));
  return success();
}

Value Placement::view(Location location, Value storage, StorageShape shape) {
  return view(location, storage, storageType(shape, tensorOf(storage).getElementType()));
}

Value Placement::view(Location location, Value storage, RankedTensorType type) {
  for (Value made : {storage, npu::rootOf(storage)})
    if (made.getType() == type)
      return made;
  auto view = npu::ViewOp::create(builder_, location, type, storage);
  if (layouts_.of(view))
    return view;
  if (FailureOr<Value> copied = dense(view, storage); succeeded(copied)) {
    view.getInputMutable().assign(*copied);
    view->moveAfter(copied->getDefiningOp());
  }
  return view;
}

FeatureMap Placement::mapOf(Value storage, int32_t zeroPoint) const {
  FeatureMap map = fullMap(storage, zeroPoint);
  if (const std::optional<npu::Layout> layout = layouts_.of(storage)) {
    map.address = static_cast<uint32_t>(layout->offset);
    map.rowStride = static_cast<uint32_t>(layout->rowStride);
    map.pixelStride = static_cast<uint32_t>(layout->pixelStride);
  }
  return map;
}

/// The storage itself if it is dense, else a copy.
FailureOr<Value> Placement::dense(Operation *op, Value storage) {
  if (layouts_.isDense(storage))
    return storage;
  // A join may have placed the copy between other tensors.
  if (const Value copy = copies_.lookup(storage); copy && layouts_.isDense(copy))
    return copy;
  // The array copies any elements as bytes.
  const ArrayRef<int64_t> shape = tensorOf(storage).getShape();
  const int64_t size = sizeOf(*npu::dataTypeOf(tensorOf(storage).getElementType()));
  const auto bytes = storageType({shape[0], shape[1], shape[2] * size}, builder_.getI8Type());
  const bool isMoved = isMovedByArray(tensorOf(storage).getElementType());
  const Value source = isMoved ? storage : view(op->getLoc(), storage, bytes);
  FailureOr<Value> copied = placeCopy(op, source, addLayer(op, "COPY"), *this);
  if (failed(copied))
    return failure();
  const Value result = isMoved ? *copied : view(op->getLoc(), *copied, tensorOf(storage));
  copies_[storage] = result;
  return result;
}

uint32_t Placement::layerOf(Operation *op) {
  auto [entry, isNew] = layerNumbers_.try_emplace(op, layers_.size());
  if (isNew)
    addLayer(op, operationName(op));
  return entry->second;
}

uint32_t Placement::addLayer(Operation *op, StringRef kind) {
  const uint32_t number = addLayer(operatorName(op->getLoc()), kind);
  if (const StringRef group = attentions_.groupOf(op); !group.empty())
    set(number, builder_.getNamedAttr(attrs::kLayerGroup, builder_.getStringAttr(group)));
  return number;
}

void Placement::set(uint32_t layer, ArrayRef<NamedAttribute> figures) {
  NamedAttrList entry(cast<DictionaryAttr>(layers_[layer]));
  for (NamedAttribute figure : figures)
    entry.set(figure.getName(), figure.getValue());
  layers_[layer] = entry.getDictionary(builder_.getContext());
}

uint32_t Placement::addLayer(StringRef name, StringRef kind) {
  layers_.push_back(builder_.getDictionaryAttr({builder_.getNamedAttr(attrs::kLayerName, builder_.getStringAttr(name)),
                                                builder_.getNamedAttr(attrs::kLayerOp, builder_.getStringAttr(kind))}));
  return layers_.size() - 1;
}

void Placement::describeLayer(Operation *op, const NamedAttrList &figures) {
  if (!figures.empty())
    set(layerOf(op), figures.getAttrs());
}

/// All omitted constants refer to one resource without bytes.
ElementsAttr Placement::omittedBytes(RankedTensorType type) {
  if (omitted_)
    return DenseResourceElementsAttr::get(type, omitted_.getRawHandle());
  auto &resources = DenseResourceElementsHandle::getManagerInterface(builder_.getContext());
  return omitted_ = DenseResourceElementsAttr::get(type, resources.insert("omitted"));
}

/// Without another type, elements are bytes.
static RankedTensorType bytesType(Builder &builder, size_t size) {
  return RankedTensorType::get({static_cast<int64_t>(size)}, builder.getI8Type());
}

Value Placement::bytes(Operation *op, StringRef name, size_t size,
                       llvm::function_ref<void(llvm::MutableArrayRef<uint8_t>)> fill) {
  return bytes(op, name, bytesType(builder_, size), fill);
}

Value Placement::bytes(Operation *op, StringRef name, RankedTensorType type,
                       llvm::function_ref<void(llvm::MutableArrayRef<uint8_t>)> fill) {
  return bytes(op->getLoc(), layerOf(op), name, type, fill);
}

Value Placement::bytes(Location location, uint32_t layer, StringRef name, size_t size,
                       llvm::function_ref<void(llvm::MutableArrayRef<uint8_t>)> fill) {
  return bytes(location, layer, name, bytesType(builder_, size), fill);
}

Value Placement::bytes(Location location, uint32_t layer, StringRef name, RankedTensorType type,
                       llvm::function_ref<void(llvm::MutableArrayRef<uint8_t>)> fill) {
  const auto size = static_cast<size_t>(type.getNumElements() * bytesOf(type.getElementType()));
  if (contents_ == ConstantContents::Omitted)
    return npu::ConstantOp::create(builder_, location, type, omittedBytes(type));
  AsmResourceBlob blob = HeapAsmResourceBlob::allocate(size, 16, /*dataIsMutable=*/true);
  llvm::MutableArrayRef<char> data = blob.getMutableData();
  fill({reinterpret_cast<uint8_t *>(data.data()), data.size()});
  auto value = DenseResourceElementsAttr::get(type, (name + Twine(layer)).str(), std::move(blob));
  return npu::ConstantOp::create(builder_, location, type, value);
}

Value Placement::constant(nn::ConstantOp op, RankedTensorType type) {
  ElementsAttr value = op.getValue();
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
    value = DenseResourceElementsAttr::get(type, resource.getRawHandle());
    if (constants_)
      constants_->keep(value);
  } else if (value.getElementType().isInteger(1)) {
    value =
        nn::elementsOf(type, llvm::map_to_vector(value.getValues<bool>(), [](bool truth) { return int64_t(truth); }));
  } else {
    value = DenseElementsAttr::getFromRawBuffer(type, cast<DenseElementsAttr>(value).getRawData());
  }
  return npu::ConstantOp::create(builder_, op.getLoc(), type, value);
}

/// Copies inputs with gaps if the kernel needs dense ones.
FailureOr<Placement::Dsp> Placement::withDenseInputs(Operation *op, Dsp dsp) {
  DspCommand command;
  command.kernel = dsp.kernel.number;
  command.parameters = dsp.parameters;
  for (auto [value, zeroPoint] : llvm::zip(dsp.inputs, dsp.inputZeroPoints))
    command.inputs.push_back(mapOf(value, zeroPoint));
  for (auto [type, zeroPoint] : llvm::zip(dsp.results, dsp.resultZeroPoints))
    command.outputs.push_back(fullMap(cast<RankedTensorType>(type), zeroPoint));
  if (kernels::findKernel(CommandBody(command))->check(target_, command).isOk())
    return dsp;
  for (Value &input : dsp.inputs) {
    FailureOr<Value> copied = dense(op, input);
    if (failed(copied))
      return failure();
    input = *copied;
  }
  return dsp;
}

FailureOr<npu::DspOp> Placement::dsp(Operation *op, const Dsp &given) {
  Dsp dsp = given;
  if (!llvm::all_of(dsp.inputs, [this](Value input) { return layouts_.isDense(input); })) {
    FailureOr<Dsp> withCopies = withDenseInputs(op, std::move(dsp));
    if (failed(withCopies))
      return failure();
    dsp = *withCopies;
  }
  SmallVector<int32_t> parameters(dsp.parameters.begin(), dsp.parameters.end());
  auto created = npu::DspOp::create(builder_, op->getLoc(), dsp.results, dsp.inputs, dsp.kernel.name, parameters,
                                    dsp.inputZeroPoints, dsp.resultZeroPoints, dsp.resultFills, dsp.rowWise,
                                    dsp.layer ? *dsp.layer : layerOf(op));
  DspCommand command;
  command.kernel = dsp.kernel.number;
  command.parameters = dsp.parameters;
  for (auto [value, zeroPoint] : llvm::zip(dsp.inputs, dsp.inputZeroPoints))
    command.inputs.push_back(fullMap(value, zeroPoint));
  for (auto [value, zeroPoint] : llvm::zip(created.getResults(), dsp.resultZeroPoints))
    command.outputs.push_back(fullMap(value, zeroPoint));
  if (failed(check(op, command)))
    return failure();
  return created;
}

LogicalResult Placement::check(Operation *op, const firmware::CommandBody &command) {
  Status status = kernels::findKernel(command)->check(target_, command);
  return status.isOk() ? success() : refuse(op, "", status.message(), "");
}

LogicalResult Placement::refuse(Operation *op, StringRef operand, const Twine &rule, const Twine &value,
                                const Twine &limit) {
  emitRefusal(op->getLoc(), {operationName(op), operand.str(), rule.str(), value.str(), limit.str()});
  return failure();
}

LogicalResult Placement::checkMultiplier(Operation *op, StringRef operand, double real) {
  if (kernels::isValidMultiplier(real))
    return success();
  return refuse(op, operand, "ratio of scales", roundedText(real), "below 2^30");
}

} // namespace avocet::compiler
