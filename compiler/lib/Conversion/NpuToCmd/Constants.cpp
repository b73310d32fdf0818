//===- Constants.cpp - The constants region ---------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramDescription.h"

#include "mlir/IR/DialectResourceBlobManager.h"

#include <cstring>

using namespace mlir;

namespace avocet::compiler {
namespace {

/// The bytes of a constant in its storage; a splat gives one element, to be repeated.
struct RawConstant {
  llvm::ArrayRef<char> bytes;
  bool splat = false;
};

FailureOr<RawConstant> rawConstant(npu::BufferOp buffer, ElementsAttr data) {
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(data)) {
    if (AsmResourceBlob *blob = resource.getRawHandle().getBlob())
      return RawConstant{blob->getData()};
    return buffer.emitOpError("names the resource '") << resource.getRawHandle().getKey() << "', which holds no data";
  }
  if (auto dense = dyn_cast<DenseElementsAttr>(data); dense && dense.getElementType().getIntOrFloatBitWidth() % 8 == 0)
    return RawConstant{dense.getRawData(), dense.isSplat()};
  return buffer.emitOpError("has contents whose bytes are not known");
}

LogicalResult copySegment(npu::BufferOp buffer, npu::SegmentAttr segment, llvm::MutableArrayRef<uint8_t> target) {
  FailureOr<RawConstant> raw = rawConstant(buffer, segment.getData());
  if (failed(raw))
    return failure();
  uint64_t source = segment.getSource(), size = segment.getSize();
  if (segment.getOffset() > target.size() || size > target.size() - segment.getOffset())
    return buffer.emitOpError("has a segment that ends behind the constants");
  uint8_t *to = target.data() + segment.getOffset();
  if (raw->splat) {
    for (uint64_t i = 0; i < size; ++i)
      to[i] = static_cast<uint8_t>(raw->bytes[(source + i) % raw->bytes.size()]);
    return success();
  }
  if (source > raw->bytes.size() || size > raw->bytes.size() - source)
    return buffer.emitOpError("has a segment that ends behind its ") << raw->bytes.size() << " bytes of data";
  std::memcpy(to, raw->bytes.data() + source, size);
  return success();
}

} // namespace

FailureOr<std::vector<uint8_t>> collectConstants(npu::ProgramOp program) {
  std::vector<uint8_t> data(*program.getConstantsBytes(), 0);
  for (auto buffer : program.getBody().getOps<npu::BufferOp>()) {
    if (buffer.getSpace() != npu::Space::Constants)
      continue;
    uint64_t address = *buffer.getAddress(), bytes = buffer.getBytes();
    if (address > data.size() || bytes > data.size() - address)
      return buffer.emitOpError("ends behind the constants region of ") << data.size() << " bytes";
    llvm::MutableArrayRef<uint8_t> target(data.data() + address, bytes);
    for (auto segment : buffer.getContents()->getAsRange<npu::SegmentAttr>())
      if (failed(copySegment(buffer, segment, target)))
        return failure();
  }
  return data;
}

} // namespace avocet::compiler
