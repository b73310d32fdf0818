//===- Values.cpp - Attributes and tensors of an ONNX file ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Steps.h"

#include "avocet/base/FileBelow.h"

#include "google/protobuf/io/coded_stream.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

using namespace onnx_file;

/// The types of which an attribute has a value. Some writers set numbers and strings of other types to zero.
SmallVector<AttributeProto::AttributeType> typesOf(const AttributeProto &attribute) {
  const std::pair<AttributeProto::AttributeType, bool> all[] = {
      {AttributeProto::FLOAT, attribute.f() != 0},
      {AttributeProto::INT, attribute.i() != 0},
      {AttributeProto::STRING, !attribute.s().empty()},
      {AttributeProto::TENSOR, attribute.has_t()},
      {AttributeProto::GRAPH, attribute.has_g()},
      {AttributeProto::SPARSE_TENSOR, attribute.has_sparse_tensor()},
      {AttributeProto::TYPE_PROTO, attribute.has_tp()},
      {AttributeProto::FLOATS, attribute.floats_size() > 0},
      {AttributeProto::INTS, attribute.ints_size() > 0},
      {AttributeProto::STRINGS, attribute.strings_size() > 0},
      {AttributeProto::TENSORS, attribute.tensors_size() > 0},
      {AttributeProto::GRAPHS, attribute.graphs_size() > 0},
      {AttributeProto::SPARSE_TENSORS, attribute.sparse_tensors_size() > 0},
      {AttributeProto::TYPE_PROTOS, attribute.type_protos_size() > 0},
  };
  SmallVector<AttributeProto::AttributeType> types;
  for (auto [type, hasValue] : all)
    if (hasValue)
      types.push_back(type);
  return types;
}

/// Types whose values have no default.
bool isMessage(AttributeProto::AttributeType type) {
  return type == AttributeProto::TENSOR || type == AttributeProto::GRAPH || type == AttributeProto::TYPE_PROTO;
}

/// The field that has the elements of a type if raw_data has not.
int typedField(int32_t type) {
  switch (type) {
  case TensorProto::FLOAT:
  case TensorProto::COMPLEX64:
    return TensorProto::kFloatDataFieldNumber;
  case TensorProto::DOUBLE:
  case TensorProto::COMPLEX128:
    return TensorProto::kDoubleDataFieldNumber;
  case TensorProto::INT64:
    return TensorProto::kInt64DataFieldNumber;
  case TensorProto::UINT32:
  case TensorProto::UINT64:
    return TensorProto::kUint64DataFieldNumber;
  default:
    return TensorProto::kInt32DataFieldNumber;
  }
}

/// Whether a number, which may be negative, has so many bits.
bool fits(int64_t value, uint32_t bits) {
  return bits >= 64 || (value < 0 ? value >= llvm::minIntN(bits) : value <= static_cast<int64_t>(llvm::maxUIntN(bits)));
}

class ValueReader {
public:
  ValueReader(Location location, OnnxContents &contents) : location_(location), contents_(contents) {}

  LogicalResult readGraph(GraphProto &graph, bool isInFunction) {
    for (TensorProto &tensor : *graph.mutable_initializer())
      if (failed(readTensor(tensor, "initializer '" + tensor.name() + "'")))
        return failure();
    for (const SparseTensorProto &sparse : graph.sparse_initializer())
      return refuseSparse("initializer '" + sparse.values().name() + "'");
    return readNodes(*graph.mutable_node(), isInFunction);
  }

  LogicalResult readNodes(OnnxNodes &nodes, bool isInFunction) {
    for (NodeProto &node : nodes) {
      if (++nodes_ > kMaxOnnxNodes)
        return emitError(location_) << "the model has more than " << kMaxOnnxNodes << " nodes; divide it";
      if (node.op_type().empty())
        return emitError(location_) << "node '" << node.name() << "' has no operator (op_type)";
      if (node.domain() == "ai.onnx")
        node.clear_domain();
      llvm::StringSet<> names;
      for (AttributeProto &attribute : *node.mutable_attribute()) {
        const std::string what = "attribute '" + attribute.name() + "' of " + describe(node);
        if (!names.insert(attribute.name()).second)
          return emitError(location_) << what << " is there twice";
        if (failed(readAttribute(attribute, what, isInFunction)))
          return failure();
      }
    }
    return success();
  }

