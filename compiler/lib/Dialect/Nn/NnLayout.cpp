//===- NnLayout.cpp - Operations with their axes in another order -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Dialect/Nn/NnLayout.h"

#include "avocet/compiler/Dialect/Nn/NnDialect.h"
#include "avocet/compiler/Dialect/Nn/NnValues.h"

#include "mlir/IR/Builders.h"

#include <numeric>

using namespace mlir;

namespace avocet::compiler::nn {

//===----------------------------------------------------------------------===//
// The axes of operations
//===----------------------------------------------------------------------===//

namespace {

/// The axes from `first` on, one for each axis of a tensor.
SmallVector<int64_t> axesFrom(int64_t first, int64_t rank) {
  SmallVector<int64_t> axes(rank);
  std::iota(axes.begin(), axes.end(), first);
  return axes;
}

/// All axes of the value.
TensorAxes allAxes(Value value) { return axesFrom(0, tensorOf(value).getRank()); }

/// The last axes of the operation, as broadcasting aligns shapes.
TensorAxes lastAxes(Value value, int64_t axes) {
  const int64_t rank = tensorOf(value).getRank();
  return axesFrom(axes - rank, rank);
}

/// The first operand, and results of its rank, have all axes.
LayoutForm allOfFirst(Operation *op) {
  LayoutForm form;
  form.axes = tensorOf(op->getOperand(0)).getRank();
  form.operands.assign(op->getNumOperands(), std::nullopt);
  form.operands[0] = allAxes(op->getOperand(0));
  for (Value result : op->getResults())
    form.results.push_back(allAxes(result));
  return form;
}

} // namespace

LayoutForm layoutElementwise(Operation *op) {
  LayoutForm form;
  form.axes = tensorOf(op->getResult(0)).getRank();
  for (Value operand : op->getOperands())
    form.operands.push_back(lastAxes(operand, form.axes));
  form.results = {allAxes(op->getResult(0))};
  form.broadcasts = op->getNumOperands() > 1;
  return form;
}

LayoutForm layoutReduction(Operation *op) {
  LayoutForm form = allOfFirst(op);
  form.axis = isa<ArgReduceOp>(op) ? "axis" : "axes";
  if (tensorOf(op->getResult(0)).getRank() == form.axes)
    return form;
  SmallVector<int64_t> reduced;
  if (auto one = op->getAttrOfType<IntegerAttr>("axis"))
    reduced = {one.getInt()};
  else
    llvm::append_range(reduced, op->getAttrOfType<DenseI64ArrayAttr>("axes").asArrayRef());
  SmallVector<int64_t> kept;
  for (int64_t axis = 0; axis < form.axes; ++axis)
    if (!llvm::is_contained(reduced, axis))
      kept.push_back(axis);
  form.results = {kept};
  return form;
}

LayoutForm layoutLines(Operation *op) {
  LayoutForm form = allOfFirst(op);
  form.axis = "axis";
  form.readsLines = true;
  // Functions with wider results than operands exist along the last axis alone.
  if (bytesOf(elementOf(op->getOperand(0))) != bytesOf(elementOf(op->getResult(0))))
    form.fixedAxes = 1;
  return form;
}

LayoutForm layoutConcatenation(Operation *op) {
  LayoutForm form = allOfFirst(op);
  form.operands.assign(op->getNumOperands(), form.results.front());
  form.axis = "axis";
  return form;
}

LayoutForm layoutPerAxis(Operation *op, ArrayRef<StringRef> attributes) {
  LayoutForm form = allOfFirst(op);
  form.perAxis.assign(attributes.begin(), attributes.end());
  return form;
}

LayoutForm layoutBeforeLast(Operation *op, int64_t fixed, bool broadcasts) {
  LayoutForm form = allOfFirst(op);
  form.axes = tensorOf(op->getResult(0)).getRank();
  form.fixedAxes = std::min(fixed, form.axes);
  form.broadcasts = broadcasts;
  for (unsigned index = 0; index < (broadcasts ? op->getNumOperands() : 1); ++index)
    form.operands[index] = lastAxes(op->getOperand(index), form.axes);
  return form;
}

std::optional<LayoutForm> layoutGather(Operation *op) {
  if (tensorOf(op->getOperand(1)).getRank() != 1)
    return std::nullopt;
  LayoutForm form = allOfFirst(op);
  form.axis = "axis";
  return form;
}

namespace {

/// Gives the axes of the tensor from `axis` on to a group, until it has as many elements as `elements` or more.
void takeAxes(ArrayRef<int64_t> shape, size_t &axis, int64_t &elements, int64_t limit) {
  while (axis < shape.size() && elements < limit)
    elements *= shape[axis++];
}

} // namespace

std::optional<LayoutForm> layoutReshape(Operation *op) {
  const ArrayRef<int64_t> from = shapeOf(op->getOperand(0)), to = shapeOf(op->getResult(0));
  SmallVector<int64_t> input(from.size(), 0), result(to.size(), 0);
  int64_t groups = 0;
  for (size_t i = 0, j = 0; i < from.size() || j < to.size(); ++groups) {
    const size_t firstInput = i, firstResult = j;
    int64_t inputElements = 1, resultElements = 1;
    if (i < from.size() && j < to.size() && from[i] == 1 && to[j] == 1) {
      input[i++] = result[j++] = groups;
      continue;
    }
    takeAxes(from, i, inputElements, 2);
    takeAxes(to, j, resultElements, 2);
    while (inputElements != resultElements) {
      takeAxes(from, i, inputElements, resultElements);
      takeAxes(to, j, resultElements, inputElements);
    }
    // Axes of extent 1 that only one of both has belong to a group beside them.
    const int64_t group = inputElements == 1 && groups > 0 ? groups - 1 : groups;
    std::fill(input.begin() + firstInput, input.begin() + i, group);
    std::fill(result.begin() + firstResult, result.begin() + j, group);
    if (inputElements == 1)
      break;
  }
  if (groups < 2)
    return std::nullopt;
  LayoutForm form;
  form.axes = groups;
  form.operands = {input};
  form.results = {result};
  form.shape = "shape";
  return form;
}

//===----------------------------------------------------------------------===//
// Orders
//===----------------------------------------------------------------------===//

namespace {

/// Whether the axis has no place of its own: it has extent 1, and others of its group have a place.
bool isMinor(int64_t own, ArrayRef<int64_t> axes, ShapeRef shape) {
  return shape[own] == 1 && llvm::any_of(llvm::enumerate(axes), [&](const auto &other) {
           const auto place = static_cast<int64_t>(other.index());
           return other.value() == axes[own] && (shape[place] != 1 || place < own);
         });
}

} // namespace

AxisOrder tensorOrder(ArrayRef<int64_t> axes, ArrayRef<int64_t> order) {
  AxisOrder result;
  for (int64_t axis : order)
    for (auto [own, of] : llvm::enumerate(axes))
      if (of == axis)
        result.push_back(static_cast<int64_t>(own));
  return result;
}

std::optional<AxisOrder> operationOrder(const LayoutForm &form, ArrayRef<int64_t> axes, ShapeRef shape,
                                        ArrayRef<int64_t> order) {
  AxisOrder result;
  int64_t last = -1; // axis of the tensor
  for (int64_t own : order) {
    const int64_t axis = axes[own];
    if (isMinor(own, axes, shape))
      continue;
    if (result.empty() || result.back() != axis) {
      if (llvm::is_contained(result, axis))
        return std::nullopt;
      result.push_back(axis);
    } else if (own < last) {
      return std::nullopt;
    }
    last = own;
  }
  if (static_cast<int64_t>(result.size()) != form.axes)
    return std::nullopt;
  for (int64_t axis = form.axes - form.fixedAxes; axis < form.axes; ++axis)
    if (result[axis] != axis)
      return std::nullopt;
  return result;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

namespace {

int64_t placeOf(ArrayRef<int64_t> order, int64_t axis) { return llvm::find(order, axis) - order.begin(); }

/// An axis, which may be counted from the end.
int64_t positiveAxis(IntegerAttr attribute, int64_t axes) {
  const int64_t axis = attribute.getValue().getSExtValue();
  return axis < 0 ? axis + axes : axis;
}

Attribute reorderedAxis(Attribute attribute, ArrayRef<int64_t> order) {
  if (auto one = dyn_cast<IntegerAttr>(attribute)) {
    const int64_t place = placeOf(order, positiveAxis(one, static_cast<int64_t>(order.size())));
    // The last axis is written as -1, which is the default.
    const bool isLast = one.getType().isSignedInteger() && place + 1 == static_cast<int64_t>(order.size());
    return IntegerAttr::get(one.getType(), isLast ? -1 : place);
  }
  auto places = llvm::map_to_vector(cast<DenseI64ArrayAttr>(attribute).asArrayRef(),
                                    [&](int64_t axis) { return placeOf(order, axis); });
  llvm::sort(places);
  return DenseI64ArrayAttr::get(attribute.getContext(), places);
}

Attribute reorderedNumbers(Attribute attribute, ArrayRef<int64_t> order) {
  const ArrayRef<int64_t> numbers = cast<DenseI64ArrayAttr>(attribute).asArrayRef();
  auto result = llvm::map_to_vector(order, [&](int64_t axis) { return numbers[axis]; });
  return DenseI64ArrayAttr::get(attribute.getContext(), result);
}

} // namespace

SmallVector<NamedAttribute> reorderedAttributes(Operation *op, const LayoutForm &form, ArrayRef<int64_t> order) {
  SmallVector<NamedAttribute> result;
  if (!form.axis.empty())
    result.emplace_back(form.axis, reorderedAxis(op->getAttr(form.axis), order));
  for (StringRef name : form.perAxis)
    result.emplace_back(name, reorderedNumbers(op->getAttr(name), order));
  if (!form.shape.empty())
    result.emplace_back(form.shape, reorderedNumbers(op->getAttr(form.shape), tensorOrder(*form.results[0], order)));
  return result;
}

bool readsAcross(Operation *op, const LayoutForm &form, ArrayRef<int64_t> order) {
  if (!form.readsLines)
    return false;
  auto attribute = op->getAttrOfType<IntegerAttr>(form.axis);
  return placeOf(order, positiveAxis(attribute, form.axes)) + 1 != form.axes;
}

} // namespace avocet::compiler::nn
