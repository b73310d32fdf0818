// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"use strict";
(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  const WIDTH = 900, HEIGHT = 420, MARGIN = {top: 14, right: 24, bottom: 46, left: 96};

  const withCommas = d3.format(",d");
  function bytes(value) {
    const units = ["B", "KiB", "MiB", "GiB"];
    let unit = 0;
    for (; value >= 1024 && unit + 1 < units.length; ++unit)
      value /= 1024;
    return (unit === 0 ? value : value.toFixed(1)) + " " + units[unit];
  }
  const energy = value => value < 1e9 ? (value / 1e6).toFixed(1) + " uJ" : (value / 1e9).toFixed(2) + " mJ";

  // What the axes and the color of the picture may show.
  const FIELDS = [
    {title: "SRAM", of: p => data.targets[p.target].sram, show: bytes},
    {title: "off-chip bytes in a cycle", of: p => data.targets[p.target].bandwidth, show: d3.format(".3g")},
    {title: "cycles", of: p => p.cycles, show: withCommas},
    {title: "milliseconds", of: p => p.cycles * data.targets[p.target].nanoseconds / 1e6, show: d3.format(".4g")},
    {title: "energy", of: p => p.energy, show: energy},
    {title: "off-chip traffic", of: p => p.dram, show: bytes},
    {title: "SRAM peak", of: p => p.peak, show: bytes},
  ].concat(data.axes.map((axis, i) => ({
    title: axis.key + " (value number)", of: p => data.targets[p.target].places[i] + 1, show: place => axis.values[place - 1] || "",
  })));

  const byId = id => document.getElementById(id);
  const state = {network: 0, x: 0, y: 2, color: 1, frontOnly: false, chosen: null};

  function targetText(target) {
    return data.axes.map((axis, i) => axis.key + " " + axis.values[data.targets[target].places[i]]).join(", ");
  }

  function element(tag, text, attributes) {
    const made = document.createElement(tag);
    if (text !== undefined)
      made.textContent = text;
    for (const name in attributes || {})
      made.setAttribute(name, attributes[name]);
    return made;
  }

  // Points one step away, by axis: [{axis, point, step}].
  function neighborsOf(point) {
    const places = data.targets[point.target].places;
    const found = [];
    data.axes.forEach((axis, i) => [-1, 1].forEach(step => {
      const other = data.networks[state.network].points.find(candidate => data.targets[candidate.target].places.every(
        (place, k) => place === places[k] + (k === i ? step : 0)));
      if (other)
        found.push({axis: i, step: step, point: other});
    }));
    return found;
  }

  // Layers by name and occurrence.
  function layersOf(point) {
    const layers = new Map(), uses = {};
    for (let i = 0; i < point.layers.length; i += 3) {
      const name = point.layers[i];
      uses[name] = (uses[name] || 0) + 1;
      layers.set(name + "#" + uses[name], {name: name, schedule: point.layers[i + 1], cycles: point.layers[i + 2]});
    }
    return layers;
  }

  function difference(before, after) {
    const titles = ["fused", "engine", "tiles", "largest tile", "on-chip", "off-chip"];
    const old = data.networks[state.network].schedules[before], fresh = data.networks[state.network].schedules[after];
    return titles.map((title, i) => {
      const show = i >= 4 ? bytes : String;
      return old[i] === fresh[i] ? "" : title + " " + show(old[i]) + " → " + show(fresh[i]);
    }).filter(text => text).join(", ");
  }

  function changesBetween(from, to) {
    const old = layersOf(from), fresh = layersOf(to), changes = [];
    const names = data.networks[state.network].names;
    old.forEach((layer, key) => {
      const other = fresh.get(key);
      if (!other)
        changes.push({layer: names[layer.name], what: "only here", before: layer.cycles, after: 0});
      else if (other.schedule !== layer.schedule)
        changes.push({layer: names[layer.name], what: difference(layer.schedule, other.schedule), before: layer.cycles,
                      after: other.cycles});
    });
    fresh.forEach((layer, key) => {
      if (!old.has(key))
        changes.push({layer: names[layer.name], what: "only there", before: 0, after: layer.cycles});
    });
    return changes.sort((a, b) => Math.abs(b.after - b.before) - Math.abs(a.after - a.before));
  }

  function changesTable(changes) {
    const table = element("table"), head = table.createTHead().insertRow(), body = table.createTBody();
    ["layer", "change", "cycles here", "cycles there"].forEach((title, i) =>
      head.appendChild(element("th", title, {scope: "col", class: i > 1 ? "number" : ""})));
    changes.forEach(change => {
      const row = body.insertRow();
      [change.layer, change.what, withCommas(change.before), withCommas(change.after)].forEach((text, i) =>
        row.appendChild(element("td", text, {class: i > 1 ? "number" : ""})));
    });
    return table;
  }

  function showPoint(point) {
    const place = byId("point");
    place.textContent = "";
    place.appendChild(element("h3", targetText(point.target)));
    place.appendChild(element("p", FIELDS.slice(2, 7).map(field => field.title + " " + field.show(field.of(point))).join(", ")
                                   + (point.bound ? ", bound by " + point.bound : "") + (point.front ? ", on the front" : "")));
    neighborsOf(point).forEach(neighbor => {
      const axis = data.axes[neighbor.axis], changes = changesBetween(point, neighbor.point);
      const value = axis.values[data.targets[neighbor.point.target].places[neighbor.axis]];
      const hasLayers = point.layers.length > 0;
      const ratio = neighbor.point.cycles / point.cycles;
      const details = element("details");
      details.appendChild(element("summary", axis.key + " → " + value + ": " + withCommas(neighbor.point.cycles) + " cycles ("
                                             + d3.format("+.1%")(ratio - 1) + ")"
                                             + (hasLayers ? ", " + changes.length + " layers have another schedule" : "")));
      if (changes.length)
        details.appendChild(changesTable(changes));
      place.appendChild(details);
    });
  }

  function scaleOf(points, field, range) {
    const extent = d3.extent(points, field.of);
    if (extent[0] > 0 && extent[1] > extent[0])
      return d3.scale.log().domain(extent).range(range);
    return d3.scale.linear().domain(extent[0] === extent[1] ? [extent[0] - 1, extent[1] + 1] : extent).range(range);
  }

  function ticksOf(points, field) {
    const values = d3.set(points.map(field.of)).values().map(Number).sort(d3.ascending);
    if (values.length <= 12)
      return values;
    const extent = d3.extent(values), ticks = [];
    for (let decade = Math.pow(10, Math.floor(Math.log10(Math.max(extent[0], 1e-9)))); decade <= extent[1]; decade *= 10)
      [1, 2, 5].forEach(step => ticks.push(step * decade));
    const inside = ticks.filter(tick => tick >= extent[0] && tick <= extent[1]);
    return inside.length >= 2 ? inside : extent;
  }

  // Those whose labels do not overlap; the first one is kept.
  function ticksApart(ticks, scale, field, isVertical) {
    const size = tick => (isVertical ? 14 : 7 * String(field.show(tick)).length + 10);
    let last = null;
    return ticks.filter(tick => {
      if (last !== null && Math.abs(scale(tick) - scale(last)) < (size(tick) + size(last)) / 2)
        return false;
      last = tick;
      return true;
    });
  }

  function choose(point) {
    state.chosen = point;
    const near = neighborsOf(point).map(neighbor => neighbor.point);
    d3.selectAll("#chart circle").classed("chosen", p => p === point).classed("neighbor", p => near.indexOf(p) >= 0);
    showPoint(point);
  }

  function drawAxis(svg, scale, field, points, isVertical) {
    const ticks = ticksApart(ticksOf(points, field), scale, field, isVertical);
    const axis = d3.svg.axis().scale(scale).orient(isVertical ? "left" : "bottom").tickValues(ticks)
      .tickFormat(field.show).innerTickSize(isVertical ? -(WIDTH - MARGIN.left - MARGIN.right) : -(HEIGHT - MARGIN.top - MARGIN.bottom))
      .outerTickSize(0).tickPadding(6);
    const group = svg.append("g").attr("class", "axis")
      .attr("transform", isVertical ? "translate(" + MARGIN.left + ",0)" : "translate(0," + (HEIGHT - MARGIN.bottom) + ")");
    group.call(axis);
    const title = svg.append("text").attr("class", "middle").text(field.title);
    if (isVertical)
      title.attr("transform", "translate(14," + HEIGHT / 2 + ") rotate(-90)");
    else
      title.attr("x", (MARGIN.left + WIDTH - MARGIN.right) / 2).attr("y", HEIGHT - 6);
  }

  function draw() {
    const all = data.networks[state.network].points;
    const points = state.frontOnly ? all.filter(p => p.front) : all;
    byId("chart").textContent = "";
    if (!points.length) {
      byId("chart").appendChild(element("p", "This network has no result."));
      return;
    }
    const xField = FIELDS[state.x], yField = FIELDS[state.y], color = FIELDS[state.color];
    const svg = d3.select("#chart").append("svg").attr("viewBox", "0 0 " + WIDTH + " " + HEIGHT);
    const x = scaleOf(points, xField, [MARGIN.left + 14, WIDTH - MARGIN.right - 14]);
    const y = scaleOf(points, yField, [HEIGHT - MARGIN.bottom - 10, MARGIN.top + 10]);
    const part = scaleOf(points, color, [0, 100]);
    drawAxis(svg, x, xField, points, false);
    drawAxis(svg, y, yField, points, true);
    const select = point => { d3.event.preventDefault(); choose(point); };
    svg.selectAll("circle").data(points).enter().append("circle").attr("r", 5).attr("tabindex", 0)
      .attr("cx", p => x(xField.of(p))).attr("cy", p => y(yField.of(p)))
      .attr("class", p => p.front ? "front" : null).style("--part", p => part(color.of(p)) + "%")
      .on("click", select).on("keydown", p => { if (d3.event.key === "Enter" || d3.event.key === " ") select(p); })
      .append("title").text(p => targetText(p.target) + ": " + withCommas(p.cycles) + " cycles, " + energy(p.energy));
    if (state.chosen && points.indexOf(state.chosen) >= 0)
      choose(state.chosen);
  }

  function fillSelect(id, titles) {
    const select = byId(id);
    titles.forEach((title, i) => select.appendChild(element("option", title, {value: i})));
    select.value = state[id];
    select.addEventListener("change", () => {
      state[id] = Number(select.value);
      if (id === "network") {
        state.chosen = null;
        byId("point").textContent = "";
      }
      draw();
    });
  }

  // "1,234", "12.3 KiB" and "1/2" as numbers; other texts as they are.
  function sortKey(text) {
    const match = /^([0-9][0-9,.]*)(?:\/([0-9]+))?(?: (B|KiB|MiB|GiB|uJ|mJ))?$/.exec(text.trim());
    if (!match)
      return text;
    const factor = {KiB: 1024, MiB: 1048576, GiB: 1073741824, mJ: 1000}[match[3]] || 1;
    return Number(match[1].replace(/,/g, "")) / Number(match[2] || 1) * factor;
  }

  function sortBy(table, column, head) {
    const isDescending = head.getAttribute("aria-sort") === "ascending";
    const rows = Array.from(table.tBodies[0].rows);
    rows.sort((a, b) => d3.ascending(sortKey(a.cells[column].textContent), sortKey(b.cells[column].textContent)));
    if (isDescending)
      rows.reverse();
    Array.from(head.parentNode.cells).forEach(cell => cell.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", isDescending ? "descending" : "ascending");
    rows.forEach(row => table.tBodies[0].appendChild(row));
  }

  function makeSortable(table) {
    Array.from(table.tHead.rows[0].cells).forEach((head, column) => {
      const button = element("button", head.textContent, {type: "button"});
      head.textContent = "";
      head.appendChild(button);
      button.addEventListener("click", () => sortBy(table, column, head));
    });
  }

  fillSelect("network", data.networks.map(network => network.name));
  ["x", "y", "color"].forEach(id => fillSelect(id, FIELDS.map(field => field.title)));
  byId("frontOnly").addEventListener("change", event => { state.frontOnly = event.target.checked; draw(); });
  byId("choices").addEventListener("submit", event => event.preventDefault());
  document.querySelectorAll("section table").forEach(makeSortable);
  byId("explorer").hidden = false;
  draw();
})();
