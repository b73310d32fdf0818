//===- DescriptionAttr.h - Model descriptions as attributes -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One list of fields for each struct of cache/ModelDescription.h that the cmd level shows as a dictionary. Attributes
// are written and read by visiting these lists.
//
// Converts the tables of a model description to arrays of dictionaries and back. Fields with default values are
// omitted; numbers are 64-bit integers, enumerations their names, lists dense arrays. Reading rejects unknown fields
// and wrong kinds.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_EMIT_DESCRIPTIONATTR_H
#define AVOCET_COMPILER_LIB_EMIT_DESCRIPTIONATTR_H

#include "avocet/cache/ModelDescription.h"
#include "avocet/firmware_iface/Reflection.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

#include <type_traits>

namespace avocet::compiler {

/// The scalar fields of the whole model; tables and streams are operations and arrays of their own.
struct ModelHeader {
  std::string compilerVersion;
  std::string modelName;
  std::string targetName;
  uint64_t targetFingerprint = 0;
  uint64_t sramPeakBytes = 0;
  uint64_t rooflineCycles = 0;
  uint64_t deviceCycles = 0;
  uint64_t leastDramBytes = 0;
  uint64_t predictedCycles = 0;
};

template <typename Self, typename V>
  requires std::is_same_v<std::remove_const_t<Self>, ModelHeader>
void visitFields(Self &self, V &&visit) {
  visit("compilerVersion", self.compilerVersion);
  visit("modelName", self.modelName);
  visit("targetName", self.targetName);
  visit("targetFingerprint", self.targetFingerprint);
  visit("sramPeakBytes", self.sramPeakBytes);
  visit("rooflineCycles", self.rooflineCycles);
  visit("deviceCycles", self.deviceCycles);
  visit("leastDramBytes", self.leastDramBytes);
  visit("predictedCycles", self.predictedCycles);
}

template <typename Self, typename V>
  requires std::is_same_v<std::remove_const_t<Self>, cache::Quantization>
void visitFields(Self &self, V &&visit) {
  visit("scales", self.scales);
  visit("zeroPoints", self.zeroPoints);
  visit("axis", self.axis);
}

template <typename Self, typename V>
  requires std::is_same_v<std::remove_const_t<Self>, cache::Operand>
void visitFields(Self &self, V &&visit) {
  visit("name", self.name);
  visit("type", self.type);
  visit("shape", self.shape);
  visit("bytes", self.bytes);
  visit("quantization", self.quantization);
  visit("isState", self.isState);
  visit("initial", self.initial);
}

template <typename Self, typename V>
  requires std::is_same_v<std::remove_const_t<Self>, cache::MemoryEntry>
void visitFields(Self &self, V &&visit) {
  visit("name", self.name);
  visit("region", self.region);
  visit("address", self.address);
  visit("bytes", self.bytes);
  visit("firstStep", self.firstStep);
  visit("lastStep", self.lastStep);
  visit("operation", self.operation);
}

template <typename Self, typename V>
  requires std::is_same_v<std::remove_const_t<Self>, cache::Layer>
void visitFields(Self &self, V &&visit) {
  visit("name", self.name);
  visit("operation", self.operation);
  visit("group", self.group);
  visit("engine", self.engine);
  visit("macs", self.macs);
  visit("computeCycles", self.computeCycles);
  visit("deviceCycles", self.deviceCycles);
  visit("rooflineCycles", self.rooflineCycles);
  visit("weightBytes", self.weightBytes);
  visit("inputBytes", self.inputBytes);
  visit("outputBytes", self.outputBytes);
}

template <typename Self, typename V>
  requires std::is_same_v<std::remove_const_t<Self>, cache::SourceEntry>
void visitFields(Self &self, V &&visit) {
  visit("layer", self.layer);
  visit("operation", self.operation);
  visit("location", self.location);
  visit("kind", self.kind);
}

template <typename Self, typename V>
  requires std::is_same_v<std::remove_const_t<Self>, cache::SourceOperation>
void visitFields(Self &self, V &&visit) {
  visit("name", self.name);
  visit("layer", self.layer);
  visit("type", self.type);
  visit("height", self.height);
  visit("width", self.width);
  visit("channels", self.channels);
}

class DescriptionWriter {
public:
  explicit DescriptionWriter(mlir::MLIRContext *context) : context_(context) {}

