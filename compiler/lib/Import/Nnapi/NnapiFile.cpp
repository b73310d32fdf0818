//===- NnapiFile.cpp - A verified NNAPI model -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NnapiFile.h"

#include "Import/Common/Elements.h"
#include "Import/Common/FileChecks.h"
#include "avocet/compiler/Support/Refusal.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;

namespace avocet::compiler {

using nnapi::Lifetime;

std::string operationNameOf(OperationType type) {
  std::string_view name = nameOf(type);
  return name.empty() ? ("operation " + Twine(static_cast<int32_t>(type))).str() : std::string(name);
}

std::string typeNameOf(OperandType type) {
  std::string_view name = nameOf(type);
  return name.empty() ? ("type " + Twine(static_cast<int32_t>(type))).str() : std::string(name);
}

bool isDynamic(const nnapi::Operand &operand) {
  if (isScalar(typeOf(operand)) || typeOf(operand) == OperandType::Subgraph)
    return false;
  const auto *dimensions = operand.dimensions();
  return !dimensions || dimensions->size() == 0 || llvm::is_contained(*dimensions, 0u);
}

namespace {

constexpr uint64_t kMaxElements = uint64_t(1) << 31;
constexpr uint32_t kMaxNesting = 64;

bool isConstant(const nnapi::Operand &operand) {
  return operand.lifetime() == Lifetime::ConstantCopy || operand.lifetime() == Lifetime::ConstantPool;
}

template <typename T> uint32_t sizeOf(const flatbuffers::Vector<T> *list) { return list ? list->size() : 0; }

/// Product of the extents above 0, saturating at kMaxElements.
uint64_t elementsOf(const nnapi::Operand &operand) {
  uint64_t elements = 1;
  for (uint32_t i = 0; i < sizeOf(operand.dimensions()); ++i)
    elements = std::min<uint64_t>(kMaxElements, elements * std::max(1u, operand.dimensions()->Get(i)));
  return elements;
}

/// Checks one subgraph. Messages name it and the operand or operation.
class SubgraphChecker {
public:
  SubgraphChecker(Location location, const NnapiFile &file, uint32_t number,
                  std::span<const std::span<const uint8_t>> pools)
      : location_(location), file_(file), number_(number), graph_(file.subgraph(number)), pools_(pools),
        defined_(sizeOf(graph_.operands())) {}

  LogicalResult check() {
    for (uint32_t index = 0; index < graph_.operands()->size(); ++index)
      if (failed(checkOperand(index)))
        return failure();
    if (failed(checkBorder(*graph_.inputs(), "input")) || failed(checkBorder(*graph_.outputs(), "output")))
      return failure();
    for (uint32_t index = 0; index < graph_.operations()->size(); ++index)
      if (failed(checkOperation(index)))
        return failure();
    for (uint32_t output : *graph_.outputs())
      if (!defined_[output])
        return broken("operand", output, "is an output that no operation computes");
    return success();
  }

private:
  LogicalResult broken(StringRef kind, uint32_t index, const Twine &rule) const {
    return emitError(location_) << "subgraph " << number_ << ": " << kind << " " << index << " " << rule.str();
  }

  LogicalResult checkOperand(uint32_t index) {
    const nnapi::Operand *operand = graph_.operands()->Get(index);
    OperandType type = typeOf(*operand);
    if (elementBytes(type) == 0 && type != OperandType::Subgraph)
      return broken("operand", index, "has the unknown type " + Twine(operand->type()));
    uint32_t rank = sizeOf(operand->dimensions());
    if (rank > 0 && (isScalar(type) || type == OperandType::Subgraph))
      return broken("operand", index, "is no tensor and has the rank " + Twine(rank));
    if (elementsOf(*operand) >= kMaxElements)
      return broken("operand", index, "has 2^31 elements or more");
    if (failed(checkScales(index, *operand)) || failed(checkLifetime(index, *operand)))
      return failure();
    defined_[index] = isConstant(*operand) || operand->lifetime() == Lifetime::SubgraphInput ||
                      operand->lifetime() == Lifetime::NoValue || operand->lifetime() == Lifetime::Subgraph;
    return success();
  }

