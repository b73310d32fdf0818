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

/// Checks the tensors and shapes of one block, and lists them.
class RecordCheck {
public:
  RecordCheck(Location location, TosaGraph &graph) : location_(location), graph_(graph) {}

  LogicalResult run() {
    for (const tosa_file::TosaTensor *tensor : listOf(graph_.block->tensors()))
      if (failed(checkTensor(*tensor)))
        return failure();
    for (const tosa_file::TosaShape *shape : listOf(graph_.block->shapes()))
      if (failed(checkShape(*shape)))
        return failure();
    return success();
  }

private:
  InFlightDiagnostic error() const { return graph_.error(location_); }

  LogicalResult checkRecord(const flatbuffers::String *name, TosaRecord record) {
    const StringRef text = textOf(name);
    if (auto problem = nameProblem(record.tensor ? "a tensor" : "a shape", text))
      return error() << *problem;
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
    const SmallVector<int64_t> extents = extentsOf(tensor);
    if (extents.size() > nn::kMaxTensorRank)
      return error() << "tensor '" << name << "' has rank " << extents.size() << ", the limit is "
                     << nn::kMaxTensorRank;
    if (auto wrong = wrongExtent(extents, 1, INT32_MAX))
      return error() << "tensor '" << name << "' has the extent " << *wrong
                     << "; extents must be 1 or more and their product below 2^31; write the network with static "
                        "shapes";
    return checkData(tensor, llvm::divideCeil(llvm::product_of(extents, uint64_t(1)) * bits, 8));
  }

  LogicalResult checkData(const tosa_file::TosaTensor &tensor, uint64_t expected) {
    const ArrayRef<char> data = bytesOf(tensor.data());
    if (!data.empty() && data.size() != expected)
      return error() << "tensor '" << textOf(tensor.name()) << "' has " << data.size()
                     << " bytes of data, its type and shape need " << expected;
    if (tensor.type() == tosa_file::DType::BOOL && !areTruths(data))
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

  Location location_;
  TosaGraph &graph_;
};

} // namespace

SmallVector<StringRef> namesIn(const flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>> *list) {
  return llvm::map_to_vector(listOf(list), textOf);
}

StringRef textOf(const flatbuffers::String *text) { return text ? StringRef(text->data(), text->size()) : StringRef(); }

ArrayRef<char> bytesOf(const flatbuffers::Vector<uint8_t> *bytes) {
  return bytes ? ArrayRef(reinterpret_cast<const char *>(bytes->data()), bytes->size()) : ArrayRef<char>();
}

SmallVector<int64_t> extentsOf(const tosa_file::TosaTensor &tensor) {
  return tensor.shape() ? SmallVector<int64_t>(tensor.shape()->begin(), tensor.shape()->end()) : SmallVector<int64_t>();
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

InFlightDiagnostic TosaGraph::error(Location location) const {
  InFlightDiagnostic error = emitError(location);
  if (!name.empty() && name != region)
    error << "block '" << name << "' of ";
  error << "region '" << region << "': ";
  return error;
}

FailureOr<TosaFile> TosaFile::open(Location location, llvm::MemoryBufferRef bytes) {
  if (failed(verifyFlatbuffer(location, bytes, tosa_file::VerifyTosaGraphBuffer,
                              "file is not a TOSA flatbuffer: it is truncated or corrupt")))
    return failure();
  const tosa_file::TosaGraph &graph = *tosa_file::GetTosaGraph(bytes.getBufferStart());
  TosaFile file;
  if (failed(file.checkVersion(location, graph.version())) || failed(file.readGraphs(location, graph)))
    return failure();
  for (TosaGraph &each : file.graphs_)
    if (failed(RecordCheck(location, each).run()))
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
  for (const tosa_file::TosaRegion *region : listOf(file.regions())) {
    const StringRef name = textOf(region->name());
    const auto blocks = listOf(region->blocks());
    if (!regions.insert(name).second)
      return emitError(location) << "two regions are called '" << name << "'";
    if (blocks.empty())
      return emitError(location) << "region '" << name << "' has no block";
    llvm::StringSet<> names;
    for (const tosa_file::TosaBasicBlock *block : blocks) {
      const StringRef own = textOf(block->name());
      if (!names.insert(own).second)
        return emitError(location) << "two blocks of region '" << name << "' are called '" << own << "'";
      graphs_.push_back({name, own, block, {}});
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
