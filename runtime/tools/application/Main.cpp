//===- Main.cpp - avocetApplication, a user of a framework ----------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Obeys commands from its standard input, one a line, and answers each with one line of JSON on its standard output:
//
//   (start)          {"prepareMicroseconds": T, "ownNodes": N, "delegatedNodes": N, "inputs": [...],
//                   "outputs": [...]}, or {"error": TEXT}, and it ends
//   input K FILE     {} or {"error": TEXT}
//   reset            {} or {"error": TEXT}: variables get their initial values
//   invoke           {"microseconds": T} or {"error": TEXT}
//   output K FILE    {} or {"error": TEXT}
//   (end of input)   destroys interpreter or session and ends; the libraries then write their reports
//
//===----------------------------------------------------------------------===//

#include "OnnxApplication.h"
#include "TfliteApplication.h"

#include "avocet/base/CommandLine.h"
#include "avocet/base/GuardedMain.h"

#include <nlohmann/json.hpp>

#include <chrono>
#include <csignal>
#include <fmt/core.h>
#include <iostream>
#include <sstream>
#include <sys/prctl.h>
#include <unistd.h>

namespace avocet::application {
namespace {

using Json = nlohmann::json;

Json listOf(const std::vector<TensorFacts> &tensors) {
  Json list = Json::array();
  for (const TensorFacts &tensor : tensors)
    list.push_back({{"name", tensor.name}, {"type", tensor.type}, {"shape", tensor.shape}, {"bytes", tensor.bytes}});
  return list;
}

Json outcomeOf(const Status &status) {
  return status.isOk() ? Json::object() : Json{{"error", std::string(status.message())}};
}

Json obey(Application &application, const std::string &line) {
  std::istringstream words(line);
  std::string command, file;
  size_t index = 0;
  words >> command >> index >> std::ws;
  std::getline(words, file);
  if (command == "input")
    return outcomeOf(application.readInput(index, file));
  if (command == "output")
    return outcomeOf(application.writeOutput(index, file));
  if (command == "reset")
    return outcomeOf(application.reset());
  if (command != "invoke")
    return {{"error", fmt::format("unknown command '{}'", command)}};
  Result<double> time = application.invoke();
  return time ? Json{{"microseconds", *time}} : outcomeOf(time.status());
}

/// The answers' own descriptor: what the libraries print on the standard output goes to the standard error stream.
class Answers {
public:
  Answers() : file_(::fdopen(::dup(STDOUT_FILENO), "w")) { ::dup2(STDERR_FILENO, STDOUT_FILENO); }
  ~Answers() {
    if (file_ != nullptr)
      (void)std::fclose(file_);
  }
  Answers(const Answers &) = delete;
  Answers &operator=(const Answers &) = delete;

  void write(const Json &answer) {
    const std::string text = answer.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
    if (file_ != nullptr && std::fwrite(text.data(), 1, text.size(), file_) == text.size())
      (void)std::fflush(file_);
  }

private:
  std::FILE *file_;
};

Result<std::unique_ptr<Application>> applicationFor(const Settings &settings) {
  if (!settings.provider.empty())
    return std::unique_ptr<Application>(std::make_unique<OnnxApplication>(settings));
  AVOCET_ASSIGN_OR_RETURN(const TfliteApi api, loadTflite(settings.folder));
  return std::unique_ptr<Application>(std::make_unique<TfliteApplication>(api, settings));
}

Status serve(const Settings &settings) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  Answers answers;
  AVOCET_ASSIGN_OR_RETURN(const std::unique_ptr<Application> made, applicationFor(settings));
  Application &application = *made;
  const auto start = std::chrono::steady_clock::now();
  if (Status status = application.create(); !status.isOk()) {
    answers.write(outcomeOf(status));
    return Status::ok();
  }
  const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
  answers.write({{"prepareMicroseconds", time.count()},
                 {"ownNodes", application.nodes().own},
                 {"delegatedNodes", application.nodes().delegated},
                 {"inputs", listOf(application.inputs())},
                 {"outputs", listOf(application.outputs())}});
  for (std::string line; std::getline(std::cin, line);)
    answers.write(obey(application, line));
  return Status::ok();
}

} // namespace
} // namespace avocet::application

static int runMain(int argc, char **argv) {
  using namespace avocet;
  application::Settings settings;
  CommandLine line(
      "Runs a network in TensorFlow Lite or ONNX Runtime for 'avocet run --through', which starts it and sends it "
      "commands.",
      "avocetApplication");
  line.addText("folder", settings.folder, "Folder of libtensorflowlite_c.so or libonnxruntime.so.1").required();
  line.addText("model", settings.model, "Model file").required();
  line.addFlag("--nnapi", settings.usesNnapi, "Use NNAPI");
  line.addText("--delegate", settings.delegate, "Use this delegate library of TensorFlow Lite");
  line.addText("--provider", settings.provider, "Use ONNX Runtime with this provider library");
  line.addTexts("--option", settings.options, "KEY=VALUE for the delegate or provider").oneEach();
  line.addTexts("--shape", settings.shapes, "NAME=EXTENTS of an input of ONNX Runtime").oneEach();
  line.addTexts("--dim", settings.extents, "NAME=EXTENT that a model of ONNX Runtime calls by a name").oneEach();
  return runProgram(line, argc, argv, [&] { return application::serve(settings); });
}

int main(int argc, char **argv) { return avocet::guardedMain(argc, argv, runMain); }
