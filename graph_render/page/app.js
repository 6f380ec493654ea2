// Puts the parts together: what the buttons, keys and the address do.

const OPEN_LIMIT = 400, FIRST_LIMIT = 700;
const CHANGES_LIMIT = 40, ATTEND_LIMIT = 1000;
const NARROW = 820;  // as in page.css

class App {
  constructor() {
    this.element = (id) => document.getElementById(id);
    this.overlays = [];
    this.stages = new Map();
    this.step = 0;
    this.firstFrame = 0;
  }

  async start() {
    try {
      this.head = await readBlock('head');
      this.pool = await readBlock('pool');
      this.look = new Look(this.head);
      this.search = new Search(this);
      this.panel = new Panel(this.element('panel'), this);
      this.view = new View(this.element('canvas'), this.element('minimap'),
                           this);
      this.element('title').textContent = this.head.title;
      this.overlays = this.head.overlays.map((o) => {
        const values = new Map();
        for (let k = 0; k < o.values.length; k += 2) {
          values.set(o.values[k], Number(o.values[k + 1]));
        }
        return {title: o.title, unit: o.unit, values};
      });
      this.setTheme(window.matchMedia('(prefers-color-scheme: dark)').matches);
      this.prepareOverlays();
      this.prepareSteps();
      this.listen();
      await this.openAddress();
      this.element('message').textContent = '';
    } catch (error) {
      this.element('message').textContent =
          'This page cannot be shown: ' + error.message;
      throw error;
    }
  }

  drawn() {
    if (!this.firstFrame && this.view.root) this.firstFrame = performance.now();
  }

  // Called for each drawing; texts are read once.
  texts() {
    this.textsRead = this.textsRead || readBlock('texts');
    return this.textsRead;
  }

  // ---- steps ----

  get stepCount() {
    return Math.max(this.head.stages.length, this.head.stops.length);
  }

  prepareSteps() {
    this.element('beside').hidden = this.head.stages.length < 2;
    if (this.stepCount < 2) return;
    this.element('steps').className = 'shown';
    this.element('slider').max = String(this.stepCount - 1);
    this.look.changes = this.head.stages.length > 1;
  }

  async stage(number) {
    if (!this.stages.has(number)) {
      const json = await readBlock('stage' + number);
      if (this.stages.size > 8) {
        this.stages.delete(this.stages.keys().next().value);
      }
      this.stages.set(number, new Stage(json, this.pool, number));
    }
    return this.stages.get(number);
  }

  async setStep(step, keep) {
    step = Math.max(0, Math.min(this.stepCount - 1, step));
    this.step = step;
    this.element('slider').value = String(step);
    if (this.head.stops.length > 0) {
      const [label, focus] = this.head.stops[step];
      this.element('step-label').textContent =
          (step + 1) + '/' + this.stepCount + ' ' + label;
      if (!this.view.root) await this.showStage(0);
      if (focus >= 0 && keep !== 'address') this.openStop(focus);
      this.remember();
      return;
    }
    const {view} = this, old = view.stage, {scale} = view.camera;
    const next = await this.stage(step);
    const at = view.lookedAt((name) => next.find(name) >= 0);
    await this.showStage(step);
    if (old) view.keepAt(at, scale);
    const isSelected = view.selected >= 0 && at &&
        at.name === view.stage.nameOf(view.selected);
    if (!isSelected && keep !== 'address') {
      view.attend(this.changed(ATTEND_LIMIT));
    }
    if (this.left) this.alignLeft();
    if (this.stepCount > 1) {
      this.element('step-label').textContent =
          (step + 1) + '/' + this.stepCount + ' ' + this.head.stages[step];
      this.showChanges();
    }
    const focus = view.stage.find(this.pool[this.head.focus[step]]);
    if (focus >= 0 && keep !== 'address') this.openStop(focus);
    this.remember();
  }

  openStop(i) {
    this.view.closeAll();
    this.select(i, true);
    const [place] = this.view.placesOf(i, 1);
    if (place) {
      place.opened.open(place.item, this.view.mode);
      this.view.replace();
      this.view.fit();
      if (this.view.camera.scale < SMALLEST) this.view.goTo(i);
    }
  }

