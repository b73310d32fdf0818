//===- Plugin.cpp - The functions that the library exports - *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "options/Options.h"
#include "plugin/TfliteDelegate.h"

#include "avocet/base/Log.h"

#include <exception>
#include <new>

using namespace avocet;
using namespace avocet::delegate;

using Reporter = void (*)(const char *);

static void report(Reporter reporter, const std::string &message) {
  const std::string text = "avocet delegate: " + message;
  if (reporter != nullptr)
    reporter(text.c_str());
  else
    writeLog(LogLevel::Error, "", text);
}

/// A delegate for TensorFlow Lite with the options of Options.h. Null, with a reason for `reporter` or the standard
/// error, if an option is wrong or there is no device.
extern "C" abi::Delegate *tflite_plugin_create_delegate(char **keys, char **values, size_t count, Reporter reporter) {
  try {
    Result<Options> options = parseOptions(keys, values, count);
    if (!options)
      return report(reporter, options.status().message()), nullptr;
    Result<std::unique_ptr<TfliteDelegate>> made = TfliteDelegate::create(*options);
    if (!made)
      return report(reporter, made.status().message()), nullptr;
    return made->release()->get();
  } catch (const std::exception &error) {
    return report(reporter, error.what()), nullptr;
  }
}

/// Null is ignored. All interpreters that use the delegate must have been deleted.
extern "C" void tflite_plugin_destroy_delegate(abi::Delegate *made) {
  if (made != nullptr)
    delete TfliteDelegate::of(made);
}
