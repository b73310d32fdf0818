//===- DescriptionFields.h - The fields of a model description --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One list of fields for each struct of cache/ModelDescription.h that the cmd level shows as a dictionary. Attributes
// are written and read by visiting these lists.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_EMIT_DESCRIPTIONFIELDS_H
#define AVOCET_COMPILER_LIB_EMIT_DESCRIPTIONFIELDS_H

#include "avocet/cache/ModelDescription.h"

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
  visit("engine", self.engine);
  visit("macs", self.macs);
  visit("computeCycles", self.computeCycles);
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

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_EMIT_DESCRIPTIONFIELDS_H
