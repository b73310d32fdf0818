//===- TosaAttributes.cpp - Attributes of operators in a file ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TosaAttributes.h"

#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace avocet::compiler {

Type elementOf(MLIRContext *context, tosa_file::DType type) {
  using tosa_file::DType;
  switch (type) {
  case DType::BOOL:
    return IntegerType::get(context, 1);
  case DType::FP32:
    return Float32Type::get(context);
  case DType::FP16:
    return Float16Type::get(context);
  case DType::BF16:
    return BFloat16Type::get(context);
  case DType::FP8E4M3:
    return Float8E4M3FNType::get(context);
  case DType::FP8E5M2:
    return Float8E5M2Type::get(context);
  default:
    return storedBits(type) ? IntegerType::get(context, storedBits(type)) : Type();
  }
}

namespace {

/// A field of an operator's table.
struct Field {
  StringRef name;
  flatbuffers::TypeCode code;
  const flatbuffers::TypeTable *enumeration; ///< null: it is none
  const uint8_t *place;                      ///< null: the field is absent, and its value 0

  template <typename T> T scalar() const { return place ? flatbuffers::ReadScalar<T>(place) : T(); }
  template <typename T> const T *indirect() const {
    return place ? reinterpret_cast<const T *>(place + scalar<flatbuffers::uoffset_t>()) : nullptr;
  }
};

Attribute typeAttribute(MLIRContext *context, uint32_t number) {
  const Type type = elementOf(context, static_cast<tosa_file::DType>(number));
  return type ? TypeAttr::get(type) : TypeAttr();
}

template <typename EnumAttr, typename Enum, std::optional<Enum> (*symbolize)(uint32_t)>
Attribute enumAttribute(MLIRContext *context, uint32_t number) {
  const std::optional<Enum> value = symbolize(number);
  return value ? EnumAttr::get(context, *value) : EnumAttr();
}

struct Enumeration {
  flatbuffers::TypeFunction type;
  Attribute (*read)(MLIRContext *context, uint32_t number); ///< null: the enumeration has no such number
};

constexpr Enumeration kEnumerations[] = {
    {tosa_file::DTypeTypeTable, typeAttribute},
    {tosa_file::ResizeModeTypeTable, enumAttribute<tosa::ResizeModeAttr, tosa::ResizeMode, tosa::symbolizeResizeMode>},
    {tosa_file::NanPropagationModeTypeTable,
     enumAttribute<tosa::NanPropagationModeAttr, tosa::NanPropagationMode, tosa::symbolizeNanPropagationMode>},
    {tosa_file::RoundingModeTypeTable,
     enumAttribute<tosa::RoundingModeAttr, tosa::RoundingMode, tosa::symbolizeRoundingMode>},
};

/// A number of the operand's type, whose bytes the field has.
FailureOr<Attribute> numberOf(Location location, const Field &field, Type element) {
  const ArrayRef<char> bytes = bytesOf(field.indirect<flatbuffers::Vector<uint8_t>>());
  const unsigned width = element ? element.getIntOrFloatBitWidth() : 0;
  if (width == 0 || bytes.size() != llvm::divideCeil(width, 8))
    return emitError(location) << "attribute " << field.name << " has " << bytes.size()
                               << " bytes, which are no number of the operand's element type";
  uint64_t bits = 0;
  for (auto [index, byte] : llvm::enumerate(bytes))
    bits |= uint64_t{static_cast<uint8_t>(byte)} << (8 * index);
  const APInt number(width, bits, /*isSigned=*/false, /*implicitTrunc=*/true);
  if (auto type = dyn_cast<FloatType>(element))
    return Attribute(FloatAttr::get(type, APFloat(type.getFloatSemantics(), number)));
  return Attribute(IntegerAttr::get(element, number));
}

/// Null: the field does not say anything.
FailureOr<Attribute> enumeratorOf(Location location, const Field &field) {
  const auto number = field.scalar<uint32_t>();
  const auto *row = llvm::find_if(kEnumerations, [&](const auto &each) { return each.type() == field.enumeration; });
  Attribute attribute =
      number != 0 && row != std::end(kEnumerations) ? row->read(location.getContext(), number) : Attribute();
  if (number != 0 && !attribute)
    return emitError(location) << "attribute " << field.name << " has the number " << number
                               << ", which is none of the format's";
  return attribute;
}

Attribute integersOf(Builder builder, const Field &field) {
  SmallVector<int32_t> numbers;
  if (const auto *list = field.indirect<flatbuffers::Vector<int32_t>>())
    numbers.assign(list->begin(), list->end());
  if (field.name == "perms") // the dialect has wide numbers in all other lists
    return builder.getDenseI32ArrayAttr(numbers);
  return builder.getDenseI64ArrayAttr(llvm::to_vector_of<int64_t>(numbers));
}

FailureOr<Attribute> attributeOf(Location location, const Field &field, Type element) {
  Builder builder(location.getContext());
  switch (static_cast<flatbuffers::ElementaryType>(field.code.base_type)) {
  case flatbuffers::ET_INT:
    return field.code.is_repeating ? integersOf(builder, field) : builder.getI32IntegerAttr(field.scalar<int32_t>());
  case flatbuffers::ET_BOOL:
    return Attribute(builder.getBoolAttr(field.scalar<uint8_t>() != 0));
  case flatbuffers::ET_UINT:
    return enumeratorOf(location, field);
  case flatbuffers::ET_STRING:
    return Attribute(builder.getStringAttr(textOf(field.indirect<flatbuffers::String>())));
  default: // bytes: text of a custom operator, or a number
    if (field.name != "implementation_attrs")
      return numberOf(location, field, element);
    const ArrayRef<char> bytes = bytesOf(field.indirect<flatbuffers::Vector<uint8_t>>());
    return Attribute(builder.getStringAttr(StringRef(bytes.data(), bytes.size())));
  }
}

} // namespace

FailureOr<TosaAttributes> readAttributes(Location location, const tosa_file::TosaOperator &operation, Type element) {
  // The member of the union has the number of the operator.
  const flatbuffers::TypeTable &members = *tosa_file::AttributeTypeTable();
  const flatbuffers::TypeTable &type =
      *members.type_refs[members.type_codes[static_cast<size_t>(operation.op())].sequence_ref]();
  const auto *table = static_cast<const flatbuffers::Table *>(operation.attribute());
  if (!table && type.num_elems != 0)
    return emitError(location, "the operator has no attributes");
  TosaAttributes attributes;
  for (size_t index = 0; index < type.num_elems; ++index) {
    const flatbuffers::TypeCode code = type.type_codes[index];
    const auto offset = flatbuffers::FieldIndexToOffset(static_cast<flatbuffers::voffset_t>(index));
    const Field field{type.names[index], code, code.sequence_ref < 0 ? nullptr : type.type_refs[code.sequence_ref](),
                      table->GetAddressOf(offset)};
    FailureOr<Attribute> attribute = attributeOf(location, field, element);
    if (failed(attribute))
      return failure();
    if (field.name.ends_with("_graph"))
      attributes.graphs.push_back(cast<StringAttr>(*attribute));
    else if (*attribute)
      attributes.values.append(field.name, *attribute);
  }
  return attributes;
}

} // namespace avocet::compiler