  LogicalResult checkScales(uint32_t index, const nnapi::Operand &operand) const {
    bool perChannel = typeOf(operand) == OperandType::TensorQuant8SymmPerChannel;
    uint32_t scales = sizeOf(operand.channel_scales());
    if (!perChannel)
      return scales == 0 ? success() : broken("operand", index, "has channel scales, but its type has none");
    if (operand.channel_dim() >= sizeOf(operand.dimensions()))
      return broken("operand", index,
                    "has the channel dimension " + Twine(operand.channel_dim()) + ", must be below its rank, " +
                        Twine(sizeOf(operand.dimensions())));
    uint32_t extent = operand.dimensions()->Get(operand.channel_dim());
    if (scales == 0 || scales != extent)
      return broken("operand", index, "has " + Twine(scales) + " channel scales for " + Twine(extent) + " channels");
    for (uint32_t channel = 0; channel < scales; ++channel)
      if (float scale = operand.channel_scales()->Get(channel); !isScale(scale))
        return broken("operand", index,
                      "has the scale " + roundedText(scale) + " of channel " + Twine(channel) +
                          ", must be a positive normal number");
    return success();
  }

  LogicalResult checkLifetime(uint32_t index, const nnapi::Operand &operand) const {
    if (operand.lifetime() > Lifetime::MAX)
      return broken("operand", index, "has an unknown lifetime");
    bool isSubgraph = typeOf(operand) == OperandType::Subgraph;
    if (isSubgraph != (operand.lifetime() == Lifetime::Subgraph))
      return broken("operand", index, "has a lifetime that its type does not allow");
    if (isSubgraph)
      return checkReference(index, operand);
    bool known = number_ == 0 && operand.lifetime() == Lifetime::SubgraphInput && sizeOf(operand.data()) != 0;
    return isConstant(operand) || known ? checkData(index, operand) : success();
  }

  LogicalResult checkReference(uint32_t index, const nnapi::Operand &operand) const {
    uint64_t target = static_cast<uint64_t>(static_cast<int64_t>(operand.subgraph()) + 1);
    if (operand.subgraph() < 0 || target >= file_.numSubgraphs())
      return broken("operand", index, "refers to subgraph " + Twine(operand.subgraph()) + ", which does not exist");
    return success();
  }

  LogicalResult checkData(uint32_t index, const nnapi::Operand &operand) const {
    if (isDynamic(operand))
      return broken("operand", index, "is a constant of unknown shape");
    if (operand.lifetime() == Lifetime::ConstantPool && failed(checkLocation(index, operand.location())))
      return failure();
    uint64_t bytes = elementsOf(operand) * elementBytes(typeOf(operand));
    if (file_.data(operand).size() != bytes)
      return broken("operand", index,
                    "has " + Twine(file_.data(operand).size()) + " bytes, its type needs " + Twine(bytes));
    return success();
  }

  LogicalResult checkLocation(uint32_t index, const nnapi::Location *place) const {
    if (!place || place->pool() >= pools_.size())
      return broken("operand", index, "lies in a pool that does not exist");
    uint64_t size = pools_[place->pool()].size();
    if (place->offset() > size || place->length() > size - place->offset())
      return broken("operand", index, "reaches beyond its pool of " + Twine(size) + " bytes");
    return success();
  }

  /// Checks inputs or outputs of the subgraph; omitted inputs of the main one have the lifetime NoValue.
  LogicalResult checkBorder(const flatbuffers::Vector<uint32_t> &list, StringRef kind) const {
    Lifetime wanted = kind == "input" ? Lifetime::SubgraphInput : Lifetime::SubgraphOutput;
    llvm::DenseSet<uint32_t> seen;
    for (uint32_t operand : list) {
      if (operand >= graph_.operands()->size() || !seen.insert(operand).second)
        return broken(kind, operand, "does not exist or is in the list twice");
      Lifetime lifetime = graph_.operands()->Get(operand)->lifetime();
      bool omitted = number_ == 0 && kind == "input" && lifetime == Lifetime::NoValue;
      if (lifetime != wanted && !omitted)
        return broken(kind, operand, "has another lifetime");
    }
    for (uint32_t index = 0; index < graph_.operands()->size(); ++index)
      if (graph_.operands()->Get(index)->lifetime() == wanted && !seen.contains(index))
        return broken("operand", index, ("is no " + kind).str() + " of the subgraph, but has that lifetime");
    return success();
  }

