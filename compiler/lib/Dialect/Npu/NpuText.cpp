//===- NpuText.cpp - Text and bytecode of the device dialect ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attributes that contain others need their own bytecode form. In the generic form, which is text, the writer does not
// find the resources that they name, and omits them.
//
//===----------------------------------------------------------------------===//

#include "NpuText.h"

#include "avocet/compiler/Dialect/Npu/NpuDialect.h"
#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace avocet::compiler::npu {
namespace {

/// "SOURCE+SIZE [at OFFSET]"; `end` is where the segment before ends.
ParseResult parseSegment(OpAsmParser &parser, ElementsAttr data, uint64_t &end, SmallVectorImpl<Attribute> &segments) {
  uint64_t source = 0, size = 0, offset = end;
  if (parser.parseInteger(source))
    return failure();
  if (parser.parseOptionalPlus())
    return parser.emitError(parser.getCurrentLocation()) << "a segment is SOURCE+SIZE, '+' is missing";
  if (parser.parseInteger(size))
    return failure();
  if (parser.parseOptionalKeyword("at").succeeded() && parser.parseInteger(offset))
    return failure();
  segments.push_back(SegmentAttr::get(parser.getContext(), data, source, size, offset));
  end = offset + size;
  return success();
}

class NpuAsmInterface : public OpAsmDialectInterface {
public:
  using OpAsmDialectInterface::OpAsmDialectInterface;

  /// The layers of a placed function: its line would hold the whole table. Short ones stay there. The table of an
  /// npu.program has lines of its own, and entries with an engine.
  AliasResult getAlias(Attribute attribute, raw_ostream &os) const override {
    constexpr size_t kShortName = 20;
    auto layer = dyn_cast<DictionaryAttr>(attribute);
    if (!layer || !layer.contains("op") || layer.contains("engine"))
      return AliasResult::NoAlias;
    auto name = layer.getAs<StringAttr>("name");
    if (!name || name.size() <= kShortName)
      return AliasResult::NoAlias;
    os << "layer";
    return AliasResult::OverridableAlias;
  }
};

} // namespace

void printContents(OpAsmPrinter &printer, Operation *, ArrayAttr contents) {
  ElementsAttr data;
  uint64_t end = 0;
  printer << '[';
  for (auto segment : contents.getAsRange<SegmentAttr>()) {
    if (segment.getData() != data) {
      printer << (data ? "], " : "") << segment.getData() << " [";
      data = segment.getData();
    } else {
      printer << ", ";
    }
    printer << segment.getSource() << '+' << segment.getSize();
    if (segment.getOffset() != end)
      printer << " at " << segment.getOffset();
    end = segment.getOffset() + segment.getSize();
  }
  printer << (data ? "]]" : "]");
}

ParseResult parseContents(OpAsmParser &parser, ArrayAttr &contents) {
  SmallVector<Attribute> segments;
  uint64_t end = 0;
  auto parseConstant = [&]() -> ParseResult {
    ElementsAttr data;
    if (parser.parseAttribute(data))
      return failure();
    return parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square,
                                          [&] { return parseSegment(parser, data, end, segments); });
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, parseConstant))
    return failure();
  contents = parser.getBuilder().getArrayAttr(segments);
  return success();
}

void addAsmInterface(NpuDialect &dialect) { dialect.addInterfaces<NpuAsmInterface>(); }

namespace {

/// Leading number of an encoded attribute; append only.
enum AttributeCode : uint64_t { kSegment = 0 };

class NpuBytecodeInterface : public BytecodeDialectInterface {
public:
  explicit NpuBytecodeInterface(Dialect *dialect) : BytecodeDialectInterface(dialect) {}

  LogicalResult writeAttribute(Attribute attribute, DialectBytecodeWriter &writer) const override {
    auto segment = dyn_cast<SegmentAttr>(attribute);
    if (!segment)
      return failure(); // use its text
    writer.writeVarInt(kSegment);
    writer.writeAttribute(segment.getData());
    for (uint64_t number : {segment.getSource(), segment.getSize(), segment.getOffset()})
      writer.writeVarInt(number);
    return success();
  }

  Attribute readAttribute(DialectBytecodeReader &reader) const override {
    uint64_t code = 0, source = 0, size = 0, offset = 0;
    ElementsAttr data;
    if (failed(reader.readVarInt(code)))
      return {};
    if (code != kSegment) {
      reader.emitError("unknown npu attribute ") << code;
      return {};
    }
    if (failed(reader.readAttribute(data)) || failed(reader.readVarInt(source)) || failed(reader.readVarInt(size)) ||
        failed(reader.readVarInt(offset)))
      return {};
    return SegmentAttr::get(getContext(), data, source, size, offset);
  }
};

} // namespace

void addBytecodeInterface(NpuDialect &dialect) { dialect.addInterfaces<NpuBytecodeInterface>(); }

} // namespace avocet::compiler::npu