  async showStage(number) {
    const old = this.view.stage;
    const stage = await this.stage(number);
    if (stage.computations.length === 0) {
      throw new Error('the module has no computation');
    }
    const view = this.view;
    const selected = old && view.selected >= 0 ? old.nameOf(view.selected) : '';
    const rootName = old ? old.computations[view.computation].name : '';
    let root = stage.findComputation(rootName);
    if (root < 0) root = 0;
    const mode = old ? view.mode : this.firstMode(stage);
    view.show(stage, root, mode, old ? view.openKeys() : null);
    view.selected = selected ? stage.find(selected) : -1;
    this.fillRoots(stage, root, mode);
    this.showLegend();
    if (!old) view.openFirst(FIRST_LIMIT);
    if (stage.change && this.look.changes) this.revealChanges();
    if (!old) view.fitFirst();
    if (this.search.query) this.search.run(this.search.query);
    else if (view.selected >= 0) this.panel.showInstruction(stage, view.selected);
    else this.panel.showStage(stage);
    if (this.left) await this.showLeft();
  }

  // The first instructions that the step added or changed.
  changed(limit) {
    const {stage} = this.view, found = [];
    if (!stage.change || !this.head.stages.length) return found;
    for (let i = 0; i < stage.count && found.length < limit; ++i) {
      if (stage.change[i] & (CHANGE_ADDED | CHANGE_CHANGED)) found.push(i);
    }
    return found;
  }

  // What a step did should not hide in closed boxes.
  revealChanges() {
    for (const i of this.changed(CHANGES_LIMIT)) this.view.reveal(i);
  }

  nextChange(by) {
    const changed = this.changed(Infinity);
    if (changed.length === 0) return;
    const at = changed.indexOf(this.view.selected);
    const next = at < 0 ? (by > 0 ? 0 : changed.length - 1)
                        : (at + by + changed.length) % changed.length;
    this.select(changed[next], true);
  }

  // Scopes for programs that are too large to be read at a glance.
  firstMode(stage) {
    const entry = stage.computations[0];
    return entry.scoped >= 0 && entry.count > 400 ? 'scoped' : 'flat';
  }

  showChanges() {
    const change = this.view.stage.change;
    this.element('step-changes').textContent = '';
    if (!change || this.view.stage.number === 0) return;
    let added = 0, changed = 0;
    for (const one of change) {
      if (one & CHANGE_ADDED) ++added;
      else if (one & CHANGE_CHANGED) ++changed;
    }
    this.element('step-changes').textContent =
        added + ' added, ' + changed + ' changed, ' +
        this.view.stage.removed.length + ' removed';
  }

  changeText(change) {
    const words = [];
    if (change & CHANGE_ADDED) words.push('added in this step');
    if (change & CHANGE_CHANGED) words.push('changed in this step');
    if (change & CHANGE_GONE) words.push('gone in the next step');
    return words.join(', ');
  }

  async toggleBeside() {
    const canvas = this.element('left');
    if (this.left) {
      this.left = null;
      canvas.className = '';
    } else if (this.head.stages.length > 1) {
      canvas.className = 'shown';
      this.left = new View(canvas, null, this);
      await this.showLeft();
      this.alignLeft();
    }
    this.view.redraw();
  }

  // The same instruction at the same place on both sides.
  alignLeft() {
    const {left, view} = this;
    left.fit();
    left.keepAt(view.lookedAt((name) => left.stage.find(name) >= 0),
                view.camera.scale);
  }

  async showLeft() {
    const stage = await this.stage(Math.max(0, this.step - 1));
    const view = this.view;
    const name = view.stage.computations[view.computation].name;
    const root = Math.max(0, stage.findComputation(name));
    this.left.show(stage, root, view.mode, view.openKeys());
    this.left.selected =
        view.selected >= 0 ? stage.find(view.stage.nameOf(view.selected)) : -1;
  }

  // ---- roots, grouping, colours ----

  fillRoots(stage, root, mode) {
    const list = this.element('root');
    list.replaceChildren(...stage.computations.slice(0, 5000).map((c, k) => {
      const option = make('option', c.name + (c.entry ? ' (entry)' : '') +
                          '  ' + c.count);
      option.value = String(k);
      return option;
    }));
    list.value = String(root);
    this.element('mode').value = mode;
    this.element('mode').disabled = stage.computations[root].scoped < 0;
  }

