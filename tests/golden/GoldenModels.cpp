//===- GoldenModels.cpp ---------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GoldenModels.h"

#include "avocet/base/File.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace avocet::golden {
namespace {

namespace fs = std::filesystem;

constexpr size_t kDigitPixels = 28 * 28;
constexpr size_t kDigitClasses = 10;

std::string digitsFile(const std::string &name) { return AVOCET_SOURCE_DIR "/tests/models/digits/" + name; }

Rule ruleOf(const std::string &name, const nlohmann::json &manifest) {
  if (name.ends_with("_hybrid"))
    return Rule::Hybrid;
  return manifest.at("outputs").at(0).at("dtype") == "float32" ? Rule::Float : Rule::Exact;
}

/// Reads FOLDER/ID.{in,out}N.bin for N = 0 to count - 1.
Status readTensors(const std::string &stem, size_t count, std::vector<Bytes> &tensors) {
  for (size_t i = 0; i < count; ++i) {
    Result<Bytes> bytes = readFile(stem + std::to_string(i) + ".bin");
    if (!bytes.isOk())
      return bytes.status();
    tensors.push_back(std::move(bytes.value()));
  }
  return Status::ok();
}

Result<std::vector<GoldenCase>> loadManifestCases(const GoldenModel &model) {
  std::ifstream file(model.folder + "/manifest.json");
  nlohmann::json manifest = nlohmann::json::parse(file, nullptr, false);
  if (manifest.is_discarded())
    return dataLoss(model.folder + "/manifest.json is not JSON");
  std::vector<GoldenCase> cases;
  for (const nlohmann::json &entry : manifest.at("cases")) {
    GoldenCase made;
    made.id = entry.at("id");
    const std::string stem = model.folder + "/" + made.id;
    if (Status status = readTensors(stem + ".in", manifest.at("inputs").size(), made.inputs); !status.isOk())
      return status;
    if (Status status = readTensors(stem + ".out", manifest.at("outputs").size(), made.outputs); !status.isOk())
      return status;
    made.sameArgmax = model.rule == Rule::Hybrid && made.id == "04";
    cases.push_back(std::move(made));
  }
  return cases;
}

Result<std::vector<GoldenCase>> loadDigitCases(const GoldenModel &model) {
  const bool asFloat = model.rule == Rule::Float;
  Result<DigitSet> set = loadDigits();
  if (!set.isOk())
    return set.status();
  Result<Bytes> goldens = readFile(digitsFile(asFloat ? "golden_float32.bin" : "golden_int8.bin"));
  if (!goldens.isOk())
    return goldens.status();
  const size_t rowBytes = kDigitClasses * (asFloat ? sizeof(float) : 1);
  std::vector<GoldenCase> cases(goldens.value().size() / rowBytes);
  for (size_t i = 0; i < cases.size(); ++i) {
    const auto row = goldens.value().begin() + static_cast<ptrdiff_t>(i * rowBytes);
    cases[i].id = std::to_string(i);
    cases[i].inputs = {digitInput(set.value().images[i], asFloat)};
    cases[i].outputs = {Bytes(row, row + static_cast<ptrdiff_t>(rowBytes))};
    cases[i].sameArgmax = true;
  }
  return cases;
}

std::vector<float> asFloats(const Bytes &bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
  return values;
}

template <typename T> ptrdiff_t argmax(const std::vector<T> &values) {
  return std::max_element(values.begin(), values.end()) - values.begin();
}

std::string compareExact(const Bytes &output, const Bytes &golden) {
  size_t count = 0;
  size_t first = 0;
  for (size_t i = golden.size(); i-- > 0;)
    if (output[i] != golden[i]) {
      first = i;
      ++count;
    }
  if (count == 0)
    return "";
  return std::to_string(count) + " of " + std::to_string(golden.size()) + " bytes differ, the first at " +
         std::to_string(first) + ": " + std::to_string(output[first]) + ", golden " + std::to_string(golden[first]);
}

std::string compareFloats(const std::vector<float> &output, const std::vector<float> &golden, float tolerance) {
  for (size_t i = 0; i < golden.size(); ++i) {
    const float difference = std::abs(output[i] - golden[i]);
    if (!(difference <= tolerance)) // a NaN fails as well
      return "element " + std::to_string(i) + " is " + std::to_string(output[i]) + ", golden " +
             std::to_string(golden[i]) + ", tolerance " + std::to_string(tolerance);
  }
  return "";
}

float floatTolerance(const std::vector<float> &golden) {
  float largest = 1;
  for (float value : golden)
    largest = std::max(largest, std::abs(value));
  return 1e-5f * largest;
}

/// The input of long-kernels.mlir: 256 rows of 128 values of both signs.
GoldenCase longKernelsCase() {
  std::vector<float> values(256 * 128);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = 4 * std::sin(static_cast<float>(i * i % 1009));
  GoldenCase made;
  made.id = "only";
  made.inputs.emplace_back(values.size() * sizeof(float));
  std::memcpy(made.inputs[0].data(), values.data(), made.inputs[0].size());
  return made;
}

} // namespace

