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

template <unsigned width> static Type integer(MLIRContext *context) { return IntegerType::get(context, width); }
template <typename Float> static Type real(MLIRContext *context) { return Float::get(context); }

Type elementOf(MLIRContext *context, tosa_file::DType type) {
  using Make = Type (*)(MLIRContext *);
  constexpr Make kNone = nullptr;
  static constexpr Make kIntegers[] = {kNone,       integer<1>,  integer<4>, integer<8>,
                                       integer<16>, integer<32>, integer<48>};
  static constexpr Make kReals[] = {real<Float32Type>,      real<Float16Type>,   real<BFloat16Type>, kNone,
                                    real<Float8E4M3FNType>, real<Float8E5M2Type>};
  const size_t number = static_cast<size_t>(type), integers = std::size(kIntegers);
  return storedBits(type) == 0 ? Type() : (number < integers ? kIntegers[number] : kReals[number - integers])(context);
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

/// How the numbers of an enumeration are read; null: it has no such number.
constexpr std::pair<flatbuffers::TypeFunction, Attribute (*)(MLIRContext *, uint32_t)> kEnumerations[] = {
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
  const auto *row = llvm::find_if(kEnumerations, [&](const auto &each) { return each.first() == field.enumeration; });
  Attribute attribute =
      number != 0 && row != std::end(kEnumerations) ? row->second(location.getContext(), number) : Attribute();
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
