//===- FileRestriction.cpp - Which files the service may open ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/File.h"
#include "avocet/hal/sandbox/ServiceSandbox.h"
#include "avocet/hal/sandbox/SystemCallFilter.h"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <fmt/core.h>
#include <grp.h>
#include <linux/landlock.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

namespace avocet::hal {
namespace {

// From kernels later than the headers used here (linux/landlock.h).
constexpr uint64_t kTruncate = uint64_t{1} << 14, kIoctl = uint64_t{1} << 15;
constexpr uint64_t kBindTcp = 1, kConnectTcp = 2;
constexpr uint64_t kAbstractSockets = 1;
struct RulesetAttributes {
  uint64_t files = 0;
  uint64_t network = 0;
  uint64_t scoped = 0;
};

constexpr uint64_t kRead = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr uint64_t kChange = kRead | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                             LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_DIR |
                             LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_REFER | kTruncate;
constexpr uint64_t kOfFiles = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | kTruncate | kIoctl;

/// All rights that this version of the interface can remove; rights that are not granted again are lost.
RulesetAttributes allRights(long version) {
  RulesetAttributes rights;
  rights.files = (uint64_t{1} << 13) - 1;
  if (version >= 2)
    rights.files |= LANDLOCK_ACCESS_FS_REFER;
  if (version >= 3)
    rights.files |= kTruncate;
  if (version >= 4)
    rights.network = kBindTcp | kConnectTcp;
  if (version >= 5)
    rights.files |= kIoctl;
  if (version >= 6)
    rights.scoped = kAbstractSockets;
  return rights;
}

class Ruleset {
public:
  static avocet::Result<Ruleset> create() {
    const long version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
    if (version < 1)
      return unsupported("the kernel has no Landlock: which files the service opens is not restricted");
    const RulesetAttributes rights = allRights(version);
    FileDescriptor file(static_cast<int>(::syscall(SYS_landlock_create_ruleset, &rights, sizeOf(version), 0)));
    if (!file.isValid())
      return errnoStatus(errno, "cannot make a Landlock ruleset");
    return Ruleset(std::move(file), rights.files);
  }

  avocet::Status grant(const std::string &path, uint64_t access) const {
    const FileDescriptor target(::open(path.c_str(), O_PATH | O_CLOEXEC));
    struct stat status = {};
    if (!target.isValid() || ::fstat(target.get(), &status) != 0)
      return avocet::Status::ok(); // a missing path needs no right
    landlock_path_beneath_attr rule = {};
    rule.allowed_access = access & handled_ & (S_ISDIR(status.st_mode) ? ~uint64_t{0} : kOfFiles);
    rule.parent_fd = target.get();
    if (::syscall(SYS_landlock_add_rule, file_.get(), LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0)
      return errnoStatus(errno, "cannot restrict access to " + path);
    return avocet::Status::ok();
  }

  avocet::Status enforce() const {
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || ::syscall(SYS_landlock_restrict_self, file_.get(), 0) != 0)
      return errnoStatus(errno, "cannot restrict which files the service opens");
    return avocet::Status::ok();
  }

private:
  Ruleset(FileDescriptor file, uint64_t handled) : file_(std::move(file)), handled_(handled) {}

  /// Older kernels refuse a structure with members that they do not have.
  static size_t sizeOf(long version) {
    return version >= 6 ? sizeof(RulesetAttributes) : (version >= 4 ? 2 : 1) * sizeof(uint64_t);
  }

  FileDescriptor file_;
  uint64_t handled_ = 0;
};

avocet::Status grantAll(const Ruleset &rules, const std::vector<std::string> &paths, uint64_t access) {
  for (const std::string &path : paths)
    AVOCET_RETURN_IF_ERROR(rules.grant(path, access));
  return avocet::Status::ok();
}

/// What the C library and the C++ library read: time zones, number of cores, memory.
const std::vector<std::string> kSystemPaths = {"/etc/localtime", "/usr/share/zoneinfo", "/sys/devices/system/cpu",
                                               "/proc", "/dev/urandom"};

} // namespace

avocet::Status restrictFiles(const SandboxPaths &paths) {
  if (isSanitizerBuild())
    return avocet::Status::ok();
  AVOCET_ASSIGN_OR_RETURN(Ruleset rules, Ruleset::create());
  AVOCET_RETURN_IF_ERROR(grantAll(rules, kSystemPaths, kRead));
  AVOCET_RETURN_IF_ERROR(grantAll(rules, {"/dev/null"}, kRead | LANDLOCK_ACCESS_FS_WRITE_FILE));
  AVOCET_RETURN_IF_ERROR(grantAll(rules, paths.readable, kRead));
  AVOCET_RETURN_IF_ERROR(grantAll(rules, paths.writable, kChange));
  AVOCET_RETURN_IF_ERROR(grantAll(rules, paths.devices, kRead | LANDLOCK_ACCESS_FS_WRITE_FILE | kIoctl));
  AVOCET_RETURN_IF_ERROR(
      grantAll(rules, paths.removable, LANDLOCK_ACCESS_FS_READ_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE));
  return rules.enforce();
}

avocet::Status becomeUser(const std::string &user) {
  std::vector<char> text(1 << 16);
  passwd entry = {}, *found = nullptr;
  if (int error = ::getpwnam_r(user.c_str(), &entry, text.data(), text.size(), &found); error != 0)
    return internalError(fmt::format("user {} cannot be looked up: {}", user, std::strerror(error)));
  if (found == nullptr)
    return notFound(fmt::format("there is no user {}", user));
  if (::geteuid() == entry.pw_uid && ::getuid() == entry.pw_uid)
    return avocet::Status::ok();
  // Groups first: the process cannot change them after it has changed the user.
  if (::initgroups(user.c_str(), entry.pw_gid) != 0 || ::setresgid(entry.pw_gid, entry.pw_gid, entry.pw_gid) != 0 ||
      ::setresuid(entry.pw_uid, entry.pw_uid, entry.pw_uid) != 0)
    return failedPrecondition(fmt::format("cannot become user {}: {}; start the service as root or as that user", user,
                                          std::strerror(errno)));
  return avocet::Status::ok();
}

void limitResources() {
  const rlimit none{0, 0};
  (void)::setrlimit(RLIMIT_CORE, &none);
}

} // namespace avocet::hal
