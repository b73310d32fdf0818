//===- Client.cpp - Devices in another process -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/Client.h"

#include "Connection.h"

#include <utility>

namespace avocet::hal {
namespace {

using namespace ipc;

template <typename Table> fb::CallUnion callOf(Table table) {
  fb::CallUnion call;
  call.Set(std::move(table));
  return call;
}

Error errorOf(const Reply &reply) { return error(reply.status, reply.message); }

/// An answer of another kind than its call asks for: the service is broken.
Error wrongAnswer() {
  return error(ErrorStatus::GeneralFailure, "the driver service gave an answer to another question");
}

ExecutionOutcome outcomeOf(Reply &reply) {
  ExecutionOutcome outcome;
  if (const fb::ExecutedT *executed = reply.answer.AsExecuted())
    outcome = fromMessage(*executed);
  else if (reply.status == ErrorStatus::None)
    return {wrongAnswer().code, wrongAnswer().message, {}, {}};
  outcome.status = reply.status;
  outcome.message = std::move(reply.message);
  return outcome;
}

/// An object of the service, released with this one.
class RemoteObject {
public:
  RemoteObject(std::shared_ptr<Connection> connection, uint64_t id) : connection_(std::move(connection)), id_(id) {}
  ~RemoteObject() {
    fb::ReleaseT release;
    release.object = id_;
    connection_->notify(callOf(std::move(release)));
  }
  RemoteObject(const RemoteObject &) = delete;
  RemoteObject &operator=(const RemoteObject &) = delete;

  Connection &connection() const { return *connection_; }
  const std::shared_ptr<Connection> &sharedConnection() const { return connection_; }
  uint64_t id() const { return id_; }

private:
  std::shared_ptr<Connection> connection_;
  uint64_t id_;
};

class RemoteExecution final : public IExecution {
public:
  RemoteExecution(std::shared_ptr<Connection> connection, uint64_t id) : object_(std::move(connection), id) {}

  ExecutionOutcome compute(const OptionalTimePoint &deadline) override {
    fb::ComputeT compute;
    compute.execution = object_.id();
    compute.deadline = toNanoseconds(deadline);
    Reply reply = object_.connection().call(callOf(std::move(compute)));
    return outcomeOf(reply);
  }

private:
  RemoteObject object_;
};

class RemotePreparedModel final : public IPreparedModel {
public:
  RemotePreparedModel(std::shared_ptr<Connection> connection, uint64_t id) : object_(std::move(connection), id) {}

  ExecutionOutcome execute(const Request &request, const ExecutionOptions &options) override {
    HandleWriter handles;
    Reply reply = object_.connection().call(callOf(executeCall<fb::ExecuteT>(request, options, handles)), handles);
    return outcomeOf(reply);
  }

  ErrorStatus executeAsynchronously(const Request &request, const ExecutionOptions &options,
                                    ExecutionCallback callback) override {
    HandleWriter handles;
    fb::CallUnion call = callOf(executeCall<fb::ExecuteT>(request, options, handles));
    return object_.connection().launch(std::move(call), handles,
                                       [callback = std::move(callback)](Reply reply) { callback(outcomeOf(reply)); });
  }

  Result<std::shared_ptr<IExecution>> createReusableExecution(const Request &request,
                                                              const ExecutionOptions &options) override {
    HandleWriter handles;
    Reply reply =
        object_.connection().call(callOf(executeCall<fb::CreateExecutionT>(request, options, handles)), handles);
    if (reply.status != ErrorStatus::None)
      return errorOf(reply);
    const fb::ObjectT *object = reply.answer.AsObject();
    if (object == nullptr)
      return wrongAnswer();
    return std::shared_ptr<IExecution>(std::make_shared<RemoteExecution>(object_.sharedConnection(), object->id));
  }

private:
  template <typename Table>
  Table executeCall(const Request &request, const ExecutionOptions &options, HandleWriter &handles) const {
    Table call;
    call.prepared = object_.id();
    call.request = toMessage(request, handles);
    call.options = toMessage(options);
    return call;
  }

  RemoteObject object_;
};

Result<std::shared_ptr<IPreparedModel>> preparedOf(const std::shared_ptr<Connection> &connection, const Reply &reply) {
  if (reply.status != ErrorStatus::None)
    return errorOf(reply);
  const fb::ObjectT *object = reply.answer.AsObject();
  if (object == nullptr)
    return wrongAnswer();
  return std::shared_ptr<IPreparedModel>(std::make_shared<RemotePreparedModel>(connection, object->id));
}

class RemoteDevice final : public IDevice {
public:
  RemoteDevice(std::shared_ptr<Connection> connection, DeviceDescription description)
      : connection_(std::move(connection)), description_(std::move(description)) {}

