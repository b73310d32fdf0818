// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The graph of the network at three levels: the operations of the file, the placed operations of the device, and the
// scheduled commands of the selected layer with the commands that they wait for.
'use strict';

(() => {
  const kMostCommands = 150; // a layer may have thousands; a graph of more cannot be read
  const kNodeHeight = 34, kCharacter = 6.9;
  const kLevels = {network: 'import', placed: 'place', scheduled: null};

  const cut = (text, length) => (text.length > length ? text.slice(0, length - 1) + '\u2026' : text);
  const shortOf = (name) => cut(name.split(';')[0].split('/').slice(-3).join('/'), 34);

  /** "tensor<1x112x112x96x!quant...>" as "1x112x112x96"; other types as they are. */
  const shapeOf = (type) => /^tensor<((?:\d+x)*)/.exec(type)?.[1].slice(0, -1) || cut(type, 24);

  /** Nodes {title, subtitle, layer, command} and edges of one level. */
  const graphOfPhase = (run, phase) => {
    const graph = run.graphs.find((candidate) => candidate.phase === phase);
    if (!graph) return null;
    const nodes = graph.nodes.map((node) => ({title: node.operation.replace(/^(nn|npu)\./, '') + (node.type ? '  ' + shapeOf(node.type) : ''),
                                              subtitle: shortOf(node.name), layer: node.layer < run.layers.length ? node.layer : -1}));
    const edges = [];
    for (let i = 0; i < graph.edges.length; i += 2) edges.push([graph.edges[i], graph.edges[i + 1]]);
    return {nodes, edges};
  };

  const commandsOfLayer = (run, layer) => {
    const commands = [];
    run.tracks.forEach((track, number) => {
      for (let place = 0; place < track.count && commands.length <= kMostCommands; ++place)
        if (track.layer[place] === layer && !run.isWait(track, place) && track.end[place] > track.start[place])
          commands.push([number, place]);
    });
    return commands;
  };

  const graphOfCommands = (run, layer) => {
    const ids = new Map(), nodes = [], edges = [];
    const idOf = (track, place) => {
      const key = `${track}:${place}`;
      if (!ids.has(key)) {
        ids.set(key, nodes.length);
        const entry = run.tracks[track];
        nodes.push({title: `${run.operations[entry.operation[place]]} ${entry.command[place]}  ${entry.title}`, layer: entry.layer[place], command: {track, place},
                    subtitle: `${run.layerName(entry.layer[place])}, ${avocet.commas(entry.end[place] - entry.start[place])} cycles`});
      }
      return ids.get(key);
    };
    const commands = commandsOfLayer(run, layer);
    const before = new Map();
    for (const [track, place] of commands.slice(0, kMostCommands)) {
      const id = idOf(track, place);
      if (before.has(track)) edges.push([before.get(track), id]);
      before.set(track, id);
      for (const link of run.links.before(track, place)) edges.push([idOf(link.fromTrack, link.fromPlace), id]);
    }
    return {nodes, edges, isCut: commands.length > kMostCommands};
  };

  const withoutRepeated = (edges) => [...new Map(edges.filter(([a, b]) => a !== b).map((edge) => [edge.join(), edge])).values()];

  const drawNodes = (holder, graph, layout, run, selection, root) => graph.nodes.map((node, i) => {
    const [x, y] = layout.nodes[i], width = graph.widths[i];
    const shape = avocet.shape('g', {class: 'node', transform: `translate(${x - width / 2},${y - kNodeHeight / 2})`, 'data-layer': node.layer},
      avocet.shape('rect', {width, height: kNodeHeight, rx: 4}),
      avocet.shape('rect', {width: 5, height: kNodeHeight, rx: 2, fill: avocet.layerColor(node.layer)}),
      avocet.shape('text', {x: 11, y: 14, class: 'node-title', text: node.title}),
      avocet.shape('text', {x: 11, y: 27, class: 'node-subtitle', text: node.subtitle}));
    shape.addEventListener('click', () => {
      if (node.command) selection.selectCommand(node.command.track, node.command.place, node.layer, root);
      else if (node.layer >= 0) selection.selectLayer(node.layer, root);
    });
    holder.append(shape);
    return shape;
  });

  const drawEdges = (holder, edges, layout) => edges.map((edge, i) => {
    const line = d3.svg.line().interpolate('basis')(layout.edges[i]);
    return holder.appendChild(avocet.shape('path', {class: 'edge', d: line, 'marker-end': 'url(#arrow)'}));
  });

  avocet.createGraph = (run, selection) => {
    const note = avocet.element('span', {class: 'hint'});
    const buttons = Object.keys(kLevels).map((level) => avocet.element('button', {
      text: level[0].toUpperCase() + level.slice(1), 'data-level': level, on: {click: () => show(level)}}));
    const view = avocet.element('div', {class: 'graph-view'});
    const root = avocet.element('div', {class: 'chart', id: 'graph'}, avocet.element('div', {class: 'chart-tools'}, ...buttons, note), view);
    const cache = new Map();
    let level = run.graphs.length ? 'network' : 'scheduled', shown = null, nodes = [], zoom = null, request = 0;

    const keyOf = () => (level === 'scheduled' ? `layer ${selection.layer}` : level);
    const graphOf = () => (level === 'scheduled' ? (selection.layer < 0 ? null : graphOfCommands(run, selection.layer)) : graphOfPhase(run, kLevels[level]));

    const say = (text) => {
      view.replaceChildren(avocet.element('p', {class: 'empty', text}));
      nodes = [];
    };

    const place = async (key) => {
      const graph = graphOf();
      if (!graph) return null;
      graph.edges = withoutRepeated(graph.edges);
      graph.widths = graph.nodes.map((node) => Math.max(90, 18 + kCharacter * Math.max(node.title.length, node.subtitle.length)));
      const layout = await avocet.layOutGraph({nodes: graph.widths.map((width) => [width, kNodeHeight]), edges: graph.edges});
      cache.set(key, {graph, layout});
      if (cache.size > 12) cache.delete(cache.keys().next().value);
      return cache.get(key);
    };

    const render = ({graph, layout}) => {
      const holder = avocet.shape('g'), svg = avocet.shape('svg', {class: 'graph'},
        avocet.shape('defs', {}, avocet.shape('marker', {id: 'arrow', viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: 'auto'},
                                              avocet.shape('path', {d: 'M0 0L8 4L0 8z', class: 'arrow'}))), holder);
      drawEdges(holder, graph.edges, layout);
      nodes = drawNodes(holder, graph, layout, run, selection, root);
      view.replaceChildren(svg);
      zoom = d3.behavior.zoom().scaleExtent([0.02, 3]).on('zoom', () =>
          holder.setAttribute('transform', `translate(${d3.event.translate}) scale(${d3.event.scale})`));
      d3.select(svg).call(zoom);
      const scale = Math.min(1, Math.max(0.5, (view.clientWidth - 20) / layout.width));
      zoom.scale(scale).translate([Math.max(6, (view.clientWidth - layout.width * scale) / 2), 6]).event(d3.select(svg));
      shown = {graph, layout, svg};
      note.textContent = `${graph.nodes.length} nodes` + (graph.isCut ? `; the first ${kMostCommands} commands of the layer` : '') + '; wheel: zoom, drag: move';
    };

    /** Moves the view so that the first node of the selected layer is in the middle. */
    const center = () => {
      const first = shown.graph.nodes.findIndex((node) => node.layer === selection.layer);
      if (first < 0 || !zoom) return;
      const [x, y] = shown.layout.nodes[first], scale = Math.max(0.7, zoom.scale());
      zoom.scale(scale).translate([view.clientWidth / 2 - x * scale, view.clientHeight / 2 - y * scale]).event(d3.select(shown.svg));
    };

    const mark = () => {
      const command = selection.command;
      nodes.forEach((shape, i) => {
        const node = shown.graph.nodes[i];
        const isCommand = command && node.command && node.command.track === command.track && node.command.place === command.place;
        shape.classList.toggle('selected', selection.layer >= 0 && node.layer === selection.layer && (!node.command || !command || isCommand));
      });
    };

    const draw = async () => {
      if (view.clientWidth === 0) return;
      buttons.forEach((button) => button.setAttribute('aria-pressed', String(button.dataset.level === level)));
      const key = keyOf(), mine = ++request;
      if (!cache.has(key)) say('Placing the nodes \u2026');
      const entry = cache.get(key) ?? await place(key);
      if (mine !== request) return;
      note.textContent = '';
      if (!entry)
        return say(level === 'scheduled' ? 'Select a layer to see its commands.'
                                         : 'Artefacts hold no graph; make the report from the model file.');
      render(entry);
      mark();
      if (selection.layer >= 0) center();
    };
    const show = (next) => {
      level = next;
      return draw();
    };

    selection.listen((_, source) => {
      if (view.clientWidth === 0) return;
      if (level === 'scheduled' && (!shown || source !== root)) return draw();
      mark();
      if (source !== root && shown && selection.layer >= 0) center();
    });
    new ResizeObserver(() => view.clientWidth && !view.firstChild && draw()).observe(view);
    document.addEventListener('themechange', () => shown && draw());
    return {title: 'Graph', root, show};
  };
})();