  mlir::Attribute write(const std::string &text) const { return mlir::StringAttr::get(context_, text); }
  template <std::integral T> mlir::Attribute write(T number) const {
    return mlir::IntegerAttr::get(mlir::IntegerType::get(context_, 64), static_cast<int64_t>(number));
  }
  template <firmware::WireEnum E> mlir::Attribute write(E value) const {
    std::string_view name = firmware::valueName(value);
    return mlir::StringAttr::get(context_, llvm::StringRef(name.data(), name.size()));
  }
  mlir::Attribute write(const std::vector<int32_t> &list) const { return mlir::DenseI32ArrayAttr::get(context_, list); }
  mlir::Attribute write(const std::vector<uint8_t> &bytes) const {
    return mlir::DenseI8ArrayAttr::get(context_, llvm::SmallVector<int8_t>(bytes.begin(), bytes.end()));
  }
  mlir::Attribute write(const std::vector<float> &list) const { return mlir::DenseF32ArrayAttr::get(context_, list); }

  template <typename T>
    requires requires(const T &value) { visitFields(value, [](const char *, const auto &) {}); }
  mlir::DictionaryAttr write(const T &value) const {
    const T defaults{};
    llvm::SmallVector<mlir::Attribute> defaultFields;
    visitFields(defaults, [&](const char *, const auto &field) { defaultFields.push_back(write(field)); });
    llvm::SmallVector<mlir::NamedAttribute> fields;
    size_t index = 0;
    visitFields(value, [&](const char *name, const auto &field) {
      mlir::Attribute attribute = write(field);
      if (attribute != defaultFields[index++])
        fields.emplace_back(mlir::StringAttr::get(context_, name), attribute);
    });
    return mlir::DictionaryAttr::get(context_, fields);
  }

  template <typename T> mlir::ArrayAttr writeTable(const std::vector<T> &table) const {
    llvm::SmallVector<mlir::Attribute> entries;
    for (const T &entry : table)
      entries.push_back(write(entry));
    return mlir::ArrayAttr::get(context_, entries);
  }

private:
  mlir::MLIRContext *context_;
};

class DescriptionReader {
public:
  /// Errors are emitted at `op`.
  explicit DescriptionReader(mlir::Operation *op) : op_(op) {}

  template <typename T>
  llvm::LogicalResult readTable(mlir::ArrayAttr table, llvm::StringRef name, std::vector<T> &values) {
    for (auto [index, entry] : llvm::enumerate(table)) {
      path_ = (name + "[" + llvm::Twine(index) + "]").str();
      if (failed(read(entry, values.emplace_back())))
        return llvm::failure();
    }
    return llvm::success();
  }

  template <typename T> llvm::LogicalResult readEntry(mlir::Attribute entry, llvm::StringRef name, T &value) {
    path_ = name.str();
    return read(entry, value);
  }

private:
  llvm::LogicalResult wrong(llvm::StringRef expected) { return op_->emitOpError() << path_ << " must be " << expected; }

  llvm::LogicalResult read(mlir::Attribute attribute, std::string &text);
  llvm::LogicalResult read(mlir::Attribute attribute, std::vector<int32_t> &list);
  llvm::LogicalResult read(mlir::Attribute attribute, std::vector<uint8_t> &bytes);
  llvm::LogicalResult read(mlir::Attribute attribute, std::vector<float> &list);
  llvm::LogicalResult readNumber(mlir::Attribute attribute, int64_t &number);
  llvm::LogicalResult readName(mlir::Attribute attribute, std::span<const std::string_view> names, uint32_t &value);

  template <std::integral T> llvm::LogicalResult read(mlir::Attribute attribute, T &value) {
    int64_t number = 0;
    if (failed(readNumber(attribute, number)))
      return llvm::failure();
    value = static_cast<T>(number);
    // 64-bit fields accept any bits; narrower fields must represent the number exactly.
    if (sizeof(T) < sizeof(int64_t) && static_cast<int64_t>(value) != number)
      return wrong("a number that its field can hold");
    return llvm::success();
  }
  template <firmware::WireEnum E> llvm::LogicalResult read(mlir::Attribute attribute, E &value) {
    uint32_t number = 0;
    if (failed(readName(attribute, firmware::valueNames(value), number)))
      return llvm::failure();
    value = static_cast<E>(number);
    return llvm::success();
  }

  template <typename T>
    requires requires(T &value) { visitFields(value, [](const char *, auto &) {}); }
  llvm::LogicalResult read(mlir::Attribute attribute, T &value) {
    auto dictionary = llvm::dyn_cast_if_present<mlir::DictionaryAttr>(attribute);
    if (!dictionary)
      return wrong("a dictionary");
    size_t found = 0;
    bool ok = true;
    std::string outer = path_;
    visitFields(value, [&](const char *name, auto &field) {
      mlir::Attribute entry = dictionary.get(name);
      if (!ok || !entry)
        return;
      ++found;
      path_ = outer + "." + name;
      ok = succeeded(read(entry, field));
    });
    path_ = outer;
    if (ok && found != dictionary.size())
      return op_->emitOpError() << path_ << " has an unknown field";
    return llvm::success(ok);
  }

  mlir::Operation *op_;
  std::string path_;
};

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_EMIT_DESCRIPTIONATTR_H
