//===- TfliteClient.cpp - An application of TensorFlow Lite ---------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads a model into TensorFlow Lite's interpreter, with NNAPI, a delegate or neither, and obeys commands from its
// standard input, one a line. Each is answered by one line.
//
//   (start)          ready MICROSECONDS, from the model's file to the allocated tensors; error TEXT, and it ends
//   input K FILE     ok BYTES, error TEXT
//   invoke N         invoked CODE MICROSECONDS...; stops at the first code that is not 0
//   output K FILE    ok BYTES
//   reset            reset CODE: variables get their initial values
//   fork             forked CODE: a child makes an interpreter of its own and runs it on the same inputs; 0: same
//   outputs forkUse          forked CODE: a child invokes the interpreter of its parent; the code of the invocation
//   recreate         ready MICROSECONDS: deletes the interpreter and makes another
//
//===----------------------------------------------------------------------===//

#include "TfliteApi.h"

#include "avocet/base/CommandLine.h"
#include "avocet/base/GuardedMain.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <list>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace avocet::clients {
namespace {

using namespace application;

struct Settings {
  std::string folder, model;
  bool useNnapi = false, useXnnpack = false;
  std::string delegate;
  std::vector<std::string> delegateOptions;
  int threads = 1;
};

using Clock = std::chrono::steady_clock;

double microsecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

class Application {
public:
  Application(TfliteApi api, Settings settings) : api_(api), settings_(std::move(settings)) {}
  Application(const Application &) = delete;
  Application &operator=(const Application &) = delete;
  ~Application() { destroy(); }

  std::string create() {
    const auto start = Clock::now();
    model_ = api_.modelCreateFromFile(settings_.model.c_str());
    if (!model_)
      return "error the model cannot be loaded";
    options_ = api_.optionsCreate();
    api_.setNumThreads(options_, settings_.threads);
    api_.setUseNnapi(options_, settings_.useNnapi);
    if (settings_.useXnnpack || !settings_.delegate.empty()) {
      delegate_ = createDelegate();
      if (!delegate_)
        return "error the delegate cannot be created";
      api_.addDelegate(options_, delegate_);
    }
    interpreter_ = api_.interpreterCreate(model_, options_);
    if (!interpreter_)
      return "error the interpreter cannot be created";
    if (api_.allocateTensors(interpreter_) != 0)
      return "error the tensors cannot be allocated";
    return "ready " + std::to_string(microsecondsSince(start));
  }

  std::string obey(const std::string &line) {
    std::istringstream words(line);
    std::string command, file;
    int number = 0;
    words >> command >> number >> file;
    if (command == "input")
      return readInput(number, file);
    if (command == "invoke")
      return invoke(number);
    if (command == "output")
      return writeOutput(number, file);
    if (command == "reset")
      return "reset " + std::to_string(api_.resetVariables(interpreter_));
    if (command == "fork" || command == "forkUse")
      return "forked " + std::to_string(inChild(command == "fork"));
    if (command == "recreate") {
      destroy();
      return create();
    }
    return "error unknown command";
  }

private:
  TfDelegate *createDelegate() {
    if (settings_.useXnnpack) {
      XnnpackOptions xnnpack = api_.xnnpackDefaults();
      xnnpack = {settings_.threads, kXnnpackSigned | kXnnpackUnsigned, nullptr};
      return api_.xnnpackCreate(&xnnpack);
    }
    ExternalOptions external = api_.externalDefaults(settings_.delegate.c_str());
    std::list<std::string> texts; // the delegate reads them while it is made
    for (const std::string &option : settings_.delegateOptions) {
      const size_t equals = std::min(option.find('='), option.size() - 1);
      const char *key = texts.emplace_back(option.substr(0, equals)).c_str();
      external.insert(&external, key, texts.emplace_back(option.substr(equals + 1)).c_str());
    }
    return api_.externalCreate(&external);
  }

  void destroy() {
    if (interpreter_)
      api_.interpreterDelete(interpreter_);
    if (delegate_)
      (settings_.useXnnpack ? api_.xnnpackDelete : api_.externalDelete)(delegate_);
    if (options_)
      api_.optionsDelete(options_);
    if (model_)
      api_.modelDelete(model_);
    interpreter_ = nullptr;
    delegate_ = nullptr;
    options_ = nullptr;
    model_ = nullptr;
  }

