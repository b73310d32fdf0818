//===- TfliteFile.cpp - A structurally verified TFLite file -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TfliteFile.h"

#include "Import/Common/BorderTensors.h"
#include "Import/Common/FileChecks.h"

#include "mlir/IR/Diagnostics.h"

#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

constexpr uint32_t kFormatVersion = 3;

/// Emits an error if an index is outside [least, count).
LogicalResult checkIndices(Location location, const Twine &what, const flatbuffers::Vector<int32_t> *indices,
                           int32_t least, uint32_t count) {
  if (!indices)
    return success();
  for (int32_t index : *indices)
    if (index < least || index >= static_cast<int64_t>(count))
      return emitError(location) << what << " names tensor " << index << ", the graph has " << count;
  return success();
}

/// Emits an error if a name is too long.
LogicalResult checkName(Location location, const Twine &what, const flatbuffers::String *name) {
  const auto problem = lengthProblem(name ? StringRef(name->c_str(), name->size()) : StringRef());
  return problem ? LogicalResult(emitError(location) << "the name of " << what << " " << *problem) : success();
}

/// Buffers may be stored after the flatbuffer; offsets 0 and 1 are place holders of writers.
bool isOutside(const tflite::Buffer &buffer) { return buffer.offset() > 1; }

/// The verifier checks the alignment of a vector's length, not of its elements; only zero points are wider. Writers do
/// not align an empty vector.
bool isAligned(const flatbuffers::Vector<int64_t> *values) {
  return !values || values->size() == 0 || reinterpret_cast<uintptr_t>(values->Data()) % alignof(int64_t) == 0;
}

} // namespace

TfliteFile::TfliteFile(llvm::MemoryBufferRef bytes) : bytes_(bytes), model_(tflite::GetModel(bytes.getBufferStart())) {}

FailureOr<TfliteFile> TfliteFile::open(Location location, llvm::MemoryBufferRef bytes) {
  if (failed(verifyFlatbuffer(location, bytes, tflite::VerifyModelBuffer,
                              "file is not a TFLite flatbuffer: it is truncated or corrupt")))
    return failure();
  TfliteFile file(bytes);
  if (failed(file.checkModel(location)) || failed(file.checkBorder(location)))
    return failure();
  return file.subgraph(0);
}

TfliteFile TfliteFile::subgraph(uint32_t index) const {
  TfliteFile other(bytes_); // not a copy of this one, whose shapes may be many
  other.graph_ = model_->subgraphs()->Get(index);
  return other;
}

/// Names the subgraph in errors of all but the first one.
static Location subgraphLocation(Location location, uint32_t index) {
  if (index == 0)
    return location;
  return NameLoc::get(StringAttr::get(location.getContext(), "subgraph " + Twine(index)), location);
}

LogicalResult TfliteFile::checkModel(Location location) const {
  if (model_->version() != kFormatVersion)
    return emitError(location) << "format version is " << model_->version() << ", must be " << kFormatVersion;
  // After verification, vectors of tables contain no null.
  if (!model_->subgraphs() || model_->subgraphs()->size() == 0)
    return emitError(location, "model has no subgraph");
  for (uint32_t index = 0; model_->operator_codes() && index < model_->operator_codes()->size(); ++index)
    if (failed(checkName(location, "custom operator " + Twine(index),
                         model_->operator_codes()->Get(index)->custom_code())))
      return failure();
  for (uint32_t index = 0; index < numSubgraphs(); ++index)
    if (failed(subgraph(index).checkGraph(subgraphLocation(location, index))))
      return failure();
  for (uint32_t index = 0; model_->signatures() && index < model_->signatures()->size(); ++index)
    if (failed(checkSignature(location, *model_->signatures()->Get(index))))
      return failure();
  return success();
}

LogicalResult TfliteFile::checkGraph(Location location) const {
  for (uint32_t index = 0; index < numTensors(); ++index)
    if (failed(checkTensor(location, index)))
      return failure();
  if (failed(checkIndices(location, "graph inputs", graph_->inputs(), 0, numTensors())) ||
      failed(checkIndices(location, "graph outputs", graph_->outputs(), 0, numTensors())))
    return failure();
  for (uint32_t index = 0; index < numOperators(); ++index)
    if (failed(checkOperator(location, index)))
      return failure();
  return success();
}

LogicalResult TfliteFile::checkBorder(Location location) const {
  const tflite::SubGraph &graph = subgraph(0).graph();
  const uint64_t inputs = graph.inputs() ? graph.inputs()->size() : 0;
  const uint64_t outputs = graph.outputs() ? graph.outputs()->size() : 0;
  return compiler::checkBorder(location, {inputs, outputs});
}

LogicalResult TfliteFile::checkSignature(Location location, const tflite::SignatureDef &signature) const {
  if (failed(checkName(location, "a signature", signature.key())))
    return failure();
  StringRef key = signature.key() ? StringRef(signature.key()->c_str()) : StringRef();
  if (signature.subgraph() >= numSubgraphs())
    return emitError(location) << "signature '" << key << "' names subgraph " << signature.subgraph()
                               << ", the model has " << numSubgraphs();
  const TfliteFile graph = subgraph(signature.subgraph());
  for (const auto *tensors : {signature.inputs(), signature.outputs()})
    for (uint32_t i = 0; tensors && i < tensors->size(); ++i) {
      if (failed(checkName(location, "an input or output of signature '" + key + "'", tensors->Get(i)->name())))
        return failure();
      if (tensors->Get(i)->tensor() >= graph.numTensors())
        return emitError(location) << "signature '" << key << "' names tensor " << tensors->Get(i)->tensor()
                                   << ", its subgraph has " << graph.numTensors();
    }
  return success();
}

