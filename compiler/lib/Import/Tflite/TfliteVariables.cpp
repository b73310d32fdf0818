//===- TfliteVariables.cpp - Variables as states of the function *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TfliteVariables.h"

#include "Import/Common/Constants.h"
#include "TfliteGraph.h"

using namespace mlir;

namespace avocet::compiler {

using tflite::BuiltinOperator;

static std::string textOf(const flatbuffers::String *text) { return text ? text->str() : std::string(); }

void TfliteVariables::scan(const TfliteFile &file) {
  std::set<int32_t> runOnce;
  for (uint32_t index = 0; index < file.numSubgraphs(); ++index) {
    const TfliteFile graph = file.subgraph(index);
    for (uint32_t number = 0; number < graph.numOperators(); ++number)
      if (auto *once = graph.operation(number).options_as<tflite::CallOnceOptions>())
        runOnce.insert(once->init_subgraph_index());
  }
  for (uint32_t index = 0; index < file.numSubgraphs(); ++index)
    if (!runOnce.contains(static_cast<int32_t>(index)))
      scanGraph(file.subgraph(index));
}

void TfliteVariables::scanGraph(const TfliteFile &graph) {
  std::map<int32_t, Key> handles;
  for (uint32_t number = 0; number < graph.numOperators(); ++number) {
    const tflite::Operator &operation = graph.operation(number);
    const SmallVector<int32_t> outputs = graph.outputs(number);
    if (auto *handle = operation.options_as<tflite::VarHandleOptions>(); handle && outputs.size() == 1)
      handles[outputs[0]] = {textOf(handle->container()), textOf(handle->shared_name())};
    const bool isAssignment = graph.code(number) == BuiltinOperator::ASSIGN_VARIABLE;
    if (!isAssignment || !operation.inputs() || operation.inputs()->size() == 0)
      continue;
    if (auto found = handles.find(operation.inputs()->Get(0)); found != handles.end())
      assigned_.insert(found->second);
  }
}

TfliteVariable &TfliteVariables::find(StringRef container, StringRef name) {
  Key key{container.str(), name.str()};
  auto [position, isNew] = variables_.try_emplace(key);
  if (isNew) {
    position->second.name = container.empty() ? name.str() : (container + "/" + name).str();
    position->second.isAssigned = assigned_.contains(key);
  }
  return position->second;
}

TfliteVariable &TfliteVariables::find(uint32_t subgraph, int32_t tensor, StringRef name) {
  TfliteVariable &variable = tensors_[{subgraph, tensor}];
  variable.name = name.str();
  variable.isAssigned = true;
  return variable;
}

/// Code in branches and loops may not run, or more than once.
static bool isConditional(TfliteOperator &op) {
  return op.builder().getInsertionBlock()->getParentOp() != op.function();
}

TfliteVariable &TfliteOperator::variableOf(int32_t tensor) {
  return variables().find(graph_.state_.subgraphs.back(), tensor, graph_.file_.tensorName(tensor));
}

bool TfliteOperator::isVariable(uint32_t position) const {
  const int32_t tensor = inputTensor(position);
  return tensor >= 0 && graph_.file_.tensor(tensor).is_variable();
}

Value TfliteOperator::state(uint32_t position, StringRef operand) {
  const int32_t tensor = inputTensor(position);
  if (tensor < 0)
    return malformed("lacks its " + operand);
  if (!isVariable(position))
    return refuse(operand, "is a variable", "another tensor");
  if (graph_.values_[tensor] || !graph_.file_.data(tensor).empty())
    return refuse(operand, "is a variable that only recurrent operators write",
                  "a graph input, a result or a constant");
  if (isConditional(*this))
    return refuse(operand, "is outside of branches and loops", "inside of IF or WHILE");
  RankedTensorType type = convertedType(tensor, operand);
  if (!type)
    return {};
  if (bytesOfElements(type) > kMaxComputedBytes)
    return refuse(operand, "number of bytes", Twine(bytesOfElements(type)), Twine(kMaxComputedBytes));
  TfliteVariable &variable = variableOf(tensor);
  variables().states.addArgument(function(), variable, type);
  return variable.current;
}

void TfliteOperator::setState(uint32_t position, Value next) { variableOf(inputTensor(position)).current = next; }

namespace {

LogicalResult convertVarHandle(TfliteOperator &op, const tflite::VarHandleOptions &options) {
  return op.finishHandle(op.variables().find(textOf(options.container()), textOf(options.shared_name())));
}

LogicalResult convertReadVariable(TfliteOperator &op) {
  TfliteVariable *variable = op.variable(0, "variable");
  if (!variable)
    return failure();
  const bool isState = variable->isAssigned && !op.variables().initializing;
  if (isState && !variable->current && variable->initial)
    op.variables().states.addArgument(op.function(), *variable, cast<RankedTensorType>(variable->initial.getType()));
  Value value = isState ? variable->current : variable->initial;
  if (!value)
    return op.malformed("reads the variable '" + variable->name + "' before it is written");
  RankedTensorType type = op.resultType(0, shapeOf(value));
  if (!type)
    return failure();
  if (type != value.getType())
    return op.refuse("result", "has the type of the variable '" + variable->name + "'",
                     "another element type or quantization");
  return op.finish(value);
}

/// The value as a constant; null if it is computed.
Value constantOf(TfliteOperator &op, Value value) {
  if (value.getDefiningOp<nn::ConstantOp>())
    return value;
  const Integers *known = op.knownIntegers(value);
  auto type = cast<RankedTensorType>(value.getType());
  if (!known || type.getElementType().isInteger(1))
    return {};
  const size_t width = type.getElementTypeBitWidth() / 8;
  return nn::ConstantOp::create(op.builder(), op.location(), type,
                                computedElements(type, "initial", [&](llvm::MutableArrayRef<char> bytes) {
                                  for (auto [index, element] : llvm::enumerate(*known))
                                    std::memcpy(bytes.data() + index * width, &element, width);
                                }));
}

LogicalResult initialize(TfliteOperator &op, TfliteVariable &variable, Value value) {
  if (variable.current)
    return op.malformed("initializes the variable '" + variable.name + "' after its first use");
  variable.initial = constantOf(op, value);
  return variable.initial ? success() : LogicalResult(op.refuse("initial value", "is constant", "a computed tensor"));
}

LogicalResult convertAssignVariable(TfliteOperator &op) {
  TfliteVariable *variable = op.variable(0, "variable");
  Value value = variable ? op.value(1, "value") : Value();
  if (!value)
    return failure();
  if (isConditional(op))
    return op.refuse("variable", "is assigned outside of branches and loops", "inside of IF or WHILE");
  Value previous = variable->current ? variable->current : variable->initial;
  if (previous && previous.getType() != value.getType())
    return op.refuse("value", "has the type of the variable '" + variable->name + "'",
                     "another shape, element type or quantization");
  if (op.variables().initializing)
    return initialize(op, *variable, value);
  auto type = cast<RankedTensorType>(value.getType());
  if (!variable->initial && failed(checkComputedBytes(op, "value", type)))
    return failure();
  op.variables().states.addArgument(op.function(), *variable, type);
  variable->current = value;
  return success();
}

LogicalResult convertCallOnce(TfliteOperator &op, const tflite::CallOnceOptions &options) {
  if (isConditional(op))
    return op.refuse("", "is outside of branches and loops", "inside of IF or WHILE");
  const int32_t index = options.init_subgraph_index();
  TfliteVariables &variables = op.variables();
  if (index >= 0 && variables.initializers.contains(static_cast<uint32_t>(index)))
    return success();
  const bool outer = std::exchange(variables.initializing, true);
  FailureOr<SmallVector<Value>> results = op.importSubgraph(index, {});
  variables.initializing = outer;
  if (failed(results))
    return failure();
  if (!results->empty())
    return op.malformed("has a subgraph with " + Twine(results->size()) + " outputs, must have none");
  variables.initializers.insert(static_cast<uint32_t>(index));
  return success();
}

constexpr TfliteConverter kConverters[] = {
    {BuiltinOperator::ASSIGN_VARIABLE, 2, 2, convertAssignVariable, 0, 0},
    {BuiltinOperator::CALL_ONCE, 0, 0, withOptions<convertCallOnce>, 0, 0},
    {BuiltinOperator::READ_VARIABLE, 1, 1, convertReadVariable},
    {BuiltinOperator::VAR_HANDLE, 0, 0, withOptions<convertVarHandle>},
};

} // namespace

ArrayRef<TfliteConverter> tfliteVariableConverters() { return kConverters; }

} // namespace avocet::compiler
