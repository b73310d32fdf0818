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
  case DType::UNKNOWN:
  case DType::SHAPE:
    return {};
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

/// Reads the fields of one operator.
class FieldReader {
public:
  FieldReader(Location location, Type element)
      : builder_(location.getContext()), location_(location), element_(element) {}

  LogicalResult read(const Field &field) {
    const auto type = static_cast<flatbuffers::ElementaryType>(field.code.base_type);
    if (field.code.is_repeating)
      return type == flatbuffers::ET_INT ? readIntegers(field) : readBytes(field);
    switch (type) {
    case flatbuffers::ET_INT:
      return add(field, builder_.getI32IntegerAttr(field.scalar<int32_t>()));
    case flatbuffers::ET_BOOL:
      return add(field, builder_.getBoolAttr(field.scalar<uint8_t>() != 0));
    case flatbuffers::ET_UINT:
      return readEnumeration(field);
    default:
      return readText(field);
    }
  }

  TosaAttributes take() { return std::move(attributes_); }

private:
  LogicalResult add(const Field &field, Attribute attribute) {
    attributes_.values.append(field.name, attribute);
    return success();
  }

  LogicalResult readIntegers(const Field &field) {
    SmallVector<int32_t> numbers;
    if (const auto *list = field.indirect<flatbuffers::Vector<int32_t>>())
      numbers.assign(list->begin(), list->end());
    if (field.name == "perms") // the dialect has wide numbers in all other lists
      return add(field, builder_.getDenseI32ArrayAttr(numbers));
    return add(field, builder_.getDenseI64ArrayAttr(SmallVector<int64_t>(numbers.begin(), numbers.end())));
  }

  /// Bytes are text of a custom operator, or a number of the operand's type.
  LogicalResult readBytes(const Field &field) {
    const ArrayRef<char> bytes = bytesOf(field.indirect<flatbuffers::Vector<uint8_t>>());
    if (field.name == "implementation_attrs")
      return add(field, builder_.getStringAttr(StringRef(bytes.data(), bytes.size())));
    const unsigned width = element_ ? element_.getIntOrFloatBitWidth() : 0;
    if (width == 0 || bytes.size() != llvm::divideCeil(width, 8))
      return emitError(location_) << "attribute " << field.name << " has " << bytes.size()
                                  << " bytes, which are no number of the operand's element type";
    uint64_t bits = 0;
    for (auto [index, byte] : llvm::enumerate(bytes))
      bits |= uint64_t{static_cast<uint8_t>(byte)} << (8 * index);
    const APInt number(width, bits, /*isSigned=*/false, /*implicitTrunc=*/true);
    if (auto type = dyn_cast<FloatType>(element_))
      return add(field, FloatAttr::get(type, APFloat(type.getFloatSemantics(), number)));
    return add(field, IntegerAttr::get(element_, number));
  }

  LogicalResult readEnumeration(const Field &field) {
    const auto number = field.scalar<uint32_t>();
    if (number == 0)
      return success();
    for (const Enumeration &each : kEnumerations)
      if (each.type() == field.enumeration)
        if (Attribute attribute = each.read(location_.getContext(), number))
          return add(field, attribute);
    return emitError(location_) << "attribute " << field.name << " has the number " << number
                                << ", which is none of the format's";
  }

  LogicalResult readText(const Field &field) {
    const StringRef text = textOf(field.indirect<flatbuffers::String>());
    if (!field.name.ends_with("_graph"))
      return add(field, builder_.getStringAttr(text));
    attributes_.graphs.push_back(text);
    return success();
  }

  Builder builder_;
  Location location_;
  Type element_;
  TosaAttributes attributes_;
};

} // namespace

FailureOr<TosaAttributes> readAttributes(Location location, const tosa_file::TosaOperator &operation, Type element) {
  // The member of the union has the number of the operator.
  const flatbuffers::TypeTable &members = *tosa_file::AttributeTypeTable();
  const flatbuffers::TypeTable &type =
      *members.type_refs[members.type_codes[static_cast<size_t>(operation.op())].sequence_ref]();
  const auto *table = static_cast<const flatbuffers::Table *>(operation.attribute());
  if (!table && type.num_elems != 0)
    return emitError(location, "the operator has no attributes");
  FieldReader reader(location, element);
  for (size_t index = 0; index < type.num_elems; ++index) {
    const flatbuffers::TypeCode code = type.type_codes[index];
    const auto offset = flatbuffers::FieldIndexToOffset(static_cast<flatbuffers::voffset_t>(index));
    const Field field{type.names[index], code, code.sequence_ref < 0 ? nullptr : type.type_refs[code.sequence_ref](),
                      table->GetAddressOf(offset)};
    if (failed(reader.read(field)))
      return failure();
  }
  return reader.take();
}

} // namespace avocet::compiler
