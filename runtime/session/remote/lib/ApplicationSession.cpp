//===- ApplicationSession.cpp - A network in an application -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/session/ApplicationSession.h"
#include "ApplicationModel.h"
#include "avocet/base/File.h"
#include "avocet/base/Status.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <nlohmann/json_fwd.hpp>
#include <spawn.h>
#include <sstream>
#include <string>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

extern char **environ;

namespace avocet::session {

/// The program avocetApplication: a user of a framework, in a process of its own, so that this one survives its
/// crashes. See runtime/tools/application/Main.cpp for the commands.
class ApplicationProcess {
public:
  static Result<std::unique_ptr<ApplicationProcess>> start(const ApplicationStart &start);
  ~ApplicationProcess(); ///< kills it if it has not ended
  ApplicationProcess(const ApplicationProcess &) = delete;
  ApplicationProcess &operator=(const ApplicationProcess &) = delete;

  /// The next answer. Aborted: the application refused, or it ended; the message has the end of its log.
  Result<nlohmann::json> answer();
  Result<nlohmann::json> ask(const std::string &line);

  /// Ends it in order; its libraries write their reports.
  Status finish();

  /// What it printed, without the framework's own remarks.
  std::string messages() const;

private:
  ApplicationProcess(std::string framework, std::string log) : framework_(std::move(framework)), log_(std::move(log)) {}
  Status launch(const ApplicationStart &start);
  Status failed(const std::string &what) const;
  std::string howItEnded();