  const std::string &name() const override { return description_.name; }
  const std::string &versionString() const override { return description_.version; }
  Version featureLevel() const override { return description_.featureLevel; }
  DeviceType type() const override { return description_.type; }
  const std::vector<Extension> &supportedExtensions() const override { return description_.extensions; }
  const Capabilities &capabilities() const override { return description_.capabilities; }
  NumberOfCacheFiles numberOfCacheFilesNeeded() const override { return description_.cacheFiles; }

  DeviceStatus status() const override {
    Reply reply = connection_->call(callOf(fb::GetStatusT()));
    const fb::StatusAnswerT *answer = reply.answer.AsStatusAnswer();
    return answer ? static_cast<DeviceStatus>(answer->status) : DeviceStatus::Offline;
  }

  Result<SupportedOperations> getSupportedOperations(const Model &model) const override {
    HandleWriter handles;
    fb::GetSupportedOperationsT call;
    call.model = toMessage(model, handles);
    Reply reply = connection_->call(callOf(std::move(call)), handles);
    if (reply.status != ErrorStatus::None)
      return errorOf(reply);
    const fb::SupportedT *supported = reply.answer.AsSupported();
    if (supported == nullptr)
      return wrongAnswer();
    return fromMessage(*supported);
  }

  Result<std::shared_ptr<IPreparedModel>> prepareModel(const Model &model, const PrepareOptions &options) override {
    HandleWriter handles;
    return preparedOf(connection_, connection_->call(callOf(prepareCall(model, options, handles)), handles));
  }

  ErrorStatus prepareModelAsynchronously(const Model &model, const PrepareOptions &options,
                                         PreparedModelCallback callback) override {
    HandleWriter handles;
    fb::CallUnion call = callOf(prepareCall(model, options, handles));
    auto handler = [connection = connection_, callback = std::move(callback)](Reply reply) {
      auto prepared = preparedOf(connection, reply);
      callback(prepared.code(), prepared ? *prepared : nullptr);
    };
    return connection_->launch(std::move(call), handles, std::move(handler));
  }

  Result<std::shared_ptr<IPreparedModel>> prepareModelFromCache(const OptionalTimePoint &deadline,
                                                                const CacheFiles &cache) override {
    HandleWriter handles;
    fb::PrepareFromCacheT call;
    call.deadline = toNanoseconds(deadline);
    call.cache = toMessage(cache, handles);
    return preparedOf(connection_, connection_->call(callOf(std::move(call)), handles));
  }

private:
  static fb::PrepareModelT prepareCall(const Model &model, const PrepareOptions &options, HandleWriter &handles) {
    fb::PrepareModelT call;
    call.model = toMessage(model, handles);
    call.options = toMessage(options, handles);
    return call;
  }

  std::shared_ptr<Connection> connection_;
  DeviceDescription description_;
};

/// Connects and introduces itself; an empty name asks for the list of devices.
Result<std::pair<std::shared_ptr<Connection>, fb::WelcomeT>> greet(const std::string &path, const std::string &device) {
  AVOCET_HAL_ASSIGN_OR_RETURN(std::unique_ptr<Channel> channel, Channel::connect(path));
  auto connection = std::make_shared<Connection>(std::move(channel));
  fb::HelloT hello;
  hello.protocol = kProtocol;
  hello.device = device;
  Reply reply = connection->call(callOf(std::move(hello)));
  if (reply.status != ErrorStatus::None)
    return errorOf(reply);
  fb::WelcomeT *welcome = reply.answer.AsWelcome();
  if (welcome == nullptr)
    return wrongAnswer();
  return std::pair(std::move(connection), std::move(*welcome));
}

} // namespace

Result<std::vector<std::string>> listDevices(const std::string &socketPath) {
  auto greeted = greet(socketPath, "");
  if (!greeted)
    return greeted.error();
  return greeted->second.devices;
}

Result<std::shared_ptr<IDevice>> connectDevice(const std::string &socketPath, const std::string &deviceName) {
  if (deviceName.empty())
    return invalidArgument("no device is named; listDevices() gives the names");
  auto greeted = greet(socketPath, deviceName);
  if (!greeted)
    return greeted.error();
  return std::shared_ptr<IDevice>(std::make_shared<RemoteDevice>(greeted->first, fromMessage(greeted->second)));
}

} // namespace avocet::hal
