//===- OracleMain.cpp - Runs models with TensorFlow Lite ------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tfliteOracle LIBRARY: a process of its own, because the library may crash on a model. Reads requests from the
// standard input and writes answers to the standard output until the input ends (OracleProtocol.h).
//
//===----------------------------------------------------------------------===//

#include "OracleProtocol.h"

#include "avocet/base/GuardedMain.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace avocet::differential {
namespace {

// The part of the library's C API that is used here (tensorflow/lite/c/c_api.h).
struct TfModel;
struct TfOptions;
struct TfInterpreter;
struct TfTensor;
struct TfDelegate;
using Reporter = void (*)(void *user, const char *format, va_list arguments);

struct Api {
  TfModel *(*modelCreate)(const void *bytes, size_t size);
  void (*modelDelete)(TfModel *);
  TfOptions *(*optionsCreate)();
  void (*optionsDelete)(TfOptions *);
  void (*setNumThreads)(TfOptions *, int32_t threads);
  void (*setErrorReporter)(TfOptions *, Reporter, void *user);
  void (*addDelegate)(TfOptions *, TfDelegate *);
  TfInterpreter *(*interpreterCreate)(const TfModel *, const TfOptions *);
  void (*interpreterDelete)(TfInterpreter *);
  int (*allocateTensors)(TfInterpreter *);
  int (*resizeInput)(TfInterpreter *, int32_t index, const int *extents, int32_t rank);
  int (*invoke)(TfInterpreter *);
  int32_t (*inputCount)(const TfInterpreter *);
  TfTensor *(*inputTensor)(const TfInterpreter *, int32_t index);
  int32_t (*outputCount)(const TfInterpreter *);
  const TfTensor *(*outputTensor)(const TfInterpreter *, int32_t index);
  size_t (*byteSize)(const TfTensor *);
  void *(*data)(const TfTensor *);
};

template <typename Function> void find(void *library, const char *name, Function &function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  if (function)
    return;
  std::fprintf(stderr, "tfliteOracle: the library has no function %s\n", name);
  std::exit(1);
}

Api load(const char *path) {
  void *library = ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    std::fprintf(stderr, "tfliteOracle: %s\n", ::dlerror());
    std::exit(1);
  }
  Api api{};
  find(library, "TfLiteModelCreate", api.modelCreate);
  find(library, "TfLiteModelDelete", api.modelDelete);
  find(library, "TfLiteInterpreterOptionsCreate", api.optionsCreate);
  find(library, "TfLiteInterpreterOptionsDelete", api.optionsDelete);
  find(library, "TfLiteInterpreterOptionsSetNumThreads", api.setNumThreads);
  find(library, "TfLiteInterpreterOptionsSetErrorReporter", api.setErrorReporter);
  find(library, "TfLiteInterpreterOptionsAddDelegate", api.addDelegate);
  find(library, "TfLiteInterpreterCreate", api.interpreterCreate);
  find(library, "TfLiteInterpreterDelete", api.interpreterDelete);
  find(library, "TfLiteInterpreterAllocateTensors", api.allocateTensors);
  find(library, "TfLiteInterpreterResizeInputTensor", api.resizeInput);
  find(library, "TfLiteInterpreterInvoke", api.invoke);
  find(library, "TfLiteInterpreterGetInputTensorCount", api.inputCount);
  find(library, "TfLiteInterpreterGetInputTensor", api.inputTensor);
  find(library, "TfLiteInterpreterGetOutputTensorCount", api.outputCount);
  find(library, "TfLiteInterpreterGetOutputTensor", api.outputTensor);
  find(library, "TfLiteTensorByteSize", api.byteSize);
  find(library, "TfLiteTensorData", api.data);
  return api;
}

/// TensorFlow Lite's own loader of delegates, a library beside the other.
constexpr int kMaxDelegateOptions = 256;
struct LoaderOptions {
  const char *library;
  int count;
  const char *keys[kMaxDelegateOptions];
  const char *values[kMaxDelegateOptions];
  int (*insert)(LoaderOptions *, const char *key, const char *value);
};

class DelegateLoader {
public:
  /// `arguments`: the delegate's library, and its options as KEY=VALUE.
  DelegateLoader(const std::string &library, std::span<char *const> arguments) : path_(arguments[0]) {
    void *loader = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!loader) {
      std::fprintf(stderr, "tfliteOracle: %s\n", ::dlerror());
      std::exit(1);
    }
    find(loader, "TfLiteExternalDelegateOptionsDefault", makeOptions_);
    find(loader, "TfLiteExternalDelegateCreate", create_);
    find(loader, "TfLiteExternalDelegateDelete", delete_);
    for (const char *argument : arguments.subspan(1)) {
      const std::string text = argument;
      const size_t equals = text.find('=');
      options_.emplace_back(text.substr(0, equals), equals == std::string::npos ? "" : text.substr(equals + 1));
    }
  }

  TfDelegate *create() const {
    LoaderOptions options = makeOptions_(path_.c_str());
    for (const auto &[key, value] : options_)
      options.insert(&options, key.c_str(), value.c_str());
    return create_(&options);
  }
  void destroy(TfDelegate *delegate) const {
    if (delegate)
      delete_(delegate);
  }

