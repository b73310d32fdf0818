//===- ExtensionTest.js - Tests of the VS Code extension --------*- JS -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   node ExtensionTest.js EXTENSION AVOCET_LSP_SERVER CLIENTS
//
// The extension runs with stubs of the vscode API and of the language client. What it passes to the language client then
// starts the built server, with which the protocol library of vscode-languageclient speaks; `scripts/clients vscode`
// installs that library. Without it, these tests are skipped.
//
//===----------------------------------------------------------------------===//

"use strict";

const assert = require("node:assert");
const childProcess = require("node:child_process");
const fs = require("node:fs");
const Module = require("node:module");
const path = require("node:path");
const { test } = require("node:test");

const [extensionFolder, server, clients] = process.argv.slice(2);
const description = JSON.parse(fs.readFileSync(path.join(extensionFolder, "package.json")));
const libraries = Module.createRequire(path.join(clients, "vscode", "package.json"));
const isInstalled = fs.existsSync(path.join(clients, "vscode", "node_modules"));

/// An editor with these settings. `clients` has the language clients that the extension made, `errors` what it showed.
class Editor {
  constructor(settings, failure) {
    const editor = this;
    Object.assign(this, { settings, commands: {}, listeners: [], clients: [], errors: [], context: { subscriptions: [] } });
    this.modules = {
      vscode: {
        workspace: {
          getConfiguration: () => ({ get: (name) => settings[name] }),
          onDidChangeConfiguration: (listener) => editor.listeners.push(listener),
        },
        commands: { registerCommand: (name, run) => { editor.commands[name] = run; return {}; } },
        window: { showErrorMessage: (text) => editor.errors.push(text) },
      },
      "vscode-languageclient/node": {
        LanguageClient: class {
          constructor(id, name, serverOptions, clientOptions) {
            Object.assign(this, { serverOptions, clientOptions, isRunning: false });
            editor.clients.push(this);
          }
          async start() {
            if (failure)
              throw new Error(failure);
            this.isRunning = true;
          }
          async stop() { this.isRunning = false; }
        },
      },
    };
  }

  /// A new instance of the extension in this editor.
  load() {
    const original = Module._load;
    const file = require.resolve(path.join(extensionFolder, description.main));
    delete require.cache[file];
    Module._load = (name, ...rest) => this.modules[name] ?? original(name, ...rest);
    try {
      return require(file);
    } finally {
      Module._load = original;
    }
  }
}

/// Defaults of the settings in package.json, with changes.
function settingsWith(changes) {
  const properties = description.contributes.configuration.properties;
  const defaults = Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, property.default]));
  return { ...defaults, ...changes };
}

const runningClients = (editor) => editor.clients.filter((client) => client.isRunning);

test("activation starts the server of the settings", async () => {
  const editor = new Editor(settingsWith({ "avocet.server.path": server, "avocet.server.arguments": ["--log=error"] }));
  await editor.load().activate(editor.context);
  assert.deepStrictEqual(editor.clients.map((client) => client.serverOptions), [{ command: server, args: ["--log=error"] }]);
  assert.deepStrictEqual(editor.clients[0].clientOptions.documentSelector, [{ scheme: "file", language: "mlir" }]);
  assert.strictEqual(runningClients(editor).length, 1);
  assert.strictEqual(editor.context.subscriptions.length, 2);
});

test("deactivation stops the server", async () => {
  const editor = new Editor(settingsWith({}));
  const extension = editor.load();
  await extension.activate(editor.context);
  await extension.deactivate();
  assert.strictEqual(runningClients(editor).length, 0);
});

test("command and changed settings restart the server", async () => {
  const editor = new Editor(settingsWith({}));
  await editor.load().activate(editor.context);
  await editor.commands["avocet.restartServer"]();
  assert.deepStrictEqual(editor.clients.map((client) => client.isRunning), [false, true]);
  editor.settings["avocet.server.path"] = "other";
  await editor.listeners[0]({ affectsConfiguration: (section) => section === "avocet.server" });
  assert.deepStrictEqual(editor.clients.map((client) => client.isRunning), [false, false, true]);
  assert.strictEqual(editor.clients[2].serverOptions.command, "other");
  await editor.listeners[0]({ affectsConfiguration: () => false });
  assert.strictEqual(editor.clients.length, 3);
});

test("missing server is an error that names the setting", async () => {
  const editor = new Editor(settingsWith({ "avocet.server.path": "/no/such/server" }), "spawn /no/such/server ENOENT");
  const extension = editor.load();
  await extension.activate(editor.context);
  assert.match(editor.errors[0], /^\/no\/such\/server does not start: .*ENOENT.*avocet\.server\.path/);
  await extension.deactivate();
});