LogicalResult TfliteFile::checkTensor(Location location, uint32_t index) const {
  if (failed(checkName(location, "tensor " + Twine(index), this->tensor(index).name())))
    return failure();
  int64_t elements = 1;
  for (int64_t extent : shape(index)) {
    if (extent < 0 || extent > INT32_MAX / elements)
      return emitError(location) << "tensor " << index << " has the extent " << extent
                                 << "; extents must not be negative and their product must be below 2^31";
    elements *= std::max<int64_t>(extent, 1);
  }
  const tflite::Quantization *quantization = this->tensor(index).quantization();
  if (quantization && !isAligned(quantization->zero_point()))
    return emitError(location) << "tensor " << index << " has zero points that are not at a multiple of 8 bytes";
  return checkBuffer(location, index);
}

LogicalResult TfliteFile::checkBuffer(Location location, uint32_t tensor) const {
  uint32_t index = this->tensor(tensor).buffer(), count = model_->buffers() ? model_->buffers()->size() : 0;
  if (index >= count)
    // Files without constants may omit the list; index 0 then means "no buffer".
    return index == 0
               ? success()
               : emitError(location) << "tensor " << tensor << " names buffer " << index << ", the model has " << count;
  const tflite::Buffer &buffer = *model_->buffers()->Get(index);
  if (!isOutside(buffer))
    return success();
  auto end = llvm::checkedAddUnsigned<uint64_t>(buffer.offset(), buffer.size());
  if (!end || *end > bytes_.getBufferSize())
    return emitError(location) << "buffer " << index << " at offset " << buffer.offset() << " with " << buffer.size()
                               << " bytes reaches beyond the end of the file at byte " << bytes_.getBufferSize();
  return success();
}

LogicalResult TfliteFile::checkOperator(Location location, uint32_t index) const {
  const tflite::Operator &operation = this->operation(index);
  uint32_t codes = model_->operator_codes() ? model_->operator_codes()->size() : 0;
  if (operation.opcode_index() >= codes)
    return emitError(location) << "operator " << index << " has code " << operation.opcode_index() << ", the model has "
                               << codes;
  std::string what = ("operator " + Twine(index)).str();
  if (failed(checkIndices(location, what + ", inputs", operation.inputs(), -1, numTensors())) ||
      failed(checkIndices(location, what + ", outputs", operation.outputs(), 0, numTensors())) ||
      failed(checkIndices(location, what + ", intermediates", operation.intermediates(), -1, numTensors())))
    return failure();
  return success();
}

std::string TfliteFile::tensorName(int32_t index) const {
  const flatbuffers::String *name = tensor(index).name();
  return name && name->size() ? name->str() : ("tensor" + Twine(index)).str();
}

SmallVector<int64_t> TfliteFile::shape(int32_t index) const {
  if (auto replaced = shapes_.find(index); replaced != shapes_.end())
    return replaced->second;
  const auto *shape = tensor(index).shape();
  return shape ? SmallVector<int64_t>(shape->begin(), shape->end()) : SmallVector<int64_t>();
}

ArrayRef<char> TfliteFile::data(int32_t index) const {
  uint32_t number = tensor(index).buffer();
  if (!model_->buffers() || number >= model_->buffers()->size())
    return {};
  const tflite::Buffer &buffer = *model_->buffers()->Get(number);
  if (isOutside(buffer))
    return ArrayRef(bytes_.getBufferStart() + buffer.offset(), buffer.size());
  if (!buffer.data())
    return {};
  return ArrayRef(reinterpret_cast<const char *>(buffer.data()->data()), buffer.data()->size());
}

SmallVector<int32_t> TfliteFile::outputs(uint32_t index) const {
  const auto *outputs = operation(index).outputs();
  return outputs ? SmallVector<int32_t>(outputs->begin(), outputs->end()) : SmallVector<int32_t>();
}

tflite::BuiltinOperator TfliteFile::code(uint32_t index) const {
  const tflite::OperatorCode &code = *model_->operator_codes()->Get(operation(index).opcode_index());
  return std::max(code.builtin_code(), static_cast<tflite::BuiltinOperator>(code.deprecated_builtin_code()));
}

StringRef TfliteFile::customName(uint32_t index) const {
  const tflite::OperatorCode &code = *model_->operator_codes()->Get(operation(index).opcode_index());
  const bool isCustom = this->code(index) == tflite::BuiltinOperator::CUSTOM && code.custom_code();
  return isCustom ? StringRef(code.custom_code()->data(), code.custom_code()->size()) : StringRef();
}

std::string TfliteFile::operationName(uint32_t index) const {
  const tflite::OperatorCode &code = *model_->operator_codes()->Get(operation(index).opcode_index());
  tflite::BuiltinOperator number = this->code(index);
  if (number == tflite::BuiltinOperator::CUSTOM && code.custom_code())
    return "CUSTOM(" + code.custom_code()->str() + ")";
  std::string name = tflite::EnumNameBuiltinOperator(number);
  return name.empty() ? ("operator " + Twine(static_cast<int32_t>(number))).str() : name;
}

} // namespace avocet::compiler
