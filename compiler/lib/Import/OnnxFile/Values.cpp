//===- Values.cpp - Attributes and tensors of an ONNX file ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OnnxSteps.h"

#include "Import/Common/FileChecks.h"
#include "Import/Common/UniqueNames.h"
#include "avocet/base/FileBelow.h"
#include "avocet/compiler/Support/UnusedConstants.h"

#include "google/protobuf/io/coded_stream.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

using namespace onnx_file;

/// The types of which an attribute has a value, a bit for each. Some writers set numbers and strings to zero.
uint32_t typesOf(const AttributeProto &of) {
  using Type = AttributeProto;
  return (of.f() != 0) << Type::FLOAT | (of.i() != 0) << Type::INT | !of.s().empty() << Type::STRING |
         of.has_t() << Type::TENSOR | of.has_g() << Type::GRAPH | (of.floats_size() > 0) << Type::FLOATS |
         (of.ints_size() > 0) << Type::INTS | (of.strings_size() > 0) << Type::STRINGS |
         (of.tensors_size() > 0) << Type::TENSORS | (of.graphs_size() > 0) << Type::GRAPHS |
         of.has_sparse_tensor() << Type::SPARSE_TENSOR | (of.sparse_tensors_size() > 0) << Type::SPARSE_TENSORS |
         of.has_tp() << Type::TYPE_PROTO | (of.type_protos_size() > 0) << Type::TYPE_PROTOS;
}

/// The field that has the elements of a type if raw_data has not.
int typedField(int32_t type) {
  if (type == TensorProto::FLOAT || type == TensorProto::COMPLEX64)
    return TensorProto::kFloatDataFieldNumber;
  if (type == TensorProto::DOUBLE || type == TensorProto::COMPLEX128)
    return TensorProto::kDoubleDataFieldNumber;
  if (type == TensorProto::UINT32 || type == TensorProto::UINT64)
    return TensorProto::kUint64DataFieldNumber;
  return type == TensorProto::INT64 ? TensorProto::kInt64DataFieldNumber : TensorProto::kInt32DataFieldNumber;
}

class ValueReader {
public:
  ValueReader(Location location, OnnxContents &contents, UniqueNames &names)
      : location_(location), contents_(contents), names_(names) {}

  LogicalResult readGraph(GraphProto &graph) {
    for (const ValueInfoProto &input : graph.input())
      names_.take(input.name());
    for (TensorProto &tensor : *graph.mutable_initializer()) {
      names_.take(tensor.name());
      if (failed(readTensor(tensor, "initializer '" + Twine(tensor.name()) + "'")))
        return failure();
    }
    for (const SparseTensorProto &sparse : graph.sparse_initializer())
      return emitError(location_) << "initializer '" << sparse.values().name()
                                  << "' is sparse, which is not supported; store it as a dense tensor";
    return readNodes(*graph.mutable_node());
  }

  LogicalResult readNodes(OnnxNodes &nodes) {
    for (NodeProto &node : nodes) {
      if (++nodes_ > kMaxOnnxNodes)
        return emitError(location_) << "the model has more than " << kMaxOnnxNodes << " nodes; divide it";
      if (node.op_type().empty())
        return emitError(location_) << "node '" << node.name() << "' has no operator (op_type)";
      if (node.domain() == "ai.onnx")
        node.clear_domain();
      for (const std::string &output : node.output())
        names_.take(output);
      const std::string title = describe(node);
      llvm::StringSet<> names;
      for (AttributeProto &attribute : *node.mutable_attribute()) {
        if (!names.insert(attribute.name()).second)
          return emitError(location_) << title << " has two attributes '" << attribute.name() << "'";
        if (failed(readAttribute(attribute, "attribute '" + Twine(attribute.name()) + "' of " + title)))
          return failure();
      }
    }
    return success();
  }

  LogicalResult readAttribute(AttributeProto &attribute, const Twine &what) {
    if (failed(checkType(attribute, what)))
      return failure();
    if (attribute.has_t() && failed(readTensor(*attribute.mutable_t(), what)))
      return failure();
    return success(!attribute.has_g() || succeeded(readGraph(*attribute.mutable_g())));
  }

