//===- OnnxFile.cpp - A structurally verified ONNX file ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The classes of protobuf copy all bytes of a message. So the file is first written again without the elements of its
// tensors, whose places are then in stored_*, and without text that nothing reads.
//
//===----------------------------------------------------------------------===//

#include "OnnxSteps.h"

#include "Import/Common/ForeignFile.h"
#include "Import/Common/UniqueNames.h"

#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/wire_format_lite.h"

#include "llvm/Support/LEB128.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

using namespace onnx_file;
using google::protobuf::internal::WireFormatLite;

/// A message to look into, or what becomes of a field.
enum class Kind : uint8_t { Model, Function, Graph, Node, Attribute, Tensor, Elements, Dropped, Copied };

/// Fields of a message. Those that are in no row are copied.
struct Row {
  Kind message;
  std::initializer_list<int> fields;
  Kind are;
};
constexpr Row kRows[] = {
    {Kind::Model, {ModelProto::kGraphFieldNumber}, Kind::Graph},
    {Kind::Model, {ModelProto::kFunctionsFieldNumber}, Kind::Function},
    {Kind::Function, {FunctionProto::kNodeFieldNumber}, Kind::Node},
    {Kind::Function, {FunctionProto::kAttributeProtoFieldNumber}, Kind::Attribute},
    {Kind::Graph, {GraphProto::kNodeFieldNumber}, Kind::Node},
    {Kind::Graph, {GraphProto::kInitializerFieldNumber}, Kind::Tensor},
    {Kind::Node, {NodeProto::kAttributeFieldNumber}, Kind::Attribute},
    {Kind::Attribute, {AttributeProto::kTFieldNumber}, Kind::Tensor},
    {Kind::Attribute, {AttributeProto::kGFieldNumber}, Kind::Graph},
    {Kind::Tensor,
     {TensorProto::kRawDataFieldNumber, TensorProto::kFloatDataFieldNumber, TensorProto::kDoubleDataFieldNumber,
      TensorProto::kInt32DataFieldNumber, TensorProto::kInt64DataFieldNumber, TensorProto::kUint64DataFieldNumber},
     Kind::Elements},
    // Not in the schema: documentation, metadata, training, annotations, devices, and strings as elements.
    {Kind::Model, {6, 14, 20, 26}, Kind::Dropped},
    {Kind::Function, {8, 12, 14}, Kind::Dropped},
    {Kind::Graph, {10, 14, 16}, Kind::Dropped},
    {Kind::Node, {6, 9, 10}, Kind::Dropped},
    {Kind::Attribute, {13}, Kind::Dropped},
    {Kind::Tensor, {6, 12, 16}, Kind::Dropped},
};

Kind kindOf(Kind message, int field) {
  constexpr int kFirstOfReader = 10000;
  for (const Row &row : kRows)
    if (row.message == message && llvm::is_contained(row.fields, field))
      return row.are;
  return field >= kFirstOfReader ? Kind::Dropped : Kind::Copied;
}

class SkeletonWriter {
public:
  explicit SkeletonWriter(StringRef file)
      : file_(file), in_(reinterpret_cast<const uint8_t *>(file.data()), static_cast<int>(file.size())) {}

  /// Parses what it writes. Empty: success; otherwise what is wrong with the file.
  std::string readInto(ModelProto &model) {
    if (!writeMessage(Kind::Model, 1) && problem_.empty())
      problem_ = "it is truncated or corrupt at byte " + std::to_string(in_.CurrentPosition());
    if (problem_.empty() && (!model.ParseFromString(out_) || !model.has_graph()))
      problem_ = "it has no graph";
    return problem_;
  }

private:
  bool writeMessage(Kind message, int depth) {
    constexpr int kMaxDepth = 64;
    constexpr size_t kMaxBytes = size_t{64} << 20; // objects take up to 30 times as much
    if (depth > kMaxDepth)
      problem_ = "messages are nested deeper than " + std::to_string(kMaxDepth);
    TensorProto stored; // of a tensor: where its elements are
    while (problem_.empty()) {
      const int begin = in_.CurrentPosition();
      const uint32_t tag = in_.ReadTag();
      if (tag == 0)
        break;
      if (!writeField(message, begin, tag, depth, stored))
        return false;
      if (out_.size() > kMaxBytes)
        problem_ = "it has more than " + std::to_string(kMaxBytes) + " bytes without the elements of its tensors";
    }
    out_ += stored.SerializeAsString();
    return problem_.empty() && in_.ConsumedEntireMessage();
  }

