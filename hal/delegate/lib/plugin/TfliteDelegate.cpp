//===- TfliteDelegate.cpp - The delegate - *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin/TfliteDelegate.h"

#include "avocet/base/Log.h"
#include "avocet/base/TraceRequest.h"
#include "avocet/hal/types/Tracing.h"
#include "kernel/Kernel.h"
#include "partition/Plan.h"

#include <fmt/core.h>
#include <new>

namespace avocet::delegate {
namespace {

constexpr const char *kName = "avocet";

/// An error of the interpreter's calls, none of which may throw.
template <typename Call> abi::CallStatus guarded(abi::Context *context, Call &&call) {
  Status status;
  try {
    status = call();
  } catch (const std::bad_alloc &) {
    status = resourceExhausted("out of memory");
  } catch (const std::exception &error) {
    status = internalError(error.what());
  }
  if (status.isOk())
    return abi::kOk;
  context->reportError(context, "avocet delegate: %s", status.message().c_str());
  return abi::kError;
}

Kernel *kernelOf(const abi::Node *node) { return static_cast<Kernel *>(node->userData); }

void *initKernel(abi::Context *context, const char *parameters, size_t) {
  Kernel *kernel = nullptr;
  const auto *partition = reinterpret_cast<const abi::DelegateParameters *>(parameters);
  guarded(context, [&]() -> Status {
    AVOCET_ASSIGN_OR_RETURN(auto made,
                            Kernel::make(TfliteDelegate::of(partition->delegate)->shared(), *context, *partition));
    kernel = made.release();
    return Status::ok();
  });
  return kernel;
}

void freeKernel(abi::Context *context, void *userData) {
  const std::unique_ptr<Kernel> kernel(static_cast<Kernel *>(userData));
  if (kernel != nullptr)
    kernel->release(*context);
}

abi::CallStatus prepareKernel(abi::Context *context, abi::Node *node) {
  hal::HalSpan span(hal::TraceLayer::Runtime, hal::TracePhase::Compilation, "prepare");
  return guarded(context, [&]() -> Status {
    return kernelOf(node) ? kernelOf(node)->prepare(*context) : internalError("a partition was not made");
  });
}

abi::CallStatus invokeKernel(abi::Context *context, abi::Node *node) {
  hal::HalSpan span(hal::TraceLayer::Runtime, hal::TracePhase::Execution, "invoke");
  return guarded(context, [&]() -> Status {
    return kernelOf(node) ? kernelOf(node)->invoke(*context) : internalError("a partition was not made");
  });
}

abi::CallStatus takeGraph(abi::Context *context, abi::Delegate *delegate) {
  hal::HalSpan span(hal::TraceLayer::Runtime, hal::TracePhase::Preparation, "take nodes");
  return guarded(context, [&] { return TfliteDelegate::of(delegate)->take(*context); });
}

abi::Registration registration() {
  abi::Registration result{};
  result.init = initKernel;
  result.free = freeKernel;
  result.prepare = prepareKernel;
  result.invoke = invokeKernel;
  result.code = abi::kDelegateOperator;
  result.customName = kName;
  result.version = 1;
  return result;
}

} // namespace

TfliteDelegate::TfliteDelegate(Options options) : options_(std::move(options)) {
  interface_.data = this;
  interface_.prepare = takeGraph;
  interface_.flags = abi::kAllowDynamicTensors | abi::kRequirePropagatedShapes;
}

Result<std::unique_ptr<TfliteDelegate>> TfliteDelegate::create(const Options &options) {
  startProcessTrace();
  if (plugin::isProfileJson(options.profile))
    hal::LayerTimes::enable();
  std::unique_ptr<TfliteDelegate> delegate(new TfliteDelegate(options));
  AVOCET_ASSIGN_OR_RETURN(delegate->shared_->engine, Engine::open(options.engine));
  return delegate;
}

Status TfliteDelegate::take(abi::Context &context) {
  // The interpreter begins with its main graph. The main graph of a second interpreter counts as that of a loop: it
  // only loses operators on open extents.
  const abi::Context *main = nullptr;
  const bool isMain = main_.compare_exchange_strong(main, &context) || main == &context;
  Result<Plan> plan = makePlan(context, *shared_->engine, isMain ? GraphRole::Main : GraphRole::LoopOrBranch);
  if (!plan) {
    logMessage(LogLevel::Error, kName, "the network stays with TensorFlow Lite: {}", plan.status().message());
    return Status::ok();
  }
  const Support &support = plan->support;
  plugin::Counters &counters = shared_->counters;
  counters.nodes += support.nodes.size() + support.reasons.size();
  counters.nodesOnDevice += support.nodes.size();
  counters.partitions += plan->partitions;
  for (const auto &[number, reason] : support.reasons) {
    const std::string node = fmt::format("node {}", number);
    logMessage(LogLevel::Info, kName, "{} stays with TensorFlow Lite: {}", node, reason);
    counters.reasons.add(node, reason);
  }
  if (support.nodes.empty())
    return Status::ok();
  const NodeList nodes(support.nodes);
  std::lock_guard lock(shared_->planning);
  shared_->planned = std::move(plan->networks);
  if (context.replaceNodes(&context, registration(), nodes.get(), &interface_) != abi::kOk)
    return internalError("the interpreter does not replace the nodes");
  return Status::ok();
}

std::string TfliteDelegate::summary() const {
  const plugin::Counters &counters = shared_->counters;
  return fmt::format("{} of {} nodes on {} in {} partitions; {} networks prepared, {} runs, {} bytes copied\n",
                     counters.nodesOnDevice.load(), counters.nodes.load(), shared_->engine->deviceName(),
                     counters.partitions.load(), shared_->engine->numPrepared(), counters.runs.load(),
                     counters.bytesCopied.load());
}

TfliteDelegate::~TfliteDelegate() {
  if (options_.profile.empty() || shared_->engine == nullptr)
    return;
  plugin::writeProfile(options_.profile,
                       plugin::isProfileJson(options_.profile)
                           ? plugin::profileJson(*shared_->engine, shared_->counters)
                           : summary() + shared_->profile.table(),
                       kName);
}

} // namespace avocet::delegate
