// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Places the nodes of a graph with dagre, in a worker: a thousand nodes take seconds.
'use strict';

(() => {
  /** Runs in the worker. */
  const layOut = ({nodes, edges}) => {
    const graph = new dagre.graphlib.Graph();
    graph.setGraph({nodesep: 14, ranksep: 26, marginx: 12, marginy: 12});
    graph.setDefaultEdgeLabel(() => ({}));
    nodes.forEach(([width, height], id) => graph.setNode(id, {width, height}));
    edges.forEach(([from, to]) => graph.setEdge(from, to));
    dagre.layout(graph);
    return {
      nodes: nodes.map((_, id) => graph.node(id)).map(({x, y}) => [x, y]),
      edges: edges.map(([from, to]) => graph.edge(from, to).points.map(({x, y}) => [x, y])),
      width: graph.graph().width,
      height: graph.graph().height,
    };
  };

  let worker = null;
  const waiting = new Map();

  const startWorker = () => {
    const libraries = document.getElementById('libraries').textContent;
    const source = `var window = self;\n${libraries}\nconst layOut = ${layOut};\n` +
                   'onmessage = ({data: {id, graph}}) => postMessage({id, layout: layOut(graph)});';
    worker = new Worker(URL.createObjectURL(new Blob([source], {type: 'text/javascript'})));
    worker.onmessage = ({data: {id, layout}}) => {
      waiting.get(id)(layout);
      waiting.delete(id);
    };
  };

  let nextId = 0;
  /** Nodes are [width, height], edges [from, to]; gives their places. Equal edges count once. */
  avocet.layOutGraph = (graph) => {
    if (!worker) startWorker();
    const id = nextId++;
    worker.postMessage({id, graph});
    return new Promise((resolve) => waiting.set(id, resolve));
  };
})();