  LogicalResult readFunction(FunctionProto &function) {
    if (function.domain() == "ai.onnx")
      function.clear_domain();
    isInFunction_ = false;
    for (AttributeProto &attribute : *function.mutable_attribute_proto())
      if (failed(readAttribute(attribute,
                               "attribute '" + Twine(attribute.name()) + "' of function '" + function.name() + "'")))
        return failure();
    isInFunction_ = true;
    nameNodes(*function.mutable_node());
    return readNodes(*function.mutable_node());
  }

private:
  LogicalResult checkType(const AttributeProto &attribute, const Twine &what) const {
    using Type = AttributeProto;
    const Type::AttributeType type = attribute.type();
    const uint32_t types = typesOf(attribute);
    const bool isReference = !attribute.ref_attr_name().empty();
    if (isReference && (!isInFunction_ || types != 0))
      return emitError(location_) << what << " refers to attribute '" << attribute.ref_attr_name()
                                  << "' of a function, but " << (isInFunction_ ? "has a value" : "is in none");
    if (type == Type::UNDEFINED && !isReference)
      return emitError(location_) << what << " has no type, or one that is none of the format's";
    // No operator has lists of these.
    if (llvm::is_contained({Type::SPARSE_TENSOR, Type::SPARSE_TENSORS, Type::TENSORS, Type::GRAPHS, Type::TYPE_PROTOS},
                           type))
      return emitError(location_) << what << " has type " << Type::AttributeType_Name(type)
                                  << ", which is not supported";
    if (const uint32_t others = types & ~(1u << type))
      return emitError(location_) << what << " has a value of type "
                                  << Type::AttributeType_Name(Type::AttributeType(llvm::countr_zero(others)))
                                  << ", but says " << Type::AttributeType_Name(type);
    if (types == 0 && !isReference && (type == Type::TENSOR || type == Type::GRAPH))
      return emitError(location_) << what << " has no value";
    return success();
  }

  LogicalResult readTensor(TensorProto &tensor, const Twine &what) {
    if (!TensorProto::DataType_IsValid(tensor.data_type()) || tensor.data_type() == TensorProto::UNDEFINED)
      return emitError(location_) << what << " has the element type " << tensor.data_type()
                                  << ", which is none of the format's";
    const ArrayRef<int64_t> extents(tensor.dims().data(), tensor.dims_size());
    if (auto wrong = wrongExtent(extents, 0, kMaxOnnxElements))
      return emitError(location_) << what << " has the extent " << *wrong
                                  << "; extents must be 0 or more and their product at most 2^40";
    if (tensor.has_segment())
      return emitError(location_) << what << " is a segment of a tensor; store it as a whole";
    if (tensor.data_type() == TensorProto::STRING)
      return success();
    const uint64_t bits = llvm::product_of(extents, uint64_t(1)) * storedBits(tensor.data_type()),
                   expected = llvm::divideCeil(bits, 8);
    if (failed(tensor.data_location() == TensorProto::EXTERNAL ? findExternal(tensor, expected, what)
                                                               : decode(tensor, expected, what)))
      return failure();
    const ArrayRef<char> bytes = contents_.bytesOf(tensor);
    if (bytes.size() != expected)
      return emitError(location_) << what << " has " << bytes.size() << " bytes of elements, its type "
                                  << typeOf(tensor) << " and its extents need " << expected;
    if (tensor.data_type() == TensorProto::BOOL && !areTruths(bytes))
      return emitError(location_) << what << " has truth values other than 0 and 1";
    return success();
  }

  static StringRef typeOf(const TensorProto &tensor) {
    return TensorProto::DataType_Name(static_cast<TensorProto::DataType>(tensor.data_type()));
  }

