//===- Oracle.cpp - Expected tensors ----------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Oracle.h"

#include "Tflite_generated.h"
#include "avocet/base/File.h"
#include "avocet/base/ProgramBeside.h"
#include "avocet/base/ScratchDirectory.h"
#include "avocet/firmware_iface/Reflection.h"
#include "avocet/session/ApplicationSession.h"
#include "avocet/session/Inputs.h"
#include "avocet/session/Tensors.h"
#include "run/remote/ThroughPlaces.h"

#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

namespace avocet::tool {

void addOracleOptions(CommandLine &command, RunOptions &run, Tolerance &tolerance) {
  command.addTexts("-i,--input", run.inputs.files, "Raw tensor for the next input, in graph order; default: random")
      .oneEach();
  addNumber(command, "--seed", run.inputs.seed, "Seed of the random inputs; default: 1");
  command.addText("--clients", run.clients, "Folder of 'scripts/setup --clients' with TensorFlow Lite");
  addNumber(command, "--tolerance", tolerance.real,
            "Real values that differ by at most this much are equal; default: 0", 0, 1e300);
  addNumber(
      command, "--tolerance-steps", tolerance.steps,
      "So are stored numbers that differ by at most N: steps of 1 for integers, of the last place for floating-point "
      "numbers; default: 0")
      .valueName("N");
}

/// Tensors without a type that a file of raw numbers can hold.
static bool isShown(const tflite::TensorT &tensor) {
  switch (tensor.type) {
  case tflite::TensorType::FLOAT32:
  case tflite::TensorType::INT32:
  case tflite::TensorType::UINT8:
  case tflite::TensorType::INT64:
  case tflite::TensorType::BOOL:
  case tflite::TensorType::INT16:
  case tflite::TensorType::INT8:
    return !tensor.is_variable;
  default:
    return false;
  }
}

Result<ExposedModel> exposeTensors(std::span<const uint8_t> file) {
  flatbuffers::Verifier verifier(file.data(), file.size());
  if (!tflite::VerifyModelBuffer(verifier))
    return dataLoss("the file is no .tflite network");
  std::unique_ptr<tflite::ModelT> model(tflite::GetModel(file.data())->UnPack());
  if (model->subgraphs.empty())
    return dataLoss("the network has no subgraph");
  tflite::SubGraphT &graph = *model->subgraphs.front();
  ExposedModel exposed;
  graph.outputs.clear();
  std::set<int32_t> taken;
  for (const auto &op : graph.operators)
    for (int32_t output : op->outputs) {
      if (output < 0 || static_cast<size_t>(output) >= graph.tensors.size())
        return dataLoss("an operator of the network writes a tensor that does not exist");
      if (!isShown(*graph.tensors[output]) || !taken.insert(output).second)
        continue;
      graph.outputs.push_back(output);
      exposed.names.push_back(graph.tensors[output]->name);
    }
  model->signatures.clear(); // they name the old outputs
  flatbuffers::FlatBufferBuilder builder;
  tflite::FinishModelBuffer(builder, tflite::Model::Pack(builder, model.get()));
  exposed.file.assign(builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize());
  return exposed;
}

namespace {

using nlohmann::json;

constexpr uint64_t kMostFileBytes = uint64_t{1} << 31;
constexpr const char *kManifest = "tensors.json";

/// The network with all tensors as outputs, as a file in a folder.
struct ExposedFile {
  std::string path;
  std::vector<std::string> names;
};

Result<ExposedFile> writeExposed(const std::string &model, const ScratchDirectory &folder) {
  AVOCET_ASSIGN_OR_RETURN(std::vector<uint8_t> bytes, readFile(model, kMostFileBytes));
  Result<ExposedModel> exposed = exposeTensors(bytes);
  if (!exposed)
    return exposed.status().withContext(model);
  ExposedFile file{folder.path() + "/exposed.tflite", std::move(exposed->names)};
  AVOCET_RETURN_IF_ERROR(writeFile(file.path, exposed->file));
  return file;
}

ExpectedTensors collect(const session::Session &session, const std::vector<std::string> &names) {
  ExpectedTensors tensors;
  for (size_t i = 0; i < std::min(names.size(), session.numOutputs()); ++i)
    tensors[names[i]] = expectedOf(session.describeOutput(i), session.output(i));
  return tensors;
}

} // namespace

ExpectedTensor expectedOf(const cache::OperandView &operand, std::span<const uint8_t> bytes) {
  ExpectedTensor tensor{operand.type, 1, 0, {bytes.begin(), bytes.end()}};
  if (operand.scales.size() == 1 && operand.zeroPoints.size() == 1) {
    tensor.scale = operand.scales[0];
    tensor.zeroPoint = operand.zeroPoints[0];
  }
  return tensor;
}

namespace {

Result<ExpectedTensors> runReference(const RunOptions &options, const std::string &target, Progress &progress) {
  AVOCET_ASSIGN_OR_RETURN(const ScratchDirectory folder, ScratchDirectory::make());
  AVOCET_ASSIGN_OR_RETURN(ExposedFile file, writeExposed(options.model, folder));
  ModelChoice choice{file.path, target, ""};
  choice.optimize = "0";
  AVOCET_ASSIGN_OR_RETURN(LoadedModel model, loadModel(choice, DiagnosticsFormat::Text, progress));
  AVOCET_ASSIGN_OR_RETURN(const std::unique_ptr<session::LocalSession> session,
                          session::runForValues(model, options.inputs));
  return collect(*session, file.names);
}

/// Of the program of this name; `arguments` are those before the model.
Result<ExpectedTensors> runApplication(const std::string &program, std::vector<std::string> arguments,
                                       const RunOptions &options, Progress &progress) {
  AVOCET_ASSIGN_OR_RETURN(const ScratchDirectory folder, ScratchDirectory::make());
  AVOCET_ASSIGN_OR_RETURN(const ExposedFile file, writeExposed(options.model, folder));
  progress.stage("running TensorFlow Lite");
  arguments.push_back(file.path);
  AVOCET_ASSIGN_OR_RETURN(auto session, session::ApplicationSession::open({.framework = "TensorFlow Lite",
                                                                           .program = programBeside(program),
                                                                           .arguments = std::move(arguments),
                                                                           .environment = {},
                                                                           .folder = folder.path()}));
  AVOCET_RETURN_IF_ERROR(session::fillInputs(*session, options.inputs));
  AVOCET_RETURN_IF_ERROR(session->run().status());
  ExpectedTensors tensors = collect(*session, file.names);
  AVOCET_RETURN_IF_ERROR(session->finish());
  return tensors;
}

} // namespace

bool runsNetwork(const std::string &against) {
  return against == "reference" || against == "tflite" || against == "tflite-reference";
}

Result<ExpectedTensors> tensorsOfOracle(const std::string &against, const RunOptions &options,
                                        const std::string &target, Progress &progress) {
  if (against == "tflite-reference")
    return runApplication("avocetReferenceApplication", {}, options, progress);
  if (against == "tflite") {
    AVOCET_ASSIGN_OR_RETURN(const std::string tflite, findFramework(Through::Delegate, options.clients));
    return runApplication("avocetApplication", {tflite}, options, progress);
  }
  return against == "reference" ? runReference(options, target, progress) : loadTensors(against);
}

Status saveTensors(const std::string &directory, const ExpectedTensors &tensors) {
  json list = json::array();
  std::vector<std::span<const uint8_t>> contents;
  for (const auto &[name, tensor] : tensors) {
    list.push_back({{"name", name},
                    {"file", fmt::format("tensor{}.bin", contents.size())},
                    {"type", valueName(tensor.type)},
                    {"scale", tensor.scale},
                    {"zeroPoint", tensor.zeroPoint}});
    contents.emplace_back(tensor.bytes);
  }
  AVOCET_RETURN_IF_ERROR(session::writeTensors(directory, "tensor", contents));
  const std::string text = json{{"schemaVersion", 1}, {"tensors", list}}.dump(1) + "\n";
  return writeFile(directory + "/" + kManifest, std::string_view(text));
}

Result<ExpectedTensors> loadTensors(const std::string &directory) {
  const std::string path = directory + "/" + kManifest;
  AVOCET_ASSIGN_OR_RETURN(std::vector<uint8_t> text, readFile(path, kMostFileBytes));
  const json manifest = json::parse(text, nullptr, false);
  const auto wrong = [&](const std::string &what) { return dataLoss(path + ": " + what); };
  if (!manifest.is_object() || manifest.value("schemaVersion", 0) != 1 || !manifest.contains("tensors") ||
      !manifest["tensors"].is_array())
    return wrong("is no list of tensors of 'avocet compare --save', schemaVersion 1");
  ExpectedTensors tensors;
  for (const json &entry : manifest["tensors"]) {
    if (!entry.is_object() || !entry.contains("name") || !entry["name"].is_string() || !entry.contains("file") ||
        !entry["file"].is_string() || !entry.contains("type") || !entry["type"].is_string())
      return wrong("an entry needs name, file and type");
    const std::string file = entry["file"], type = entry["type"];
    if (std::filesystem::path(file).filename() != file)
      return wrong(fmt::format("'{}' must be a file of the directory", file));
    ExpectedTensor tensor;
    const auto names = valueNames(firmware::DataType{});
    const auto found = std::ranges::find(names, type);
    if (found == names.end())
      return wrong(fmt::format("'{}' is no element type", type));
    tensor.type = static_cast<firmware::DataType>(found - names.begin());
    if (entry.contains("scale") && entry["scale"].is_number())
      tensor.scale = entry["scale"];
    if (entry.contains("zeroPoint") && entry["zeroPoint"].is_number_integer())
      tensor.zeroPoint = entry["zeroPoint"];
    AVOCET_ASSIGN_OR_RETURN(tensor.bytes, readFile(fmt::format("{}/{}", directory, file), kMostFileBytes));
    tensors[entry["name"]] = std::move(tensor);
  }
  return tensors;
}

} // namespace avocet::tool
