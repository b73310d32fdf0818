//===- OnnxInputs.cpp - Inputs of an ONNX network ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OnnxInputs.h"

#include "Import/Common/Constants.h"
#include "Import/Common/ImportTypes.h"
#include "OnnxTypes.h"

#include "avocet/compiler/Support/Refusal.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// The one with this name; null: none.
template <typename Named> const Named *findNamed(std::span<const Named> all, StringRef name) {
  const auto found = llvm::find_if(all, [&](const Named &each) { return each.name == name; });
  return found == all.end() ? nullptr : &*found;
}

class InputReader {
public:
  InputReader(OnnxImport &state, const onnx_file::GraphProto &graph) : state_(state), graph_(graph) {}

  FailureOr<SmallVector<OnnxInput>> run() {
    SmallVector<OnnxInput> inputs;
    llvm::StringSet<> constants;
    for (const onnx_file::TensorProto &constant : graph_.initializer())
      constants.insert(constant.name());
    bool complete = succeeded(checkOptions());
    for (const onnx_file::ValueInfoProto &input : graph_.input())
      if (!constants.contains(input.name()))
        complete &= succeeded(read(input, inputs));
    if (!complete)
      return failure();
    return inputs;
  }

private:
  LogicalResult refuse(StringRef name, StringRef rule, const Twine &value, StringRef limit, StringRef advice) {
    emitRefusal(state_.location,
                {"graph input", "", rule.str(), value.str(), limit.str(), ("'" + name + "'").str(), advice.str()});
    return failure();
  }

  /// Names of the options must be names of the model.
  LogicalResult checkOptions() {
    llvm::StringSet<> names, extents;
    for (const onnx_file::ValueInfoProto &input : graph_.input()) {
      names.insert(input.name());
      for (const auto &dim : input.type().tensor_type().shape().dim())
        if (!dim.dim_param().empty())
          extents.insert(dim.dim_param());
    }
    for (const InputShape &shape : state_.options.shapes)
      if (!names.contains(shape.name))
        return unknown("a shape", "input", shape.name, names);
    for (const InputValue &value : state_.options.values)
      if (!names.contains(value.name))
        return unknown("a value", "input", value.name, names);
    for (const NamedExtent &extent : state_.options.extents)
      if (!extents.contains(extent.name))
        return unknown("an extent", "open extent", extent.name, extents);
    return success();
  }

  LogicalResult unknown(StringRef what, StringRef kind, StringRef name, const llvm::StringSet<> &known) {
    auto names = llvm::map_to_vector(known, [](const auto &entry) { return ("'" + entry.getKey() + "'").str(); });
    llvm::sort(names);
    return emitError(state_.location) << what << " is given for '" << name << "', but the model has no such " << kind
                                      << "; it has " << (names.empty() ? "none" : llvm::join(names, ", "));
  }

  LogicalResult read(const onnx_file::ValueInfoProto &input, SmallVector<OnnxInput> &inputs) {
    const StringRef name = input.name();
    if (!input.type().has_tensor_type())
      return refuse(name, "is a tensor", "a sequence, map, optional or sparse tensor", "", "");
    const auto &type = input.type().tensor_type();
    const Type element = onnxElement(state_.builder.getContext(), type.elem_type());
    if (!element)
      return refuse(name, "element type", onnxTypeName(type.elem_type()), kOnnxElements, "");
    FailureOr<SmallVector<int64_t>> shape = shapeOf(name, type);
    if (failed(shape))
      return failure();
    if (!isImportable(*shape))
      return refuse(name, "has rank at most 32 and 1 to 2^31 - 1 elements", nn::textOf(*shape), "", "");
    state_.narrowsFloats |= type.elem_type() == onnx_file::TensorProto::DOUBLE;
    OnnxInput read{name, RankedTensorType::get(*shape, element), std::nullopt};
    if (const InputValue *value = findNamed(state_.options.values, name)) {
      if (value->bytes.size() != bytesOfElements(read.type))
        return emitError(state_.location) << "the value of input '" << name << "' has " << value->bytes.size()
                                          << " bytes, its type needs " << bytesOfElements(read.type);
      read.data = ArrayRef(reinterpret_cast<const char *>(value->bytes.data()), value->bytes.size());
    }
    if (!read.hasElements())
      read.data = ArrayRef<char>();
    inputs.push_back(read);
    return success();
  }

  FailureOr<SmallVector<int64_t>> shapeOf(StringRef name, const onnx_file::TypeProto_Tensor &type) {
    const InputShape *given = findNamed(state_.options.shapes, name);
    if (!type.has_shape())
      return given ? FailureOr(SmallVector<int64_t>(given->extents.begin(), given->extents.end()))
                   : FailureOr<SmallVector<int64_t>>(
                         refuse(name, "has a shape", "none", "", "give it with --shape " + name.str() + "=EXTENTS"));
    SmallVector<int64_t> shape;
    if (given && given->extents.size() != static_cast<size_t>(type.shape().dim_size()))
      return emitError(state_.location) << "the shape given for input '" << name << "' has rank "
                                        << given->extents.size() << ", the model's has " << type.shape().dim_size();
    for (auto [axis, dim] : llvm::enumerate(type.shape().dim())) {
      const int64_t extent = extentOf(dim, state_.options);
      if (given && extent >= 0 && given->extents[axis] != extent)
        return emitError(state_.location)
               << "the shape given for input '" << name << "' has the extent " << given->extents[axis] << " at axis "
               << axis << ", the model's has " << extent;
      shape.push_back(given ? given->extents[axis] : extent);
      if (shape.back() < 0)
        return refuse(name, "extents are known", openExtent(axis, dim.dim_param()), "",
                      adviceFor(name, dim.dim_param()));
    }
    return shape;
  }

  static std::string openExtent(size_t axis, StringRef param) {
    return "extent " + std::to_string(axis) + (param.empty() ? "" : " is '" + param.str() + "'");
  }
  static std::string adviceFor(StringRef name, StringRef param) {
    const std::string shape = "--shape " + name.str() + "=EXTENTS";
    return "give it with " + (param.empty() ? shape : "--dim " + param.str() + "=EXTENT, or " + shape);
  }

  OnnxImport &state_;
  const onnx_file::GraphProto &graph_;
};

} // namespace

int64_t extentOf(const onnx_file::TensorShapeProto::Dimension &dimension, const OnnxOptions &options) {
  if (dimension.has_dim_value())
    return dimension.dim_value();
  const NamedExtent *known = findNamed(options.extents, dimension.dim_param());
  return known ? known->extent : -1;
}

FailureOr<SmallVector<OnnxInput>> inputsOf(OnnxImport &state, const onnx_file::GraphProto &graph) {
  return InputReader(state, graph).run();
}

} // namespace avocet::compiler