  setRoot(computation) {
    const view = this.view;
    view.selected = -1;
    view.show(view.stage, computation, view.mode, null);
    this.fillRoots(view.stage, computation, view.mode);
    view.fitFirst();
    this.panel.showStage(view.stage);
    this.remember();
  }

  setMode(mode) {
    const view = this.view;
    view.show(view.stage, view.computation, mode, null);
    this.element('mode').value = mode;
    if (view.selected >= 0) {
      view.reveal(view.selected);
      view.goTo(view.selected);
    } else {
      view.fitFirst();
    }
    this.remember();
  }

  prepareOverlays() {
    const list = this.element('overlay');
    const options = [['', 'opcode']];
    if (this.head.stages.length > 1) options.push(['change', 'change']);
    this.overlays.forEach((o, k) => options.push([String(k), o.title]));
    list.replaceChildren(...options.map(([value, title]) => {
      const option = make('option', title);
      option.value = value;
      return option;
    }));
    this.element('overlay-label').hidden = options.length < 2;
    if (this.overlays.length > 0) list.value = '0';
    else if (options.length > 1) list.value = 'change';
    this.setColors(list.value);
  }

  setColors(value) {
    this.element('overlay').value = value;
    this.look.changes = value === 'change';
    this.look.setOverlay(
        value === '' || value === 'change' ? null : this.overlays[+value]);
    if (this.view.root) {
      this.view.mapDrawn = false;
      this.view.redraw();
      this.showLegend();
    }
  }

  showLegend() {
    const legend = this.element('legend');
    legend.replaceChildren();
    const swatch = (color) => {
      const element = make('span', undefined, 'swatch');
      element.style.background = color;
      return element;
    };
    const line = (color, text) => {
      const row = make('div', undefined, 'row');
      row.append(swatch(color), text);
      legend.append(row);
    };
    const overlay = this.look.overlay;
    if (overlay) {
      legend.append(make('div', overlay.title +
                         (overlay.unit ? ' (' + overlay.unit + ')' : '')));
      const ramp = make('div', undefined, 'ramp');
      this.look.heat.forEach((color) => ramp.append(swatch(color)));
      const ends = make('div', undefined, 'ends');
      ends.append(make('span', '0'),
                  make('span', String(+overlay.max.toPrecision(4))));
      legend.append(ramp, ends);
      if (Array.from(overlay.values.values()).some((v) => !Number.isFinite(v))) {
        line('#6a1b9a', 'not a number, or infinite');
      }
      return;
    }
    if (this.look.changes) {
      line(this.look.fills[11].fill, 'added');
      line(this.look.fills[12].fill, 'changed');
      line(this.look.fills[10].fill, 'gone in the next step');
      return;
    }
    const used = new Set(this.view.stage.fill);
    this.look.shown.forEach((f, k) => {
      if (used.has(k)) line(f.fill, f.name);
    });
  }

  setTheme(dark) {
    document.documentElement.className = dark ? 'dark' : '';
    this.look.setDark(dark);
    for (const view of [this.view, this.left]) {
      if (!view || !view.root) continue;
      view.mapDrawn = false;
      view.redraw();
    }
    if (this.view.root) this.showLegend();
  }

  // ---- selection ----

  select(i, go) {
    const view = this.view;
    if (!view.reveal(i)) {
      const computation = view.stage.computationOf[i];
      view.show(view.stage, computation, view.mode, null);
      this.fillRoots(view.stage, computation, view.mode);
      view.reveal(i);
    }
    view.selected = i;
    if (go) view.goTo(i);
    view.redraw();
    this.panel.showInstruction(view.stage, i);
    if (this.left) {
      this.left.selected = this.left.stage.find(view.stage.nameOf(i));
      if (this.left.selected >= 0 && this.left.reveal(this.left.selected)) {
        this.left.goTo(this.left.selected);
      }
      this.left.redraw();
    }
    this.remember();
  }

  unselect() {
    this.view.selected = -1;
    this.view.redraw();
    this.panel.showStage(this.view.stage);
    this.remember();
  }

