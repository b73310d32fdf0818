//===- NpuBytecode.cpp - Attributes of npu in bytecode ----------*- C++ -*-===//
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

#include "NpuBytecode.h"

#include "avocet/compiler/Dialect/Npu/NpuDialect.h"

#include "mlir/Bytecode/BytecodeImplementation.h"

using namespace mlir;

namespace avocet::compiler::npu {
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