GoldenModel longKernels() {
  return {"longKernels", "", AVOCET_SOURCE_DIR "/tests/golden/long-kernels.mlir", Rule::Float};
}

std::vector<GoldenModel> goldenModels() {
  std::vector<GoldenModel> models = {
      {"digits_int8", "", digitsFile("digits_int8.tflite"), Rule::Exact},
      {"digits_float32", "", digitsFile("digits_float32.tflite"), Rule::Float},
  };
  const fs::path root = fs::path(AVOCET_SHARED_DATA) / "models";
  std::error_code error;
  std::vector<fs::path> folders;
  if (!std::string_view(AVOCET_SHARED_DATA).empty())
    for (const fs::directory_entry &entry : fs::directory_iterator(root, error))
      if (fs::exists(entry.path() / "manifest.json"))
        folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end());
  for (const fs::path &folder : folders) {
    std::ifstream file(folder / "manifest.json");
    const std::string name = folder.filename().string();
    models.push_back(
        {name, folder.string(), (folder / "model.tflite").string(), ruleOf(name, nlohmann::json::parse(file))});
  }
  return models;
}

Result<std::vector<GoldenCase>> loadCases(const GoldenModel &model) {
  if (model.path == longKernels().path)
    return std::vector<GoldenCase>{longKernelsCase()};
  return model.folder.empty() ? loadDigitCases(model) : loadManifestCases(model);
}

std::string compare(Rule rule, const Bytes &output, const Bytes &golden, bool sameArgmax) {
  if (output.size() != golden.size())
    return std::to_string(output.size()) + " bytes, golden " + std::to_string(golden.size());
  if (rule == Rule::Exact)
    return compareExact(output, golden);
  const std::vector<float> values = asFloats(output);
  const std::vector<float> wanted = asFloats(golden);
  if (sameArgmax && argmax(values) != argmax(wanted))
    return "largest element at " + std::to_string(argmax(values)) + ", golden " + std::to_string(argmax(wanted));
  return compareFloats(values, wanted, rule == Rule::Hybrid ? 0.15f : floatTolerance(wanted));
}

Result<DigitSet> loadDigits() {
  Result<Bytes> images = readFile(digitsFile("test-images.idx3-ubyte"));
  Result<Bytes> labels = readFile(digitsFile("test-labels.idx1-ubyte"));
  if (!images.isOk() || !labels.isOk())
    return images.isOk() ? labels.status() : images.status();
  // makeDigits writes headers of 16 and 8 bytes.
  DigitSet set;
  set.labels.assign(labels.value().begin() + 8, labels.value().end());
  if (images.value().size() != 16 + set.labels.size() * kDigitPixels)
    return dataLoss("the digits test set has another number of images than of labels");
  for (size_t i = 0; i < set.labels.size(); ++i) {
    const auto begin = images.value().begin() + static_cast<ptrdiff_t>(16 + i * kDigitPixels);
    set.images.emplace_back(begin, begin + kDigitPixels);
  }
  return set;
}

Bytes digitInput(const Bytes &pixels, bool asFloat) {
  Bytes input(pixels.size() * (asFloat ? sizeof(float) : 1));
  for (size_t i = 0; i < pixels.size(); ++i) {
    const float real = static_cast<float>(pixels[i]) / 255.0f;
    if (asFloat)
      std::memcpy(&input[i * sizeof(float)], &real, sizeof(real));
    else
      input[i] = static_cast<uint8_t>(pixels[i] - 128);
  }
  return input;
}

} // namespace avocet::golden
