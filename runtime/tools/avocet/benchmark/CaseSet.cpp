//===- CaseSet.cpp - Inputs of a benchmark and known outputs --------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CaseSet.h"

#include "avocet/base/File.h"
#include "avocet/base/ParseNumber.h"
#include "avocet/session/Inputs.h"
#include "avocet/session/Tensors.h"

#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <set>
#include <sstream>

namespace avocet::tool {
namespace {

namespace files = std::filesystem;
using Tensors = BenchmarkCase::Tensors;

constexpr std::string_view kFirstInput = ".in0.bin";

/// Of the cases in a folder, in order.
std::set<std::string> idsIn(const std::string &folder) {
  std::set<std::string> ids;
  std::error_code error;
  for (files::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.ends_with(kFirstInput))
      ids.insert(name.substr(0, name.size() - kFirstInput.size()));
  }
  return ids;
}

Status readInto(Tensors &tensors, const std::string &path, const cache::OperandView &operand, std::string_view role) {
  std::vector<uint8_t> bytes(operand.bytes);
  AVOCET_RETURN_IF_ERROR(session::readTensor(path, operand, tensors.size(), bytes, role));
  tensors.push_back(std::move(bytes));
  return Status::ok();
}

Result<BenchmarkCase> readCase(const std::string &folder, const std::string &id, const cache::ModelCache &model) {
  BenchmarkCase made;
  made.id = id;
  for (size_t i = 0; i < session::numOwnInputs(model); ++i)
    AVOCET_RETURN_IF_ERROR(
        readInto(made.inputs, fmt::format("{}/{}.in{}.bin", folder, id, i), model.input(i), "input"));
  const std::string outputs = fmt::format("{}/{}.out", folder, id);
  std::error_code error;
  if (!files::exists(outputs + "0.bin", error))
    return made;
  for (size_t i = 0; i < session::numOwnOutputs(model); ++i)
    AVOCET_RETURN_IF_ERROR(readInto(made.goldens, fmt::format("{}{}.bin", outputs, i), model.output(i), "output"));
  return made;
}

/// Classes by the case's name. Nothing without the file.
Result<std::map<std::string, size_t>> readLabels(const std::string &path, size_t numClasses) {
  std::map<std::string, size_t> labels;
  std::error_code error;
  if (!files::exists(path, error))
    return labels;
  AVOCET_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes, readFile(path));
  std::istringstream text(std::string(bytes.begin(), bytes.end()));
  size_t number = 0;
  for (std::string line; std::getline(text, line);) {
    ++number;
    std::istringstream words(line);
    std::string id, label;
    if (!(words >> id))
      continue;
    words >> label;
    const auto value = parseUnsigned(label, 0, numClasses - 1);
    if (!value)
      return invalidArgument(fmt::format("{}: line {} is '{}'; it must be the name of a case and a class from 0 to {}",
                                         path, number, line, numClasses - 1));
    labels[id] = *value;
  }
  return labels;
}

Status addLabels(CaseSet &set, const ImageOptions &options, const std::string &folder, const cache::ModelCache &model) {
  if (session::numOwnOutputs(model) != 1)
    return Status::ok();
  const size_t numClasses = elementsOf(model.output(0));
  const std::string path = folder + "/labels.txt";
  AVOCET_ASSIGN_OR_RETURN(const auto labels, readLabels(path, numClasses));
  if (labels.empty())
    return Status::ok();
  AVOCET_ASSIGN_OR_RETURN(set.classNames, readClassNames(options.labelsText, numClasses));
  for (BenchmarkCase &each : set.cases)
    if (auto label = labels.find(each.id); label != labels.end())
      each.label = label->second;
  return Status::ok();
}

Result<CaseSet> casesOfFolder(const std::string &folder, const CaseOptions &options, const cache::ModelCache &model) {
  CaseSet set;
  set.source = folder;
  for (const std::string &id : idsIn(folder)) {
    if (set.cases.size() == options.images.limit)
      break;
    AVOCET_ASSIGN_OR_RETURN(BenchmarkCase made, readCase(folder, id, model));
    set.cases.push_back(std::move(made));
  }
  if (set.cases.empty())
    return notFound(fmt::format("{}: has no cases; a case is raw tensors called ID.in0.bin, ID.in1.bin, ... and, where "
                                "outputs are known, ID.out0.bin, ...",
                                folder));
  AVOCET_RETURN_IF_ERROR(addLabels(set, options.images, folder, model));
  return set;
}

Result<CaseSet> casesOfImages(const ImageOptions &options, const std::string &name, const cache::ModelCache &model) {
  AVOCET_ASSIGN_OR_RETURN(const LabeledImages data, readLabeledImages(options, model, name));
  CaseSet set;
  set.source = options.images;
  set.classNames = data.classNames;
  for (size_t i = 0; i < data.count(options); ++i) {
    BenchmarkCase made;
    made.id = std::to_string(i);
    made.inputs.emplace_back(model.input(0).bytes);
    AVOCET_RETURN_IF_ERROR(storeImage(data, i, options, model.input(0), made.inputs[0]));
    made.label = data.labels.data[i];
    set.cases.push_back(std::move(made));
  }
  if (set.cases.empty())
    return invalidArgument(options.images + ": has no images");
  return set;
}

CaseSet randomCases(const CaseOptions &options, const cache::ModelCache &model) {
  CaseSet set;
  set.source = fmt::format("random inputs, seed {}", options.seed);
  uint64_t seed = options.seed;
  for (size_t i = 0; i < std::min<size_t>(options.randomCases, options.images.limit); ++i) {
    BenchmarkCase made;
    made.id = std::to_string(i);
    for (size_t input = 0; input < session::numOwnInputs(model); ++input) {
      made.inputs.emplace_back(model.input(input).bytes);
      session::fillRandom(model.input(input).type, seed++, made.inputs.back());
    }
    set.cases.push_back(std::move(made));
  }
  return set;
}

} // namespace

Result<CaseSet> loadCases(const CaseOptions &options, const std::string &name, const std::string &path,
                          const cache::ModelCache &model) {
  if (!options.images.images.empty())
    return casesOfImages(options.images, name, model);
  if (!options.folder.empty()) {
    const std::string own = options.folder + "/" + name;
    std::error_code error;
    return casesOfFolder(files::is_directory(own, error) ? own : options.folder, options, model);
  }
  const std::string beside = files::absolute(path).lexically_normal().parent_path().string();
  return idsIn(beside).empty() ? randomCases(options, model) : casesOfFolder(beside, options, model);
}

} // namespace avocet::tool