  bool writeField(Kind message, int begin, uint32_t tag, int depth, TensorProto &stored) {
    const int field = WireFormatLite::GetTagFieldNumber(tag);
    const WireFormatLite::WireType wire = WireFormatLite::GetTagWireType(tag);
    const Kind kind = kindOf(message, field);
    const bool isNested = kind < Kind::Elements, hasLength = wire == WireFormatLite::WIRETYPE_LENGTH_DELIMITED;
    if (field == 0 || wire == WireFormatLite::WIRETYPE_START_GROUP || wire == WireFormatLite::WIRETYPE_END_GROUP ||
        (isNested && !hasLength))
      return false;
    uint32_t length = 0;
    if (hasLength && (!in_.ReadVarint32(&length) || static_cast<int64_t>(length) > in_.BytesUntilLimit()))
      return false;
    const int content = in_.CurrentPosition();
    if (isNested)
      return writeNested(kind, tag, static_cast<int>(length), depth);
    if (hasLength ? !in_.Skip(static_cast<int>(length)) : !WireFormatLite::SkipField(&in_, tag))
      return false;
    if (kind == Kind::Elements)
      addElements(stored, field, content, file_.slice(content, in_.CurrentPosition()));
    if (kind == Kind::Copied)
      out_ += file_.slice(begin, in_.CurrentPosition());
    return true;
  }

  bool writeNested(Kind message, uint32_t tag, int length, int depth) {
    // The new length is not known yet, and has as many bytes as any.
    constexpr size_t kLengthBytes = 5;
    uint8_t start[kLengthBytes];
    out_.append(start, start + llvm::encodeULEB128(tag, start));
    out_.append(kLengthBytes, '\0');
    const size_t begin = out_.size();
    const auto limit = in_.PushLimit(length);
    if (!writeMessage(message, depth + 1))
      return false;
    in_.PopLimit(limit);
    auto *place = reinterpret_cast<uint8_t *>(out_.data() + begin - kLengthBytes);
    return llvm::encodeULEB128(out_.size() - begin, place, kLengthBytes) == kLengthBytes;
  }

  /// A field may come in several parts, also one number at a time.
  void addElements(TensorProto &stored, int field, int offset, StringRef bytes) const {
    const bool isSame = stored.stored_field() == field;
    if (bytes.empty())
      return;
    if (!stored.has_stored_field() || (isSame && field == TensorProto::kRawDataFieldNumber)) {
      stored.set_stored_field(field);
      stored.set_stored_offset(static_cast<uint64_t>(offset));
      stored.set_stored_length(bytes.size());
      return;
    }
    if (stored.has_stored_length())
      stored.set_raw_data(file_.substr(stored.stored_offset(), stored.stored_length()).str());
    stored.clear_stored_length();
    stored.mutable_raw_data()->append(bytes);
    stored.set_stored_field(isSame ? field : -1); // -1: in several fields
  }

  StringRef file_;
  google::protobuf::io::CodedInputStream in_;
  std::string out_, problem_;
};

LogicalResult readModel(Location location, OnnxContents &contents) {
  const StringRef file = contents.file->getBuffer();
  if (file.size() > INT32_MAX)
    return emitError(location) << "the file has " << file.size()
                               << " bytes, an ONNX model has less than 2 GiB; store its tensors as external data";
  if (std::string problem = SkeletonWriter(file).readInto(contents.model); !problem.empty()) {
    // Without the path: whatever its name, the caller takes the file for an ONNX model.
    if (auto kind = describeKnownFile(file, ""))
      problem = "it " + *kind;
    return emitError(location) << "the file is no ONNX model: " << problem;
  }
  constexpr int64_t kFirst = 3, kLast = 13;
  const int64_t version = contents.model.ir_version();
  if (version >= kFirst && version <= kLast)
    return success();
  return emitError(location) << "the model has version " << version << " of the format (ir_version), " << kFirst
                             << " to " << kLast << " are accepted; export it again for one of them";
}

} // namespace

FailureOr<OnnxFile> OnnxFile::open(Location location, std::shared_ptr<llvm::MemoryBuffer> file,
                                   std::span<const std::span<const uint8_t>> pools) {
  auto contents = std::make_shared<OnnxContents>();
  contents->file = std::move(file);
  contents->external.assign(pools.begin(), pools.end());
  contents->numPools = pools.size();
  onnx_file::ModelProto &model = contents->model;
  UniqueNames names;
  if (failed(readModel(location, *contents)) || failed(readValues(location, *contents, names)) ||
      failed(inlineFunctions(location, model, names)) || failed(checkGraph(location, *model.mutable_graph())))
    return failure();
  return OnnxFile(std::move(contents));
}

const onnx_file::GraphProto &OnnxFile::graph() const { return contents_->model.graph(); }

ArrayRef<char> OnnxFile::elements(const onnx_file::TensorProto &tensor) const { return contents_->bytesOf(tensor); }

std::shared_ptr<const void> OnnxFile::bytes() const { return contents_; }

uint32_t storedBits(int32_t dataType) {
  static constexpr uint32_t kBits[] = {0,  32,  8,  8, 16, 16, 32, 64, 0, 8, 16, 64, 32, 64,
                                       64, 128, 16, 8, 8,  8,  8,  4,  4, 4, 8,  2,  2};
  static_assert(std::size(kBits) == onnx_file::TensorProto::DataType_ARRAYSIZE);
  return onnx_file::TensorProto::DataType_IsValid(dataType) ? kBits[dataType] : 0;
}

} // namespace avocet::compiler