  LogicalResult readAttribute(AttributeProto &attribute, const std::string &what, bool isInFunction) {
    if (failed(checkType(attribute, what, isInFunction)))
      return failure();
    if (attribute.has_t() && failed(readTensor(*attribute.mutable_t(), what)))
      return failure();
    for (TensorProto &tensor : *attribute.mutable_tensors())
      if (failed(readTensor(tensor, what)))
        return failure();
    if (attribute.has_g() && failed(readGraph(*attribute.mutable_g(), isInFunction)))
      return failure();
    for (GraphProto &graph : *attribute.mutable_graphs())
      if (failed(readGraph(graph, isInFunction)))
        return failure();
    return success();
  }

private:
  LogicalResult checkType(const AttributeProto &attribute, const std::string &what, bool isInFunction) const {
    const SmallVector<AttributeProto::AttributeType> types = typesOf(attribute);
    const bool isReference = !attribute.ref_attr_name().empty();
    if (isReference && (!isInFunction || !types.empty()))
      return emitError(location_) << what << " refers to attribute '" << attribute.ref_attr_name()
                                  << "' of a function, but " << (isInFunction ? "has a value" : "is in none");
    if (attribute.type() == AttributeProto::UNDEFINED && !isReference)
      return emitError(location_) << what << " has no type, or one that is none of the format's";
    if (attribute.type() == AttributeProto::SPARSE_TENSOR || attribute.type() == AttributeProto::SPARSE_TENSORS)
      return refuseSparse(what);
    for (const AttributeProto::AttributeType type : types)
      if (type != attribute.type())
        return emitError(location_) << what << " has a value of type " << AttributeProto::AttributeType_Name(type)
                                    << ", but says " << AttributeProto::AttributeType_Name(attribute.type());
    if (types.empty() && isMessage(attribute.type()) && !isReference)
      return emitError(location_) << what << " has no value";
    return success();
  }

  LogicalResult refuseSparse(const std::string &what) const {
    return emitError(location_) << what << " is a sparse tensor, which is not supported; store it as a dense one";
  }

  LogicalResult readTensor(TensorProto &tensor, const std::string &what) {
    if (!TensorProto::DataType_IsValid(tensor.data_type()) || tensor.data_type() == TensorProto::UNDEFINED)
      return emitError(location_) << what << " has the element type " << tensor.data_type()
                                  << ", which is none of the format's";
    uint64_t count = 1;
    for (const int64_t extent : tensor.dims()) {
      if (extent < 0 || static_cast<uint64_t>(extent) > kMaxOnnxElements / count)
        return emitError(location_) << what << " has the extent " << extent
                                    << "; extents must be 0 or more and their product at most 2^40";
      count *= static_cast<uint64_t>(std::max<int64_t>(extent, 1));
    }
    if (llvm::is_contained(tensor.dims(), 0))
      count = 0;
    if (tensor.has_segment())
      return emitError(location_) << what << " is a segment of a tensor; store it as a whole";
    if (tensor.data_type() == TensorProto::STRING)
      return success();
    const uint64_t expected = llvm::divideCeil(count * storedBits(tensor.data_type()), 8);
    if (failed(tensor.data_location() == TensorProto::EXTERNAL ? findExternal(tensor, expected, what)
                                                               : decode(tensor, expected, what)))
      return failure();
    const ArrayRef<char> bytes = contents_.bytesOf(tensor);
    if (bytes.size() != expected)
      return emitError(location_) << what << " has " << bytes.size() << " bytes of elements, its type "
                                  << typeOf(tensor) << " and its extents need " << expected;
    if (tensor.data_type() == TensorProto::BOOL &&
        llvm::any_of(bytes, [](char byte) { return byte != 0 && byte != 1; }))
      return emitError(location_) << what << " has truth values other than 0 and 1";
    return success();
  }

  static StringRef typeOf(const TensorProto &tensor) {
    return TensorProto::DataType_Name(static_cast<TensorProto::DataType>(tensor.data_type()));
  }