  LogicalResult checkOperation(uint32_t index) {
    const nnapi::Operation *operation = graph_.operations()->Get(index);
    for (uint32_t i = 0; i < sizeOf(operation->inputs()); ++i) {
      uint32_t operand = operation->inputs()->Get(i);
      if (operand >= defined_.size() || !defined_[operand])
        return broken("operation", index, "reads operand " + Twine(operand) + ", which has no value yet");
    }
    if (sizeOf(operation->outputs()) == 0)
      return broken("operation", index, "has no outputs");
    for (uint32_t operand : *operation->outputs()) {
      if (operand >= defined_.size() || defined_[operand])
        return broken("operation", index, "writes operand " + Twine(operand) + ", which it must not");
      defined_[operand] = true;
    }
    return success();
  }

  Location location_;
  const NnapiFile &file_;
  uint32_t number_;
  const nnapi::Subgraph &graph_;
  std::span<const std::span<const uint8_t>> pools_;
  std::vector<bool> defined_;
};

LogicalResult checkExtensions(Location location, const nnapi::Model &model) {
  llvm::SmallSet<uint16_t, 4> prefixes;
  if (model.extensions())
    for (const nnapi::ExtensionPrefix *extension : *model.extensions())
      if (extension->prefix() == 0 || !prefixes.insert(extension->prefix()).second)
        return emitError(location) << "prefix " << extension->prefix() << " of extension "
                                   << StringRef(extension->name()->c_str()) << " is 0 or comes twice";
  return success();
}

/// Detects references that return to their subgraph or are deeper than in any valid model.
class RecursionChecker {
public:
  explicit RecursionChecker(const NnapiFile &file) : file_(file), depth_(file.numSubgraphs(), kUnknown) {}

