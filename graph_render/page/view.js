// A canvas with a picture: camera, pointer, minimap.

const MIN_SCALE = 0.0002, MAX_SCALE = 4;

class View {
  constructor(canvas, minimap, app) {
    this.canvas = canvas;
    this.minimap = minimap;
    this.app = app;
    this.camera = {x: 0, y: 0, scale: 1};
    this.drawer = new Drawer(canvas.getContext('2d'), app.look);
    this.root = null;
    this.selected = -1;
    this.pending = false;
    this.listen();
  }

  // ---- what is shown ----

  show(stage, computation, mode, openKeys) {
    this.stage = stage;
    this.computation = computation;
    this.mode = mode;
    const c = stage.computations[computation];
    this.root = new Opened(stage, stage.boxOf(computation, mode), '', c.name,
                           null, -1);
    if (openKeys && openKeys.size > 0) this.reopen(this.root, openKeys);
    this.replace();
  }

  reopen(opened, keys) {
    for (let item = 0; item < opened.nodes; ++item) {
      if (!opened.canOpen(item) || !keys.has(opened.keyOf(item))) continue;
      opened.open(item, this.mode);
      for (const part of opened.inside.get(item)) this.reopen(part, keys);
    }
  }

  openKeys() {
    const keys = new Set();
    const walk = (opened) => {
      for (const [item, parts] of opened.inside) {
        keys.add(opened.keyOf(item));
        parts.forEach(walk);
      }
    };
    if (this.root) walk(this.root);
    return keys;
  }

  replace() {
    this.root.place();
    this.mapDrawn = false;
    this.redraw();
  }

  toggle(opened, item) {
    const [before] = this.placeOf(opened, item);
    if (!opened.inside.delete(item)) opened.open(item, this.mode);
    this.root.place();
    // The clicked box stays where it is.
    const [after] = this.placeOf(opened, item);
    this.camera.x += after.x - before.x;
    this.camera.y += after.y - before.y;
    this.mapDrawn = false;
    this.redraw();
  }

  openAll(limit) {
    const level = [];
    const walk = (opened) => {
      for (let item = 0; item < opened.nodes; ++item) {
        const parts = opened.inside.get(item);
        if (parts) parts.forEach(walk);
        else if (opened.canOpen(item)) level.push([opened, item]);
      }
    };
    walk(this.root);
    for (const [opened, item] of level.slice(0, limit)) {
      opened.open(item, this.mode);
    }
    this.replace();
    return level.length;
  }

  // Opens scopes as long as all that is seen stays within the limit.
  openFirst(limit) {
    let count = this.root.nodes;
    const level = [this.root];
    while (level.length > 0) {
      const opened = level.shift();
      for (let item = 0; item < opened.nodes; ++item) {
        const content = opened.box.contents[item];
        if (content >= 0) continue;
        // Parameters stand in one long row.
        const box = this.stage.boxes[~content];
        if (this.stage.pool[box.name] === 'parameters') continue;
        const more = box.contents.length;
        if (count + more > limit) continue;
        count += more;
        opened.open(item, this.mode);
        level.push(opened.inside.get(item)[0]);
      }
    }
    this.replace();
  }

  closeAll() {
    this.root.inside.clear();
    this.replace();
  }

  // ---- places ----

  placeOf(opened, item) {
    const [x, y] = opened.origin();
    return [{x: x + opened.x[item], y: y + opened.y[item], w: opened.w[item],
             h: opened.h[item]}];
  }

  // Where an instruction is drawn: itself, or the closed box it is in. All of
  // them, for a computation may be open in several places.
  placesOf(i, limit) {
    const found = [];
    const walk = (opened) => {
      if (found.length >= limit) return;
      const item = opened.itemOf(i);
      if (item >= 0) found.push({opened, item});
      for (const parts of opened.inside.values()) parts.forEach(walk);
    };
    walk(this.root);
    return found;
  }

