//===- CommandAttr.h - Commands as attributes, by reflection ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In bytecode, a command property is the words of the device's own encoding: a count, then one number per word. Reading
// uses the device's decoder, which rejects every malformed sequence.
//
// A device command as an MLIR dictionary and back, derived from visitFields. Fields with default values are omitted,
// numbers are 64-bit integers, enumerations are names, nested structs are dictionaries, vectors are arrays. Reading is
// strict: unknown names, wrong kinds and numbers out of the field's range are errors that name the field.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_SUPPORT_COMMANDATTR_H
#define AVOCET_COMPILER_SUPPORT_COMMANDATTR_H

#include "avocet/firmware_iface/Command.h"
#include "avocet/firmware_iface/Reflection.h"
#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"

#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace avocet::compiler {

void writeCommandBody(mlir::DialectBytecodeWriter &writer, const firmware::CommandBody &body);
llvm::LogicalResult readCommandBody(mlir::DialectBytecodeReader &reader, firmware::CommandBody &body);

template <typename T> void writeCommand(mlir::DialectBytecodeWriter &writer, const T &command) {
  writeCommandBody(writer, firmware::CommandBody(command));
}

template <typename T> llvm::LogicalResult readCommand(mlir::DialectBytecodeReader &reader, T &command) {
  firmware::CommandBody body;
  if (failed(readCommandBody(reader, body)))
    return llvm::failure();
  auto *wanted = std::get_if<T>(&body);
  if (!wanted)
    return reader.emitError("the bytecode holds another command than its operation's");
  command = std::move(*wanted);
  return llvm::success();
}

using EmitError = llvm::function_ref<mlir::InFlightDiagnostic()>;