private:
  std::string path_;
  std::vector<std::pair<std::string, std::string>> options_;
  LoaderOptions (*makeOptions_)(const char *library);
  TfDelegate *(*create_)(const LoaderOptions *);
  void (*delete_)(TfDelegate *);
};

void report(void *user, const char *format, va_list arguments) {
  char line[512];
  std::vsnprintf(line, sizeof(line), format, arguments);
  auto &text = *static_cast<std::string *>(user);
  text += (text.empty() ? "" : "; ") + std::string(line);
}

/// Copies the inputs, runs, copies the outputs; returns false with the reason in `answer.message`.
bool invokeOnce(const Api &api, TfInterpreter *interpreter, std::span<const Bytes> inputs, OracleAnswer &answer) {
  for (int32_t i = 0; i < api.inputCount(interpreter); ++i) {
    TfTensor *tensor = api.inputTensor(interpreter, i);
    const Bytes &bytes = inputs[static_cast<size_t>(i)];
    if (api.byteSize(tensor) != bytes.size())
      return answer.message = "another size of input", false;
    std::copy(bytes.begin(), bytes.end(), static_cast<uint8_t *>(api.data(tensor)));
  }
  if (api.invoke(interpreter) != 0)
    return false;
  for (int32_t i = 0; i < api.outputCount(interpreter); ++i) {
    const TfTensor *tensor = api.outputTensor(interpreter, i);
    const auto *bytes = static_cast<const uint8_t *>(api.data(tensor));
    answer.outputs.emplace_back(bytes, bytes + api.byteSize(tensor));
  }
  return true;
}

/// Several sets of inputs are several invocations, in which the variables keep their values.
bool runInterpreter(const Api &api, TfInterpreter *interpreter, const OracleRequest &request, OracleAnswer &answer) {
  for (size_t i = 0; i < request.shapes.size(); ++i)
    if (api.resizeInput(interpreter, static_cast<int32_t>(i), request.shapes[i].data(),
                        static_cast<int32_t>(request.shapes[i].size())) != 0)
      return false;
  if (api.allocateTensors(interpreter) != 0)
    return false;
  const auto count = static_cast<size_t>(api.inputCount(interpreter));
  if (count == 0 ? !request.inputs.empty() : request.inputs.size() % count != 0)
    return answer.message = "another number of inputs", false;
  const std::span<const Bytes> all(request.inputs);
  for (size_t run = 0; run < std::max<size_t>(1, count == 0 ? 1 : all.size() / count); ++run)
    if (!invokeOnce(api, interpreter, all.subspan(run * count, count), answer))
      return false;
  return true;
}

OracleAnswer answer(const Api &api, const DelegateLoader *loader, const OracleRequest &request) {
  OracleAnswer answer;
  TfDelegate *delegate = loader ? loader->create() : nullptr;
  if (loader && !delegate)
    return answer.message = "the delegate was not created", answer;
  TfModel *model = api.modelCreate(request.file.data(), request.file.size());
  TfOptions *options = api.optionsCreate();
  api.setNumThreads(options, 1);
  api.setErrorReporter(options, report, &answer.message);
  if (delegate)
    api.addDelegate(options, delegate);
  TfInterpreter *interpreter = model ? api.interpreterCreate(model, options) : nullptr;
  answer.isRun = interpreter && runInterpreter(api, interpreter, request, answer);
  if (interpreter)
    api.interpreterDelete(interpreter);
  api.optionsDelete(options);
  if (model)
    api.modelDelete(model);
  if (delegate)
    loader->destroy(delegate);
  return answer;
}

} // namespace
} // namespace avocet::differential

static int runMain(int argc, char **argv) {
  using namespace avocet::differential;
  if (argc < 2) {
    std::fprintf(stderr, "usage: tfliteOracle LIBRARY [DELEGATE [KEY=VALUE]...]\n"
                         "A part of avocetDifferential; not for use by hand.\n");
    return 2;
  }
  const Api api = load(argv[1]);
  std::optional<DelegateLoader> loader;
  if (argc > 2) {
    const std::string library = argv[1];
    loader.emplace(library.substr(0, library.rfind('/')) + "/libexternal_delegate_obj.so",
                   std::span<char *const>(argv + 2, static_cast<size_t>(argc - 2)));
  }
  while (const std::optional<OracleRequest> request = readRequest(STDIN_FILENO))
    if (!writeAnswer(STDOUT_FILENO, answer(api, loader ? &*loader : nullptr, *request)))
      return 1;
  return 0;
}

int main(int argc, char **argv) { return avocet::guardedMain(argc, argv, runMain); }