  const std::string framework_, log_;
  pid_t pid_ = -1; ///< -1: gone
  FileDescriptor commands_;
  std::unique_ptr<std::FILE, int (*)(std::FILE *)> answers_{nullptr, nullptr};
};

namespace {

constexpr size_t kMaxLines = 8; ///< of the log, in messages

std::vector<std::string> linesOf(const std::string &path) {
  std::vector<std::string> lines;
  const Result<std::vector<uint8_t>> bytes = readFile(path);
  if (!bytes)
    return lines;
  std::istringstream text(std::string(bytes->begin(), bytes->end()));
  for (std::string line; std::getline(text, line);)
    lines.push_back(line);
  return lines;
}

std::vector<std::string> environmentWith(const std::map<std::string, std::string> &changes) {
  std::vector<std::string> variables;
  for (char **variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text(*variable);
    if (!changes.contains(std::string(text.substr(0, text.find('=')))))
      variables.emplace_back(text);
  }
  for (const auto &[name, value] : changes)
    variables.push_back(fmt::format("{}={}", name, value));
  return variables;
}

std::vector<char *> pointersTo(std::vector<std::string> &texts) {
  std::vector<char *> pointers;
  for (std::string &text : texts)
    pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

struct Pipe {
  FileDescriptor reads, writes;
};

Result<Pipe> makePipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return errnoStatus(errno, "cannot make a pipe to the application");
  return Pipe{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

/// The descriptors of the child.
class SpawnActions {
public:
  SpawnActions(int input, int output, const std::string &log) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_adddup2(&actions_, input, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions_, STDERR_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  }
  ~SpawnActions() { posix_spawn_file_actions_destroy(&actions_); }
  SpawnActions(const SpawnActions &) = delete;
  SpawnActions &operator=(const SpawnActions &) = delete;
  const posix_spawn_file_actions_t *get() const { return &actions_; }

private:
  posix_spawn_file_actions_t actions_;
};

} // namespace

Status ApplicationProcess::launch(const ApplicationStart &start) {
  AVOCET_ASSIGN_OR_RETURN(Pipe commands, makePipe());
  AVOCET_ASSIGN_OR_RETURN(Pipe answers, makePipe());
  std::vector<std::string> line = {start.program};
  line.insert(line.end(), start.arguments.begin(), start.arguments.end());
  std::vector<std::string> environment = environmentWith(start.environment);
  const SpawnActions actions(commands.reads.get(), answers.writes.get(), log_);
  const int error = ::posix_spawn(&pid_, start.program.c_str(), actions.get(), nullptr, pointersTo(line).data(),
                                  pointersTo(environment).data());
  if (error != 0) {
    pid_ = -1;
    return errnoStatus(error, "cannot start " + start.program);
  }
  commands_ = std::move(commands.writes);
  answers_ = {::fdopen(answers.reads.get(), "r"), std::fclose};
  if (answers_ == nullptr)
    return errnoStatus(errno, "cannot read the application's answers");
  answers.reads.release(); // the stream closes it
  return Status::ok();
}

Result<std::unique_ptr<ApplicationProcess>> ApplicationProcess::start(const ApplicationStart &start) {
  std::unique_ptr<ApplicationProcess> process(new ApplicationProcess(start.framework, start.folder + "/log"));
  AVOCET_RETURN_IF_ERROR(process->launch(start));
  return process;
}

ApplicationProcess::~ApplicationProcess() {
  if (pid_ == -1)
    return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

std::string ApplicationProcess::howItEnded() {
  int status = 0;
  if (pid_ == -1 || ::waitpid(pid_, &status, 0) != pid_)
    return "is gone";
  pid_ = -1;
  return WIFSIGNALED(status) ? fmt::format("ended by signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)))
                             : fmt::format("ended with exit code {}", WEXITSTATUS(status));
}

Status ApplicationProcess::failed(const std::string &what) const {
  const std::vector<std::string> lines = linesOf(log_);
  std::string text = framework_ + ": " + what;
  for (size_t i = lines.size() - std::min(lines.size(), kMaxLines); i < lines.size(); ++i)
    text += "\n  " + lines[i];
  return Status(StatusCode::Aborted, text);
}

Result<nlohmann::json> ApplicationProcess::answer() {
  char *line = nullptr;
  size_t capacity = 0;
  const ssize_t length = ::getline(&line, &capacity, answers_.get());
  const std::unique_ptr<char, void (*)(void *)> owner(line, std::free);
  if (length <= 0)
    return failed("its process " + howItEnded());
  nlohmann::json json = nlohmann::json::parse(line, line + length, nullptr, false);
  if (!json.is_object())
    return failed("its process gave an answer that is no JSON");
  if (json.contains("error"))
    return failed(json["error"].get<std::string>());
  return json;
}

Result<nlohmann::json> ApplicationProcess::ask(const std::string &line) {
  const std::string text = line + "\n";
  if (::write(commands_.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    return failed("its process " + howItEnded());
  return answer();
}

Status ApplicationProcess::finish() {
  commands_.reset();
  const std::string end = howItEnded();
  return end == "ended with exit code 0" ? Status::ok() : failed("its process " + end);
}

std::string ApplicationProcess::messages() const {
  std::string text;
  for (const std::string &line : linesOf(log_))
    if (!line.starts_with("INFO: "))
      text += line + "\n";
  return text;
}

ApplicationSession::ApplicationSession(std::string file) : file_(std::move(file)) {}
ApplicationSession::~ApplicationSession() = default;

Result<std::unique_ptr<ApplicationSession>> ApplicationSession::open(const ApplicationStart &start) {
  std::unique_ptr<ApplicationSession> session(new ApplicationSession(start.folder + "/tensor"));
  AVOCET_RETURN_IF_ERROR(session->start(start));
  return session;
}

Status ApplicationSession::start(const ApplicationStart &start) {
  AVOCET_ASSIGN_OR_RETURN(process_, ApplicationProcess::start(start));
  AVOCET_ASSIGN_OR_RETURN(const nlohmann::json ready, process_->answer());
  prepareMs_ = ready.value("prepareMicroseconds", 0.0) / 1e3;
  ownNodes_ = ready.value("ownNodes", uint64_t{0});
  delegatedNodes_ = ready.value("delegatedNodes", uint64_t{0});
  AVOCET_ASSIGN_OR_RETURN(ApplicationModel model,
                          ApplicationModel::read(ready.value("inputs", nlohmann::json::array()),
                                                 ready.value("outputs", nlohmann::json::array())));
  model_ = std::make_unique<ApplicationModel>(std::move(model));
  for (size_t i = 0; i < model_->numInputs(); ++i)
    inputs_.emplace_back(model_->input(i).bytes);
  for (size_t i = 0; i < model_->numOutputs(); ++i)
    outputs_.emplace_back(model_->output(i).bytes);
  return Status::ok();
}

size_t ApplicationSession::numInputs() const { return model_->numInputs(); }
size_t ApplicationSession::numOutputs() const { return model_->numOutputs(); }
cache::OperandView ApplicationSession::describeInput(size_t index) const { return model_->input(index); }
cache::OperandView ApplicationSession::describeOutput(size_t index) const { return model_->output(index); }

Status ApplicationSession::reset() { return process_->ask("reset").status(); }

Status ApplicationSession::sendInputs() {
  for (size_t i = 0; i < inputs_.size(); ++i) {
    AVOCET_RETURN_IF_ERROR(writeFile(file_, std::span<const uint8_t>(inputs_[i])));
    AVOCET_RETURN_IF_ERROR(process_->ask(fmt::format("input {} {}", i, file_)).status());
  }
  return Status::ok();
}

Status ApplicationSession::receiveOutputs() {
  for (size_t i = 0; i < outputs_.size(); ++i) {
    AVOCET_RETURN_IF_ERROR(process_->ask(fmt::format("output {} {}", i, file_)).status());
    AVOCET_ASSIGN_OR_RETURN(outputs_[i], readFile(file_));
    model_->resizeOutput(i, outputs_[i].size());
  }
  return Status::ok();
}

Result<RunRecord> ApplicationSession::run() {
  AVOCET_RETURN_IF_ERROR(sendInputs());
  AVOCET_ASSIGN_OR_RETURN(const nlohmann::json answer, process_->ask("invoke"));
  AVOCET_RETURN_IF_ERROR(receiveOutputs());
  RunRecord record;
  record.hostMs = answer.value("microseconds", 0.0) / 1e3;
  return record;
}

Status ApplicationSession::finish() { return process_->finish(); }

std::string ApplicationSession::messages() const { return process_->messages(); }

} // namespace avocet::session
