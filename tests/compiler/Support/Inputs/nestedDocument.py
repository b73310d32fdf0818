#===- nestedDocument.py - A document for the language server
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""nestedDocument.py FILE: prints an editor's messages that open FILE and exit, for avocet-lsp-server -lit-test."""

import json
import sys

text = open(sys.argv[1], encoding="utf-8").read()
document = {"uri": "test:///nested.mlir", "languageId": "mlir", "version": 1, "text": text}
messages = [
    {"jsonrpc": "2.0", "id": 0, "method": "initialize",
     "params": {"processId": 123, "rootPath": "mlir", "capabilities": {}, "trace": "off"}},
    {"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": document}},
    {"jsonrpc": "2.0", "id": 3, "method": "shutdown"},
    {"jsonrpc": "2.0", "method": "exit"},
]
print("\n// -----\n".join(json.dumps(message) for message in messages))
