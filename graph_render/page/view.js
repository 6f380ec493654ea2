// A canvas with a picture: camera, pointer, minimap.

const MIN_SCALE = 0.0002, MAX_SCALE = 4;
const SMALLEST = 0.6;  // whole pictures are shown down to this scale,
const READABLE = 0.75; // parts of larger ones at this one
const MARGIN = 30;     // of the window, around what is shown
const MAP_MARGIN = 4, MAP_LEAST = 6;

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

  // Opens or closes a box. An opened one moves into view with what is in it; a
  // closed one stays where its head was, or comes back into view.
  toggle(opened, item) {
    const [before] = this.placeOf(opened, item);
    const isOpened = !opened.inside.delete(item) &&
        opened.open(item, this.mode);
    this.replace();
    const [after] = this.placeOf(opened, item);
    this.camera.x += after.x - before.x + (after.w - before.w) / 2;
    this.camera.y += after.y - before.y;
    if (!isOpened) {
      this.bring(after);
      return;
    }
    const inside = opened.inside.get(item);
    const [width, height] = this.size();
    const fit = Math.min((width - 2 * MARGIN) / after.w,
                         (height - 2 * MARGIN) / after.h);
    if (fit < this.camera.scale) {
      this.zoom(Math.max(fit, Math.min(READABLE, this.camera.scale)) /
                    this.camera.scale, width / 2, height / 2);
    }
    if (fit >= this.camera.scale) this.bring(after);
    else this.showTop(inside[0]);
  }

  // Moves as little as needed to have a place in view.
  bring(place) {
    const [width, height] = this.size(), {camera} = this;
    const margin = MARGIN / camera.scale;
    const move = (from, length, seen, at) =>
        from - margin < at || length + 2 * margin > seen ? from - margin :
        Math.max(at, from + length + margin - seen);
    camera.x = move(place.x, place.w, width / camera.scale, camera.x);
    camera.y = move(place.y, place.h, height / camera.scale, camera.y);
    this.redraw();
  }

  // Shows the first row of a box that is larger than the window, with the
  // box's own head.
  showTop(opened) {
    const [width] = this.size(), {scale} = this.camera;
    const [x, y] = opened.origin();
    const half = width / 2 / scale, margin = MARGIN / scale;
    let middle = opened.width / 2;
    if (opened.box.rows > 0) {
      const top = opened.box.rowItems.subarray(0, opened.box.rowStart[1]);
      const item = top[top.length >> 1];
      middle = opened.x[item] + opened.w[item] / 2;
    }
    if (opened.width + 2 * margin > 2 * half) {
      middle = Math.min(Math.max(middle, half - margin),
                        opened.width - half + margin);
    }
    this.camera.x = x + middle - half;
    this.camera.y = y - (opened.parent ? opened.dy : 0) - margin;
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

  // Where an instruction of the same copy of a computation is drawn as seen
  // from `near`: itself, or else the closed scope that it is in. Null when it
  // is not there.
  placeBeside(i, near) {
    let opened = near;
    while (opened.parent &&
           opened.parent.box.contents[opened.parentItem] < 0) {
      opened = opened.parent;
    }
    const path = new Set();
    for (let box = this.stage.scopeOf[i]; box >= 0;
         box = this.stage.parentBox[box]) {
      path.add(box);
    }
    while (true) {
      let item = opened.itemOf(i);
      for (const box of path) {
        if (item >= 0) break;
        item = opened.itemOf(~box);
      }
      if (item < 0) return null;
      const isScope = opened.box.contents[item] < 0;
      if (!isScope || !opened.inside.has(item)) {
        return this.placeOf(opened, item)[0];
      }
      opened = opened.inside.get(item)[0];
    }
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
      if (!opened.inside.has(item)) return false;  // nested too deep
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
      if (!opened.inside.has(item)) return null;
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
    const scale = Math.min(1.5, (width - 2 * MARGIN) / Math.max(1, root.width),
                           (height - 2 * MARGIN) / Math.max(1, root.height));
    this.camera.scale = Math.max(MIN_SCALE, scale);
    this.camera.x = root.width / 2 - width / 2 / this.camera.scale;
    this.camera.y = root.height / 2 - height / 2 / this.camera.scale;
    this.redraw();
  }

  // Everything where it can be read; of larger pictures the top.
  fitFirst() {
    this.fit();
    if (this.camera.scale >= SMALLEST) return;
    this.camera.scale = READABLE;
    this.showTop(this.root);
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

  // ---- what one looks at ----

  isSeen(place) {
    const [width, height] = this.size(), {x, y, scale} = this.camera;
    return place.x + place.w > x && place.y + place.h > y &&
        place.x < x + width / scale && place.y < y + height / scale;
  }

  // The selected instruction, when it is in view, or else the instruction
  // nearest to the middle that `wanted` accepts: {name, x, y} with its place in
  // the window. Null when none is in view.
  lookedAt(wanted) {
    if (!this.root) return null;
    const [width, height] = this.size(), {x, y, scale} = this.camera;
    let best = null, least = Infinity;
    const walk = (opened, left, top) => {
      for (let item = 0; item < opened.nodes; ++item) {
        const place = {x: left + opened.x[item], y: top + opened.y[item],
                       w: opened.w[item], h: opened.h[item]};
        if (!this.isSeen(place)) continue;
        for (const part of opened.inside.get(item) || []) {
          walk(part, place.x + part.dx, place.y + part.dy);
        }
        const content = opened.box.contents[item];
        if (content < 0) continue;
        const at = {name: this.stage.nameOf(content),
                    x: (place.x + place.w / 2 - x) * scale,
                    y: (place.y - y) * scale};
        const far = content === this.selected ? -1 :
            Math.hypot(at.x - width / 2, at.y - height / 2);
        if (far < least && wanted(at.name)) {
          least = far;
          best = at;
        }
      }
    };
    walk(this.root, 0, 0);
    return best;
  }

  // Has the instruction at the same place in the window as it was.
  keepAt(at, scale) {
    const i = at ? this.stage.find(at.name) : -1;
    const [found] = i < 0 ? [] : this.placesOf(i, 1);
    if (!found) return;
    const [place] = this.placeOf(found.opened, found.item);
    this.camera.scale = scale;
    this.camera.x = place.x + place.w / 2 - at.x / scale;
    this.camera.y = place.y - at.y / scale;
    this.redraw();
  }

  // Moves to these instructions, or to the first of them where they do not fit
  // into the window together. Stays where one of them is in view already.
  attend(instructions) {
    const places = [];
    for (const i of instructions) {
      const [found] = this.placesOf(i, 1);
      if (!found) continue;
      const [place] = this.placeOf(found.opened, found.item);
      if (this.isSeen(place)) return;
      places.push(place);
    }
    if (places.length === 0) return;
    const first = places[0];
    let all = {...first};
    for (const p of places) {
      const x = Math.min(all.x, p.x), y = Math.min(all.y, p.y);
      all = {x, y, w: Math.max(all.x + all.w, p.x + p.w) - x,
             h: Math.max(all.y + all.h, p.y + p.h) - y};
    }
    const [width, height] = this.size();
    this.camera.scale = Math.max(this.camera.scale, READABLE);
    const {scale} = this.camera;
    const fits = all.w * scale + 2 * MARGIN < width &&
        all.h * scale + 2 * MARGIN < height;
    const goal = fits ? all : first;
    this.camera.x = goal.x + goal.w / 2 - width / 2 / scale;
    this.camera.y = goal.y + Math.min(goal.h, height / scale) / 2 -
        height / 2 / scale;
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
    const [found] = this.selected < 0 ? [] : this.placesOf(this.selected, 1);
    if (!found) return marks;
    const stage = this.stage;
    const [self] = this.placeOf(found.opened, found.item);
    marks.frames.push({...self, strong: true});
    const join = (above, below) =>
        [{x: above.x + above.w / 2, y: above.y + above.h},
         {x: below.x + below.w / 2, y: below.y}];
    for (const operand of stage.operands.of(this.selected).slice(0, 200)) {
      const place = operand >= 0 && this.placeBeside(operand, found.opened);
      if (place) marks.operands.push(join(place, self));
    }
    for (const user of stage.users.of(this.selected).slice(0, 200)) {
      const place = this.placeBeside(user, found.opened);
      if (place) marks.users.push(join(self, place));
    }
    return marks;
  }

  // How the whole picture is in the map: in its middle, with a margin.
  mapFrame() {
    const width = this.minimap.clientWidth || 180;
    const height = this.minimap.clientHeight || 120;
    const scale = Math.min(
        (width - 2 * MAP_MARGIN) / Math.max(1, this.root.width),
        (height - 2 * MAP_MARGIN) / Math.max(1, this.root.height));
    return {scale, width, height, left: (width - this.root.width * scale) / 2,
            top: (height - this.root.height * scale) / 2};
  }

  // Where the window is in the map: always inside it and never too small to be
  // seen.
  mapWindow(width, height) {
    const frame = this.mapFrame(), {camera} = this;
    const clamp = (from, length, most) => {
      const low = Math.max(1, Math.min(from, most - MAP_LEAST - 1));
      const high = Math.min(most - 1, Math.max(from + length, low + MAP_LEAST));
      return [low, high - low];
    };
    const [x, w] = clamp(frame.left + camera.x * frame.scale,
                         width / camera.scale * frame.scale, frame.width);
    const [y, h] = clamp(frame.top + camera.y * frame.scale,
                         height / camera.scale * frame.scale, frame.height);
    return {x, y, w, h};
  }

  drawMap(width, height) {
    const map = this.minimap, c = map.getContext('2d');
    const frame = this.mapFrame();
    const ratio = window.devicePixelRatio || 1;
    if (!this.mapDrawn) {
      map.width = Math.round(frame.width * ratio);
      map.height = Math.round(frame.height * ratio);
      this.mapImage = this.mapImage || document.createElement('canvas');
      this.mapImage.width = map.width;
      this.mapImage.height = map.height;
      const image = this.mapImage.getContext('2d');
      image.scale(ratio, ratio);
      this.drawMapBoxes(image, this.root, frame, frame.left, frame.top);
      this.mapDrawn = true;
    }
    c.setTransform(1, 0, 0, 1, 0, 0);
    c.clearRect(0, 0, map.width, map.height);
    c.drawImage(this.mapImage, 0, 0);
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    const seen = this.mapWindow(width, height);
    c.strokeStyle = this.app.look.outgoing;
    c.lineWidth = 1.5;
    c.strokeRect(seen.x, seen.y, seen.w, seen.h);
  }

  // Open boxes with what is in them, as they are in the picture.
  drawMapBoxes(image, opened, frame, left, top) {
    const {scale} = frame, look = this.app.look;
    for (let item = 0; item < opened.nodes; ++item) {
      const x = left + opened.x[item] * scale, y = top + opened.y[item] * scale;
      const w = Math.max(1, opened.w[item] * scale);
      const h = Math.max(1, opened.h[item] * scale);
      const content = opened.box.contents[item];
      const colors = content >= 0 ? look.ofInstruction(this.stage, content)
                                  : look.ofScope(this.stage, ~content);
      const parts = opened.inside.get(item);
      if (!parts || Math.max(w, h) < 3) {
        image.fillStyle = look.fromAfar(colors.fill);
        image.fillRect(x, y, w, h);
        continue;
      }
      image.fillStyle = look.inside;
      image.fillRect(x, y, w, h);
      image.strokeStyle = colors.stroke;
      image.lineWidth = 0.75;
      image.strokeRect(x, y, w, h);
      for (const part of parts) {
        this.drawMapBoxes(image, part, frame, x + part.dx * scale,
                          y + part.dy * scale);
      }
    }
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
    const fingers = new Map();  // pointers that are down: [x, y]
    canvas.addEventListener('pointerdown', (event) => {
      drag = {x: event.clientX, y: event.clientY, moved: fingers.size > 0};
      fingers.set(event.pointerId, [event.clientX, event.clientY]);
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener('pointermove', (event) => {
      if (!drag) {
        this.app.hover(this, this.itemAt(event), event);
        return;
      }
      if (fingers.size === 2) {
        this.pinch(fingers, event);
        return;
      }
      const dx = drag.x - event.clientX, dy = drag.y - event.clientY;
      if (!drag.moved && Math.abs(dx) + Math.abs(dy) < 4) return;
      drag = {x: event.clientX, y: event.clientY, moved: true};
      this.pan(dx, dy);
    });
    const release = (event) => {
      fingers.delete(event.pointerId);
      const clicked = event.type === 'pointerup' && drag && !drag.moved;
      const [rest] = fingers.values();
      drag = rest ? {x: rest[0], y: rest[1], moved: true} : null;
      if (clicked) this.app.clicked(this, this.itemAt(event), event);
    };
    canvas.addEventListener('pointerup', release);
    canvas.addEventListener('pointercancel', release);
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

  // Two fingers: what is between them stays there and grows as they part.
  pinch(fingers, event) {
    const span = () => {
      const [a, b] = fingers.values();
      return {x: (a[0] + b[0]) / 2, y: (a[1] + b[1]) / 2,
              length: Math.max(1, Math.hypot(a[0] - b[0], a[1] - b[1]))};
    };
    const before = span();
    fingers.set(event.pointerId, [event.clientX, event.clientY]);
    const after = span(), box = this.canvas.getBoundingClientRect();
    this.pan(before.x - after.x, before.y - after.y);
    this.zoom(after.length / before.length, after.x - box.left,
              after.y - box.top);
  }

  listenMap() {
    const move = (event) => {
      if (event.buttons === 0) return;
      const box = this.minimap.getBoundingClientRect();
      const {scale, left, top} = this.mapFrame();
      const [width, height] = this.size();
      this.camera.x = (event.clientX - box.left - left) / scale -
          width / 2 / this.camera.scale;
      this.camera.y = (event.clientY - box.top - top) / scale -
          height / 2 / this.camera.scale;
      this.redraw();
    };
    this.minimap.addEventListener('pointerdown', move);
    this.minimap.addEventListener('pointermove', move);
  }
}
