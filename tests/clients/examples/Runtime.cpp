// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Avocet's own interface from C++: compiles a network, and classifies one input. CMakeLists.txt here builds it in the
// tree; a project outside uses find_package(Avocet) (tests/install/consumer).
//   runtimeExample MODEL.tflite INPUT.bin
#include "avocet/base/File.h"
#include "avocet/compiler/Loader.h"
#include "avocet/runtime/Job.h"
#include "avocet/runtime/Queue.h"
#include "avocet/runtime/SimBackend.h"

#include <algorithm>
#include <cstdio>

using namespace avocet;

static Result<long> classify(const std::string &model, const std::string &inputFile) {
  AVOCET_ASSIGN_OR_RETURN(compiler::LoadedCompiler compiler, compiler::LoadedCompiler::load());
  compiler::CompileRequest request; // for the target e256
  request.modelPath = model;
  const compiler::CompileResult compiled = compiler.compile(request);
  AVOCET_RETURN_IF_ERROR(compiled.status);
  AVOCET_ASSIGN_OR_RETURN(auto network,
                          cache::ModelCache::adopt({compiled.modelCache.begin(), compiled.modelCache.end()}, model));
  AVOCET_ASSIGN_OR_RETURN(auto constants, cache::DataCache::fromBytes(compiled.dataCache));
  runtime::registerSimBackend();
  runtime::BackendOptions options;
  AVOCET_ASSIGN_OR_RETURN(options.target, firmware::Target::load("e256"));
  AVOCET_ASSIGN_OR_RETURN(auto device, runtime::Device::open("sim", options));
  AVOCET_ASSIGN_OR_RETURN(auto context, runtime::Context::create(device)); // an address space of its own
  AVOCET_ASSIGN_OR_RETURN(auto queue, runtime::Queue::create(context));
  AVOCET_ASSIGN_OR_RETURN(auto executable, runtime::Executable::load(context, network, *constants));
  AVOCET_ASSIGN_OR_RETURN(auto job, runtime::Job::create(executable));

  AVOCET_ASSIGN_OR_RETURN(auto input, runtime::Buffer::create(device, network->input(0).bytes));
  AVOCET_ASSIGN_OR_RETURN(auto output, runtime::Buffer::create(device, network->output(0).bytes));
  AVOCET_ASSIGN_OR_RETURN(auto readable, context->map(input, runtime::Access::Read));
  AVOCET_ASSIGN_OR_RETURN(auto writable, context->map(output, runtime::Access::Write));
  AVOCET_RETURN_IF_ERROR(job->bindInput(0, readable));
  AVOCET_RETURN_IF_ERROR(job->bindOutput(0, writable));
  AVOCET_ASSIGN_OR_RETURN(const auto bytes, readFile(inputFile));
  std::copy_n(bytes.begin(), std::min<size_t>(bytes.size(), network->input(0).bytes), input->bytes().begin());
  AVOCET_RETURN_IF_ERROR(queue->run(*job));
  const cache::OperandView result = network->output(0);
  if (firmware::sizeOf(result.type) != 1)
    return unsupported("the scores are neither int8 nor uint8");
  const std::span<const uint8_t> scores = output->bytes().first(result.bytes);
  const int sign = result.type == firmware::DataType::Int8 ? 0x80 : 0; // orders signed bytes as unsigned ones
  return std::ranges::max_element(scores, {}, [=](uint8_t score) { return score ^ sign; }) - scores.begin();
}

int main(int argc, char **argv) {
  if (argc != 3)
    return std::fprintf(stderr, "usage: runtimeExample MODEL.tflite INPUT.bin\n"), 2;
  const Result<long> found = classify(argv[1], argv[2]);
  if (!found)
    return std::fprintf(stderr, "runtimeExample: %s\n", found.status().message().c_str()), 1;
  std::printf("class %ld\n", *found);
}
