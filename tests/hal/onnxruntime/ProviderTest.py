#!/usr/bin/env python3
# ProviderTest.py - The execution provider in an unmodified ONNX Runtime
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads libavocet_onnxruntime.so into ONNX Runtime through its C interface.

  ProviderTest.py LIB [--clients DIR] [--filter REGEX]

Exit code 77: ONNX Runtime is not installed."""
import ctypes
import json
import os
import re
import shutil
import socket as sockets
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "compiler" / "onnx")]
import Arguments  # noqa: E402
import Proto  # noqa: E402
import Provider  # noqa: E402
from Runtime import Failure  # noqa: E402

RANDOM = np.random.default_rng(1)
LIBRARY = "libavocet_onnxruntime.so"


def reals(*shape):
    return Proto.Tensor("f32", RANDOM.uniform(-1, 1, shape).astype(np.float32))


def in_threads(work, count=4):
    """Calls work(index) in as many threads at once."""
    problems = []

    def attempt(index):
        try:
            work(index)
        except (AssertionError, Failure) as problem:
            problems.append(str(problem))
    threads = [threading.Thread(target=attempt, args=(index,)) for index in range(count)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    check(not problems, str(problems[:1]))


def network(nodes, constants, inputs, outputs, opset=17):
    """`inputs`, `outputs`: {name: shape}, of floats."""
    infos = [[Proto.value_info(name, "f32", shape) for name, shape in each.items()] for each in (inputs, outputs)]
    return Proto.model(Proto.graph([Proto.node(*each) for each in nodes],
                                   [Proto.tensor_proto(value, name) for name, value in constants.items()], *infos), opset)


def small_network(channels=8, size=16):
    """A convolution, a Relu, a pool and a fully connected layer."""
    return network([("Conv", ["x", "w", "b"], ["c"], "conv", "", {"pads": [1, 1, 1, 1]}), ("Relu", ["c"], ["r"], "relu", "", {}),
                    ("GlobalAveragePool", ["r"], ["p"], "pool", "", {}), ("Flatten", ["p"], ["f"], "flat", "", {}),
                    ("Gemm", ["f", "m", "n"], ["y"], "gemm", "", {})],
                   {"w": reals(channels, 3, 3, 3), "b": reals(channels), "m": reals(channels, 10), "n": reals(10)},
                   {"x": [1, 3, size, size]}, {"y": [1, 10]})


def open_network():
    """A product of rows, whose number only a run gives, and a matrix; arithmetic on its shape."""
    return network([("MatMul", ["x", "w"], ["m"], "product", "", {}), ("Shape", ["m"], ["s"], "shape", "", {}),
                    ("Relu", ["m"], ["r"], "relu", "", {}), ("Reshape", ["r", "s"], ["y"], "again", "", {})],
                   {"w": reals(3, 4)}, {"x": ["rows", 3]}, {"y": ["rows", 4]})


def divided_network():
    """Two operators of the device, one that it does not have, whose numbers are all 3, and two more."""
    return network([("Add", ["x", "x"], ["a"], "first", "", {}), ("Mul", ["a", "a"], ["b"], "second", "", {}),
                    ("RandomUniformLike", ["b"], ["d"], "apart", "", {"low": 3.0, "high": 3.0}),
                    ("Sub", ["d", "a"], ["e"], "third", "", {}), ("Relu", ["e"], ["y"], "fourth", "", {})],
                   {}, {"x": [3, 4]}, {"y": [3, 4]})


def check(condition, text):
    if not condition:
        raise AssertionError(text)


def close(ours, theirs, bound=2e-5):
    check(np.all(np.abs(ours.array - theirs.array) <= bound * np.maximum(1, np.abs(theirs.array))),
          f"is {ours.array}, must be {theirs.array}")


def refusal(call, *parts):
    """The text of a failure, which has these parts."""
    try:
        call()
    except Failure as failure:
        for part in parts:
            check(part in str(failure), f"'{failure}' lacks '{part}'")
        return
    raise AssertionError(f"succeeds, must fail with {parts}")


def listens(path):
    """Whether a service accepts connections; its socket is there before."""
    with sockets.socket(sockets.AF_UNIX, sockets.SOCK_SEQPACKET) as probe:
        return probe.connect_ex(path) == 0


class Tests:
    def __init__(self, library, folder):
        self.library, self.folder = library, folder
        self.runtime = Provider.ProviderRuntime(library, folder / LIBRARY)
        self.plain = self.runtime.plain

    def session(self, model, **options):
        self.runtime.use(**options)
        return self.runtime.session(model)

    def results(self, model, inputs, outputs, **options):
        self.runtime.use(**options)
        return self.runtime.run(model, inputs, outputs)

    def expected(self, model, inputs, outputs):
        self.runtime.options = self.plain
        return self.runtime.run(model, inputs, outputs)

    def case_network_runs_as_one_node(self):
        model, inputs = small_network(), {"x": reals(1, 3, 16, 16)}
        session = self.session(model)
        taken, left = self.runtime.assigned(session)
        check(len(taken) == 5 and not left, f"{taken} {left}")
        close(self.runtime.run_session(session, inputs, ["y"])[0], self.expected(model, inputs, ["y"])[0])
        self.runtime.functions["ReleaseSession"](session)

    def case_large_constants_of_the_runtime_stay(self):
        """They are several pages of its memory, which the compiler reads."""
        model = network([("MatMul", ["x", "w"], ["m"], "first", "", {}), ("MatMul", ["m", "v"], ["y"], "second", "", {})],
                        {"w": reals(128, 256), "v": reals(256, 64)}, {"x": [4, 128]}, {"y": [4, 64]})
        inputs = {"x": reals(4, 128)}
        close(self.results(model, inputs, ["y"])[0], self.expected(model, inputs, ["y"])[0], 1e-4)

    def case_optimized_network_has_the_same_results(self):
        model, inputs = small_network(), {"x": reals(1, 3, 16, 16)}
        close(self.results(model, inputs, ["y"], level=99)[0], self.expected(model, inputs, ["y"])[0])

    def case_operators_around_another_are_divided(self):
        model, inputs = divided_network(), {"x": reals(3, 4)}
        session = self.session(model, only=False)
        taken, left = self.runtime.assigned(session)
        check(sorted(taken) == ["Add", "Mul", "Relu", "Sub"] and left == ["RandomUniformLike"], f"{taken} {left}")
        close(self.runtime.run_session(session, inputs, ["y"])[0], self.expected(model, inputs, ["y"])[0])
        self.runtime.functions["ReleaseSession"](session)

    def compiled_runs(self, counts):
        """For each run of a network of open extents, with these numbers of rows, whether it compiles a network for the device,
        which the cache then has."""
        model, compiled = open_network(), []
        with tempfile.TemporaryDirectory() as cache:
            session = self.session(model, cache_dir=cache)
            ours, (taken, left) = self.runtime.options, self.runtime.assigned(session)
            check(len(taken) == 4 and not left, f"{taken} {left}")
            for rows in counts:
                inputs, before = {"x": reals(rows, 3)}, len(list(Path(cache).rglob("*")))
                found = self.runtime.run_session(session, inputs, ["y"])[0]
                compiled.append(len(list(Path(cache).rglob("*"))) > before)
                expected = self.expected(model, inputs, ["y"])[0]
                check(found.shape == expected.shape, f"{found.shape}, must be {expected.shape}")
                close(found, expected)
            self.runtime.options = ours
            self.runtime.functions["ReleaseSession"](session)
        return compiled

    def case_open_extents_are_compiled_once(self):
        compiled = self.compiled_runs([5, 2, 5, 1, 2])
        check(compiled == [True, True, False, True, False], f"{compiled}")

    def case_runs_without_elements_stay_with_the_runtime(self):
        compiled = self.compiled_runs([0, 3, 0])
        check(compiled == [False, True, False], f"{compiled}")

    def case_growing_extents_are_compiled_sixteen_times(self):
        compiled = self.compiled_runs([*range(1, 19), 16])
        check(compiled == [True] * 16 + [False] * 3, f"{compiled}")

    def case_open_extents_run_in_threads(self):
        model = open_network()
        session = self.session(model)
        inputs = [{"x": reals(rows, 3)} for rows in (1, 2, 3, 4)]
        expected = [self.expected(model, each, ["y"])[0] for each in inputs]
        zero_rows = {"x": reals(0, 3)}

        def work(index):
            for turn in range(8):
                each = (index + turn) % 4
                close(self.runtime.run_session(session, inputs[each], ["y"])[0], expected[each])
                self.runtime.run_session(session, zero_rows, ["y"])
        in_threads(work)
        self.runtime.functions["ReleaseSession"](session)

    def case_contexts_need_known_extents(self):
        with tempfile.TemporaryDirectory() as name:
            config = {"ep.context_enable": 1, "ep.context_file_path": Path(name) / "contexts.onnx", "ep.context_embed_mode": 1}
            session = self.session(open_network(), only=False, config=config)
            taken, _ = self.runtime.assigned(session)
            check(not taken, f"{taken}")
            self.runtime.functions["ReleaseSession"](session)

    def case_control_flow_is_taken_whole(self):
        branch = [Proto.graph([Proto.node(operator, ["x", "k"], [f"{operator}_y"], "", "", {})], [], [],
                              [Proto.value_info(f"{operator}_y", "f32", [2, 3])], operator) for operator in ("Add", "Mul")]
        body = Proto.graph([Proto.node("If", ["c"], ["y"], "choice", "", {"then_branch": branch[0], "else_branch": branch[1]})],
                           [Proto.tensor_proto(reals(2, 3), "k")],
                           [Proto.value_info("c", "bool", []), Proto.value_info("x", "f32", [2, 3])],
                           [Proto.value_info("y", "f32", [2, 3])])
        model = Proto.model(body, 17)
        for choice in (True, False):
            inputs = {"c": Proto.tensor("bool", choice), "x": reals(2, 3)}
            close(self.results(model, inputs, ["y"])[0], self.expected(model, inputs, ["y"])[0])

    def case_profile_of_the_runtime_has_the_device(self):
        """Each run of a partition is a span within that of its node."""
        model, inputs = divided_network(), {"x": reals(3, 4)}
        with tempfile.TemporaryDirectory() as name:
            self.runtime.use(only=False)
            self.runtime.call("EnableProfiling", self.runtime.options, str(Path(name) / "profile").encode())
            session = self.runtime.session(model)
            for _ in range(3):
                self.runtime.run_session(session, inputs, ["y"])
            self.runtime.functions["ReleaseSession"](session)
            events = json.loads(next(Path(name).iterdir()).read_text())
        ours = [event for event in events if event["name"] == "avocet-e256 run"]
        nodes = [event for event in events if event["cat"] == "Node" and event["args"].get("provider") == Provider.NAME.decode()]
        check(len(ours) == 6 and len(nodes) == 6, f"{len(ours)} spans of the device, {len(nodes)} of nodes")
        for event in ours:
            check(event["cat"] == "Kernel" and float(event["args"]["device_us"]) > 0, str(event))
            check(any(node["tid"] == event["tid"] and node["ts"] <= event["ts"] and
                      event["ts"] + event["dur"] <= node["ts"] + node["dur"] + 1 for node in nodes), f"{event} is in no node")

    def case_bound_tensors_are_not_copied(self):
        model = small_network()
        session = self.session(model)
        x, array = self.runtime.device_tensor("f32", [1, 3, 16, 16])
        y, result = self.runtime.device_tensor("f32", [1, 10])
        array[...] = reals(1, 3, 16, 16).array
        before = self.runtime.stat(b"BytesCopied")
        self.runtime.run_bound(session, {"x": x}, {"y": y}, times=3)
        check(self.runtime.stat(b"BytesCopied") == before, f"{self.runtime.stat(b'BytesCopied') - before} bytes are copied")
        expected = self.expected(model, {"x": Proto.Tensor("f32", array.copy())}, ["y"])[0]
        close(Proto.Tensor("f32", result.copy()), expected)
        for value in (x, y):
            self.runtime.functions["ReleaseValue"](value)
        self.runtime.functions["ReleaseSession"](session)

    def case_tensors_of_the_host_are_copied_once(self):
        model, inputs = small_network(), {"x": reals(1, 3, 16, 16)}
        session = self.session(model)
        before = self.runtime.stat(b"BytesCopied")
        self.runtime.run_session(session, inputs, ["y"])
        copied = self.runtime.stat(b"BytesCopied") - before
        check(copied == 4 * (3 * 16 * 16 + 10), f"{copied} bytes are copied")
        self.runtime.functions["ReleaseSession"](session)

    def case_sessions_run_in_threads(self):
        models = [small_network(channels) for channels in (4, 8)]
        inputs = {"x": reals(1, 3, 16, 16)}
        expected = [self.expected(model, inputs, ["y"])[0] for model in models]
        self.runtime.use()
        sessions = [self.runtime.session(model) for model in models]

        def work(index):
            for _ in range(20):
                close(self.runtime.run_session(sessions[index % 2], inputs, ["y"])[0], expected[index % 2])
        in_threads(work)
        for session in sessions:
            self.runtime.functions["ReleaseSession"](session)

    def case_float64_needs_an_option(self):
        body = Proto.graph([Proto.node("Add", ["x", "x"], ["y"], "sum", "", {})], [], [Proto.value_info("x", "f64", [2])],
                           [Proto.value_info("y", "f64", [2])])
        model, x = Proto.model(body, 17), Proto.tensor("f64", [1.5, -2.25])
        refusal(lambda: self.session(model), "assigned to the default CPU EP")
        check(list(self.results(model, {"x": x}, ["y"], allow_fp32="true")[0].array) == [3, -4.5], "sum")

    def case_wrong_options_are_refused(self):
        model = small_network()
        refusal(lambda: self.session(model, devise="e256"), "there is no option 'devise'", "device, socket, priority")
        refusal(lambda: self.session(model, priority="urgent"), "must be low, medium or high")
        refusal(lambda: self.session(model, deadline_ms="soon"), "must be a number of milliseconds")
        refusal(lambda: self.session(model, device="e999"), "'e999' cannot be opened", "avocet targets")
        refusal(lambda: self.session(model, socket="/nonexistent/socket"), "no service answers at '/nonexistent/socket'")

    def case_errors_of_the_device_reach_the_application(self):
        body = Proto.graph([Proto.node("Gather", ["x", "i"], ["y"], "gather", "", {})], [],
                           [Proto.value_info("x", "f32", [4, 2]), Proto.value_info("i", "i64", [1])],
                           [Proto.value_info("y", "f32", [1, 2])])
        model = Proto.model(body, 17)
        refusal(lambda: self.results(model, {"x": reals(4, 2), "i": Proto.tensor("i64", [9])}, ["y"]), "INVALID_ARGUMENT")

    def case_deadlines_end_runs(self):
        model, inputs = small_network(64, 128), {"x": reals(1, 3, 128, 128)}
        refusal(lambda: self.results(model, inputs, ["y"], deadline_ms="1"), "MISSED_DEADLINE")
        close(self.results(model, inputs, ["y"], deadline_ms="60000")[0], self.expected(model, inputs, ["y"])[0])

    def case_other_devices_have_the_same_results(self):
        model, inputs = small_network(), {"x": reals(1, 3, 16, 16)}
        close(self.results(model, inputs, ["y"], device="m512", priority="high")[0], self.expected(model, inputs, ["y"])[0])

    def service(self, folder):
        """A process of avocetd, and its socket."""
        path = str(Path(folder) / "socket")
        daemon = subprocess.Popen([self.folder.parent / "bin" / "avocetd", "--socket", path, "--target", "e256"],
                                  stderr=subprocess.DEVNULL)
        end = time.monotonic() + 20
        while not listens(path) and time.monotonic() < end:
            time.sleep(0.01)
        return daemon, path

    def case_service_runs_networks(self):
        model, inputs = small_network(), {"x": reals(1, 3, 16, 16)}
        with tempfile.TemporaryDirectory() as name:
            daemon, socket = self.service(name)
            try:
                session = self.session(model, socket=socket)
                close(self.runtime.run_session(session, inputs, ["y"])[0], self.expected(model, inputs, ["y"])[0])
                daemon.kill()
                daemon.wait()
                refusal(lambda: self.runtime.run_session(session, inputs, ["y"]), "DEAD_OBJECT", "connects again")
                self.runtime.functions["ReleaseSession"](session)
            finally:
                daemon.kill()
                daemon.wait()

    def case_application_that_is_killed_disturbs_no_other(self):
        model, inputs = small_network(), {"x": reals(1, 3, 16, 16)}
        expected = self.expected(model, inputs, ["y"])[0]
        with tempfile.TemporaryDirectory() as name:
            (Path(name) / "model.onnx").write_bytes(model)
            np.save(Path(name) / "x.npy", inputs["x"].array)
            daemon, socket = self.service(name)
            other = subprocess.Popen([sys.executable, "-B", __file__, self.folder, "--clients", self.clients, "--once", name,
                                      "--socket", socket], stdout=subprocess.PIPE, text=True)
            try:
                session = self.session(model, socket=socket)
                check(other.stdout.readline() == "runs\n", "the other application does not run")
                for turn in range(20):
                    if turn == 10:
                        other.kill()
                    close(self.runtime.run_session(session, inputs, ["y"])[0], expected)
                self.runtime.functions["ReleaseSession"](session)
            finally:
                for process in (other, daemon):
                    process.kill()
                    process.wait()
                other.stdout.close()

    def case_cached_network_needs_no_compiler(self):
        """The library alone, without libavocetCompiler.so beside it, in other processes."""
        model, inputs = small_network(), {"x": reals(1, 3, 16, 16)}
        expected = self.expected(model, inputs, ["y"])[0]
        with tempfile.TemporaryDirectory() as name:
            cache, alone = Path(name) / "cache", Path(name) / "alone"
            alone.mkdir()
            shutil.copy(self.folder / LIBRARY, alone)
            (Path(name) / "model.onnx").write_bytes(model)
            np.save(Path(name) / "x.npy", inputs["x"].array)

            def run(folder, **environment):
                done = subprocess.run([sys.executable, "-B", __file__, folder, "--clients", self.clients, "--once", name],
                                      env={**os.environ, **environment}, capture_output=True, text=True, check=False)
                return done.returncode, done.stdout + done.stderr
            missing = {"AVOCET_COMPILER_LIBRARY": str(Path(name) / "nothing.so")}
            code, text = run(alone, **missing)
            check(code == 1 and "the network stays with ONNX Runtime" in text and "nothing.so" in text, f"without a compiler: {code} {text}")
            code, text = run(self.folder)
            check(code == 0, f"with a compiler: {text}")
            code, text = run(alone, **missing)
            check(code == 0, f"from the cache: {text}")
            close(Proto.Tensor("f32", np.load(Path(name) / "y.npy")), expected)
            check(cache.exists(), "there is no cache")

    def contexts(self, model, folder, embeds):
        """Sessions write a model of EPContext nodes; its path."""
        path = folder / "contexts.onnx"
        config = {"ep.context_enable": 1, "ep.context_file_path": path, "ep.context_embed_mode": int(embeds)}
        self.runtime.functions["ReleaseSession"](self.session(model, only=False, config=config))
        return path

    def case_contexts_hold_networks(self):
        """In the model and in files beside it, of one network and of a divided one."""
        for embeds in (True, False):
            for model, inputs, names in ((small_network(), {"x": reals(1, 3, 16, 16)}, {"EPContext"}),
                                         (divided_network(), {"x": reals(3, 4)}, {"EPContext", "RandomUniformLike"})):
                with tempfile.TemporaryDirectory() as name:
                    path = self.contexts(model, Path(name), embeds)
                    check(len(list(Path(name).iterdir())) == (1 if embeds else len(names) + 1), f"{list(Path(name).iterdir())}")
                    self.runtime.use(only=False)
                    session = self.runtime.session_of_file(path)
                    taken, left = self.runtime.assigned(session)
                    check(set(taken + left) == names and "EPContext" not in left, f"{taken} {left}")
                    close(self.runtime.run_session(session, inputs, ["y"])[0], self.expected(model, inputs, ["y"])[0])
                    self.runtime.functions["ReleaseSession"](session)

    def case_contexts_without_their_file_are_errors(self):
        with tempfile.TemporaryDirectory() as name:
            path = self.contexts(small_network(), Path(name), False)
            file = next(each for each in Path(name).iterdir() if each != path)
            file.write_bytes(b"module {}")
            self.runtime.use(only=False)
            refusal(lambda: self.runtime.session_of_file(path), "EPContext")
            file.unlink()
            refusal(lambda: self.runtime.session_of_file(path), "EPContext")

    def case_contexts_of_other_versions_are_known(self):
        with tempfile.TemporaryDirectory() as name:
            path = self.contexts(small_network(), Path(name), True)
            stored = re.search(rb"avocet;1;[0-9.]+", path.read_bytes())
            check(stored is not None, "the model has no text of compatibility")
            answers = [self.runtime.compatibility(text) for text in
                       (stored.group(), b"avocet;1;0.0.0", b"avocet;9;0.1.0", b"another provider")]
            check(answers == [1, 2, 3, 0], str(answers))

    def case_old_runtimes_are_refused(self):
        """A runtime that has version 22 of the interface, which shows only what all have."""
        status_type = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p)
        said = []
        create = status_type(lambda code, text: said.append((code, text.decode())) or 1)
        table = (ctypes.c_void_p * 3)(ctypes.cast(create, ctypes.c_void_p), None, None)
        get_api = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_uint32)(
            lambda version: ctypes.addressof(table) if version <= 22 else None)
        for text in (b"1.22.0", b"2.0", b""):
            buffer = ctypes.create_string_buffer(text)
            get_version = ctypes.CFUNCTYPE(ctypes.c_void_p)(lambda: ctypes.addressof(buffer))
            base = (ctypes.c_void_p * 2)(ctypes.cast(get_api, ctypes.c_void_p), ctypes.cast(get_version, ctypes.c_void_p))
            count, factories = ctypes.c_size_t(7), (ctypes.c_void_p * 4)()
            make = ctypes.CDLL(str(self.folder / LIBRARY)).CreateEpFactories
            make.restype = ctypes.c_void_p
            check(make(b"avocet", base, None, factories, ctypes.c_size_t(4), ctypes.byref(count)) == 1, "a status")
            check(count.value == 0 and said[-1][0] == 9 and
                  f"needs ONNX Runtime 1.23 or later, this is {text.decode()}" in said[-1][1], str(said))


def run_once(runtime, folder):
    """For case_cached_network_needs_no_compiler."""
    runtime.use(cache_dir=str(folder / "cache"))
    inputs = {"x": Proto.Tensor("f32", np.load(folder / "x.npy"))}
    np.save(folder / "y.npy", runtime.run((folder / "model.onnx").read_bytes(), inputs, ["y"])[0].array)


def run_until_killed(runtime, folder, socket):
    """For case_application_that_is_killed_disturbs_no_other."""
    runtime.use(socket=socket)
    inputs = {"x": Proto.Tensor("f32", np.load(folder / "x.npy"))}
    session = runtime.session((folder / "model.onnx").read_bytes())
    print("runs", flush=True)
    while True:
        runtime.run_session(session, inputs, ["y"])


def main():
    parser = Arguments.parser(__doc__, LIBRARY)
    parser.add_argument("--filter", default="", help="regular expression that occurs in the name of a test")
    parser.add_argument("--once", type=Path, help="run the network of this folder")
    parser.add_argument("--socket", help="run it on this service until the process is killed")
    options = parser.parse_args()
    library = Arguments.runtime_library(options.clients)
    if options.once:
        try:
            runtime = Provider.ProviderRuntime(library, options.binary / LIBRARY)
            if options.socket:
                run_until_killed(runtime, options.once, options.socket)
            run_once(runtime, options.once)
        except Failure as failure:
            print(failure)
            return 1
        return 0
    tests = Tests(library, options.binary.resolve())
    tests.clients = options.clients
    failed = 0
    for name in [each for each in dir(Tests) if each.startswith("case_") and re.search(options.filter, each)]:
        try:
            getattr(tests, name)()
            print(f"ok   {name}", flush=True)
        except (AssertionError, Failure) as problem:
            failed += 1
            print(f"FAIL {name}: {problem}", flush=True)
    tests.runtime.close()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
