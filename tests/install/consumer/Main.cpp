//===- Main.cpp - A program that uses an installed Avocet -----------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   consumer MODEL.tflite COMPILE_WORKER
//
// Compiles a network and runs it on the simulator through the runtime. Then prepares a model of the HAL, which the
// installed compile worker compiles.
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Loader.h"
#include "avocet/hal/driver/Driver.h"
#include "avocet/hal/ipc/Client.h"
#include "avocet/runtime/Job.h"
#include "avocet/runtime/Queue.h"
#include "avocet/runtime/SimBackend.h"

#include <algorithm>
#include <cstdio>

using namespace avocet;

/// Device cycles of one run with zeros as input. Internal: all outputs are equal, so the network did not run.
static Result<uint64_t> run(const cache::ModelCache &network, runtime::Queue &queue, runtime::Job &job,
                            const std::vector<std::shared_ptr<runtime::Buffer>> &outputs) {
  AVOCET_RETURN_IF_ERROR(queue.run(job));
  const std::span<const uint8_t> bytes = outputs.at(0)->bytes();
  if (std::ranges::count(bytes.first(network.output(0).bytes), bytes[0]) ==
      static_cast<ptrdiff_t>(network.output(0).bytes))
    return internalError("the network gives the same value for each class");
  return job.fence()->outcome().counters.cycles;
}

static Result<uint64_t> compileAndRun(const std::string &path) {
  AVOCET_ASSIGN_OR_RETURN(compiler::LoadedCompiler compiler, compiler::LoadedCompiler::load());
  compiler::CompileRequest request;
  request.modelPath = path;
  const compiler::CompileResult compiled = compiler.compile(request);
  AVOCET_RETURN_IF_ERROR(compiled.status);
  AVOCET_ASSIGN_OR_RETURN(auto network,
                          cache::ModelCache::adopt({compiled.modelCache.begin(), compiled.modelCache.end()}, path));
  AVOCET_ASSIGN_OR_RETURN(auto constants, cache::DataCache::fromBytes(compiled.dataCache));

  runtime::registerSimBackend();
  runtime::BackendOptions options;
  AVOCET_ASSIGN_OR_RETURN(options.target, firmware::Target::load("e256"));
  AVOCET_ASSIGN_OR_RETURN(auto device, runtime::Device::open("sim", options));
  AVOCET_ASSIGN_OR_RETURN(auto context, runtime::Context::create(device));
  AVOCET_ASSIGN_OR_RETURN(auto queue, runtime::Queue::create(context));
  AVOCET_ASSIGN_OR_RETURN(auto executable, runtime::Executable::load(context, network, *constants));
  AVOCET_ASSIGN_OR_RETURN(auto job, runtime::Job::create(executable));
  AVOCET_ASSIGN_OR_RETURN(auto input, runtime::Buffer::create(device, network->input(0).bytes));
  AVOCET_ASSIGN_OR_RETURN(auto output, runtime::Buffer::create(device, network->output(0).bytes));
  AVOCET_ASSIGN_OR_RETURN(auto readable, context->map(input, runtime::Access::Read));
  AVOCET_ASSIGN_OR_RETURN(auto writable, context->map(output, runtime::Access::Write));
  AVOCET_RETURN_IF_ERROR(job->bindInput(0, readable));
  AVOCET_RETURN_IF_ERROR(job->bindOutput(0, writable));
  return run(*network, *queue, *job, {output});
}

/// RELU of four numbers.
static hal::Model reluModel() {
  hal::Operand number;
  number.type = hal::OperandType::TensorFloat32;
  number.dimensions = {4};
  hal::Model model;
  model.main.operands = {number, number};
  model.main.operands[0].lifetime = hal::OperandLifeTime::SubgraphInput;
  model.main.operands[1].lifetime = hal::OperandLifeTime::SubgraphOutput;
  constexpr int32_t kRelu = 19; // ANEURALNETWORKS_RELU
  model.main.operations = {{static_cast<hal::OperationType>(kRelu), {0}, {1}}};
  model.main.inputIndexes = {0};
  model.main.outputIndexes = {1};
  return model;
}

/// The device's name, after the worker has compiled a model for it.
static hal::Result<std::string> prepareInWorker(const std::string &program) {
  hal::WorkerOptions worker;
  worker.program = program;
  worker.idleWorkers = 1;
  auto workers = hal::CompileWorkers::start(worker);
  if (!workers)
    return hal::error(hal::ErrorStatus::GeneralFailure, workers.status().message());
  hal::DriverOptions options;
  options.compileWorkers = *workers;
  AVOCET_ASSIGN_OR_RETURN(auto device, hal::openDevice(options));
  AVOCET_ASSIGN_OR_RETURN(auto prepared, device->prepareModel(reluModel(), {}));
  return device->name();
}

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  const hal::Result<std::string> device = prepareInWorker(argv[2]);
  if (!device) {
    std::fprintf(stderr, "HAL: %s\n", device.error().message.c_str());
    return 1;
  }
  const Result<uint64_t> cycles = compileAndRun(argv[1]);
  if (!cycles) {
    std::fprintf(stderr, "runtime: %s\n", cycles.status().message().c_str());
    return 1;
  }
  if (hal::listDevices("/nonexistent/socket").code() != hal::ErrorStatus::DeadObject)
    return 1;
  std::printf("%s runs digits_int8 in %llu cycles\n", device->c_str(), static_cast<unsigned long long>(*cycles));
  return 0;
}