  /// Makes raw_data of the fields that store numbers of varying length. The fields of floats store what raw_data does.
  LogicalResult decode(TensorProto &tensor, uint64_t expected, const std::string &what) {
    const int field = tensor.stored_field();
    if (field == 0 || field == TensorProto::kRawDataFieldNumber)
      return success();
    if (field != typedField(tensor.data_type()))
      return emitError(location_) << what << " of type " << typeOf(tensor)
                                  << " has elements in several fields, or in that of other types; use raw_data";
    if (field == TensorProto::kFloatDataFieldNumber || field == TensorProto::kDoubleDataFieldNumber)
      return success();
    const ArrayRef<char> stored = contents_.bytesOf(tensor);
    google::protobuf::io::CodedInputStream in(reinterpret_cast<const uint8_t *>(stored.data()),
                                              static_cast<int>(stored.size()));
    const uint32_t bits = std::max<uint32_t>(storedBits(tensor.data_type()), 8);
    std::string elements;
    elements.reserve(std::min<uint64_t>(expected, stored.size() * sizeof(uint64_t)));
    while (in.CurrentPosition() < static_cast<int>(stored.size())) {
      uint64_t number = 0;
      if (!in.ReadVarint64(&number))
        return emitError(location_) << what << " has a number of more than 64 bits";
      const int64_t value =
          field == TensorProto::kInt32DataFieldNumber ? static_cast<int32_t>(number) : static_cast<int64_t>(number);
      if (!fits(value, bits))
        return emitError(location_) << what << " of type " << typeOf(tensor) << " has the number " << value;
      for (uint32_t bit = 0; bit < bits; bit += 8)
        elements.push_back(static_cast<char>(value >> bit));
    }
    tensor.clear_stored_offset();
    tensor.clear_stored_length();
    tensor.set_raw_data(std::move(elements));
    return success();
  }

  LogicalResult findExternal(TensorProto &tensor, uint64_t expected, const std::string &what) {
    std::string path;
    uint64_t offset = 0, length = expected;
    for (const StringStringEntryProto &entry : tensor.external_data()) {
      if (entry.key() == "location")
        path = entry.value();
      uint64_t *number = entry.key() == "offset" ? &offset : entry.key() == "length" ? &length : nullptr;
      if (number && StringRef(entry.value()).getAsInteger(10, *number))
        return emitError(location_) << what << " has external data with the " << entry.key() << " '" << entry.value()
                                    << "', must be a number";
    }
    if (tensor.has_stored_field())
      return emitError(location_) << what << " has elements in the model and external data";
    auto [file, isNew] = files_.try_emplace(path, contents_.external.size() + 1);
    if (isNew) {
      Result<Mapping> mapped = mapExternal(path);
      if (!mapped)
        return emitError(location_) << what << " has external data in '" << path << "': " << mapped.status().message();
      contents_.external.push_back(std::move(*mapped));
    }
    const uint64_t size = contents_.external[file->second - 1].bytes().size();
    if (offset > size || length > size - offset)
      return emitError(location_) << what << " has " << length << " bytes of external data from byte " << offset
                                  << " on, its file '" << path << "' has " << size << " bytes";
    tensor.set_stored_file(file->second);
    tensor.set_stored_offset(offset);
    tensor.set_stored_length(length);
    return success();
  }

  Result<Mapping> mapExternal(const std::string &path) const {
    const StringRef model = contents_.file->getBufferIdentifier();
    if (!llvm::sys::fs::is_regular_file(model))
      return invalidArgument("the model does not come from a file, so it has no folder; give its path");
    AVOCET_ASSIGN_OR_RETURN(FileDescriptor file, openBelow(llvm::sys::path::parent_path(model).str(), path));
    AVOCET_ASSIGN_OR_RETURN(const uint64_t size, fileSize(file, path));
    return Mapping::map(file.get(), size, Mapping::Access::Read);
  }

  Location location_;
  OnnxContents &contents_;
  llvm::StringMap<uint32_t> files_; ///< stored_file, by path
  int nodes_ = 0;
};

} // namespace

ArrayRef<char> OnnxContents::bytesOf(const TensorProto &tensor) const {
  if (!tensor.has_stored_length())
    return {tensor.raw_data().data(), tensor.raw_data().size()};
  ArrayRef<char> bytes(file->getBufferStart(), file->getBufferSize());
  if (tensor.stored_file() > 0) {
    const std::span<const uint8_t> mapped = external[tensor.stored_file() - 1].bytes();
    bytes = {reinterpret_cast<const char *>(mapped.data()), mapped.size()};
  }
  return bytes.slice(tensor.stored_offset(), tensor.stored_length());
}

LogicalResult readValues(Location location, OnnxContents &contents) {
  nameNodes(*contents.model.mutable_graph()->mutable_node());
  ValueReader reader(location, contents);
  if (failed(reader.readGraph(*contents.model.mutable_graph(), /*isInFunction=*/false)))
    return failure();
  for (FunctionProto &function : *contents.model.mutable_functions()) {
    nameNodes(*function.mutable_node());
    for (AttributeProto &attribute : *function.mutable_attribute_proto()) {
      const std::string what = "attribute '" + attribute.name() + "' of function '" + function.name() + "'";
      if (failed(reader.readAttribute(attribute, what, /*isInFunction=*/false)))
        return failure();
    }
    if (failed(reader.readNodes(*function.mutable_node(), /*isInFunction=*/true)))
      return failure();
  }
  return success();
}

} // namespace avocet::compiler
