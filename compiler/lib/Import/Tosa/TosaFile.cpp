//===- TosaFile.cpp - A structurally verified TOSA file ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TosaFile.h"

#include "Import/Common/FileChecks.h"
#include "avocet/compiler/Dialect/Nn/NnRank.h"

#include "mlir/IR/Diagnostics.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

constexpr size_t kMaxGraphs = 1 << 12;

/// Checks one block, and lists its records.
class GraphCheck {
public:
  GraphCheck(Location location, TosaGraph &graph) : location_(location), graph_(graph) {}

  LogicalResult run() {
    if (graph_.block->tensors())
      for (const tosa_file::TosaTensor *tensor : *graph_.block->tensors())
        if (failed(checkTensor(*tensor)))
          return failure();
    if (graph_.block->shapes())
      for (const tosa_file::TosaShape *shape : *graph_.block->shapes())
        if (failed(checkShape(*shape)))
          return failure();
    for (StringRef input : graph_.inputs())
      if (failed(define("the block takes", input)))
        return failure();
    for (uint32_t index = 0; index < graph_.numOperators(); ++index)
      if (failed(checkOperator(index)))
        return failure();
    for (StringRef output : graph_.outputs())
      if (failed(checkDefined("the block returns", output)))
        return failure();
    return success();
  }

private:
  InFlightDiagnostic error() const {
    InFlightDiagnostic error = emitError(location_);
    if (!graph_.name.empty() && graph_.name != graph_.region)
      error << "block '" << graph_.name << "' of ";
    error << "region '" << graph_.region << "': ";
    return error;
  }

  LogicalResult checkRecord(const flatbuffers::String *name, TosaRecord record) {
    const StringRef text = textOf(name);
    if (text.empty())
      return error() << "a " << (record.tensor ? "tensor" : "shape") << " has no name";
    if (auto problem = lengthProblem(text))
      return error() << "a name " << *problem;
    if (!graph_.records.try_emplace(text, record).second)
      return error() << "two tensors or shapes are called '" << text << "'";
    return success();
  }

  LogicalResult checkTensor(const tosa_file::TosaTensor &tensor) {
    if (failed(checkRecord(tensor.name(), {&tensor, nullptr})))
      return failure();
    const StringRef name = textOf(tensor.name());
    const uint32_t bits = storedBits(tensor.type());
    if (bits == 0)
      return error() << "tensor '" << name << "' has the element type " << static_cast<uint32_t>(tensor.type())
                     << ", which is none of the format's";
    if (tensor.is_unranked())
      return error() << "tensor '" << name << "' has no rank; write the network with static shapes";
    uint64_t elements = 1;
    if (tensor.shape() && tensor.shape()->size() > nn::kMaxTensorRank)
      return error() << "tensor '" << name << "' has rank " << tensor.shape()->size() << ", the limit is "
                     << nn::kMaxTensorRank;
    for (uint32_t axis = 0; tensor.shape() && axis < tensor.shape()->size(); ++axis) {
      const int64_t extent = tensor.shape()->Get(axis);
      if (extent < 1 || static_cast<uint64_t>(extent) > INT32_MAX / elements)
        return error() << "tensor '" << name << "' has the extent " << extent
                       << "; extents must be 1 or more and their product below 2^31; write the network with static "
                          "shapes";
      elements *= static_cast<uint64_t>(extent);
    }
    return checkData(tensor, llvm::divideCeil(elements * bits, 8));
  }

  LogicalResult checkData(const tosa_file::TosaTensor &tensor, uint64_t expected) {
    const ArrayRef<char> data = bytesOf(tensor.data());
    if (!data.empty() && data.size() != expected)
      return error() << "tensor '" << textOf(tensor.name()) << "' has " << data.size()
                     << " bytes of data, its type and shape need " << expected;
    if (tensor.type() == tosa_file::DType::BOOL && llvm::any_of(data, [](char byte) { return byte != 0 && byte != 1; }))
      return error() << "tensor '" << textOf(tensor.name()) << "' has truth values other than 0 and 1";
    return success();
  }

