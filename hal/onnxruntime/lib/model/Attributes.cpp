//===- Attributes.cpp - Attributes of the runtime in the file format *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model/Attributes.h"

#include "abi/Tensors.h"
#include "model/Elements.h"

#include <fmt/core.h>

namespace avocet::ort {
namespace {

using onnx_file::AttributeProto;

/// The numbers or letters of an attribute.
template <typename T>
Result<std::vector<T>> read(const Runtime &runtime, const abi::OpAttr &attribute, abi::AttributeType type) {
  size_t bytes = 0;
  // The first call fails if there are any, and says how many.
  static_cast<void>(runtime.call<abi::ReadOpAttr>(&attribute, type, nullptr, size_t{0}, &bytes).isOk());
  std::vector<T> elements(bytes / sizeof(T));
  if (!elements.empty())
    AVOCET_RETURN_IF_ERROR(runtime.call<abi::ReadOpAttr>(&attribute, type, elements.data(), bytes, &bytes));
  return elements;
}

template <typename T, AttributeProto::AttributeType kind, auto set>
Status addNumber(const Runtime &runtime, const abi::OpAttr &attribute, abi::AttributeType type, AttributeProto &added) {
  AVOCET_ASSIGN_OR_RETURN(const std::vector<T> numbers, read<T>(runtime, attribute, type));
  if (numbers.size() != 1)
    return internalError(fmt::format("attribute '{}' has {} numbers instead of one", added.name(), numbers.size()));
  added.set_type(kind);
  (added.*set)(numbers[0]);
  return Status::ok();
}

template <typename T, AttributeProto::AttributeType kind, auto list>
Status addNumbers(const Runtime &runtime, const abi::OpAttr &attribute, abi::AttributeType type,
                  AttributeProto &added) {
  AVOCET_ASSIGN_OR_RETURN(const std::vector<T> numbers, read<T>(runtime, attribute, type));
  added.set_type(kind);
  (added.*list)()->Assign(numbers.begin(), numbers.end());
  return Status::ok();
}

Status addText(const Runtime &runtime, const abi::OpAttr &attribute, abi::AttributeType type, AttributeProto &added) {
  AVOCET_ASSIGN_OR_RETURN(const std::vector<char> letters, read<char>(runtime, attribute, type));
  added.set_type(AttributeProto::STRING);
  added.set_s(std::string(letters.begin(), letters.end()));
  return Status::ok();
}

/// One after the other, each with a zero after it.
Status addTexts(const Runtime &runtime, const abi::OpAttr &attribute, abi::AttributeType type, AttributeProto &added) {
  AVOCET_ASSIGN_OR_RETURN(const std::vector<char> letters, read<char>(runtime, attribute, type));
  added.set_type(AttributeProto::STRINGS);
  for (auto first = letters.begin(); first != letters.end();) {
    const auto end = std::find(first, letters.end(), '\0');
    added.add_strings(std::string(first, end));
    first = end == letters.end() ? end : end + 1;
  }
  return Status::ok();
}

Status copyElements(const Runtime &runtime, const abi::Value &value, onnx_file::TensorProto &tensor) {
  AVOCET_ASSIGN_OR_RETURN(const TensorType type, typeOf(runtime, value));
  if (!isStoredAlike(type.element))
    return unsupported("has elements of type " + elementName(type.element));
  size_t bytes = 0;
  AVOCET_RETURN_IF_ERROR(runtime.call<abi::GetTensorSizeInBytes>(&value, &bytes));
  const void *data = nullptr;
  AVOCET_RETURN_IF_ERROR(runtime.call<abi::GetTensorData>(&value, &data));
  tensor.set_data_type(type.element);
  tensor.mutable_dims()->Assign(type.shape.begin(), type.shape.end());
  tensor.set_raw_data(bytes == 0 ? "" : std::string(static_cast<const char *>(data), bytes));
  return Status::ok();
}

Status addTensor(const Runtime &runtime, const abi::OpAttr &attribute, abi::AttributeType, AttributeProto &added) {
  abi::Value *value = nullptr;
  AVOCET_RETURN_IF_ERROR(runtime.call<abi::OpAttrGetTensor>(&attribute, &value));
  const OwnedValue owned(value, {&runtime.api()});
  added.set_type(AttributeProto::TENSOR);
  return copyElements(runtime, *value, *added.mutable_t());
}

using Adder = Status (*)(const Runtime &, const abi::OpAttr &, abi::AttributeType, AttributeProto &);

constexpr std::pair<abi::AttributeType, Adder> kAdders[] = {
    {abi::AttributeType::Int, addNumber<int64_t, AttributeProto::INT, &AttributeProto::set_i>},
    {abi::AttributeType::Float, addNumber<float, AttributeProto::FLOAT, &AttributeProto::set_f>},
    {abi::AttributeType::Ints, addNumbers<int64_t, AttributeProto::INTS,
                                          static_cast<google::protobuf::RepeatedField<int64_t> *(AttributeProto::*)()>(
                                              &AttributeProto::mutable_ints)>},
    {abi::AttributeType::Floats, addNumbers<float, AttributeProto::FLOATS,
                                            static_cast<google::protobuf::RepeatedField<float> *(AttributeProto::*)()>(
                                                &AttributeProto::mutable_floats)>},
    {abi::AttributeType::String, addText},
    {abi::AttributeType::Strings, addTexts},
    {abi::AttributeType::Tensor, addTensor},
};

} // namespace

Status addAttribute(const Runtime &runtime, const abi::OpAttr &attribute, onnx_file::NodeProto &node) {
  AVOCET_ASSIGN_OR_RETURN(const std::string name, runtime.text<abi::OpAttrGetName>(&attribute));
  auto type = abi::AttributeType::Undefined;
  if (!runtime.call<abi::OpAttrGetType>(&attribute, &type).isOk())
    type = abi::AttributeType::Undefined; // it has no number for the type
  if (type == abi::AttributeType::Graph)
    return Status::ok();
  for (const auto &[known, add] : kAdders)
    if (known == type) {
      AttributeProto &added = *node.add_attribute();
      added.set_name(name);
      return add(runtime, attribute, type, added).withContext("attribute '" + name + "'");
    }
  return unsupported("attribute '" + name + "' has a type that the runtime does not show");
}

} // namespace avocet::ort
