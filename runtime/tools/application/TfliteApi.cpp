//===- TfliteApi.cpp - TensorFlow Lite's C library at run time ------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TfliteApi.h"

#include <dlfcn.h>

namespace avocet::application {
namespace {

class Library {
public:
  explicit Library(const std::string &path) : handle_(::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (!handle_)
      problem_ = ::dlerror();
  }

  template <typename Function> void find(const char *name, Function &function) {
    function = handle_ ? reinterpret_cast<Function>(::dlsym(handle_, name)) : nullptr;
    if (!function && problem_.empty())
      problem_ = "the library has no function " + std::string(name);
  }

  Status status() const { return problem_.empty() ? Status::ok() : Status(StatusCode::NotFound, problem_); }

private:
  void *handle_;
  std::string problem_;
};

} // namespace

Result<TfliteApi> loadTflite(const std::string &folder) {
  TfliteApi api{};
  Library tflite(folder + "/libtensorflowlite_c.so");
  tflite.find("TfLiteModelCreateFromFile", api.modelCreateFromFile);
  tflite.find("TfLiteModelDelete", api.modelDelete);
  tflite.find("TfLiteInterpreterOptionsCreate", api.optionsCreate);
  tflite.find("TfLiteInterpreterOptionsDelete", api.optionsDelete);
  tflite.find("TfLiteInterpreterOptionsSetNumThreads", api.setNumThreads);
  tflite.find("TfLiteInterpreterOptionsSetUseNNAPI", api.setUseNnapi);
  tflite.find("TfLiteInterpreterOptionsAddDelegate", api.addDelegate);
  tflite.find("TfLiteInterpreterCreate", api.interpreterCreate);
  tflite.find("TfLiteXNNPackDelegateDelete", api.xnnpackDelete);
  tflite.find("TfLiteInterpreterDelete", api.interpreterDelete);
  tflite.find("TfLiteInterpreterAllocateTensors", api.allocateTensors);
  tflite.find("TfLiteInterpreterInvoke", api.invoke);
  tflite.find("TfLiteInterpreterResetVariableTensors", api.resetVariables);
  tflite.find("TfLiteInterpreterGetInputTensor", api.inputTensor);
  tflite.find("TfLiteInterpreterGetOutputTensor", api.outputTensor);
  tflite.find("TfLiteInterpreterGetInputTensorCount", api.inputCount);
  tflite.find("TfLiteInterpreterGetOutputTensorCount", api.outputCount);
  tflite.find("TfLiteTensorName", api.tensorName);
  tflite.find("TfLiteTensorType", api.tensorType);
  tflite.find("TfLiteTensorNumDims", api.numAxes);
  tflite.find("TfLiteTensorDim", api.extent);
  tflite.find("TfLiteTensorByteSize", api.byteSize);
  tflite.find("TfLiteTensorData", api.data);
  tflite.find("TfLiteXNNPackDelegateOptionsDefault", api.xnnpackDefaults);
  tflite.find("TfLiteXNNPackDelegateCreate", api.xnnpackCreate);
  AVOCET_RETURN_IF_ERROR(tflite.status());
  Library external(folder + "/libexternal_delegate_obj.so");
  external.find("TfLiteExternalDelegateOptionsDefault", api.externalDefaults);
  external.find("TfLiteExternalDelegateCreate", api.externalCreate);
  external.find("TfLiteExternalDelegateDelete", api.externalDelete);
  AVOCET_RETURN_IF_ERROR(external.status());
  return api;
}

} // namespace avocet::application