  // Opens what is needed to see the instruction; false when the root does not
  // reach it.
  reveal(i) {
    const stage = this.stage;
    if (this.placesOf(i, 1).length > 0) return true;
    const chain = [];  // of instructions to open, outermost first
    let computation = stage.computationOf[i];
    for (let n = 0; computation !== this.computation; ++n) {
      const callers = stage.callers.of(computation);
      if (callers.length === 0 || n > 200) return false;
      chain.unshift(callers[0]);
      computation = stage.computationOf[callers[0]];
    }
    let opened = this.root;
    for (const target of chain.concat([i])) {
      opened = this.openScopes(opened, target);
      if (!opened) return false;
      if (target === i) break;
      const item = opened.itemOf(target);
      opened.open(item, this.mode);
      const next = chain[chain.indexOf(target) + 1];
      const inner = next === undefined ? i : next;
      const at = stage.calls.of(target).indexOf(stage.computationOf[inner]);
      opened = opened.inside.get(item)[at];
    }
    this.replace();
    return true;
  }

  openScopes(opened, i) {
    const path = [];
    if (opened.itemOf(i) < 0) {
      for (let box = this.stage.scopeOf[i]; box >= 0 && box !== opened.number;
           box = this.stage.parentBox[box]) {
        path.unshift(box);
      }
    }
    for (const box of path) {
      const item = opened.itemOf(~box);
      if (item < 0) return null;
      opened.open(item, this.mode);
      opened = opened.inside.get(item)[0];
    }
    return opened.itemOf(i) >= 0 ? opened : null;
  }

  // ---- camera ----

  size() {
    return [this.canvas.clientWidth, this.canvas.clientHeight];
  }

  fit() {
    const [width, height] = this.size();
    const root = this.root;
    const margin = 30;
    const scale = Math.min(1.5, (width - 2 * margin) / Math.max(1, root.width),
                           (height - 2 * margin) / Math.max(1, root.height));
    this.camera.scale = Math.max(MIN_SCALE, scale);
    this.camera.x = root.width / 2 - width / 2 / this.camera.scale;
    this.camera.y = root.height / 2 - height / 2 / this.camera.scale;
    this.redraw();
  }

  // Everything where it can be read; of larger pictures the top.
  fitFirst() {
    this.fit();
    const readable = 0.5;
    if (this.camera.scale >= readable) return;
    const [width] = this.size();
    const root = this.root;
    this.camera.scale = readable;
    let middle = root.width / 2;
    if (root.box.rows > 0) {
      const top = root.box.rowItems.subarray(0, root.box.rowStart[1]);
      const item = top[top.length >> 1];
      middle = root.x[item] + root.w[item] / 2;
    }
    this.camera.x = middle - width / 2 / readable;
    this.camera.y = -30 / readable;
    this.redraw();
  }

  zoom(factor, x, y) {
    const camera = this.camera;
    const scale = Math.min(MAX_SCALE,
                           Math.max(MIN_SCALE, camera.scale * factor));
    camera.x += x / camera.scale - x / scale;
    camera.y += y / camera.scale - y / scale;
    camera.scale = scale;
    this.redraw();
  }

  pan(dx, dy) {
    this.camera.x += dx / this.camera.scale;
    this.camera.y += dy / this.camera.scale;
    this.redraw();
  }

  // Goes to an instruction, near enough to read it.
  goTo(i) {
    const places = this.placesOf(i, 1);
    if (places.length === 0) return;
    const [place] = this.placeOf(places[0].opened, places[0].item);
    const [width, height] = this.size();
    this.camera.scale = Math.max(this.camera.scale, 0.8);
    this.camera.x = place.x + place.w / 2 - width / 2 / this.camera.scale;
    this.camera.y = place.y + Math.min(place.h, 200) / 2 -
        height / 2 / this.camera.scale;
    this.redraw();
  }

  // ---- drawing ----