  std::string readInput(int index, const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(file), {});
    TfTensor *tensor = api_.inputTensor(interpreter_, index);
    if (!tensor || bytes.size() != api_.byteSize(tensor))
      return "error input " + std::to_string(index) + " does not have " + std::to_string(bytes.size()) + " bytes";
    std::memcpy(api_.data(tensor), bytes.data(), bytes.size());
    return "ok " + std::to_string(bytes.size());
  }

  std::string invoke(int times) {
    std::string durations;
    int code = 0;
    for (int i = 0; i < times && code == 0; ++i) {
      const auto start = Clock::now();
      code = api_.invoke(interpreter_);
      durations += " " + std::to_string(microsecondsSince(start));
    }
    return "invoked " + std::to_string(code) + durations;
  }

  std::string output(TfInterpreter *interpreter, int index) {
    const TfTensor *tensor = api_.outputTensor(interpreter, index);
    return {static_cast<const char *>(api_.data(tensor)), api_.byteSize(tensor)};
  }

  std::string writeOutput(int index, const std::string &path) {
    const std::string bytes = output(interpreter_, index);
    std::ofstream(path, std::ios::binary) << bytes;
    return "ok " + std::to_string(bytes.size());
  }

  int runOwnInterpreter() {
    TfInterpreter *parents = interpreter_;
    if (create().rfind("ready", 0) != 0)
      return 101;
    for (int i = 0; i < api_.inputCount(interpreter_); ++i)
      std::memcpy(api_.data(api_.inputTensor(interpreter_, i)), api_.data(api_.inputTensor(parents, i)),
                  api_.byteSize(api_.inputTensor(parents, i)));
    if (api_.invoke(interpreter_) != 0)
      return 102;
    for (int i = 0; i < api_.outputCount(interpreter_); ++i)
      if (output(interpreter_, i) != output(parents, i))
        return 103;
    return 0;
  }

  /// The exit code of the child; negative: the signal that ended it.
  int inChild(bool hasOwnInterpreter) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::alarm(60); // a hang becomes a signal
      ::_exit(hasOwnInterpreter ? runOwnInterpreter() : api_.invoke(interpreter_));
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

  const TfliteApi api_;
  const Settings settings_;
  TfModel *model_ = nullptr;
  TfOptions *options_ = nullptr;
  TfDelegate *delegate_ = nullptr;
  TfInterpreter *interpreter_ = nullptr;
};

Status serve(const Settings &settings) {
  AVOCET_ASSIGN_OR_RETURN(const TfliteApi api, loadTflite(settings.folder));
  Application application(api, settings);
  const std::string start = application.create();
  std::cout << start << std::endl;
  if (start.rfind("ready", 0) != 0)
    return {StatusCode::Unsupported, "TensorFlow Lite does not load " + settings.model};
  for (std::string line; std::getline(std::cin, line);)
    std::cout << application.obey(line) << std::endl;
  return Status::ok();
}

} // namespace
} // namespace avocet::clients

static int runMain(int argc, char **argv) {
  using namespace avocet;
  clients::Settings settings;
  CommandLine line("Runs a model with TensorFlow Lite, by commands from the standard input; a part of tests/clients.",
                   "tfliteClient");
  line.addText("folder", settings.folder, "Folder of libtensorflowlite_c.so").required();
  line.addText("model", settings.model, "Model file").required();
  line.addFlag("--nnapi", settings.useNnapi, "Use NNAPI");
  line.addFlag("--xnnpack", settings.useXnnpack, "Use XNNPACK");
  line.addText("--delegate", settings.delegate, "Use this delegate library");
  line.addTexts("--option", settings.delegateOptions, "KEY=VALUE for the delegate");
  addNumber(line, "--threads", settings.threads, "Threads of the interpreter", 1, 64);
  return runProgram(line, argc, argv, [&] { return clients::serve(settings); });
}

int main(int argc, char **argv) { return avocet::guardedMain(argc, argv, runMain); }
