//===- DescriptionAttr.h - Model descriptions as attributes -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts the tables of a model description to arrays of dictionaries and back. Fields with default values are
// omitted; numbers are 64-bit integers, enumerations their names, lists dense arrays. Reading rejects unknown fields
// and wrong kinds.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_EMIT_DESCRIPTIONATTR_H
#define AVOCET_COMPILER_LIB_EMIT_DESCRIPTIONATTR_H

#include "DescriptionFields.h"

#include "avocet/firmware_iface/Reflection.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace avocet::compiler {

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