namespace detail {

using firmware::Reflected;
using firmware::WireEnum;
using firmware::WireList;
template <typename T>
concept Number = std::is_integral_v<T>;

mlir::Attribute numberToAttribute(mlir::MLIRContext *context, int64_t number);
/// Reads an integer in [min, max]; `field` names it in the error.
llvm::LogicalResult numberFromAttribute(mlir::Attribute attribute, llvm::StringRef field, int64_t min, int64_t max,
                                        int64_t &number, EmitError emitError);
/// Reads an enumerator by its name.
llvm::LogicalResult nameFromAttribute(mlir::Attribute attribute, llvm::StringRef field,
                                      std::span<const std::string_view> names, uint32_t &number, EmitError emitError);
llvm::LogicalResult wrongKind(llvm::StringRef field, llvm::StringRef expected, EmitError emitError);
llvm::LogicalResult unknownField(llvm::StringRef field, EmitError emitError);

template <Number T> mlir::Attribute toAttribute(mlir::MLIRContext *context, const T &value) {
  return numberToAttribute(context, static_cast<int64_t>(value));
}

inline mlir::Attribute toAttribute(mlir::MLIRContext *context, firmware::SramAddress address) {
  return toAttribute(context, address.offset);
}

template <WireEnum T> mlir::Attribute toAttribute(mlir::MLIRContext *context, const T &value) {
  return mlir::StringAttr::get(context, llvm::StringRef(firmware::valueName(value)));
}

template <WireList T> mlir::Attribute toAttribute(mlir::MLIRContext *context, const T &values);

template <Reflected T> mlir::Attribute toAttribute(mlir::MLIRContext *context, const T &value) {
  const T defaults{};
  std::vector<mlir::Attribute> defaultFields;
  llvm::SmallVector<mlir::NamedAttribute> fields;
  T::visitFields(defaults,
                 [&](const char *, const auto &field) { defaultFields.push_back(toAttribute(context, field)); });
  size_t index = 0;
  T::visitFields(value, [&](const char *name, const auto &field) {
    mlir::Attribute attribute = toAttribute(context, field);
    if (attribute != defaultFields[index++])
      fields.emplace_back(mlir::StringAttr::get(context, name), attribute);
  });
  return mlir::DictionaryAttr::get(context, fields);
}

template <WireList T> mlir::Attribute toAttribute(mlir::MLIRContext *context, const T &values) {
  llvm::SmallVector<mlir::Attribute> elements;
  for (const auto &value : values)
    elements.push_back(toAttribute(context, value));
  return mlir::ArrayAttr::get(context, elements);
}

template <Number T>
llvm::LogicalResult fromAttribute(mlir::Attribute attribute, llvm::StringRef field, T &value, EmitError emitError) {
  constexpr bool kSigned = std::is_signed_v<T>;
  constexpr int64_t kMax = sizeof(T) == 8 ? INT64_MAX : kSigned ? INT32_MAX : UINT32_MAX;
  int64_t number = 0;
  if (failed(numberFromAttribute(attribute, field, kSigned ? INT32_MIN : 0, kMax, number, emitError)))
    return llvm::failure();
  value = static_cast<T>(number);
  return llvm::success();
}

inline llvm::LogicalResult fromAttribute(mlir::Attribute attribute, llvm::StringRef field,
                                         firmware::SramAddress &address, EmitError emitError) {
  return fromAttribute(attribute, field, address.offset, emitError);
}

template <WireEnum T>
llvm::LogicalResult fromAttribute(mlir::Attribute attribute, llvm::StringRef field, T &value, EmitError emitError) {
  uint32_t number = 0;
  if (failed(nameFromAttribute(attribute, field, firmware::valueNames(T{}), number, emitError)))
    return llvm::failure();
  value = static_cast<T>(number);
  return llvm::success();
}

template <WireList T>
llvm::LogicalResult fromAttribute(mlir::Attribute attribute, llvm::StringRef field, T &values, EmitError emitError);

template <Reflected T>
llvm::LogicalResult fromAttribute(mlir::Attribute attribute, llvm::StringRef name, T &value, EmitError emitError) {
  auto dictionary = llvm::dyn_cast_if_present<mlir::DictionaryAttr>(attribute);
  if (!dictionary)
    return wrongKind(name, "a dictionary", emitError);
  value = T{};
  size_t found = 0;
  bool ok = true;
  T::visitFields(value, [&](const char *fieldName, auto &field) {
    mlir::Attribute entry = dictionary.get(fieldName);
    if (!entry)
      return;
    ++found;
    ok &= succeeded(fromAttribute(entry, fieldName, field, emitError));
  });
  if (!ok || found == dictionary.size())
    return llvm::success(ok);
  for (mlir::NamedAttribute entry : dictionary) {
    bool known = false;
    T::visitFields(value, [&](const char *fieldName, auto &) { known |= entry.getName() == fieldName; });
    if (!known)
      return unknownField(entry.getName(), emitError);
  }
  return llvm::failure();
}

template <WireList T>
llvm::LogicalResult fromAttribute(mlir::Attribute attribute, llvm::StringRef field, T &values, EmitError emitError) {
  auto array = llvm::dyn_cast_if_present<mlir::ArrayAttr>(attribute);
  if (!array)
    return wrongKind(field, "an array", emitError);
  values.assign(array.size(), {});
  for (auto [entry, value] : llvm::zip(array, values))
    if (failed(fromAttribute(entry, field, value, emitError)))
      return llvm::failure();
  return llvm::success();
}

template <typename T> void addHash(llvm::hash_code &hash, const T &value) {
  if constexpr (Number<T> || WireEnum<T>) {
    hash = llvm::hash_combine(hash, static_cast<int64_t>(value));
  } else if constexpr (std::is_same_v<T, firmware::SramAddress>) {
    addHash(hash, value.offset);
  } else if constexpr (WireList<T>) {
    hash = llvm::hash_combine(hash, value.size());
    for (const auto &element : value)
      addHash(hash, element);
  } else {
    T::visitFields(value, [&](const char *, const auto &field) { addHash(hash, field); });
  }
}

} // namespace detail

template <typename T> mlir::Attribute commandToAttribute(mlir::MLIRContext *context, const T &command) {
  return detail::toAttribute(context, command);
}

template <typename T>
llvm::LogicalResult commandFromAttribute(mlir::Attribute attribute, T &command, EmitError emitError) {
  return detail::fromAttribute(attribute, "command", command, emitError);
}

template <typename T> llvm::hash_code hashCommand(const T &command) {
  llvm::hash_code hash(0);
  detail::addHash(hash, command);
  return hash;
}

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_SUPPORT_COMMANDATTR_H
