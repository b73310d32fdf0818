//===- WeightBench.cpp - Compression of weights -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   weightBench [--target NAME] [--rounds N] MODEL...
//
// For each model: plain bytes of the integer filters in the order of the array, their zero-order entropy (filter by
// filter), what the coder makes of them (filters that would not become smaller stay plain), and the rates of coder and
// decoder in plain bytes. The last line has the sums.
//
//===----------------------------------------------------------------------===//

#include "Import/Tflite/TfliteImport.h"
#include "avocet/base/CommandLine.h"
#include "avocet/base/GuardedMain.h"
#include "avocet/base/StandardStreams.h"
#include "avocet/compiler/Conversion/ConversionPasses.h"
#include "avocet/compiler/Dialect/Nn/NnPasses.h"
#include "avocet/compiler/Dialect/Npu/Layouts.h"
#include "avocet/firmware_iface/WeightStream.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Pass/PassManager.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>

using namespace mlir;
using namespace avocet;
using namespace avocet::compiler;

namespace {

using Bytes = std::vector<uint8_t>;

double secondsOf(auto &&work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct Filter {
  Bytes packed;
  firmware::SliceShape shape;
};

/// The constant integer filters of a model, packed for the target.
FailureOr<std::vector<Filter>> filtersOf(const std::string &path, const firmware::Target &target) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<npu::NpuDialect>();
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!file)
    return failure();
  OwningOpRef<ModuleOp> module = importTflite(&context, std::move(*file));
  if (!module)
    return failure();
  PassManager manager(&context);
  nn::buildNnPipeline(manager);
  if (failed(manager.run(*module)) || failed(convertNnToNpu(*module, target)))
    return failure();
  std::vector<Filter> filters;
  module->walk([&](npu::ConvOp conv) {
    auto constant = conv.getWeights().getDefiningOp<npu::ConstantOp>();
    auto value = constant ? dyn_cast<DenseResourceElementsAttr>(constant.getValue()) : nullptr;
    if (!value || firmware::isFloat(conv.getCommand().weightType))
      return;
    const ArrayRef<char> data = value.getRawHandle().getBlob()->getData();
    const auto layout = *npu::filterLayout(conv, target);
    filters.push_back({Bytes(data.begin(), data.end()),
                       firmware::SliceShape::of(layout, conv.getCommand().weightType, layout.outputChannels())});
  });
  return filters;
}

double entropyBytes(const Bytes &plain) {
  std::array<double, 256> counts{};
  for (uint8_t byte : plain)
    ++counts[byte];
  double bits = 0;
  for (double count : counts)
    bits -= count > 0 ? count * std::log2(count / static_cast<double>(plain.size())) : 0;
  return bits / 8;
}

struct Sums {
  double plain = 0, entropy = 0, stored = 0, encodeSeconds = 0, decodeSeconds = 0;

  void add(const Sums &other) {
    plain += other.plain;
    entropy += other.entropy;
    stored += other.stored;
    encodeSeconds += other.encodeSeconds;
    decodeSeconds += other.decodeSeconds;
  }
  void print(const std::string &name) const {
    printOut("{:32} {:>10.0f} {:>8.3f} {:>8.3f} {:>8.3f} {:>8.0f} {:>8.0f}\n", name, plain, entropy / plain,
             stored / plain, stored / entropy, plain / encodeSeconds / 1e6, plain / decodeSeconds / 1e6);
  }
};

/// Entropies of 16-bit elements are not stated: their bytes are no symbols.
Sums measure(const Filter &filter, int rounds) {
  const firmware::SliceShape &shape = filter.shape;
  const auto plainBytes = static_cast<double>(filter.packed.size());
  Sums least{plainBytes, shape.elementSize == 1 ? entropyBytes(filter.packed) : plainBytes, plainBytes, 1e9, 1e9};
  for (int round = 0; round < rounds; ++round) {
    Bytes slice, plain(filter.packed.size());
    least.encodeSeconds = std::min(least.encodeSeconds, secondsOf([&] {
                                     const auto encoder = firmware::WeightEncoder::create(filter.packed, shape);
                                     slice.resize(encoder->sliceBytes(0, encoder->granules()));
                                     encoder->encode(0, encoder->granules(), slice);
                                   }));
    least.decodeSeconds =
        std::min(least.decodeSeconds, secondsOf([&] { (void)firmware::decodeWeightSlice(slice, shape, 0, plain); }));
    if (plain != filter.packed) {
      printErr("a filter of {} bytes does not decode to itself\n", plain.size());
      std::exit(1);
    }
    least.stored = std::min(plainBytes, static_cast<double>(slice.size()));
  }
  return least;
}

int report(const firmware::Target &target, const std::vector<std::string> &models, int rounds) {
  printOut("{:32} {:>10} {:>8} {:>8} {:>8} {:>8} {:>8}\n", "model", "plain", "entropy", "stored", "stored/e",
           "enc MB/s", "dec MB/s");
  Sums all;
  for (const std::string &model : models) {
    const auto filters = filtersOf(model, target);
    if (failed(filters)) {
      printErr("{}: cannot be read, or has operations that {} does not have\n", model, target.name());
      return 1;
    }
    Sums sums;
    for (const Filter &filter : *filters)
      sums.add(measure(filter, rounds));
    const std::filesystem::path path(model);
    sums.print((path.stem() == "model" ? path.parent_path().filename() : path.stem()).string());
    all.add(sums);
  }
  all.print("all");
  return 0;
}

int run(int argc, char **argv) {
  CommandLine app("Compression of the weights of models");
  std::string targetName = "e256";
  int rounds = 3;
  std::vector<std::string> models;
  app.addText("--target", targetName, "Device");
  addNumber(app, "--rounds", rounds, "Rounds; the fastest counts", 1, 1000);
  app.addTexts("models", models, "TFLite models");
  return runProgram(app, argc, argv, [&] {
    const auto target = firmware::Target::load(targetName);
    if (target)
      return report(**target, models, rounds);
    printErr("{}\n", target.status().toString());
    return 1;
  });
}

} // namespace

int main(int argc, char **argv) { return avocet::guardedMain(argc, argv, run); }
