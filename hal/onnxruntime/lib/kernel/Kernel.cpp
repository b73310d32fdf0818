//===- Kernel.cpp - A fused node of the runtime -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernel/Kernel.h"

#include "avocet/hal/types/Tracing.h"

#include <algorithm>
#include <fmt/core.h>

namespace avocet::ort {

Kernel::Kernel(const Runtime &runtime, std::shared_ptr<Shared> shared, const PlannedNetwork &planned,
               std::vector<KernelOperand> inputs, std::vector<KernelOperand> outputs)
    : runtime_(runtime), shared_(std::move(shared)) {
  if (planned.open != nullptr)
    open_ = std::make_unique<OpenNetworks>(runtime, shared_, planned.open, std::move(inputs), std::move(outputs));
  else
    fixed_ = std::make_unique<Network>(planned.prepared, std::move(inputs), std::move(outputs));
  // The lanes are those of the node, so that a state is the node itself.
  createState = [](abi::ComputeInfo *info, abi::NodeComputeContext *, void **state) -> abi::Status * {
    *state = info;
    return nullptr;
  };
  ComputeInfo::compute = [](abi::ComputeInfo *info, void *, abi::KernelContext *context) {
    hal::HalSpan span(hal::TraceLayer::Runtime, hal::TracePhase::Execution, "compute");
    return of(info)->runtime_.guarded([&] { return of(info)->compute(*context); });
  };
  releaseState = [](abi::ComputeInfo *, void *) {};
}

/// One computation.
class Kernel::Run {
public:
  Run(Kernel &kernel, const Network &network, Network::Lane &lane, abi::KernelContext &context)
      : kernel_(kernel), runtime_(kernel.runtime_), network_(network), lane_(lane), context_(context),
        bindings_(network.inputs().size() + network.outputs().size()) {}

  Status run() {
    for (size_t i = 0; i < network_.inputs().size(); ++i)
      AVOCET_RETURN_IF_ERROR(bindInput(i));
    for (size_t i = 0; i < network_.outputs().size(); ++i)
      AVOCET_RETURN_IF_ERROR(bindOutput(i));
    AVOCET_RETURN_IF_ERROR(runOnDevice());
    for (const Copy &copy : copies_)
      copyOut(copy);
    ++kernel_.shared_->counters.runs;
    return Status::ok();
  }

private:
  static uint8_t *placeData(const plugin::Binding &binding) {
    return binding.place.area->data() + binding.place.offset;
  }

  Status runOnDevice() {
    hal::OptionalTimePoint deadline;
    if (kernel_.shared_->options.deadline)
      deadline = hal::BootClock::now() + *kernel_.shared_->options.deadline;
    DeviceSpans &spans = kernel_.shared_->spans;
    const DeviceSpans::Clock::time_point start = spans.now();
    AVOCET_ASSIGN_OR_RETURN(const hal::Timing timing,
                            lane_.executions.run(bindings_, network_.outputs().size(), deadline));
    spans.note(start, timing);
    return Status::ok();
  }

  /// Of an output, after the run.
  struct Copy {
    const NetworkOperand *operand;
    const plugin::Binding *binding;
    void *data;
  };

  /// The operand's memory if the device can use it, otherwise its place in the lane: false.
  bool bind(plugin::Binding &binding, const NetworkOperand &operand, const void *data, size_t number) {
    binding.bytes = operand.bytes;
    if (!operand.isFloat64)
      if (std::optional<plugin::Place> found = kernel_.shared_->memory->find(data, operand.bytes)) {
        binding.place = std::move(*found);
        return true;
      }
    binding.place = {lane_.area, network_.offset(number)};
    return false;
  }

  void copyIn(const NetworkOperand &operand, const plugin::Binding &binding, const void *data) {
    if (operand.isFloat64)
      kernel_.shared_->memory->convert<double, float>(data, placeData(binding), operand.bytes / sizeof(float));
    else
      kernel_.shared_->memory->copy(placeData(binding), data, operand.bytes);
  }

  void copyOut(const Copy &copy) {
    if (copy.operand->isFloat64)
      kernel_.shared_->memory->convert<float, double>(placeData(*copy.binding), copy.data,
                                                      copy.operand->bytes / sizeof(float));
    else
      kernel_.shared_->memory->copy(copy.data, placeData(*copy.binding), copy.operand->bytes);
  }

  Status bindInput(size_t number) {
    const auto &[operand, place] = network_.inputs()[number];
    const abi::Value *value = nullptr;
    AVOCET_RETURN_IF_ERROR(runtime_.call<abi::KernelContextGetInput>(&context_, number, &value));
    size_t bytes = 0;
    const void *data = nullptr;
    if (value != nullptr) {
      AVOCET_RETURN_IF_ERROR(runtime_.call<abi::GetTensorSizeInBytes>(value, &bytes));
      AVOCET_RETURN_IF_ERROR(runtime_.call<abi::GetTensorData>(value, &data));
    }
    const size_t expected = operand.isFloat64 ? operand.bytes / sizeof(float) * sizeof(double) : operand.bytes;
    if (bytes != expected)
      return invalidArgument(
          fmt::format("input '{}' has {} bytes, the network was compiled for {}", operand.name, bytes, expected));
    plugin::Binding &binding = bindings_[place];
    if (!bind(binding, operand, data, number))
      copyIn(operand, binding, data);
    return Status::ok();
  }

  Status bindOutput(size_t number) {
    const auto &[operand, place] = network_.outputs()[number];
    abi::Value *value = nullptr;
    AVOCET_RETURN_IF_ERROR(runtime_.call<abi::KernelContextGetOutput>(&context_, number, operand.shape.data(),
                                                                      operand.shape.size(), &value));
    void *data = nullptr;
    AVOCET_RETURN_IF_ERROR(runtime_.call<abi::GetTensorMutableData>(value, &data));
    plugin::Binding &binding = bindings_[network_.inputs().size() + place];
    if (!bind(binding, operand, data, network_.inputs().size() + number))
      copies_.push_back({&operand, &binding, data});
    return Status::ok();
  }

  Kernel &kernel_;
  const Runtime &runtime_;
  const Network &network_;
  Network::Lane &lane_;
  abi::KernelContext &context_;
  std::vector<plugin::Binding> bindings_; ///< in the order of the network
  std::vector<Copy> copies_;
};

Status Kernel::computeOn(Network &network, abi::KernelContext &context) {
  AVOCET_ASSIGN_OR_RETURN(std::unique_ptr<Network::Lane> lane, network.takeLane());
  const Status status = Run(*this, network, *lane, context).run();
  network.returnLane(std::move(lane));
  return status;
}

Status Kernel::compute(abi::KernelContext &context) {
  if (fixed_ != nullptr)
    return computeOn(*fixed_, context);
  AVOCET_ASSIGN_OR_RETURN(const std::shared_ptr<Network> network, open_->find(context));
  if (network != nullptr)
    return computeOn(*network, context);
  AVOCET_ASSIGN_OR_RETURN(const PlainSession *plain, open_->plain());
  return plain->run(context);
}

} // namespace avocet::ort
