//===- FuzzTosa.cpp - Hostile TOSA files ------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reader must accept a file with IR that is valid, or report an error. What it accepts runs through the conversion,
// the export back to TOSA, and the phases nn and place.
//
//===----------------------------------------------------------------------===//

#include "Phases.h"
#include "StructureMutator.h"
#include "Tosa_bfbs_generated.h"
#include "Tosa_generated.h"

#include "Import/Tosa/TosaImport.h"
#include "avocet/compiler/Dialect/Npu/NpuDialect.h"

#include "mlir/IR/Diagnostics.h"

#include <cstring>

using namespace avocet;
using namespace avocet::compiler;
using namespace avocet::fuzz;

// The archives of LLVM and MLIR are not instrumented, so the poisoning by their allocators is incomplete.
extern "C" const char *__asan_default_options() { return "allow_user_poisoning=0"; }

namespace {

using Random = std::minstd_rand;

template <typename T> T &pick(std::vector<T> &entries, Random &random) { return entries[random() % entries.size()]; }

/// Lets an operator read or compute another tensor or shape of its block: strings changed at random name none.
bool renameOperand(tosa_file::TosaGraphT &graph, Random &random) {
  if (graph.regions.empty())
    return false;
  auto &blocks = pick(graph.regions, random)->blocks;
  if (blocks.empty() || blocks.front()->operators.empty() || blocks.front()->tensors.empty())
    return false;
  tosa_file::TosaBasicBlockT &block = *pick(blocks, random);
  if (block.operators.empty() || block.tensors.empty())
    return false;
  tosa_file::TosaOperatorT &operation = *pick(block.operators, random);
  std::vector<std::string> &names = random() % 4 ? operation.inputs : operation.outputs;
  const bool isShape = !block.shapes.empty() && random() % 4 == 0;
  std::string name = isShape ? pick(block.shapes, random)->name : pick(block.tensors, random)->name;
  if (names.empty() || random() % 8 == 0)
    names.push_back(std::move(name));
  else
    pick(names, random) = std::move(name);
  return true;
}

size_t mutateNames(uint8_t *data, size_t size, size_t maxSize, Random &random) {
  // The limit of tables is low because unpacking copies a shared table once for each use.
  flatbuffers::Verifier verifier(data, size, /*max_depth=*/64, /*max_tables=*/2000);
  if (size < 8 || !tosa_file::VerifyTosaGraphBuffer(verifier))
    return 0;
  tosa_file::TosaGraphT graph;
  tosa_file::GetTosaGraph(data)->UnPackTo(&graph);
  for (const auto &region : graph.regions)
    for (const auto &block : region->blocks)
      for (const auto &operation : block->operators)
        if (!operation->attribute.value || operation->attribute.type > tosa_file::Attribute::MAX)
          operation->attribute.Reset(); // packing requires the table of a type
  if (!renameOperand(graph, random))
    return 0;
  flatbuffers::FlatBufferBuilder builder;
  tosa_file::FinishTosaGraphBuffer(builder, tosa_file::TosaGraph::Pack(builder, &graph));
  if (builder.GetSize() > maxSize)
    return 0;
  std::memcpy(data, builder.GetBufferPointer(), builder.GetSize());
  return builder.GetSize();
}

} // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize, unsigned int seed) {
  static StructureMutator mutator(tosa_file::TosaGraphBinarySchema::data(), "avocet.tosa_file.TosaGraph",
                                  tosa_file::TosaGraphIdentifier());
  Random random(seed);
  if (random() % 3 == 0)
    if (const size_t renamed = mutateNames(data, size, maxSize, random))
      return renamed;
  return mutator.mutate(data, size, maxSize, seed);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // A new context for each input: constants keep their file until the context is destroyed.
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<npu::NpuDialect>();
  size_t errors = 0;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    errors += diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error ? 1 : 0;
  });
  std::shared_ptr<llvm::MemoryBuffer> file =
      llvm::MemoryBuffer::getMemBufferCopy({reinterpret_cast<const char *>(data), size}, "fuzz.tosa");
  mlir::OwningOpRef<mlir::ModuleOp> module = importTosa(&context, file);
  require(module || errors > 0);
  if (!module)
    return 0;
  runRoundTrip(*module, errors);
  runPhases(*module);
  return 0;
}