  LogicalResult checkShape(const tosa_file::TosaShape &shape) {
    if (failed(checkRecord(shape.name(), {nullptr, &shape})))
      return failure();
    constexpr uint64_t kMostRank = 1 << 16;
    const size_t bytes = bytesOf(shape.data()).size();
    const uint64_t expected = uint64_t{shape.rank()} * sizeof(int64_t);
    if (shape.rank() > kMostRank || (bytes != 0 && bytes != expected))
      return error() << "shape '" << textOf(shape.name()) << "' has rank " << shape.rank() << " and " << bytes
                     << " bytes, needs " << expected << "; the limit of the rank is " << kMostRank;
    return success();
  }

  LogicalResult checkOperator(uint32_t index) {
    const tosa_file::TosaOperator &operation = graph_.operation(index);
    if (operation.op() <= tosa_file::Op::MIN || operation.op() > tosa_file::Op::MAX)
      return error() << "operator " << index << " has the number " << static_cast<uint32_t>(operation.op())
                     << ", which is none of the format's";
    const std::string what = ("operator " + Twine(index) + " " + kindOf(operation)).str();
    const auto member = static_cast<uint32_t>(operation.attribute_type());
    if (member != 0 && (member != static_cast<uint32_t>(operation.op()) || !operation.attribute()))
      return error() << what << " has the attributes of another operator, number " << member;
    for (StringRef input : namesIn(operation.inputs()))
      if (failed(checkDefined(what + " reads", input)))
        return failure();
    for (StringRef output : namesIn(operation.outputs()))
      if (failed(define(what + " computes", output)))
        return failure();
    return checkConstant(what, operation);
  }

  LogicalResult checkConstant(StringRef what, const tosa_file::TosaOperator &operation) {
    if (!isConstant(operation))
      return success();
    const bool isShape = operation.op() == tosa_file::Op::CONST_SHAPE;
    const SmallVector<StringRef> outputs = namesIn(operation.outputs());
    const TosaRecord record = outputs.size() == 1 ? graph_.records.lookup(outputs.front()) : TosaRecord();
    // A shape of rank 0 has no bytes.
    const bool hasData = isShape ? record.shape && (record.shape->rank() == 0 || !bytesOf(record.shape->data()).empty())
                                 : record.tensor && !bytesOf(record.tensor->data()).empty();
    if (!hasData || !namesIn(operation.inputs()).empty())
      return error() << what << " must have no inputs and one output, a " << (isShape ? "shape" : "tensor")
                     << " with data";
    return success();
  }

  LogicalResult checkListed(const Twine &use, StringRef name) {
    if (graph_.records.contains(name))
      return success();
    return error() << use << " '" << name << "', which is no tensor or shape of the block";
  }

  LogicalResult define(const Twine &use, StringRef name) {
    if (failed(checkListed(use, name)))
      return failure();
    if (!defined_.insert(name).second)
      return error() << use << " '" << name << "', which has a value already";
    return success();
  }

  LogicalResult checkDefined(const Twine &use, StringRef name) {
    if (failed(checkListed(use, name)))
      return failure();
    if (!defined_.contains(name))
      return error() << use << " '" << name << "', which nothing before it computes";
    return success();
  }

  Location location_;
  TosaGraph &graph_;
  llvm::StringSet<> defined_;
};

} // namespace

SmallVector<StringRef> namesIn(const flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>> *list) {
  SmallVector<StringRef> names;
  for (uint32_t i = 0; list && i < list->size(); ++i)
    names.push_back(textOf(list->Get(i)));
  return names;
}

StringRef textOf(const flatbuffers::String *text) { return text ? StringRef(text->data(), text->size()) : StringRef(); }

ArrayRef<char> bytesOf(const flatbuffers::Vector<uint8_t> *bytes) {
  return bytes ? ArrayRef(reinterpret_cast<const char *>(bytes->data()), bytes->size()) : ArrayRef<char>();
}

