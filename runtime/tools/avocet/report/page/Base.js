// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Helpers of all modules: elements, number formats, colors, the selection.
'use strict';
const avocet = {};

(() => {
  /** An element with attributes ("text" is its text, "on" its event handlers) and children. Never parses HTML. */
  avocet.element = (tag, attributes = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name === 'text') element.textContent = value;
      else if (name === 'on') for (const [event, handler] of Object.entries(value)) element.addEventListener(event, handler);
      else if (value === true) element.setAttribute(name, '');
      else if (value !== false && value !== undefined) element.setAttribute(name, value);
    }
    element.append(...children);
    return element;
  };

  /** The same in SVG. */
  avocet.shape = (tag, attributes = {}, ...children) => {
    const shape = document.createElementNS('http://www.w3.org/2000/svg', tag);
    for (const [name, value] of Object.entries(attributes))
      if (name === 'text') shape.textContent = value;
      else shape.setAttribute(name, value);
    shape.append(...children);
    return shape;
  };

  const whole = new Intl.NumberFormat('en-US', {maximumFractionDigits: 0});
  avocet.commas = (number) => whole.format(number);

  const scaled = (number, units, step) => {
    let unit = 0;
    while (Math.abs(number) >= step && unit + 1 < units.length) {
      number /= step;
      ++unit;
    }
    return (unit === 0 ? whole.format(number) : number.toFixed(1)) + (units[unit] ? ' ' + units[unit] : '');
  };
  avocet.bytes = (number) => scaled(number, ['B', 'KiB', 'MiB', 'GiB'], 1024);
  avocet.count = (number) => scaled(number, ['', 'k', 'M', 'G', 'T'], 1000);
  avocet.percent = (part) => (100 * part).toFixed(1) + ' %';
  avocet.signedPercent = (part) => (part > 0 ? '+' : '') + (100 * part).toFixed(1) + ' %';
  /** The ratio of two numbers, 0 instead of a division by zero. */
  avocet.ratio = (part, of) => (of > 0 ? part / of : 0);

  /** Names of stall causes, as in the tables of avocet run. */
  avocet.stallTitles = {semaphore: 'wait for data', sram_port: 'SRAM port', dram_port: 'off-chip port', latency: 'latency',
                        front_end: 'issue'};

  const kHueStep = 137.508; // the golden angle: neighbors differ most
  let cssColors = new Map(); // asking the browser would compute the style of the page each time
  document.addEventListener('themechange', () => {
    cssColors = new Map();
  });

  /** The value of a CSS variable of the present theme. */
  avocet.cssColor = (name) => {
    if (!cssColors.has(name)) cssColors.set(name, getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim());
    return cssColors.get(name);
  };

  let colors = new Map();
  document.addEventListener('themechange', () => {
    colors = new Map();
  });

  /** The color of a layer in all panes; gray for -1, no layer. */
  avocet.layerColor = (number) => {
    let color = colors.get(number);
    if (color === undefined) {
      const lightness = avocet.cssColor('layer-lightness'), hue = Math.round((number * kHueStep + 210) % 360);
      color = number < 0 ? avocet.cssColor('faint') : `hsl(${hue} 52% ${lightness})`;
      colors.set(number, color);
    }
    return color;
  };

  /** What is selected: a layer (-1: none) and perhaps one command of it, by its place on its track. */
  avocet.Selection = class {
    constructor() {
      this.layer = -1;
      this.command = null;
      this.listeners_ = [];
    }

    /** `listener(selection, source)`: source is the pane that changed it. */
    listen(listener) {
      this.listeners_.push(listener);
    }

    selectLayer(layer, source) {
      this.set_(layer === this.layer && !this.command ? -1 : layer, null, source);
    }

    selectCommand(track, place, layer, source) {
      this.set_(layer, {track, place}, source);
    }

    clear(source) {
      this.set_(-1, null, source);
    }

    set_(layer, command, source) {
      this.layer = layer;
      this.command = command;
      for (const listener of this.listeners_) listener(this, source);
    }
  };

  /** A pane with a heading; `tools` are elements beside the heading. */
  avocet.pane = (id, title, ...tools) => {
    const body = avocet.element('div', {class: 'pane-body'});
    const root = avocet.element('section', {class: 'pane', id, 'aria-label': title},
                                avocet.element('div', {class: 'pane-head'}, avocet.element('h2', {text: title}), ...tools), body);
    return {root, body};
  };

  /** A canvas that fills its parent, sharp on any display; `draw(context, width, height)` in CSS pixels. */
  avocet.canvas = (parent, label, draw) => {
    const canvas = avocet.element('canvas', {'aria-label': label, tabindex: 0});
    parent.append(canvas);
    let pending = false;
    const paint = () => {
      pending = false;
      const width = parent.clientWidth, height = parent.clientHeight, ratio = window.devicePixelRatio || 1;
      if (width === 0 || height === 0) return;
      if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
        canvas.width = Math.round(width * ratio);
        canvas.height = Math.round(height * ratio);
      }
      const context = canvas.getContext('2d');
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      context.clearRect(0, 0, width, height);
      context.font = '11px system-ui, sans-serif';
      draw(context, width, height);
    };
    const redraw = () => {
      if (!pending) requestAnimationFrame(paint);
      pending = true;
    };
    new ResizeObserver(redraw).observe(parent);
    document.addEventListener('themechange', redraw);
    return {canvas, redraw, paint};
  };

  const tooltip = avocet.element('div', {id: 'tooltip', role: 'tooltip', hidden: true});
  /** Shows lines of text beside the pointer; no lines hide it. */
  avocet.showTooltip = (event, lines) => {
    if (!tooltip.isConnected) document.body.append(tooltip);
    tooltip.hidden = !lines;
    if (!lines) return;
    tooltip.replaceChildren(...lines.map((line) => avocet.element('div', {text: line})));
    const left = Math.min(event.clientX + 14, window.innerWidth - tooltip.offsetWidth - 8);
    const below = event.clientY + 16;
    tooltip.style.left = Math.max(4, left) + 'px';
    tooltip.style.top =
        (below + tooltip.offsetHeight > window.innerHeight ? event.clientY - tooltip.offsetHeight - 10 : below) + 'px';
  };

  /** Rows of equal height, of which only the visible ones exist. `makeRow(index)` gives an element; `header` stays on top, `footer` at the bottom. */
  avocet.VirtualList = class {
    constructor(rowHeight, makeRow, header = null, footer = null) {
      this.rowHeight_ = rowHeight;
      this.makeRow_ = makeRow;
      this.count_ = 0;
      this.filler_ = avocet.element('div', {class: 'filler'});
      this.rows_ = avocet.element('div', {class: 'rows'});
      this.root = avocet.element('div', {class: 'virtual', tabindex: 0}, ...(header ? [header] : []),
                                 avocet.element('div', {class: 'virtual-body'}, this.filler_, this.rows_), ...(footer ? [footer] : []));
      this.header_ = header;
      this.footer_ = footer;
      this.root.addEventListener('scroll', () => this.render());
      new ResizeObserver(() => this.render()).observe(this.root);
    }

    setCount(count) {
      this.count_ = count;
      this.filler_.style.height = count * this.rowHeight_ + 'px';
      this.render();
    }

    render() {
      const first = Math.max(0, Math.floor(this.root.scrollTop / this.rowHeight_) - 4);
      const visible = Math.ceil(this.root.clientHeight / this.rowHeight_) + 8;
      const rows = [];
      for (let i = first; i < Math.min(this.count_, first + visible); ++i) rows.push(this.makeRow_(i));
      this.rows_.style.transform = `translateY(${first * this.rowHeight_}px)`;
      this.rows_.replaceChildren(...rows);
    }

    /** Scrolls so that the row is visible, in the middle if it was not. */
    reveal(index) {
      const top = index * this.rowHeight_, height = this.root.clientHeight - (this.header_?.offsetHeight ?? 0) - (this.footer_?.offsetHeight ?? 0);
      if (top < this.root.scrollTop || top + this.rowHeight_ > this.root.scrollTop + height)
        this.root.scrollTop = Math.max(0, top - height / 2);
      this.render();
    }
  };
})();