  clicked(view, at) {
    view.canvas.focus();
    if (!at) {
      this.unselect();
      return;
    }
    const content = at.opened.box.contents[at.item];
    if (content < 0) {
      this.panel.showBox(view.stage, ~content);
      this.selectedBox = at;
      return;
    }
    this.selectedBox = null;
    if (view === this.view) {
      this.select(content, false);
    } else {
      const name = view.stage.nameOf(content);
      view.selected = content;
      view.redraw();
      const same = this.view.stage.find(name);
      if (same >= 0) this.select(same, true);
      else this.panel.showInstruction(view.stage, content);
    }
  }

  hover(view, at, event) {
    const box = this.element('hover');
    const content = at ? at.opened.box.contents[at.item] : -1;
    if (!at || content < 0) {
      box.style.display = 'none';
      return;
    }
    const stage = view.stage, pool = stage.pool;
    box.textContent = [stage.nameOf(content), pool[stage.subtitle[content]],
                       pool[stage.opName[content]], pool[stage.source[content]]]
        .filter((t) => t).join('\n');
    const area = this.element('views').getBoundingClientRect();
    box.style.display = 'block';
    box.style.left = Math.min(event.clientX - area.left + 14,
                              Math.max(0, area.width - box.offsetWidth)) + 'px';
    const below = event.clientY - area.top + 16;
    box.style.top = Math.max(0, below + box.offsetHeight < area.height ? below :
        event.clientY - area.top - box.offsetHeight - 8) + 'px';
  }

  // ---- search ----

  showHits() {
    this.showHitCount();
    const {hits, query} = this.search;
    if (query.trim()) this.panel.showHits(this.view.stage, hits, query);
    else this.panel.showStage(this.view.stage);
  }

  showHitCount() {
    const {hits, query, current} = this.search;
    this.element('hits').textContent = !query.trim() ? '' :
        current >= 0 ? (current + 1) + '/' + hits.length
                     : hits.length + ' found';
  }

  searchFor(query) {
    this.element('search').value = query;
    this.search.run(query);
    this.remember();
  }

  // ---- the address ----

  remember() {
    const view = this.view, parts = new URLSearchParams();
    if (!view.root) return;
    if (view.computation !== 0) {
      parts.set('c', view.stage.computations[view.computation].name);
    }
    if (view.selected >= 0) parts.set('i', view.stage.nameOf(view.selected));
    if (this.step > 0) parts.set('step', String(this.step + 1));
    if (view.mode !== this.firstMode(view.stage)) parts.set('group', view.mode);
    if (this.search.query) parts.set('q', this.search.query);
    const hash = parts.toString();
    this.hash = hash ? '#' + hash : '#';
    try {
      history.replaceState(null, '', this.hash);
    } catch (error) {
      // Some browsers forbid it for files; links then stay as they were.
    }
  }

  async openAddress() {
    const parts = new URLSearchParams(location.hash.slice(1));
    const step = parseInt(parts.get('step') || '1', 10) - 1;
    const name = parts.get('i'), root = parts.get('c');
    await this.setStep(Number.isFinite(step) ? step : 0,
                       name ? 'address' : '');
    const view = this.view;
    if (parts.has('group')) this.setMode(parts.get('group') === 'flat'
                                             ? 'flat' : 'scoped');
    if (root !== null) {
      const computation = view.stage.findComputation(root);
      if (computation >= 0) this.setRoot(computation);
    }
    if (parts.get('q')) this.searchFor(parts.get('q'));
    if (name !== null) {
      const i = view.stage.find(name);
      if (i >= 0) this.select(i, true);
      else this.element('hits').textContent = 'no ' + name;
    }
  }

  // ---- buttons and keys ----