  /// The depth of references below a subgraph, or failure.
  FailureOr<uint32_t> depthOf(uint32_t number) {
    if (depth_[number] == kOpen)
      return failure();
    if (depth_[number] != kUnknown)
      return depth_[number];
    depth_[number] = kOpen;
    uint32_t depth = 0;
    if (++nesting_ > kMaxNesting)
      return failure();
    for (const nnapi::Operand *operand : *file_.subgraph(number).operands()) {
      if (operand->lifetime() != Lifetime::Subgraph)
        continue;
      FailureOr<uint32_t> below = depthOf(operand->subgraph() + 1);
      if (failed(below))
        return failure();
      depth = std::max(depth, *below + 1);
    }
    --nesting_;
    return depth_[number] = depth;
  }

private:
  static constexpr uint32_t kUnknown = ~0u, kOpen = ~0u - 1;
  const NnapiFile &file_;
  std::vector<uint32_t> depth_;
  uint32_t nesting_ = 0;
};

} // namespace

FailureOr<NnapiFile> NnapiFile::open(Location location, llvm::MemoryBufferRef bytes,
                                     std::span<const std::span<const uint8_t>> pools) {
  const auto *start = reinterpret_cast<const uint8_t *>(bytes.getBufferStart());
  if (failed(verifyFlatbuffer(location, bytes, nnapi::VerifyModelBuffer,
                              "not an NNAPI model: the file is truncated or corrupt")))
    return failure();
  const nnapi::Model *model = nnapi::GetModel(start);
  if (model->format_version() != 1)
    return emitError(location) << "NNAPI model of format version " << model->format_version() << ", must be 1",
           failure();
  if (failed(checkExtensions(location, *model)))
    return failure();
  NnapiFile file(model, pools);
  for (uint32_t number = 0; number < file.numSubgraphs(); ++number)
    if (failed(SubgraphChecker(location, file, number, pools).check()))
      return failure();
  if (failed(RecursionChecker(file).depthOf(0)))
    return emitError(location) << "subgraphs refer to themselves or are nested deeper than " << kMaxNesting, failure();
  return file;
}

StringRef NnapiFile::extension(uint16_t prefix) const {
  if (model_->extensions())
    for (const nnapi::ExtensionPrefix *extension : *model_->extensions())
      if (extension->prefix() == prefix)
        return extension->name()->c_str();
  return "";
}

std::optional<std::span<const uint8_t>> NnapiFile::attribute(StringRef extension, uint16_t code) const {
  if (model_->attributes())
    for (const nnapi::ExtensionAttribute *attribute : *model_->attributes())
      if (attribute->code() == code && extension == attribute->extension()->c_str())
        return attribute->value() ? std::span(attribute->value()->data(), attribute->value()->size())
                                  : std::span<const uint8_t>();
  return std::nullopt;
}

std::span<const uint8_t> NnapiFile::data(const nnapi::Operand &operand) const {
  if (operand.lifetime() == Lifetime::ConstantPool)
    return pools_[operand.location()->pool()].subspan(operand.location()->offset(), operand.location()->length());
  if (operand.lifetime() != Lifetime::ConstantCopy && operand.lifetime() != Lifetime::SubgraphInput)
    return {};
  return operand.data() ? std::span(operand.data()->data(), operand.data()->size()) : std::span<const uint8_t>();
}

namespace {

/// Per-tensor quantization; symmetric types have no zero point.
struct QuantizedForm {
  QuantizedStorage storage;
  bool symmetric;
};

std::optional<QuantizedForm> quantizedForm(OperandType type) {
  switch (type) {
  case OperandType::TensorQuant8Asymm:
    return QuantizedForm{{8, false}, false};
  case OperandType::TensorQuant8AsymmSigned:
    return QuantizedForm{{8, true}, false};
  case OperandType::TensorQuant8Symm:
    return QuantizedForm{{8, true}, true};
  case OperandType::TensorQuant16Symm:
    return QuantizedForm{{16, true}, true};
  case OperandType::TensorQuant16Asymm:
    return QuantizedForm{{16, false}, false};
  default:
    return std::nullopt;
  }
}

NnapiElement perTensor(MLIRContext *context, const nnapi::Operand &operand, QuantizedForm form) {
  if (!isScale(operand.scale()))
    return {{}, "the scale is a positive normal number, found " + roundedText(operand.scale())};
  int64_t zeroPoint = operand.zero_point();
  if (zeroPoint < (form.symmetric ? 0 : form.storage.min()) || zeroPoint > (form.symmetric ? 0 : form.storage.max()))
    return {{}, "the zero point is a value of the type, found " + std::to_string(zeroPoint)};
  return {form.storage.perTensor(context, operand.scale(), zeroPoint), ""};
}

NnapiElement perChannel(MLIRContext *context, const nnapi::Operand &operand) {
  SmallVector<double> scales(operand.channel_scales()->begin(), operand.channel_scales()->end());
  SmallVector<int64_t> zeroPoints(scales.size(), 0);
  return {QuantizedStorage{8, true}.perAxis(context, scales, zeroPoints, operand.channel_dim()), ""};
}

} // namespace

NnapiElement elementTypeOf(MLIRContext *context, const nnapi::Operand &operand) {
  OperandType type = typeOf(operand);
  if (std::optional<QuantizedForm> form = quantizedForm(type))
    return perTensor(context, operand, *form);
  switch (type) {
  case OperandType::TensorQuant8SymmPerChannel:
    return perChannel(context, operand);
  case OperandType::Float32:
  case OperandType::TensorFloat32:
    return {Float32Type::get(context), ""};
  case OperandType::Float16:
  case OperandType::TensorFloat16:
    return {Float16Type::get(context), ""};
  case OperandType::Int32:
  case OperandType::UInt32:
  case OperandType::TensorInt32:
    return {IntegerType::get(context, 32), ""};
  case OperandType::Bool:
  case OperandType::TensorBool8:
    return {IntegerType::get(context, 1), ""};
  default:
    return {{}, "the type is one of values, found " + typeNameOf(type)};
  }
}

SmallVector<int64_t> dimensionsOf(const nnapi::Operand &operand) {
  if (!operand.dimensions())
    return {};
  return SmallVector<int64_t>(operand.dimensions()->begin(), operand.dimensions()->end());
}

} // namespace avocet::compiler
