//===- PlacedModelsTest.cpp - Placed networks against goldens -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs every model with goldens through import, nn and place, and then through the kernels. Integer outputs must equal
// the goldens; float outputs must stay within the tolerance that the models document.
//
//===----------------------------------------------------------------------===//

#include "PlacedRunner.h"

#include "Import/Tflite/TfliteImport.h"
#include "avocet/base/File.h"
#include "avocet/compiler/Conversion/ConversionPasses.h"
#include "avocet/compiler/Dialect/Nn/NnPasses.h"

#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

using namespace mlir;

namespace avocet::compiler {
namespace {

std::filesystem::path modelsFolder() { return std::filesystem::path(AVOCET_SHARED_DATA) / "models"; }

/// A model after the phases import, nn and place; null on an error.
OwningOpRef<ModuleOp> placedModel(MLIRContext &context, const std::filesystem::path &path,
                                  const firmware::Target &target) {
  auto file = llvm::MemoryBuffer::getFile(path.string(), /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!file)
    return {};
  context.loadDialect<npu::NpuDialect>();
  OwningOpRef<ModuleOp> module = importTflite(&context, std::move(*file));
  if (!module)
    return {};
  PassManager manager(&context);
  nn::buildNnPipeline(manager);
  if (failed(manager.run(*module)) || failed(convertNnToNpu(*module, target)))
    return {};
  return module;
}

std::vector<Bytes> tensorsOf(const std::filesystem::path &folder, const std::string &id, const char *kind) {
  std::vector<Bytes> tensors;
  for (int index = 0;; ++index) {
    std::filesystem::path path = folder / (id + "." + kind + std::to_string(index) + ".bin");
    if (!std::filesystem::exists(path))
      return tensors;
    Result<Bytes> bytes = readFile(path);
    EXPECT_TRUE(bytes.isOk()) << bytes.status().toString();
    tensors.push_back(bytes.isOk() ? std::move(*bytes) : Bytes());
  }
}

std::vector<float> floatsOf(const Bytes &bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

void expectClose(const Bytes &actualBytes, const Bytes &goldenBytes, double relative) {
  std::vector<float> actual = floatsOf(actualBytes), golden = floatsOf(goldenBytes);
  ASSERT_EQ(actual.size(), golden.size());
  float largest = 1;
  for (float value : golden)
    largest = std::max(largest, std::abs(value));
  for (size_t index = 0; index < golden.size(); ++index)
    ASSERT_NEAR(actual[index], golden[index], relative * largest) << "element " << index;
}

struct Case {
  const char *model;
  double tolerance; ///< relative to the largest golden; 0: equal bytes
};

class PlacedModels : public ::testing::TestWithParam<Case> {};

/// Runs one random and one real input; the golden tests of the whole stack run all inputs.
void expectGoldens(const std::filesystem::path &folder, const firmware::Target &target, double tolerance) {
  MLIRContext context;
  OwningOpRef<ModuleOp> module = placedModel(context, folder / "model.tflite", target);
  ASSERT_TRUE(module);
  PlacedRunner runner(*module->getOps<func::FuncOp>().begin(), target);
  for (const char *id : {"02", "04"}) {
    std::vector<Bytes> goldens = tensorsOf(folder, id, "out");
    if (goldens.empty())
      continue;
    auto outputs = runner.run(tensorsOf(folder, id, "in"));
    ASSERT_TRUE(outputs) << outputs.status().message();
    ASSERT_EQ(outputs->size(), goldens.size());
    for (size_t index = 0; index < goldens.size(); ++index)
      if (tolerance == 0)
        EXPECT_EQ((*outputs)[index], goldens[index]) << "case " << id;
      else
        expectClose((*outputs)[index], goldens[index], tolerance);
  }
}

TEST_P(PlacedModels, OutputsMatchGoldens) {
  std::filesystem::path folder = modelsFolder() / GetParam().model;
  if (!std::filesystem::exists(folder))
    GTEST_SKIP() << "needs " << folder << " (AVOCET_SHARED_DATA)";
  for (const std::string &name : firmware::Target::shippedNames()) {
    SCOPED_TRACE(name);
    auto target = firmware::Target::load(name);
    ASSERT_TRUE(target) << target.status().message();
    expectGoldens(folder, **target, GetParam().tolerance);
  }
}

constexpr double kFloat32 = 1e-5;

INSTANTIATE_TEST_SUITE_P(Models, PlacedModels,
                         ::testing::Values(Case{"ad_toycar_int8", 0}, Case{"ic_resnet8_int8", 0},
                                           Case{"ic_resnet_large_int8", 0}, Case{"kws_dscnn_int8", 0},
                                           Case{"micro_speech_int8", 0}, Case{"mnist_lstm_int8", 0},
                                           Case{"mobilenet_v1_050_160_uint8", 0}, Case{"mobilenet_v2_100_224_int8", 0},
                                           Case{"person_detect_int8", 0}, Case{"streaming_wakeword_int8", 0},
                                           Case{"vww_mobilenet_int8", 0}, Case{"ad_toycar_fp32", kFloat32},
                                           Case{"ic_resnet8_fp32", kFloat32}, Case{"ic_resnet_large_fp32", kFloat32},
                                           Case{"mnist_lstm_fp32", kFloat32},
                                           Case{"mobilenet_v1_025_224_fp32", kFloat32},
                                           Case{"vww_mobilenet_fp32", kFloat32}, Case{"kws_dscnn_hybrid", 0.15}),
                         [](const auto &info) { return std::string(info.param.model); });

} // namespace
} // namespace avocet::compiler