  redraw() {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => {
      this.pending = false;
      this.drawNow();
    });
  }

  drawNow() {
    if (!this.root) return;
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = this.size();
    if (this.canvas.width !== Math.round(width * ratio) ||
        this.canvas.height !== Math.round(height * ratio)) {
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
    }
    const context = this.canvas.getContext('2d');
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.drawer.draw(this.root, this.camera, width, height, this.marks());
    if (this.minimap) this.drawMap(width, height);
    this.app.drawn();
  }

  marks() {
    const marks = {operands: [], users: [], frames: []};
    for (const hit of this.app.search.visible(this)) {
      marks.frames.push(this.placeOf(hit.opened, hit.item)[0]);
    }
    if (this.selected < 0) return marks;
    const stage = this.stage;
    const ends = (i) => this.placesOf(i, 1).map(
        ({opened, item}) => this.placeOf(opened, item)[0])[0];
    const self = ends(this.selected);
    if (!self) return marks;
    marks.frames.push({...self, strong: true});
    const join = (above, below) =>
        [{x: above.x + above.w / 2, y: above.y + above.h},
         {x: below.x + below.w / 2, y: below.y}];
    for (const operand of stage.operands.of(this.selected).slice(0, 200)) {
      const place = operand >= 0 && ends(operand);
      if (place) marks.operands.push(join(place, self));
    }
    for (const user of stage.users.of(this.selected).slice(0, 200)) {
      const place = ends(user);
      if (place) marks.users.push(join(self, place));
    }
    return marks;
  }

  mapScale() {
    const map = this.minimap;
    return Math.min(map.width / Math.max(1, this.root.width),
                    map.height / Math.max(1, this.root.height));
  }

  drawMap(width, height) {
    const map = this.minimap, c = map.getContext('2d');
    const scale = this.mapScale();
    if (!this.mapDrawn) {
      this.mapImage = this.mapImage || document.createElement('canvas');
      this.mapImage.width = map.width;
      this.mapImage.height = map.height;
      const image = this.mapImage.getContext('2d');
      const root = this.root;
      for (let item = 0; item < root.nodes; ++item) {
        const content = root.box.contents[item];
        const colors = content >= 0
            ? this.app.look.ofInstruction(this.stage, content)
            : this.app.look.ofScope(this.stage, ~content);
          image.fillStyle = colors.fill === '#ffffff' ? '#bdc1c6' : colors.fill;
        image.fillRect(root.x[item] * scale, root.y[item] * scale,
                       Math.max(1, root.w[item] * scale),
                       Math.max(1, root.h[item] * scale));
      }
      this.mapDrawn = true;
    }
    c.clearRect(0, 0, map.width, map.height);
    c.drawImage(this.mapImage, 0, 0);
    c.strokeStyle = this.app.look.outgoing;
    c.strokeRect(this.camera.x * scale, this.camera.y * scale,
                 width / this.camera.scale * scale,
                 height / this.camera.scale * scale);
  }

  // ---- pointer ----

  toPicture(event) {
    const box = this.canvas.getBoundingClientRect();
    const x = event.clientX - box.left, y = event.clientY - box.top;
    return {x, y, px: this.camera.x + x / this.camera.scale,
            py: this.camera.y + y / this.camera.scale};
  }

  itemAt(event) {
    const {px, py} = this.toPicture(event);
    return this.root ? this.root.at(px, py) : null;
  }

  listen() {
    const canvas = this.canvas;
    let drag = null;
    canvas.addEventListener('pointerdown', (event) => {
      drag = {x: event.clientX, y: event.clientY, moved: false};
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener('pointermove', (event) => {
      if (!drag) {
        this.app.hover(this, this.itemAt(event), event);
        return;
      }
      const dx = drag.x - event.clientX, dy = drag.y - event.clientY;
      if (!drag.moved && Math.abs(dx) + Math.abs(dy) < 4) return;
      drag = {x: event.clientX, y: event.clientY, moved: true};
      this.pan(dx, dy);
    });
    canvas.addEventListener('pointerup', (event) => {
      const clicked = drag && !drag.moved;
      drag = null;
      if (clicked) this.app.clicked(this, this.itemAt(event), event);
    });
    canvas.addEventListener('pointerleave', () => {
      this.app.hover(this, null, null);
    });
    canvas.addEventListener('dblclick', (event) => {
      const at = this.itemAt(event);
      if (at && at.opened.canOpen(at.item)) this.toggle(at.opened, at.item);
    });
    canvas.addEventListener('wheel', (event) => {
      event.preventDefault();
      const {x, y} = this.toPicture(event);
      if (event.shiftKey) this.pan(event.deltaY, 0);
      else this.zoom(Math.exp(-event.deltaY * 0.0015), x, y);
    }, {passive: false});
    if (this.minimap) this.listenMap();
  }

  listenMap() {
    const move = (event) => {
      if (event.buttons === 0) return;
      const box = this.minimap.getBoundingClientRect();
      const scale = this.mapScale();
      const [width, height] = this.size();
      this.camera.x = (event.clientX - box.left) / scale -
          width / 2 / this.camera.scale;
      this.camera.y = (event.clientY - box.top) / scale -
          height / 2 / this.camera.scale;
      this.redraw();
    };
    this.minimap.addEventListener('pointerdown', move);
    this.minimap.addEventListener('pointermove', move);
  }
}
