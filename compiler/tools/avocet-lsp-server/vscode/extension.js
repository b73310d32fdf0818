//===- extension.js - Starts avocet-lsp-server for .mlir files --*- JS -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

"use strict";

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

const kPathSetting = "avocet.server.path";
const kArgumentsSetting = "avocet.server.arguments";

/// The running client; undefined while there is none.
let client;

/// What starts the server. It speaks over its standard input and output.
function serverOptions() {
  const settings = vscode.workspace.getConfiguration();
  return { command: settings.get(kPathSetting), args: settings.get(kArgumentsSetting) };
}

const clientOptions = { documentSelector: [{ scheme: "file", language: "mlir" }] };

async function start() {
  const options = serverOptions();
  client = new LanguageClient("avocet", "Avocet IR", options, clientOptions);
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    vscode.window.showErrorMessage(
        `${options.command} does not start: ${error.message}. Set ${kPathSetting} to the path of avocet-lsp-server.`);
  }
}

async function stop() {
  const running = client;
  client = undefined;
  if (running)
    await running.stop();
}

async function restart() {
  await stop();
  await start();
}

function activate(context) {
  context.subscriptions.push(vscode.commands.registerCommand("avocet.restartServer", restart),
                             vscode.workspace.onDidChangeConfiguration((event) => {
                               if (event.affectsConfiguration("avocet.server"))
                                 return restart();
                             }));
  return start();
}

module.exports = { activate, deactivate: stop };