  listen() {
    const on = (id, event, fn) =>
        this.element(id).addEventListener(event, fn);
    on('search', 'input', () => {
      clearTimeout(this.typing);
      this.typing = setTimeout(
          () => this.searchFor(this.element('search').value), 120);
    });
    on('search', 'keydown', (event) => {
      if (event.key === 'Enter') {
        clearTimeout(this.typing);
        if (this.search.query !== this.element('search').value) {
          this.searchFor(this.element('search').value);
        }
        this.search.step(event.shiftKey ? -1 : 1);
      }
      if (event.key === 'Escape') {
        this.searchFor('');
        this.view.canvas.focus();
      }
      event.stopPropagation();
    });
    on('root', 'change', () => this.setRoot(+this.element('root').value));
    on('mode', 'change', () => this.setMode(this.element('mode').value));
    on('overlay', 'change', () =>
        this.setColors(this.element('overlay').value));
    on('slider', 'input', () => this.setStep(+this.element('slider').value));
    const legend = this.element('legend');
    const fold = () => {
      const isSmall = legend.classList.toggle('small');
      legend.setAttribute('aria-expanded', String(!isSmall));
    };
    on('legend', 'click', fold);
    on('legend', 'keydown', (event) => {
      if (event.key !== 'Enter' && event.key !== ' ') return;
      event.preventDefault();
      event.stopPropagation();
      fold();
    });
    if (window.innerWidth <= NARROW) fold();
    on('step-changes', 'click', () => this.nextChange(1));
    const keys = this.keys();
    for (const [id, key] of [['open-all', 'e'], ['close-all', 'c'],
                             ['fit', '0'], ['theme', 'd'], ['help', '?'],
                             ['beside', 'b'], ['step-back', 'k'],
                             ['step-on', 'j']]) {
      on(id, 'click', () => keys[key]());
    }
    window.addEventListener('keydown', (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey ||
          ['INPUT', 'SELECT'].includes(event.target.tagName)) {
        return;
      }
      // A button that has the focus does what it says.
      if (event.target.tagName === 'BUTTON' &&
          (event.key === 'Enter' || event.key === ' ')) {
        return;
      }
      const action = keys[event.key];
      if (!action) return;
      event.preventDefault();
      action();
    });
    window.addEventListener('resize', () => {
      this.view.mapDrawn = false;
      for (const one of this.views()) one.redraw();
    });
    for (const event of ['beforeprint', 'afterprint']) {
      window.addEventListener(event, () => {
        for (const one of this.views()) one.drawNow();
      });
    }
    window.addEventListener('hashchange', () => {
      if (location.hash !== this.hash) this.openAddress();
    });
  }

  views() { return this.left ? [this.view, this.left] : [this.view]; }

  toggleFolding() {
    Opened.folding = !Opened.folding;
    for (const view of this.views()) {
      view.replace();
      view.fitFirst();
      if (view.selected >= 0) view.goTo(view.selected);
    }
  }

  toggleFarLines() {
    const shown = this.view.drawer.showsFar(this.view.root.box);
    for (const view of this.views()) {
      view.drawer.farLines = !shown;
      view.redraw();
    }
  }

  neighbour(lists) {
    const view = this.view;
    if (view.selected < 0) return;
    const first = lists(view.stage).of(view.selected).find((i) => i >= 0);
    if (first !== undefined) this.select(first, true);
  }

  toggleSelected() {
    const view = this.view;
    const at = this.selectedBox ||
        (view.selected >= 0 ? view.placesOf(view.selected, 1)[0] : null);
    if (at && at.opened.canOpen(at.item)) view.toggle(at.opened, at.item);
  }

  keys() {
    const view = this.view;
    const zoom = (factor) => {
      const [width, height] = view.size();
      view.zoom(factor, width / 2, height / 2);
    };
    return {
      '/': () => this.element('search').focus(),
      'n': () => this.search.step(1),
      'p': () => this.search.step(-1),
      'N': () => this.search.step(-1),
      'Enter': () => this.toggleSelected(),
      'o': () => this.neighbour((stage) => stage.operands),
      'u': () => this.neighbour((stage) => stage.users),
      'e': () => view.openAll(OPEN_LIMIT),
      'c': () => { view.closeAll(); view.fit(); },
      'j': () => this.setStep(this.step + 1),
      'k': () => this.setStep(this.step - 1),
      'm': () => this.nextChange(1),
      'M': () => this.nextChange(-1),
      'b': () => this.toggleBeside(),
      'f': () => this.toggleFolding(),
      'l': () => this.toggleFarLines(),
      'd': () => this.setTheme(!this.look.dark),
      '?': () => this.panel.showHelp(),
      '0': () => view.fit(),
      '+': () => zoom(1.25),
      '=': () => zoom(1.25),
      '-': () => zoom(0.8),
      'ArrowLeft': () => view.pan(-80, 0),
      'ArrowRight': () => view.pan(80, 0),
      'ArrowUp': () => view.pan(0, -80),
      'ArrowDown': () => view.pan(0, 80),
      'Escape': () => this.unselect(),
    };
  }
}

// For tests and for people at the console.
window.hlokit = new App();
window.hlokit.ready = window.hlokit.start();
