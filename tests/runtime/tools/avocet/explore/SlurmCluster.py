# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A Slurm cluster of this computer alone: daemons of its own on loopback, with configuration, keys and state in one folder.

The daemons run in the foreground as children of the caller, on free ports, and are stopped by their process ids.
"""

import getpass
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time

PROGRAMS = ["munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "sinfo"]
START_SECONDS = 30
STOP_SECONDS = 10

CONFIGURATION = """
ClusterName=avocet
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controllerPort}
SlurmdPort={nodePort}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
SlurmUser={user}
SlurmdUser={user}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1,sched_min_interval=0
ReturnToService=2
NodeName={host} NodeAddr=127.0.0.1 CPUs={processors} State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


class NoCluster(Exception):
    """Why there is no cluster here."""


def freePorts(count):
    """Ports that nothing listens on now; all are open until the last is known, so that they differ."""
    sockets = [socket.socket() for _ in range(count)]
    for made in sockets:
        made.bind(("127.0.0.1", 0))
    ports = [made.getsockname()[1] for made in sockets]
    for made in sockets:
        made.close()
    return ports


def findProgram(name):
    return shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")


class SlurmCluster:
    """Use it with `with`; `environment` is that of commands for it."""

    def __init__(self, folder):
        missing = [name for name in PROGRAMS if not findProgram(name)]
        if missing:
            raise NoCluster("not installed: %s (scripts/setup --slurm)" % ", ".join(missing))
        self.folder = pathlib.Path(folder)
        self.daemons = []
        self.environment = dict(os.environ, SLURM_CONF=str(self.folder / "slurm.conf"))

    def __enter__(self):
        try:
            self._configure()
            self._start("munged", "--foreground", "--force", "--key-file", self.folder / "munge.key", "--socket", self.folder / "munge.socket",
                        "--pid-file", self.folder / "munged.pid", "--log-file", self.folder / "munged.log",
                        "--seed-file", self.folder / "munge.seed")
            self._waitFor(lambda: (self.folder / "munge.socket").exists(), "munged")
            self._start("slurmctld", "-D", "-f", self.folder / "slurm.conf")
            self._start("slurmd", "-D", "-f", self.folder / "slurm.conf")
            self._waitFor(self._isIdle, "the node")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for daemon in reversed(self.daemons):
            daemon.send_signal(signal.SIGTERM)
            try:
                daemon.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        self.daemons = []

    def _configure(self):
        for name in ("state", "spool"):
            (self.folder / name).mkdir()
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        controllerPort, nodePort = freePorts(2)
        (self.folder / "slurm.conf").write_text(CONFIGURATION.format(
            folder=self.folder, host=socket.gethostname().split(".")[0], user=getpass.getuser(), controllerPort=controllerPort,
            nodePort=nodePort, processors=os.cpu_count()))

    def _start(self, name, *arguments):
        log = open(self.folder / (name + ".out"), "wb")
        self.daemons.append(subprocess.Popen([findProgram(name), *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=log,
                                             stderr=subprocess.STDOUT, env=self.environment))
        log.close()

    def _isIdle(self):
        shown = subprocess.run([findProgram("sinfo"), "--noheader", "--format=%t"], env=self.environment, capture_output=True,
                               text=True, check=False)
        return shown.returncode == 0 and shown.stdout.strip() == "idle"

    def _waitFor(self, isReady, what):
        end = time.monotonic() + START_SECONDS
        while not isReady():
            if time.monotonic() > end or any(daemon.poll() is not None for daemon in self.daemons):
                raise NoCluster("%s did not start: %s" % (what, self._messages()))
            time.sleep(0.1)

    def _messages(self):
        lines = []
        for path in sorted(self.folder.glob("*.out")) + sorted(self.folder.glob("*.log")):
            text = path.read_text(errors="replace").splitlines()
            lines += ["%s: %s" % (path.name, line) for line in text if "error" in line.lower() or "fatal" in line.lower()][-3:]
        return "; ".join(lines) or "no message"
