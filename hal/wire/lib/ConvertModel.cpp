//===- ConvertModel.cpp - Models as messages --------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/wire/Convert.h"

namespace avocet::hal::ipc {
namespace {

fb::Location toMessage(const DataLocation &location) {
  return {location.poolIndex, location.offset, location.length, location.padding};
}

DataLocation fromMessage(const fb::Location &location) {
  return {location.pool(), location.offset(), location.length(), location.padding()};
}

std::unique_ptr<fb::OperandT> toMessage(const Operand &operand) {
  auto message = std::make_unique<fb::OperandT>();
  message->type = static_cast<int32_t>(operand.type);
  message->dimensions = operand.dimensions;
  message->scale = operand.scale;
  message->zero_point = operand.zeroPoint;
  message->lifetime = static_cast<int32_t>(operand.lifetime);
  message->location = toMessage(operand.location);
  if (const auto *channels = std::get_if<SymmPerChannelQuantParams>(&operand.extraParams)) {
    message->scales = channels->scales;
    message->channel_dim = channels->channelDim;
  } else if (const auto *bytes = std::get_if<std::vector<uint8_t>>(&operand.extraParams)) {
    message->extension = *bytes;
  }
  return message;
}

Operand fromMessage(const fb::OperandT &message) {
  Operand operand;
  operand.type = static_cast<OperandType>(message.type);
  operand.dimensions = message.dimensions;
  operand.scale = message.scale;
  operand.zeroPoint = message.zero_point;
  operand.lifetime = static_cast<OperandLifeTime>(message.lifetime);
  operand.location = fromMessage(message.location);
  if (!message.scales.empty() || message.channel_dim != 0)
    operand.extraParams = SymmPerChannelQuantParams{message.scales, message.channel_dim};
  else if (!message.extension.empty())
    operand.extraParams = message.extension;
  return operand;
}

std::unique_ptr<fb::SubgraphT> toMessage(const Subgraph &subgraph) {
  auto message = std::make_unique<fb::SubgraphT>();
  for (const Operand &operand : subgraph.operands)
    message->operands.push_back(toMessage(operand));
  for (const Operation &operation : subgraph.operations) {
    auto entry = std::make_unique<fb::OperationT>();
    entry->type = static_cast<int32_t>(operation.type);
    entry->inputs = operation.inputs;
    entry->outputs = operation.outputs;
    message->operations.push_back(std::move(entry));
  }
  message->inputs = subgraph.inputIndexes;
  message->outputs = subgraph.outputIndexes;
  return message;
}

Subgraph fromMessage(const fb::SubgraphT &message) {
  Subgraph subgraph;
  subgraph.operands.reserve(message.operands.size()); // growth would take more memory than is charged for the message
  subgraph.operations.reserve(message.operations.size());
  for (const auto &operand : message.operands)
    subgraph.operands.push_back(fromMessage(*operand));
  for (const auto &operation : message.operations)
    subgraph.operations.push_back({static_cast<OperationType>(operation->type), operation->inputs, operation->outputs});
  subgraph.inputIndexes = message.inputs;
  subgraph.outputIndexes = message.outputs;
  return subgraph;
}

/// Fills in the fields of one kind of memory.
struct MemoryWriter {
  fb::MemoryT &message;
  HandleWriter &handles;

