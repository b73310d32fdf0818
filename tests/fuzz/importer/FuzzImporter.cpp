//===- FuzzImporter.cpp - Hostile TFLite models -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Models that the importer accepts also run through the phases nn and place: the file can be valid and the network not.
//
//===----------------------------------------------------------------------===//

#include "Phases.h"

#include "Import/Tflite/TfliteImport.h"
#include "avocet/compiler/Dialect/Nn/NnDialect.h"
#include "avocet/compiler/Dialect/Npu/NpuDialect.h"
#include "avocet/compiler/Support/ProgramAttrs.h"

#include "mlir/IR/Diagnostics.h"

#include <vector>

using namespace avocet;
using namespace avocet::compiler;
using namespace avocet::fuzz;

// The archives of LLVM and MLIR are not instrumented, so the poisoning by their allocators is incomplete.
extern "C" const char *__asan_default_options() { return "allow_user_poisoning=0"; }

namespace {

/// The first input with one more element along each axis.
std::vector<InputShape> otherShapes(mlir::ModuleOp module) {
  auto function = *module.getOps<mlir::func::FuncOp>().begin();
  const unsigned count = function.getNumArguments();
  for (unsigned index = 0; index < count; ++index) {
    auto name = function.getArgAttrOfType<mlir::StringAttr>(index, nn::kNameAttr);
    auto type = mlir::dyn_cast<mlir::RankedTensorType>(function.getArgumentTypes()[index]);
    const bool isState = function.getArgAttr(index, attrs::kInitialState) != nullptr;
    if (!name || !type || isState || type.getRank() == 0)
      continue;
    InputShape shape{name.str(), {}};
    for (int64_t extent : type.getShape())
      shape.extents.push_back(extent + 1);
    return {shape};
  }
  return {};
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // A new context for each input: constants keep their file until the context is destroyed.
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<npu::NpuDialect>();
  size_t messages = 0;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &) { ++messages; });
  std::shared_ptr<llvm::MemoryBuffer> file =
      llvm::MemoryBuffer::getMemBufferCopy({reinterpret_cast<const char *>(data), size}, "fuzz.tflite");
  mlir::OwningOpRef<mlir::ModuleOp> module = importTflite(&context, file);
  if (!module) {
    require(messages > 0);
    return 0;
  }
  const std::vector<InputShape> shapes = otherShapes(*module);
  runRoundTrip(*module, messages);
  runPhases(*module);
  if (auto resized = importTflite(&context, file, "", shapes))
    runPhases(*resized);
  return 0;
}