StringRef kindOf(const tosa_file::TosaOperator &operation) { return tosa_file::EnumNameOp(operation.op()); }

bool isConstant(const tosa_file::TosaOperator &operation) {
  return operation.op() == tosa_file::Op::CONST || operation.op() == tosa_file::Op::CONST_SHAPE;
}

uint32_t storedBits(tosa_file::DType type) {
  static constexpr uint32_t kBits[] = {0, 8, 4, 8, 16, 32, 48, 32, 16, 16, 0, 8, 8};
  static_assert(std::size(kBits) == static_cast<size_t>(tosa_file::DType::MAX) + 1);
  return type <= tosa_file::DType::MAX ? kBits[static_cast<size_t>(type)] : 0;
}

SmallVector<StringRef> TosaGraph::inputs() const { return namesIn(block->inputs()); }
SmallVector<StringRef> TosaGraph::outputs() const { return namesIn(block->outputs()); }

FailureOr<TosaFile> TosaFile::open(Location location, llvm::MemoryBufferRef bytes) {
  if (failed(verifyFlatbuffer(location, bytes, tosa_file::VerifyTosaGraphBuffer,
                              "file is not a TOSA flatbuffer: it is truncated or corrupt")))
    return failure();
  const tosa_file::TosaGraph &graph = *tosa_file::GetTosaGraph(bytes.getBufferStart());
  TosaFile file;
  if (failed(file.checkVersion(location, graph.version())) || failed(file.readGraphs(location, graph)))
    return failure();
  for (TosaGraph &each : file.graphs_)
    if (failed(GraphCheck(location, each).run()))
      return failure();
  return file;
}

LogicalResult TosaFile::checkVersion(Location location, const tosa_file::Version *version) {
  if (!version)
    return emitError(location, "the file does not say its version of TOSA");
  const bool isKnown = version->_major() == 1 && (version->_minor() == 0 ? !version->_draft() : version->_draft()) &&
                       (version->_minor() == 0 || version->_minor() == 1);
  if (!isKnown)
    return emitError(location) << "the file is of TOSA " << version->_major() << "." << version->_minor() << "."
                               << version->_patch() << (version->_draft() ? " (draft)" : "")
                               << ", accepted are 1.0 and the draft of 1.1; write it again with a newer tool";
  version_ = version->_minor() == 0 ? TosaVersion::V10 : TosaVersion::V11Draft;
  return success();
}

LogicalResult TosaFile::readGraphs(Location location, const tosa_file::TosaGraph &file) {
  llvm::StringSet<> regions;
  for (uint32_t i = 0; file.regions() && i < file.regions()->size(); ++i) {
    const tosa_file::TosaRegion &region = *file.regions()->Get(i);
    const StringRef name = textOf(region.name());
    if (!regions.insert(name).second)
      return emitError(location) << "two regions are called '" << name << "'";
    if (!region.blocks() || region.blocks()->size() == 0)
      return emitError(location) << "region '" << name << "' has no block";
    llvm::StringSet<> blocks;
    for (const tosa_file::TosaBasicBlock *block : *region.blocks()) {
      if (!blocks.insert(textOf(block->name())).second)
        return emitError(location) << "two blocks of region '" << name << "' are called '" << textOf(block->name())
                                   << "'";
      graphs_.push_back({name, textOf(block->name()), block, {}});
    }
  }
  if (graphs_.empty() || graphs_.size() > kMaxGraphs)
    return emitError(location) << "the file has " << graphs_.size() << " blocks, must have 1 to " << kMaxGraphs;
  return success();
}

const TosaGraph *TosaFile::graph(const TosaGraph &user, StringRef name) const {
  const TosaGraph *found = nullptr;
  for (const TosaGraph &each : llvm::reverse(graphs_))
    if (each.region == name || (!found && each.region == user.region && each.name == name))
      found = &each;
  return found;
}

} // namespace avocet::compiler
