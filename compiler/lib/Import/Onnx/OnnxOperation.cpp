//===- OnnxOperation.cpp - A converter's view of an ONNX node ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Dialect/Nn/Transforms/Recognize/RealConstants.h"
#include "Import/Common/Constants.h"
#include "Import/Common/Create.h"
#include "Import/Common/FoldedConstants.h"
#include "OnnxGraph.h"
#include "OnnxTypes.h"

#include "avocet/compiler/Support/Origin.h"

#include "mlir/IR/DialectResourceBlobManager.h"

#include <cstring>

using namespace mlir;

namespace avocet::compiler {

using onnx_file::AttributeProto;
using onnx_file::TensorProto;

namespace {

/// An operand that was an attribute before opset `since` of the default domain.
struct Moved {
  StringRef kind;
  uint32_t position;
  StringRef attribute;
  int64_t since;
};

constexpr Moved kMoved[] = {
    {"Clip", 1, "min", 11},          {"Clip", 2, "max", 11},
    {"DFT", 2, "axis", 20},          {"Dropout", 1, "ratio", 12},
    {"Pad", 1, "pads", 11},          {"Pad", 2, "value", 11},
    {"ReduceL1", 1, "axes", 18},     {"ReduceL2", 1, "axes", 18},
    {"ReduceLogSum", 1, "axes", 18}, {"ReduceLogSumExp", 1, "axes", 18},
    {"ReduceMax", 1, "axes", 18},    {"ReduceMean", 1, "axes", 18},
    {"ReduceMin", 1, "axes", 18},    {"ReduceProd", 1, "axes", 18},
    {"ReduceSum", 1, "axes", 13},    {"ReduceSumSquare", 1, "axes", 18},
    {"Slice", 1, "starts", 10},      {"Slice", 2, "ends", 10},
    {"Slice", 3, "axes", 10},        {"Split", 1, "split", 13},
    {"Squeeze", 1, "axes", 13},      {"TopK", 1, "k", 10},
    {"Unsqueeze", 1, "axes", 13},    {"Upsample", 1, "scales", 9},
};

StringRef textOf(const std::string &text) { return text; }

Location locationOf(const onnx_file::NodeProto &node, uint32_t index, Location file) {
  return operatorLocation(node.name(), node.op_type(), index, file);
}

} // namespace

OnnxOperation::OnnxOperation(OnnxGraph &graph, const onnx_file::NodeProto &node, uint32_t index)
    : GraphOperation(graph.state_, "node '" + node.name() + "'", node.op_type(),
                     locationOf(node, index, graph.state_.location)),
      graph_(graph), node_(node) {}

StringRef OnnxOperation::domain() const { return node_.domain(); }

bool OnnxOperation::isOfApplication() const { return isDomainOfApplications(domain()); }

const AttributeProto *OnnxOperation::attribute(StringRef name) const {
  const auto found =
      llvm::find_if(node_.attribute(), [name](const AttributeProto &each) { return each.name() == name; });
  return found == node_.attribute().end() ? nullptr : &*found;
}

const AttributeProto *OnnxOperation::read(StringRef name, AttributeProto::AttributeType type) {
  const AttributeProto *found = attribute(name);
  if (!found)
    return nullptr;
  read_.insert(name);
  if (found->type() == type)
    return found;
  malformed("has an attribute " + name + " of another type");
  isMalformed_ = true;
  return nullptr;
}

int64_t OnnxOperation::integer(StringRef name, int64_t otherwise) {
  const AttributeProto *found = read(name, AttributeProto::INT);
  return found ? found->i() : otherwise;
}

float OnnxOperation::number(StringRef name, float otherwise) {
  const AttributeProto *found = read(name, AttributeProto::FLOAT);
  return found ? found->f() : otherwise;
}

StringRef OnnxOperation::text(StringRef name, StringRef otherwise) {
  const AttributeProto *found = read(name, AttributeProto::STRING);
  return found ? textOf(found->s()) : otherwise;
}

SmallVector<int64_t> OnnxOperation::list(StringRef name, ArrayRef<int64_t> otherwise) {
  const AttributeProto *found = read(name, AttributeProto::INTS);
  return found ? SmallVector<int64_t>(found->ints().begin(), found->ints().end()) : SmallVector<int64_t>(otherwise);
}

SmallVector<float> OnnxOperation::numbers(StringRef name, ArrayRef<float> otherwise) {
  const AttributeProto *found = read(name, AttributeProto::FLOATS);
  return found ? SmallVector<float>(found->floats().begin(), found->floats().end()) : SmallVector<float>(otherwise);
}

SmallVector<StringRef> OnnxOperation::texts(StringRef name) {
  const AttributeProto *found = read(name, AttributeProto::STRINGS);
  return found ? llvm::map_to_vector(found->strings(), textOf) : SmallVector<StringRef>();
}

const TensorProto *OnnxOperation::tensor(StringRef name) {
  const AttributeProto *found = read(name, AttributeProto::TENSOR);
  return found ? &found->t() : nullptr;
}

const onnx_file::GraphProto *OnnxOperation::graph(StringRef name) {
  const AttributeProto *found = read(name, AttributeProto::GRAPH);
  return found ? &found->g() : nullptr;
}

void OnnxOperation::ignore(std::initializer_list<StringRef> names) {
  for (StringRef name : names)
    read_.insert(name);
}

FailureOr<int64_t> OnnxOperation::axisOf(int64_t otherwise, int64_t rank, StringRef name) {
  return normalizedAxis(integer(name, otherwise), rank);
}

FailureOr<int64_t> OnnxOperation::axisOf(int64_t otherwise, Value of, StringRef name) {
  return of ? axisOf(otherwise, static_cast<int64_t>(shapeOf(of).size()), name) : FailureOr<int64_t>(failure());
}

LogicalResult OnnxOperation::checkAttributes(bool &isRefused) {
  if (isMalformed_)
    return failure(); // reported
  for (const AttributeProto &each : node_.attribute()) {
    if (read_.contains(each.name()))
      continue;
    refuse("attribute " + each.name(), "is one that this compiler reads", "another one");
    isRefused = true;
  }
  return success();
}

const AttributeProto *OnnxOperation::movedAttribute(uint32_t position) const {
  if (!domain().empty())
    return nullptr;
  for (const Moved &each : kMoved)
    if (each.kind == kind() && each.position == position)
      return version() < each.since ? attribute(each.attribute) : nullptr;
  return nullptr;
}

bool OnnxOperation::hasInput(uint32_t position) const {
  return movedAttribute(position) || (position < numInputs() && !node_.input(static_cast<int>(position)).empty());
}

bool OnnxOperation::hasOutput(uint32_t position) const {
  return position < numOutputs() && !node_.output(static_cast<int>(position)).empty();
}

OnnxValue *OnnxOperation::input(uint32_t position) {
  return position < numInputs() ? graph_.find(node_.input(static_cast<int>(position))) : nullptr;
}

RankedTensorType OnnxOperation::emptyInput(uint32_t position) {
  const OnnxValue *known = input(position);
  if (!known || (!known->value && (!known->constant || !llvm::is_contained(known->constant->dims(), 0))))
    return {};
  Value value = graph_.valueOf(*input(position), node_.input(static_cast<int>(position)), location());
  return value && llvm::is_contained(shapeOf(value), 0) ? tensorOf(value) : RankedTensorType();
}

Value OnnxOperation::value(uint32_t position, StringRef operand) {
  if (const AttributeProto *moved = movedAttribute(position)) {
    read_.insert(moved->name());
    if (moved->type() == AttributeProto::FLOAT) {
      Value number = float32Constant(*this, moved->f());
      Value first = position == 0 ? Value() : value(0, "input");
      return first ? castTo(*this, number, elementOf(first)) : Value();
    }
    return refuse(operand, "is a number", "an attribute of another type");
  }
  OnnxValue *known = input(position);
  if (!known)
    return malformed("lacks its " + operand);
  if (!admitsEmpty_ && emptyInput(position))
    return refuse(operand, "tensors have elements", "an extent of 0");
  return graph_.valueOf(*known, node_.input(static_cast<int>(position)), location());
}

Value OnnxOperation::parameter(uint32_t position, StringRef operand) {
  return foldedIfConstant(*this, value(position, operand));
}

Value OnnxOperation::optional(uint32_t position, StringRef operand) {
  Value value = hasInput(position) ? this->value(position, operand) : Value();
  isMalformed_ |= hasInput(position) && !value;
  return value;
}

Value OnnxOperation::optionalParameter(uint32_t position, StringRef operand) {
  return foldedIfConstant(*this, optional(position, operand));
}

nn::ConstantOp OnnxOperation::constant(uint32_t position, StringRef operand) {
  Value value = parameter(position, operand);
  auto constant = value ? value.getDefiningOp<nn::ConstantOp>() : nn::ConstantOp();
  if (value && !constant) {
    askFor(value);
    refuse(operand, "is known before the device runs", "a computed tensor");
  }
  return constant;
}

FailureOr<SmallVector<float>> OnnxOperation::floats(uint32_t position, StringRef operand) {
  if (const AttributeProto *moved = movedAttribute(position); moved && moved->type() == AttributeProto::FLOATS)
    return numbers(moved->name());
  if (emptyInput(position))
    return SmallVector<float>();
  nn::ConstantOp constant = this->constant(position, operand);
  if (!constant)
    return failure();
  std::optional<std::vector<float>> elements = nn::floatsOf(constant);
  if (!elements)
    return refuse(operand, "has floats", "another element type", "FLOAT or FLOAT16");
  return SmallVector<float>(elements->begin(), elements->end());
}

FailureOr<float> OnnxOperation::scalar(uint32_t position, StringRef operand, std::optional<float> otherwise) {
  if (otherwise && !hasInput(position))
    return *otherwise;
  FailureOr<SmallVector<float>> elements = floats(position, operand);
  if (failed(elements))
    return failure();
  if (elements->size() != 1)
    return malformed("has " + operand + " of " + Twine(elements->size()) + " elements, must be one");
  return elements->front();
}

FailureOr<double> OnnxOperation::numberAt(uint32_t position, StringRef operand) {
  Value value = this->value(position, operand);
  if (!value)
    return failure();
  if (isa<FloatType>(elementOf(value))) {
    FailureOr<float> number = scalar(position, operand);
    return failed(number) ? FailureOr<double>(failure()) : static_cast<double>(*number);
  }
  const Integers *known = knownIntegers(value);
  if (known && known->size() == 1)
    return static_cast<double>(known->front());
  askFor(value);
  return refuse(operand, "is one number that is known before the device runs", "another tensor");
}

FailureOr<SmallVector<int64_t>> OnnxOperation::integers(uint32_t position, StringRef operand) {
  if (const AttributeProto *moved = movedAttribute(position))
    return moved->type() == AttributeProto::INT ? SmallVector<int64_t>{integer(moved->name(), 0)} : list(moved->name());
  if (emptyInput(position))
    return SmallVector<int64_t>();
  Value value = this->value(position, operand);
  if (!value)
    return failure();
  if (!isa<IntegerType>(elementOf(value)) || elementOf(value).getIntOrFloatBitWidth() == 8)
    return refuse(operand, "has integers", "another element type", "INT32, INT64 or BOOL");
  if (const Integers *known = knownIntegers(value))
    return *known;
  askFor(value);
  return refuse(operand, "is known before the device runs", "a computed tensor");
}

bool OnnxOperation::dependsOnData(uint32_t position) {
  if (!hasInput(position) || movedAttribute(position) || emptyInput(position))
    return false;
  OnnxValue *known = input(position);
  return known && known->value && !knownIntegers(known->value);
}

Type OnnxOperation::elementOfType(int64_t type, StringRef operand) {
  Type element = onnxElement(builder().getContext(), type);
  if (!element)
    refuse(operand, "element type", onnxTypeName(type), kOnnxElements);
  return element;
}

ElementsAttr OnnxOperation::elements(const TensorProto &tensor, RankedTensorType type) {
  if (SmallVector<int64_t>(tensor.dims().begin(), tensor.dims().end()) != type.getShape())
    return malformed("has a tensor of another shape than " + nn::textOf(type.getShape())), ElementsAttr();
  ElementsAttr elements = onnxElements(graph_.state_, tensor, type);
  if (!elements)
    refuse("", "number of bytes", Twine(bytesOfElements(type)), Twine(kMaxComputedBytes));
  return elements;
}

Type OnnxOperation::resultElement(uint32_t) {
  Value first = value(0, "input 0");
  return first ? elementOf(first) : Type();
}

RankedTensorType OnnxOperation::resultType(uint32_t position, ArrayRef<int64_t> shape) {
  const Type element = resultElement(position);
  return element ? boundedType(*this, shape, element) : RankedTensorType();
}

LogicalResult OnnxOperation::bind(uint32_t position, OnnxValue value) {
  if (hasOutput(position))
    graph_.values_[node_.output(static_cast<int>(position))] = value;
  return success();
}

LogicalResult OnnxOperation::finish(Value value, uint32_t position) {
  if (!value || failed(verifyCreated()))
    return failure();
  return bind(position, {value});
}

LogicalResult OnnxOperation::finishConstant(const TensorProto &constant) { return bind(0, {{}, &constant}); }

LogicalResult OnnxOperation::finishEmpty(RankedTensorType type, uint32_t position) {
  return bind(position, {withoutElements(*this, type)});
}

LogicalResult OnnxOperation::forward(uint32_t position, uint32_t result) {
  OnnxValue *known = input(position);
  return known ? bind(result, *known) : LogicalResult(malformed("lacks its input " + Twine(position)));
}

FailureOr<SmallVector<Value>> OnnxOperation::importSubgraph(const onnx_file::GraphProto &graph, ValueRange inputs) {
  return OnnxGraph(graph_.state_, graph, &graph_).importInto(*this, inputs);
}

LogicalResult OnnxOperation::checkArity(const OnnxConverter &converter) {
  uint32_t operands = numInputs();
  for (const Moved &each : kMoved)
    if (each.kind == kind() && movedAttribute(each.position))
      operands = std::max(operands, each.position + 1);
  if (failed(checkInputs(operands, converter.minInputs, converter.maxInputs)))
    return failure();
  for (uint32_t position = 0; position < converter.minInputs; ++position)
    if (!hasInput(position))
      return malformed("lacks its input " + Twine(position));
  if (numOutputs() >= converter.minOutputs && numOutputs() <= converter.maxOutputs)
    return success();
  return malformed("has " + Twine(numOutputs()) + " outputs, must have " + Twine(converter.minOutputs) + " to " +
                   Twine(converter.maxOutputs));
}

} // namespace avocet::compiler