  void operator()(const Ashmem &memory) const {
    message.kind = fb::MemoryKind::Ashmem;
    message.size = memory.size;
    message.fds = {handles.numberOf(memory.fd)};
  }
  void operator()(const MappableFile &memory) const {
    message.kind = fb::MemoryKind::MappableFile;
    message.size = memory.size;
    message.offset = memory.offset;
    message.protection = memory.protection;
    message.fds = {handles.numberOf(memory.fd)};
  }
  void operator()(const HardwareBuffer &memory) const {
    message.kind = memory.isBlob ? fb::MemoryKind::HardwareBufferBlob : fb::MemoryKind::HardwareBuffer;
    message.size = memory.size;
    message.fds = {handles.numberOf(memory.fd)};
  }
  void operator()(const UnknownHandle &memory) const {
    message.kind = fb::MemoryKind::Unknown;
    message.size = memory.size;
    message.name = memory.name;
    message.integers = memory.integers;
    for (const SharedHandle &fd : memory.fds)
      message.fds.push_back(handles.numberOf(fd));
  }
};

/// Memory of a known kind: one descriptor.
MemoryHandle handleOf(const fb::MemoryT &message, SharedHandle fd) {
  if (message.kind == fb::MemoryKind::Ashmem)
    return Ashmem{std::move(fd), message.size};
  if (message.kind == fb::MemoryKind::MappableFile)
    return MappableFile{std::move(fd), message.offset, message.size, message.protection};
  return HardwareBuffer{std::move(fd), message.kind == fb::MemoryKind::HardwareBufferBlob, message.size};
}

} // namespace

std::unique_ptr<fb::MemoryT> toMessage(const Memory &memory, HandleWriter &handles) {
  auto message = std::make_unique<fb::MemoryT>();
  std::visit(MemoryWriter{*message, handles}, memory.handle);
  return message;
}

std::unique_ptr<fb::MemoryT> toMessage(const SharedMemory &memory, HandleWriter &handles) {
  return memory ? toMessage(*memory, handles) : toMessage(Memory{UnknownHandle{}}, handles);
}

Result<SharedMemory> fromMessage(const fb::MemoryT &message, const HandleReader &handles) {
  if (message.kind > fb::MemoryKind::MAX)
    return invalidArgument("memory: kind " + std::to_string(static_cast<uint32_t>(message.kind)) + " is not known");
  if (message.kind == fb::MemoryKind::Unknown) {
    AVOCET_ASSIGN_OR_RETURN(std::vector<SharedHandle> fds, handles.handles(message.fds));
    return std::make_shared<const Memory>(
        Memory{UnknownHandle{message.name, std::move(fds), message.integers, message.size}});
  }
  if (message.fds.size() != 1)
    return invalidArgument("memory: must have one descriptor, found " + std::to_string(message.fds.size()));
  AVOCET_ASSIGN_OR_RETURN(SharedHandle fd, handles.handle(message.fds[0]));
  return std::make_shared<const Memory>(Memory{handleOf(message, std::move(fd))});
}

std::unique_ptr<fb::ModelT> toMessage(const Model &model, HandleWriter &handles) {
  auto message = std::make_unique<fb::ModelT>();
  message->main = toMessage(model.main);
  for (const Subgraph &subgraph : model.referenced)
    message->referenced.push_back(toMessage(subgraph));
  message->operand_values = model.operandValues;
  for (const SharedMemory &pool : model.pools)
    message->pools.push_back(toMessage(pool, handles));
  message->relaxed = model.relaxComputationFloat32toFloat16;
  message->extensions = toMessage(model.extensionNameToPrefix);
  return message;
}

Result<Model> fromMessage(const fb::ModelT &message, const HandleReader &handles) {
  Model model;
  model.main = fromMessage(*message.main);
  for (const auto &subgraph : message.referenced)
    model.referenced.push_back(fromMessage(*subgraph));
  model.operandValues = message.operand_values;
  for (const auto &pool : message.pools) {
    AVOCET_ASSIGN_OR_RETURN(SharedMemory memory, fromMessage(*pool, handles));
    model.pools.push_back(std::move(memory));
  }
  model.relaxComputationFloat32toFloat16 = message.relaxed;
  model.extensionNameToPrefix = fromMessage(message.extensions);
  return model;
}

std::unique_ptr<fb::RequestT> toMessageWithoutMemory(const Request &request) {
  auto message = std::make_unique<fb::RequestT>();
  auto addArguments = [](const std::vector<RequestArgument> &arguments, auto &list) {
    list.reserve(arguments.size());
    for (const RequestArgument &argument : arguments) {
      auto entry = std::make_unique<fb::ArgumentT>();
      entry->has_no_value = argument.hasNoValue;
      entry->location = toMessage(argument.location);
      entry->dimensions = argument.dimensions;
      list.push_back(std::move(entry));
    }
  };
  addArguments(request.inputs, message->inputs);
  addArguments(request.outputs, message->outputs);
  message->pools.reserve(request.pools.size());
  for (const RequestPool &pool : request.pools) {
    auto entry = std::make_unique<fb::RequestPoolT>();
    if (const auto *token = std::get_if<BufferToken>(&pool))
      entry->token = static_cast<uint32_t>(*token);
    message->pools.push_back(std::move(entry));
  }
  return message;
}

std::unique_ptr<fb::RequestT> toMessage(const Request &request, HandleWriter &handles) {
  auto message = toMessageWithoutMemory(request);
  for (size_t i = 0; i < request.pools.size(); ++i)
    if (const auto *memory = std::get_if<SharedMemory>(&request.pools[i]))
      message->pools[i]->memory = toMessage(*memory, handles);
  return message;
}

Request fromMessageWithoutMemory(const fb::RequestT &message) {
  Request request;
  auto addArguments = [](const auto &list, std::vector<RequestArgument> &arguments) {
    arguments.reserve(list.size());
    for (const auto &entry : list)
      arguments.push_back({entry->has_no_value, fromMessage(entry->location), entry->dimensions});
  };
  addArguments(message.inputs, request.inputs);
  addArguments(message.outputs, request.outputs);
  request.pools.reserve(message.pools.size());
  for (const auto &pool : message.pools)
    if (pool->memory || pool->known)
      request.pools.emplace_back(SharedMemory());
    else
      request.pools.emplace_back(BufferToken(pool->token));
  return request;
}

Result<Request> fromMessage(const fb::RequestT &message, const HandleReader &handles) {
  Request request = fromMessageWithoutMemory(message);
  for (size_t i = 0; i < request.pools.size(); ++i)
    if (message.pools[i]->memory) {
      AVOCET_ASSIGN_OR_RETURN(request.pools[i], fromMessage(*message.pools[i]->memory, handles));
    }
  return request;
}

std::vector<uint32_t> toMessage(const std::vector<SyncFence> &fences, HandleWriter &handles) {
  std::vector<uint32_t> numbers;
  for (const SyncFence &fence : fences)
    if (fence.handle() != nullptr)
      numbers.push_back(handles.numberOf(fence.handle()));
  return numbers;
}

Result<std::vector<SyncFence>> fencesOf(const std::vector<uint32_t> &numbers, const HandleReader &handles) {
  std::vector<SyncFence> fences;
  for (uint32_t number : numbers) {
    AVOCET_ASSIGN_OR_RETURN(SharedHandle handle, handles.handle(number));
    AVOCET_ASSIGN_OR_RETURN(SyncFence fence, SyncFence::adopt(std::move(handle)));
    fences.push_back(std::move(fence));
  }
  return fences;
}

fb::FencedTimesT toMessage(const FencedTimes &times) {
  fb::FencedTimesT message;
  message.launched_on_device = toNanoseconds(times.launched.timeOnDevice);
  message.launched_in_driver = toNanoseconds(times.launched.timeInDriver);
  message.fenced_on_device = toNanoseconds(times.fenced.timeOnDevice);
  message.fenced_in_driver = toNanoseconds(times.fenced.timeInDriver);
  return message;
}

FencedTimes fromMessage(const fb::FencedTimesT &message) {
  return {{durationOf(message.launched_on_device), durationOf(message.launched_in_driver)},
          {durationOf(message.fenced_on_device), durationOf(message.fenced_in_driver)}};
}

std::unique_ptr<fb::QueueT> toMessage(const QueueDescriptor &queue, HandleWriter &handles) {
  auto message = std::make_unique<fb::QueueT>();
  for (const GrantorDescriptor &grantor : queue.grantors)
    message->grantors.emplace_back(grantor.flags, grantor.fdIndex, grantor.offset, grantor.extent);
  for (const SharedHandle &fd : queue.fds)
    message->fds.push_back(handles.numberOf(fd));
  message->element_bytes = queue.elementBytes;
  return message;
}

Result<QueueDescriptor> fromMessage(const fb::QueueT &message, const HandleReader &handles) {
  QueueDescriptor queue;
  AVOCET_ASSIGN_OR_RETURN(queue.fds, handles.handles(message.fds));
  for (const fb::Grantor &grantor : message.grantors)
    queue.grantors.push_back({grantor.flags(), grantor.fd_index(), grantor.offset(), grantor.extent()});
  queue.elementBytes = message.element_bytes;
  return queue;
}

ErrorStatus statusOf(int32_t code) {
  auto status = static_cast<ErrorStatus>(code);
  bool isKnown = (status >= ErrorStatus::None && status <= ErrorStatus::ResourceExhaustedPersistent) ||
                 status == ErrorStatus::DeadObject;
  return isKnown ? status : ErrorStatus::GeneralFailure;
}

} // namespace avocet::hal::ipc
