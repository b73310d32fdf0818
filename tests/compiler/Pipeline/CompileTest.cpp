//===- CompileTest.cpp - The facade, through the shared library -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles as every program outside the compiler does: Loader.h opens the library, and this test links nothing of LLVM.
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Loader.h"

#include "Sanitizer.h"
#include "avocet/base/File.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <random>
#include <thread>

namespace avocet::compiler {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kDigits = AVOCET_SOURCE_DIR "/tests/models/digits/digits_int8.tflite";
const std::vector<std::string> kPhases = {"import", "nn", "place", "schedule", "allocate", "cmd"};

const LoadedCompiler &compiler() {
  static const Result<LoadedCompiler> kLoaded = LoadedCompiler::load(AVOCET_COMPILER_FILE);
  if (!kLoaded.isOk()) {
    ADD_FAILURE() << kLoaded.status().toString();
    std::abort();
  }
  return *kLoaded;
}

CompileRequest requestFor(const std::string &path, const std::string &target = "e256") {
  CompileRequest request;
  request.modelPath = path;
  request.target = target;
  return request;
}

/// Empty if equal, else the sizes or the first byte that differs.
std::string difference(std::span<const uint8_t> a, std::span<const uint8_t> b) {
  if (a.size() != b.size())
    return std::to_string(a.size()) + " bytes against " + std::to_string(b.size());
  auto [atA, atB] = std::ranges::mismatch(a, b);
  return atA == a.end() ? ""
                        : "byte " + std::to_string(atA - a.begin()) + " is " + std::to_string(*atA) + " against " +
                              std::to_string(*atB);
}

void expectSameArtefacts(const CompileResult &a, const CompileResult &b, const std::string &what) {
  ASSERT_TRUE(a.status.isOk()) << what << ": " << a.status.toString();
  ASSERT_TRUE(b.status.isOk()) << what << ": " << b.status.toString();
  EXPECT_EQ(difference(a.modelCache, b.modelCache), "") << what << ": model cache";
  EXPECT_EQ(difference(a.dataCache, b.dataCache), "") << what << ": data cache";
}

/// Compiles up to `phase`, then resumes from the IR of that phase.
CompileResult compileInTwo(const CompileRequest &request, const std::string &phase, IrFormat format) {
  CompileRequest first = request;
  first.stopAfter = phase;
  first.irFormat = format;
  CompileResult ir = compiler().compile(first);
  EXPECT_TRUE(ir.status.isOk()) << phase << ": " << ir.status.toString();
  CompileRequest second = requestFor("stopped-after-" + phase + ".mlir", request.target);
  second.modelBytes = ir.ir;
  second.format = format == IrFormat::Bytecode ? InputFormat::Bytecode : InputFormat::Mlir;
  return compiler().compile(second);
}

/// A cancelled compilation must produce nothing, stop calling `cancelled`, and not disturb the next compilation.
TEST(Compile, AbortsAtAnyCancellationPoint) {
  uint64_t questions = 0;
  CompileRequest request = requestFor(kDigits);
  request.cancelled = [&] { return ++questions, false; };
  const CompileResult whole = compiler().compile(request);
  ASSERT_TRUE(whole.status.isOk()) << whole.status.toString();
  ASSERT_GT(questions, 100u);
  std::mt19937 random(7);
  for (int round = 0; round < 40; ++round) {
    // Cancels at the first call, the last call, and random calls between them.
    const uint64_t yes = round == 0 ? 1 : round == 1 ? questions : 1 + random() % questions;
    uint64_t asked = 0;
    request.cancelled = [&] { return ++asked == yes; };
    const CompileResult result = compiler().compile(request);
    EXPECT_EQ(result.status.code(), StatusCode::Aborted) << "question " << yes << " of " << questions;
    EXPECT_TRUE(result.modelCache.empty() && result.dataCache.empty() && result.diagnostics.empty());
    EXPECT_EQ(asked, yes) << "asked again after a yes";
  }
  expectSameArtefacts(compiler().compile(requestFor(kDigits)), whole, "after all");
}

TEST(Compile, ProducesBothArtefacts) {
  CompileResult result = compiler().compile(requestFor(kDigits));
  ASSERT_TRUE(result.status.isOk()) << result.status.toString();
  ASSERT_GE(result.modelCache.size(), 8u);
  EXPECT_EQ(std::memcmp(result.modelCache.data(), "AVOM", 4), 0);
  EXPECT_GT(result.dataCache.size(), 10000u);
  EXPECT_TRUE(result.ir.empty());
  EXPECT_TRUE(result.diagnostics.empty());
}

TEST(Compile, ReportsCostOfEachPhase) {
  CompileResult result = compiler().compile(requestFor(kDigits));
  std::vector<std::string> names;
  for (const PhaseCost &cost : result.phases) {
    names.push_back(cost.phase);
    EXPECT_GT(cost.milliseconds, 0);
    EXPECT_GT(cost.peakMemoryBytes, 1u << 20);
  }
  EXPECT_THAT(names, ElementsAre("import", "nn", "place", "schedule", "allocate", "cmd", "emit"));
}

TEST(Compile, ReportsProgress) {
  std::vector<std::string> steps;
  CompileRequest request = requestFor(kDigits);
  request.stopAfter = "place";
  request.progress = [&](std::string_view phase, uint32_t index, uint32_t count) {
    steps.push_back(std::string(phase) + " " + std::to_string(index) + "/" + std::to_string(count));
  };
  ASSERT_TRUE(compiler().compile(request).status.isOk());
  EXPECT_THAT(steps, ElementsAre("import 0/3", "nn 1/3", "place 2/3"));
}

TEST(Compile, SameRequestGivesSameBytes) {
  expectSameArtefacts(compiler().compile(requestFor(kDigits)), compiler().compile(requestFor(kDigits)), "twice");
}

TEST(Compile, BytesAndFileGiveSameArtefacts) {
  Result<std::vector<uint8_t>> bytes = readFile(kDigits);
  ASSERT_TRUE(bytes.isOk());
  CompileRequest request = requestFor("somewhere/digits_int8.tflite");
  request.modelBytes = *bytes;
  expectSameArtefacts(compiler().compile(requestFor(kDigits)), compiler().compile(request), "bytes");
}

TEST(Compile, ConcurrentCompilationsGiveSameArtefacts) {
  CompileResult alone = compiler().compile(requestFor(kDigits));
  std::vector<CompileResult> results(4);
  std::vector<std::thread> threads;
  for (CompileResult &result : results)
    threads.emplace_back([&] { result = compiler().compile(requestFor(kDigits)); });
  for (std::thread &thread : threads)
    thread.join();
  for (const CompileResult &result : results)
    expectSameArtefacts(alone, result, "threads");
}

/// Convolutions with different weights, more than a cascade can have.
std::string chainModel() {
  std::string text = R"(!map = tensor<1x16x16x16x!quant.uniform<i8:f32, 0.5:3>>
!filter = tensor<16x3x3x16x!quant.uniform<i8:f32, 0.0078125>>
module attributes {avocet.phase = "import"} {
  func.func @main(%x0: !map {nn.name = "x"}) -> (!map {nn.name = "y"}) {
    %b = nn.constant dense<5> : tensor<16xi32>
)";
  const auto name = [](const char *prefix, uint32_t number) { return prefix + std::to_string(number); };
  for (uint32_t i = 0; i < 30; ++i)
    text += name("    %w", i) + " = nn.constant dense<" + std::to_string(i) + "> : tensor<16x3x3x16xi8> as !filter\n" +
            name("    %x", i + 1) + " = nn.conv_2d " + name("%x", i) + ", " + name("%w", i) +
            ", %b pad [1, 1, 1, 1] : (!map, !filter, tensor<16xi32>) -> !map\n";
  return text + "    return %x30 : !map\n  }\n}\n";
}

TEST(Compile, ThreadsChangeNoBytes) {
  const std::string text = chainModel();
  const auto withThreads = [&](uint32_t threads) {
    CompileRequest request = requestFor("chain.mlir");
    request.modelBytes = {reinterpret_cast<const uint8_t *>(text.data()), text.size()};
    request.threads = threads;
    return compiler().compile(request);
  };
  const CompileResult alone = withThreads(1);
  ASSERT_TRUE(alone.status.isOk()) << alone.status.toString();
  for (uint32_t threads : {0u, 2u, 64u})
    expectSameArtefacts(alone, withThreads(threads), std::to_string(threads).c_str());
}

TEST(Compile, CancellationStopsAllThreads) {
  const std::string text = chainModel();
  CompileRequest request = requestFor("chain.mlir");
  request.modelBytes = {reinterpret_cast<const uint8_t *>(text.data()), text.size()};
  request.threads = 2;
  int questions = 0;
  request.cancelled = [&] { return ++questions && false; };
  ASSERT_TRUE(compiler().compile(request).status.isOk());
  for (int yes = 1, all = questions; yes <= all; yes += 1 + all / 50) {
    int asked = 0;
    request.cancelled = [&] { return ++asked == yes; };
    const StatusCode code = compiler().compile(request).status.code();
    // How many questions there are depends on what the other thread does.
    EXPECT_EQ(code, asked < yes ? StatusCode::Ok : StatusCode::Aborted) << "question " << yes << " of " << all;
  }
}

TEST(Compile, WarnsOfRunsOverOneSecond) {
  const auto warningWith = [](const std::string &cycles) {
    CompileRequest request = requestFor(kDigits);
    request.stopAfter = "cmd";
    const CompileResult made = compiler().compile(request);
    std::string ir(made.ir.begin(), made.ir.end());
    const std::string key = "predictedCycles = ";
    const size_t at = ir.find(key) + key.size();
    ir.replace(at, ir.find(' ', at) - at, cycles);
    CompileRequest slow = requestFor("slow.mlir");
    slow.modelBytes = {reinterpret_cast<const uint8_t *>(ir.data()), ir.size()};
    slow.format = InputFormat::Mlir;
    const CompileResult result = compiler().compile(slow);
    EXPECT_TRUE(result.status.isOk()) << result.status.toString();
    return result.diagnostics.empty() ? std::string() : result.diagnostics.front().message;
  };
  EXPECT_EQ(warningWith("499000000"), "");
  EXPECT_THAT(warningWith("650000000"), HasSubstr("predicted to take 1.3 s of device time (650000000 cycles)"));
}

class Resume : public testing::TestWithParam<std::tuple<std::string, IrFormat>> {};

TEST_P(Resume, GivesSameArtefacts) {
  const auto &[phase, format] = GetParam();
  CompileRequest request = requestFor(kDigits);
  expectSameArtefacts(compiler().compile(request), compileInTwo(request, phase, format), phase);
}

INSTANTIATE_TEST_SUITE_P(
    Phases, Resume, testing::Combine(testing::ValuesIn(kPhases), testing::Values(IrFormat::Text, IrFormat::Bytecode)),
    [](const auto &info) {
      return std::get<0>(info.param) + (std::get<1>(info.param) == IrFormat::Text ? "Text" : "Bytecode");
    });

/// Models that are not part of the tree.
class SharedModel : public testing::TestWithParam<std::string> {};

TEST_P(SharedModel, ResumesAfterEveryPhase) {
  std::string path = std::string(AVOCET_SHARED_DATA) + "/models/" + GetParam() + "/model.tflite";
  if (!std::filesystem::exists(path))
    GTEST_SKIP() << "needs AVOCET_SHARED_DATA with models/" << GetParam();
  CompileRequest request = requestFor(path);
  CompileResult whole = compiler().compile(request);
  ASSERT_TRUE(whole.status.isOk()) << whole.status.toString();
  for (const std::string &phase : kPhases) {
    expectSameArtefacts(whole, compileInTwo(request, phase, IrFormat::Bytecode), phase);
    if (!kHasSanitizer) // as Resume does for its model
      expectSameArtefacts(whole, compileInTwo(request, phase, IrFormat::Text), phase);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, SharedModel,
                         testing::Values("ad_toycar_fp32", "ad_toycar_int8", "ic_resnet8_fp32", "ic_resnet8_int8",
                                         "ic_resnet_large_fp32", "ic_resnet_large_int8", "kws_dscnn_hybrid",
                                         "kws_dscnn_int8", "micro_speech_int8", "mnist_lstm_fp32", "mnist_lstm_int8",
                                         "mobilenet_v1_025_224_fp32", "mobilenet_v1_050_160_uint8",
                                         "mobilenet_v2_100_224_int8", "person_detect_int8", "streaming_wakeword_int8",
                                         "vww_mobilenet_fp32", "vww_mobilenet_int8"),
                         [](const auto &info) { return info.param; });

TEST(Errors, MissingFileIsNotFound) {
  CompileResult result = compiler().compile(requestFor("/nowhere/model.tflite"));
  EXPECT_EQ(result.status.code(), StatusCode::NotFound);
  EXPECT_THAT(result.status.message(), HasSubstr("/nowhere/model.tflite"));
}

TEST(Errors, DirectoryIsInvalid) {
  EXPECT_EQ(compiler().compile(requestFor(AVOCET_SOURCE_DIR)).status.code(), StatusCode::InvalidArgument);
}

TEST(Errors, UnknownTargetIsNotFound) {
  CompileResult result = compiler().compile(requestFor(kDigits, "e257"));
  EXPECT_EQ(result.status.code(), StatusCode::NotFound);
  EXPECT_THAT(result.status.message(), HasSubstr("e257"));
}

TEST(Errors, UnknownPhaseListsKnownPhases) {
  CompileRequest request = requestFor(kDigits);
  request.stopAfter = "polish";
  CompileResult result = compiler().compile(request);
  EXPECT_EQ(result.status.code(), StatusCode::InvalidArgument);
  EXPECT_THAT(result.status.message(), HasSubstr("import, nn, place, schedule, allocate, cmd"));
}

TEST(Errors, TruncatedModelIsDataLoss) {
  Result<std::vector<uint8_t>> bytes = readFile(kDigits);
  ASSERT_TRUE(bytes.isOk());
  CompileRequest request = requestFor("cut.tflite");
  request.modelBytes = std::span(*bytes).first(bytes->size() / 2);
  CompileResult result = compiler().compile(request);
  EXPECT_EQ(result.status.code(), StatusCode::DataLoss);
  EXPECT_THAT(result.status.message(), HasSubstr("cut.tflite"));
  EXPECT_TRUE(result.modelCache.empty());
}

CompileResult compileText(std::string_view text, const std::string &startAt = "") {
  CompileRequest request = requestFor("hand.mlir");
  request.modelBytes = {reinterpret_cast<const uint8_t *>(text.data()), text.size()};
  request.startAt = startAt;
  return compiler().compile(request);
}

TEST(Errors, TextWithoutModuleIsDataLoss) {
  CompileResult result = compileText("func.func @main() {");
  EXPECT_EQ(result.status.code(), StatusCode::DataLoss);
  EXPECT_THAT(result.status.message(), HasSubstr("hand.mlir:1:"));
}

TEST(Errors, ModuleWithoutPhaseIsInvalid) {
  CompileResult result = compileText("module {}");
  EXPECT_EQ(result.status.code(), StatusCode::InvalidArgument);
  EXPECT_THAT(result.status.message(), HasSubstr("avocet.phase"));
}

TEST(Errors, ModuleThatBreaksItsPhaseIsInvalid) {
  CompileResult result = compileText("func.func @main() { return }", "cmd");
  EXPECT_EQ(result.status.code(), StatusCode::InvalidArgument);
  EXPECT_THAT(result.status.message(), HasSubstr("is not allowed after the phase cmd"));
}

TEST(Errors, RefusalsHaveOperationOperandAndRule) {
  CompileResult result = compileText(R"(
!x = !quant.uniform<i8:f32, 0.5:-3>
!tiny = !quant.uniform<i8:f32, 1.0e-30>
module attributes {avocet.phase = "nn"} {
  func.func @main(%x: tensor<2x2x!x>) -> tensor<1x2x!tiny> {
    %0 = nn.reduce sum %x axes [0] keep_dims : (tensor<2x2x!x>) -> tensor<1x2x!tiny> loc("one"("net.tflite":0:0))
    %1 = nn.reduce sum %x axes [0] keep_dims : (tensor<2x2x!x>) -> tensor<1x2x!tiny> loc("two")
    %2 = nn.add %0, %1 : (tensor<1x2x!tiny>, tensor<1x2x!tiny>) -> tensor<1x2x!tiny>
    return %2 : tensor<1x2x!tiny>
  }
})");
  EXPECT_EQ(result.status.code(), StatusCode::Unsupported);
  ASSERT_EQ(result.refusals.size(), 2u) << result.status.toString();
  EXPECT_THAT(result.refusals[0].location, HasSubstr("one"));
  EXPECT_EQ(result.refusals[0].operation, "REDUCE");
  EXPECT_EQ(result.refusals[0].operand, "input");
  EXPECT_EQ(result.refusals[0].rule, "ratio of scales");
  EXPECT_FALSE(result.refusals[0].value.empty());
  EXPECT_EQ(result.refusals[1].location, "two");
  ASSERT_GE(result.diagnostics.size(), 2u);
  EXPECT_THAT(result.diagnostics[0].message, HasSubstr("REDUCE is not supported: input: ratio of scales"));
  EXPECT_TRUE(result.modelCache.empty());
  EXPECT_TRUE(result.dataCache.empty());
}

TEST(Errors, TfliteCannotStartAtLaterPhase) {
  CompileRequest request = requestFor(kDigits);
  request.startAt = "place";
  EXPECT_EQ(compiler().compile(request).status.code(), StatusCode::InvalidArgument);
}

TEST(Loader, NotFoundNamesTriedPath) {
  Result<LoadedCompiler> loaded = LoadedCompiler::load("/nowhere/libavocetCompiler.so");
  ASSERT_FALSE(loaded.isOk());
  EXPECT_EQ(loaded.status().code(), StatusCode::NotFound);
  EXPECT_THAT(loaded.status().message(), HasSubstr("/nowhere/libavocetCompiler.so"));
}

TEST(Loader, RejectsOtherLibrary) {
  Result<LoadedCompiler> loaded = LoadedCompiler::load("libm.so.6");
  ASSERT_FALSE(loaded.isOk());
  EXPECT_EQ(loaded.status().code(), StatusCode::FailedPrecondition);
}

TEST(Loader, FindsLibraryNextToProgram) {
  Result<LoadedCompiler> loaded = LoadedCompiler::load();
  ASSERT_TRUE(loaded.isOk()) << loaded.status().toString();
  EXPECT_FALSE(loaded->version().empty());
}

TEST(InputLimits, NestedTextIsRefused) {
  const std::string text = "module attributes {a = " + std::string(100'000, '[') + std::string(100'000, ']') + "} {}";
  CompileRequest request = requestFor("nested.mlir");
  request.modelBytes = {reinterpret_cast<const uint8_t *>(text.data()), text.size()};
  const CompileResult result = compiler().compile(request);
  EXPECT_EQ(result.status.code(), StatusCode::DataLoss);
  EXPECT_THAT(result.status.message(), HasSubstr("nested.mlir:1:279: brackets nest deeper than 256 levels"));
}

TEST(InputLimits, EmptyFileIsReportedAsEmpty) {
  const std::string path = testing::TempDir() + "/empty.tflite";
  ASSERT_TRUE(writeFile(path, std::string_view()).isOk());
  const CompileResult result = compiler().compile(requestFor(path));
  EXPECT_EQ(result.status.code(), StatusCode::DataLoss);
  EXPECT_THAT(result.status.message(), HasSubstr("empty.tflite: the file is empty"));
  std::filesystem::remove(path);
}

std::string errorFor(std::string_view bytes, const std::string &path) {
  CompileRequest request = requestFor(path);
  request.modelBytes = {reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()};
  return compiler().compile(request).status.message();
}

TEST(InputLimits, ForeignFilesSayWhatTheyAre) {
  using std::string_view_literals::operator""sv;
  EXPECT_EQ(errorFor("\x08\x07\x12\x04"sv, "x.onnx"),
            "x.onnx: the file is no ONNX model: it is truncated or corrupt at byte 4");
  EXPECT_THAT(errorFor("PK\3\4..."sv, "x.PT"), HasSubstr("x.PT: is a PyTorch model; export it to ONNX"));
  EXPECT_THAT(errorFor("PK\3\4..."sv, "nets.zip"), HasSubstr("is a ZIP archive; unpack it"));
  EXPECT_THAT(errorFor("\x89HDF\r\n\x1a\n"sv, "x.h5"), HasSubstr("as Keras writes"));
  EXPECT_THAT(errorFor("\4\0\0\0AVOM"sv, "model.avom"), HasSubstr("give the directory that 'avocet compile' wrote"));
  EXPECT_THAT(errorFor("\x80\2}q\0"sv, "x.bin"), HasSubstr("is a pickle file, as PyTorch writes"));
  EXPECT_THAT(errorFor("\x20\0\0\0\0\0\0\0{\"w\""sv, "x.bin"), HasSubstr("is weights without a network"));
  EXPECT_THAT(errorFor("version https://git-lfs.github.com/spec/v1\n"sv, "x.bin"), HasSubstr("'git lfs pull'"));
  EXPECT_THAT(errorFor("\1\2\0\3"sv, "x.bin"),
              HasSubstr("a binary file of an unknown kind; a model is a .tflite or .tosa file"));
}

TEST(InputLimits, TextNamedTfliteIsRejected) {
  const std::string text = "module {}";
  CompileRequest request = requestFor("model.tflite");
  request.modelBytes = {reinterpret_cast<const uint8_t *>(text.data()), text.size()};
  EXPECT_THAT(compiler().compile(request).status.message(), HasSubstr("not a TFLite model"));
}

} // namespace
} // namespace avocet::compiler