test("description agrees with the code and the files", () => {
  const { contributes, files, main } = description;
  const source = fs.readFileSync(path.join(extensionFolder, main), "utf8");
  const named = [main, contributes.languages[0].configuration, contributes.grammars[0].path, ...files];
  assert.deepStrictEqual(named.filter((file) => !fs.existsSync(path.join(extensionFolder, file))), []);
  for (const file of named.filter((name) => name.endsWith(".json")))
    JSON.parse(fs.readFileSync(path.join(extensionFolder, file)));
  for (const name of [...Object.keys(contributes.configuration.properties), contributes.commands[0].command])
    assert.ok(source.includes(`"${name}"`), name);
  for (const setting of Object.keys(contributes.configuration.properties))
    assert.ok(fs.readFileSync(path.join(extensionFolder, "README.md"), "utf8").includes(setting), setting);
  for (const pattern of JSON.parse(fs.readFileSync(path.join(extensionFolder, contributes.grammars[0].path))).patterns)
    assert.ok(new RegExp(pattern.match ?? pattern.begin));
});

test("lock file names no download host", () => {
  const lock = JSON.parse(fs.readFileSync(path.join(extensionFolder, "package-lock.json")));
  assert.deepStrictEqual(lock.packages[""].dependencies, description.dependencies);
  for (const [name, entry] of Object.entries(lock.packages)) {
    assert.ok(!("resolved" in entry), name);
    assert.ok(name === "" || entry.integrity.startsWith("sha512-"), name);
  }
});

test("package holds the files of the extension alone", (context) => {
  const done = childProcess.spawnSync("npm", ["pack", "--dry-run", "--json", "--offline", "--ignore-scripts"],
                                      { cwd: extensionFolder, encoding: "utf8", env: { ...process.env, npm_config_loglevel: "error" } });
  if (done.error?.code === "ENOENT")
    return context.skip("npm is missing");
  assert.strictEqual(done.status, 0, done.stderr);
  const packed = JSON.parse(done.stdout)[0].files.map((file) => file.path).sort();
  assert.deepStrictEqual(packed, [...description.files, "package.json"].sort());
});

/// Runs `use` with a connection of the protocol library to the server that the extension starts.
async function withServer(use) {
  const rpc = libraries("vscode-languageserver-protocol/node");
  const editor = new Editor(settingsWith({ "avocet.server.path": server }));
  await editor.load().activate(editor.context);
  const { command, args } = editor.clients[0].serverOptions;
  const child = childProcess.spawn(command, args, { stdio: ["pipe", "pipe", "ignore"] });
  const ended = new Promise((resolve) => child.on("exit", resolve));
  const connection = rpc.createProtocolConnection(new rpc.StreamMessageReader(child.stdout), new rpc.StreamMessageWriter(child.stdin));
  try {
    connection.listen();
    await connection.sendRequest(rpc.InitializeRequest.type, { processId: process.pid, rootUri: null, capabilities: {} });
    await connection.sendNotification(rpc.InitializedNotification.type, {});
    await use(connection, rpc);
    await connection.sendRequest(rpc.ShutdownRequest.type);
    await connection.sendNotification(rpc.ExitNotification.type);
    assert.strictEqual(await ended, 0);
  } finally {
    child.kill();
    connection.dispose();
  }
}

const skip = isInstalled ? false : "scripts/clients vscode installs vscode-languageserver-protocol";

test("language client has the module that the extension loads", { skip }, () => {
  assert.ok(libraries.resolve("vscode-languageclient/node"));
  const installed = JSON.parse(fs.readFileSync(path.join(clients, "vscode", "node_modules", "vscode-languageclient", "package.json")));
  assert.strictEqual(installed.version, description.dependencies["vscode-languageclient"]);
});

test("server answers the protocol library of VS Code", { skip, timeout: 60000 }, () => withServer(async (connection, rpc) => {
  const diagnostics = new Promise((resolve) => connection.onNotification(rpc.PublishDiagnosticsNotification.type, resolve));
  const textDocument = { uri: "file:///a.mlir", languageId: description.contributes.languages[0].id, version: 1,
                         text: "func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n" +
                               "  %y = nn.clamp relu6 %x : (tensor<4xf32>) -> tensor<4xf32>\n" +
                               "  return %z : tensor<4xf32>\n}\n" };
  await connection.sendNotification(rpc.DidOpenTextDocumentNotification.type, { textDocument });
  const [error] = (await diagnostics).diagnostics;
  assert.match(error.message, /undeclared SSA value/);
  assert.strictEqual(error.range.start.line, 2);
  const again = { textDocument: { uri: textDocument.uri, version: 2 },
                  contentChanges: [{ text: textDocument.text.replace("%z", "%y") }] };
  await connection.sendNotification(rpc.DidChangeTextDocumentNotification.type, again);
  const place = { textDocument: { uri: textDocument.uri }, position: { line: 2, character: 10 } };
  const [definition] = await connection.sendRequest(rpc.DefinitionRequest.type, place);
  assert.strictEqual(definition.range.start.line, 1);
  const hover = await connection.sendRequest(rpc.HoverRequest.type, { ...place, position: { line: 1, character: 9 } });
  assert.match(hover.contents.value, /"nn.clamp"/);
}));