  /// Makes raw_data of the fields that store numbers of varying length. The fields of floats store what raw_data does.
  LogicalResult decode(TensorProto &tensor, uint64_t expected, const Twine &what) {
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
      if (!llvm::isIntN(bits, value) && !llvm::isUIntN(bits, value))
        return emitError(location_) << what << " of type " << typeOf(tensor) << " has the number " << value;
      for (uint32_t bit = 0; bit < bits; bit += 8)
        elements.push_back(static_cast<char>(value >> bit));
    }
    tensor.clear_stored_offset();
    tensor.clear_stored_length();
    tensor.set_raw_data(std::move(elements));
    return success();
  }

  LogicalResult findExternal(TensorProto &tensor, uint64_t expected, const Twine &what) {
    std::string path;
    std::optional<uint64_t> pool;
    uint64_t offset = 0, length = expected;
    for (const StringStringEntryProto &entry : tensor.external_data()) {
      if (entry.key() == "location")
        path = entry.value();
      uint64_t *number = entry.key() == "offset"   ? &offset
                         : entry.key() == "length" ? &length
                         : entry.key() == "pool"   ? &pool.emplace()
                                                   : nullptr;
      if (number && StringRef(entry.value()).getAsInteger(10, *number))
        return emitError(location_) << what << " has external data with the " << entry.key() << " '" << entry.value()
                                    << "', must be a number";
    }
    if (tensor.has_stored_field())
      return emitError(location_) << what << " has elements in the model and external data";
    if (pool && *pool >= contents_.numPools)
      return emitError(location_) << what << " has external data in pool " << *pool << ", but the model comes with "
                                  << contents_.numPools << " pools; a model in a file has no pools";
    FailureOr<uint32_t> file = pool ? static_cast<uint32_t>(*pool + 1) : numberOfFile(path, what);
    if (failed(file))
      return failure();
    const uint64_t size = contents_.external[*file - 1].size();
    if (offset > size || length > size - offset)
      return emitError(location_) << what << " has " << length << " bytes of external data from byte " << offset
                                  << " on, its " << (pool ? "pool " + Twine(*pool) : "file '" + Twine(path) + "'")
                                  << " has " << size << " bytes";
    tensor.set_stored_file(*file);
    tensor.set_stored_offset(offset);
    tensor.set_stored_length(length);
    return success();
  }

  FailureOr<uint32_t> numberOfFile(const std::string &path, const Twine &what) {
    auto [file, isNew] = files_.try_emplace(path, contents_.external.size() + 1);
    if (!isNew)
      return file->second;
    const StringRef model = contents_.file->getBufferIdentifier();
    Result<Mapping> mapped =
        llvm::sys::fs::is_regular_file(model)
            ? mapBelow(llvm::sys::path::parent_path(model).str(), path)
            : invalidArgument("the model does not come from a file, so it has no folder; give its path");
    if (!mapped)
      return emitError(location_) << what << " has external data in '" << path << "': " << mapped.status().message();
    contents_.mappings.push_back(std::move(*mapped));
    contents_.external.push_back(std::as_const(contents_.mappings.back()).bytes());
    return file->second;
  }

  Location location_;
  OnnxContents &contents_;
  UniqueNames &names_;
  bool isInFunction_ = false;
  llvm::StringMap<uint32_t> files_; ///< stored_file, by path
  int nodes_ = 0;
};

} // namespace

ArrayRef<char> OnnxContents::bytesOf(const TensorProto &tensor) const {
  if (!tensor.has_stored_length())
    return {tensor.raw_data().data(), tensor.raw_data().size()};
  if (tensor.stored_file() == 0)
    return {file->getBufferStart() + tensor.stored_offset(), tensor.stored_length()};
  const uint8_t *first = external[tensor.stored_file() - 1].data() + tensor.stored_offset();
  const ArrayRef<char> bytes(reinterpret_cast<const char *>(first), tensor.stored_length());
  if (tensor.stored_file() <= numPools)
    return bytes;
  returnPages(lastExternal);
  return lastExternal = bytes;
}

LogicalResult readValues(Location location, OnnxContents &contents, UniqueNames &names) {
  nameNodes(*contents.model.mutable_graph()->mutable_node());
  ValueReader reader(location, contents, names);
  if (failed(reader.readGraph(*contents.model.mutable_graph())))
    return failure();
  for (FunctionProto &function : *contents.model.mutable_functions())
    if (failed(reader.readFunction(function)))
      return failure();
  return success();
}

} // namespace avocet::compiler
