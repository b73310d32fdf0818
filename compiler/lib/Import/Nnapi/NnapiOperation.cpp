//===- NnapiOperation.cpp - View of one operation ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NnapiGraph.h"

#include "Import/Common/Constants.h"
#include "Import/Common/Elements.h"
#include "NnapiFile.h"
#include "avocet/compiler/Support/Origin.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/Support/Endian.h"

using namespace mlir;

namespace avocet::compiler {

/// The name of an operation of the file, which may be one of an extension.
static std::string nameOfOperation(const NnapiFile &file, OperationType type) {
  const NnapiExtensionOperation *operation = findExtensionOperation(file, type);
  return operation ? operation->name.str() : operationNameOf(type);
}

/// "operand 7": the first output, for messages.
static std::string outputNameOf(const nnapi::Operation &operation) {
  return operation.outputs()->size() == 0 ? "" : "operand " + std::to_string(operation.outputs()->Get(0));
}

NnapiOperation::NnapiOperation(NnapiGraph &graph, uint32_t index, const nnapi::Operation &operation,
                               const std::string &name)
    : ImportedOperation(
          graph.import_, "operation " + std::to_string(index), name,
          operationLocation(name, index, static_cast<uint32_t>(graph.topLevelOf(index)), graph.import_.location),
          outputNameOf(operation)),
      graph_(graph), operation_(operation), index_(index) {}

NnapiOperation::NnapiOperation(NnapiGraph &graph, uint32_t index)
    : NnapiOperation(graph, index, *graph.graph_.operations()->Get(index),
                     nameOfOperation(graph.import_.file, typeOf(*graph.graph_.operations()->Get(index)))) {}

LogicalResult NnapiOperation::checkArity(const NnapiConverter &converter) {
  return checkInputs(numInputs(), converter.minInputs, converter.maxInputs);
}

bool NnapiOperation::hasInput(uint32_t position) const {
  return position < numInputs() && inputOperand(position).lifetime() != nnapi::Lifetime::NoValue &&
         !graph_.omitted_[inputIndex(position)];
}

const nnapi::Operand &NnapiOperation::inputOperand(uint32_t position) const {
  return graph_.operand(operation_.inputs()->Get(position));
}

const nnapi::Operand &NnapiOperation::outputOperand(uint32_t position) const {
  return graph_.operand(operation_.outputs()->Get(position));
}

std::span<const uint8_t> NnapiOperation::extensionData(const nnapi::Operand &operand) {
  const auto *data = operand.extension_data();
  return data ? std::span(data->data(), data->size()) : std::span<const uint8_t>();
}

std::optional<std::span<const uint8_t>> NnapiOperation::attribute(uint16_t code) const {
  const NnapiFile &file = graph_.import_.file;
  const uint16_t prefix = prefixOf(type());
  return prefix == 0 ? std::nullopt : file.attribute(file.extension(prefix), code);
}

Type NnapiOperation::elementType(const nnapi::Operand &operand, StringRef name) {
  NnapiElement element = elementTypeOf(builder().getContext(), operand);
  if (!element.type)
    malformed("has " + name + " that breaks a rule: " + element.rule);
  return element.type;
}

Value NnapiOperation::value(uint32_t position, StringRef operand) {
  if (!hasInput(position))
    return malformed("lacks its " + operand);
  uint32_t index = operation_.inputs()->Get(position);
  if (Value value = graph_.values_[index])
    return shapeOf(value).size() > graph_.import_.maxRank() ? refuseRank(operand, shapeOf(value).size()) : value;
  const nnapi::Operand &source = graph_.operand(index);
  if (const size_t rank = dimensionsOf(source).size(); rank > graph_.import_.maxRank())
    return refuseRank(operand, rank);
  if (graph_.lost_[index] && import().isQuery) {
    import().refused = true;
    return {};
  }
  if (graph_.data(index).empty())
    return refuse(operand, "has a value", "the result of a refused operation, or no elements");
  Type element = elementType(source, operand);
  return element ? graph_.constant(index, RankedTensorType::get(dimensionsOf(source), element)) : Value();
}

Reported NnapiOperation::refuseRank(StringRef operand, size_t rank) {
  import().tooLarge |= import().maxElements != UINT64_MAX;
  return refuse(operand, "rank of a tensor", Twine(rank), Twine(import().maxRank()));
}

FailureOr<SmallVector<int64_t>> NnapiOperation::integers(uint32_t position, StringRef operand) {
  if (!hasInput(position))
    return malformed("lacks its " + operand);
  if (inputType(position) != OperandType::TensorInt32 && inputType(position) != OperandType::Int32)
    return malformed("has " + operand + " of type " + typeNameOf(inputType(position)));
  std::span<const uint8_t> bytes = graph_.data(inputIndex(position));
  if (bytes.empty())
    return refuse(operand, "is known before the device runs", "a computed tensor");
  return integersOf(ArrayRef(reinterpret_cast<const char *>(bytes.data()), bytes.size()), sizeof(int32_t));
}

FailureOr<std::span<const uint8_t>> NnapiOperation::scalarBytes(uint32_t position, StringRef operand, OperandType type,
                                                                OperandType alternative) {
  if (!hasInput(position))
    return malformed("lacks its " + operand);
  if (inputType(position) != type && inputType(position) != alternative)
    return malformed("has " + operand + " of type " + typeNameOf(inputType(position)) + ", must be " +
                     typeNameOf(type));
  std::span<const uint8_t> bytes = graph_.data(inputIndex(position));
  if (bytes.empty())
    return refuse(operand, "is known before the device runs", "a computed value");
  if (bytes.size() != elementBytes(inputType(position)))
    return malformed("has " + operand + " of " + Twine(bytes.size()) + " bytes, must be one element");
  return bytes;
}

FailureOr<int64_t> NnapiOperation::integer(uint32_t position, StringRef operand) {
  auto bytes = scalarBytes(position, operand, OperandType::Int32, OperandType::TensorInt32);
  if (failed(bytes))
    return failure();
  return static_cast<int32_t>(llvm::support::endian::read32le(bytes->data()));
}

FailureOr<double> NnapiOperation::real(uint32_t position, StringRef operand) {
  auto bytes = scalarBytes(position, operand, OperandType::Float32, OperandType::Float16);
  if (failed(bytes))
    return failure();
  if (inputType(position) == OperandType::Float16) {
    llvm::APFloat half(llvm::APFloat::IEEEhalf(), llvm::APInt(16, llvm::support::endian::read16le(bytes->data())));
    return half.convertToDouble();
  }
  return static_cast<double>(llvm::bit_cast<float>(llvm::support::endian::read32le(bytes->data())));
}

FailureOr<bool> NnapiOperation::boolean(uint32_t position, StringRef operand) {
  auto bytes = scalarBytes(position, operand, OperandType::Bool, OperandType::Bool);
  if (failed(bytes))
    return failure();
  return bytes->front() != 0;
}

FailureOr<nn::Activation> NnapiOperation::activation(uint32_t position) {
  FailureOr<int64_t> code = integer(position, "activation");
  if (failed(code))
    return failure();
  if (std::optional<nn::Activation> clamp = fusedClamp(*code))
    return *clamp;
  return malformed("has the unknown activation " + Twine(*code));
}

/// Whether a shape has more elements than `limit`; UINT64_MAX means no limit.
static bool isAbove(uint64_t limit, ArrayRef<int64_t> shape) {
  if (limit == UINT64_MAX || llvm::any_of(shape, [](int64_t extent) { return extent < 1; }))
    return false;
  const std::optional<int64_t> elements = nn::elementsOf(shape);
  return !elements || static_cast<uint64_t>(*elements) > limit;
}

Type NnapiOperation::resultElement(uint32_t position) {
  if (position < numOutputs())
    return elementType(outputOperand(position), "result");
  malformed("has " + Twine(numOutputs()) + " outputs, too few");
  return {};
}

RankedTensorType NnapiOperation::resultType(uint32_t position, ArrayRef<int64_t> shape) {
  Type element = resultElement(position);
  if (!element)
    return {};
  const nnapi::Operand &operand = outputOperand(position);
  SmallVector<int64_t> declared = dimensionsOf(operand);
  bool known = isScalar(typeOf(operand)) || !declared.empty();
  if (known && declared.size() != shape.size())
    return malformed("computes rank " + Twine(shape.size()) + ", but its result is declared with " +
                     Twine(declared.size()));
  for (auto [extent, inferred] : llvm::zip(declared, shape))
    if (extent != 0 && extent != inferred)
      return malformed("computes an extent of " + Twine(inferred) + ", but its result is declared with " +
                       Twine(extent));
  if (shape.size() > import().maxRank())
    return refuseRank("result", shape.size());
  if (isAbove(import().maxElements, shape)) {
    import().tooLarge = true;
    return refuse("result", "elements of a tensor whose extents the model leaves open", "more",
                  Twine(import().maxElements));
  }
  if (!nn::isBounded(shape))
    return refuse("result", "has 1 to 2^31 - 1 elements", "none or too many");
  return RankedTensorType::get(shape, element);
}

LogicalResult NnapiOperation::finish(Value value, uint32_t position) {
  if (!value)
    return failure();
  graph_.bindResult(operation_.outputs()->Get(position), value);
  return success();
}

} // namespace avocet::compiler
