# The traces of a service and of its client: what Perfetto needs, and one flow for each request.
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import subprocess

from Harness import DIGITS, PATIENCE, environment, program
from Service import ServiceTest
from TraceRules import errorsOf

DEVICE = 2


class ServiceTraceTest(ServiceTest):
    def load(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return json.load(file)

    def traces(self, *options):
        """The traces of the service and of the client, and the client's process."""
        self.startService("--trace", "service.json")
        client = subprocess.Popen([program("avocet"), "run", DIGITS, "--device", "avocet-e256", "--socket", "socket",
                                   "--trace", "client.json", "--report", "none", *options], cwd=self.folder,
                                  env=environment())
        self.assertEqual(client.wait(PATIENCE), 0)
        self.endService()
        return self.load("service.json")["traceEvents"], self.load("client.json")["traceEvents"], client.pid

    @staticmethod
    def spansOf(events, request):
        return [event for event in events
                if event["ph"] == "X" and event.get("args", {}).get("request") == request]

    @staticmethod
    def requestOf(events, name):
        return next(event["args"]["request"] for event in events if event["ph"] == "X" and event["name"] == name)

    @staticmethod
    def tracksOf(events):
        return {(event["pid"], event["tid"]): event["args"]["name"] for event in events
                if event["name"] == "thread_name"}

    def flowOf(self, events, request):
        """The names of the tracks that the flow of a request goes through."""
        tracks, starts = self.tracksOf(events), {(e["pid"], e["tid"], e["ts"]) for e in self.spansOf(events, request)}
        flows = {}
        for event in events:
            if event["ph"] in "stf" and event["cat"] == "request":
                flows.setdefault(event["id"], []).append(event)
        found = [flow for flow in flows.values()
                 if all((event["pid"], event["tid"], event["ts"]) in starts for event in flow)]
        self.assertEqual(len(found), 1, request)
        self.assertEqual([event["ph"] for event in found[0]], ["s"] + ["t"] * (len(found[0]) - 2) + ["f"])
        return [tracks[event["pid"], event["tid"]] for event in found[0]]

    def test_requestIsOneFlowFromClientToDevice(self):
        service, client, process = self.traces()
        for events in (service, client):
            self.assertEqual(errorsOf({"traceEvents": events})[:5], [])
        request = self.requestOf(client, "[NN_LI_PE]client Execute")
        self.assertTrue(request.startswith(f"{process}."), request)
        names = {event["name"] for event in self.spansOf(service, request)}
        self.assertLessEqual({"[NN_LI_PE]client Execute", "[NN_LI_PE]message Execute", "[NN_LI_PE]queued Execute",
                              "[NN_LI_PE]service Execute", "[NN_LD_PE]execute", "[NN_LD_PCO]run", "job"}, names)
        first, second, third, last = self.flowOf(service, request)
        self.assertEqual([first, second, last], [f"client {process}", f"client {process} queue", "0 jobs"])
        self.assertTrue(third.startswith("thread "), third)

    def test_spansOfOneRequestFollowEachOther(self):
        service, client, _ = self.traces("--repeat", "3")
        for event in client:
            if event["ph"] != "X" or event["name"] != "[NN_LI_PE]client Execute":
                continue
            spans = {span["name"]: span for span in self.spansOf(service, event["args"]["request"])}
            sent, job = spans["[NN_LI_PE]client Execute"], spans["job"]
            order = [sent["ts"], spans["[NN_LI_PE]queued Execute"]["ts"], spans["[NN_LI_PE]service Execute"]["ts"],
                     spans["[NN_LD_PCO]run"]["ts"], job["ts"]]
            self.assertEqual(order, sorted(order))
            self.assertEqual(job["pid"], DEVICE)
            self.assertGreaterEqual(sent["ts"] + sent["dur"],
                                    spans["[NN_LI_PE]service Execute"]["ts"] + spans["[NN_LI_PE]service Execute"]["dur"])

    def test_queueBurstsFlowFromServiceToDevice(self):
        service, _, process = self.traces("--burst=queues")
        self.assertEqual(errorsOf({"traceEvents": service})[:5], [])
        request = self.requestOf(service, "[NN_LI_PE]service burst")
        self.assertFalse(request.startswith(f"{process}."), "a packet has no place for the client's number")
        tracks = self.flowOf(service, request)
        self.assertEqual(len(tracks), 2)
        self.assertEqual(tracks[-1], "0 jobs")

    def test_everyJobBelongsToOneRequest(self):
        service, _, _ = self.traces("--repeat", "3")
        jobs = [event["args"]["request"] for event in service if event["ph"] == "X" and event["name"] == "job"]
        self.assertEqual(len(jobs), 3)
        self.assertEqual(len(set(jobs)), 3)
