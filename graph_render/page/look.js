// Colours: by opcode, by what changed, or by the numbers of an overlay.

class Look {
  constructor(head) {
    this.fills = head.fills.map(([name, fill, stroke, text]) =>
        ({name, fill, stroke, text}));
    this.heat = head.heat;
    this.overlay = null;
    this.changes = false;
    this.setDark(false);
  }

  setDark(dark) {
    this.dark = dark;
    this.known = new Map();
    const pick = (light, night) => dark ? night : light;
    this.ground = pick('#ffffff', '#1b1c1f');
    this.inside = pick('#f7f8fa', '#232529');
    this.edge = pick('#80868b', '#8a9097');
    this.dim = pick('#5f6368', '#9aa0a6');
    this.incoming = pick('#1976d2', '#64b5f6');
    this.outgoing = pick('#d32f2f', '#ff6e6e');
    this.hit = pick('#f9a825', '#ffd54f');
    this.scope = {fill: pick('#e8eef7', '#2f3b4c'),
                  stroke: pick('#8fa6c6', '#5d7698'),
                  text: pick('#1a2b45', '#dbe7f7'), width: 1.5};
    // Strong colours of the table stay; white would glare at night.
    this.shown = this.fills.map((f) => !dark ? f :
        f.fill === '#ffffff' ? {fill: '#303236', stroke: '#5f6368',
                                text: '#e8eaed', name: f.name} :
        f);
  }

  // Pale boxes are told from the ground by their outline; where they are too
  // small to have one they are drawn darker (brighter at night).
  fromAfar(fill) {
    const pale = ['#ffffff', '#eceff1', '#303236', '#e8eef7', '#2f3b4c'];
    return !pale.includes(fill) ? fill : this.dark ? '#6b7178' : '#b4bac1';
  }

  // values: Map(pool number of a name -> value).
  setOverlay(overlay) {
    this.overlay = overlay;
    this.known = new Map();
    if (!overlay) return;
    overlay.max = 0;
    overlay.sum = 0;
    for (const value of overlay.values.values()) {
      const size = Math.abs(value);
      if (!Number.isFinite(size)) continue;
      overlay.max = Math.max(overlay.max, size);
      overlay.sum += size;
    }
  }

  // Of instructions beside the largest one, of boxes beside the sum of all.
  ofValue(value, full = this.overlay.max) {
    if (!Number.isFinite(value)) {
      return {fill: '#6a1b9a', stroke: '#4a0072', text: '#ffffff'};
    }
    const part = full > 0 ? Math.abs(value) / full : 0;
    const step = Math.min(this.heat.length - 1,
                          Math.floor(part * this.heat.length));
    return {fill: this.heat[step], stroke: '#8c5a50',
            text: step > 6 ? '#ffffff' : '#000000'};
  }

  plain() {
    return this.dark ? {fill: '#303236', stroke: '#5f6368', text: '#e8eaed'}
                     : {fill: '#eceff1', stroke: '#9aa0a6', text: '#202124'};
  }

  ofInstruction(stage, i) {
    if (this.overlay) {
      const value = this.overlay.values.get(stage.name[i]);
      return value === undefined ? this.plain() : this.ofValue(value);
    }
    if (this.changes && stage.change) {
      const change = stage.change[i];
      const colors = {...(change & CHANGE_ADDED ? this.fills[11] :
                          change & CHANGE_CHANGED ? this.fills[12] :
                          change & CHANGE_GONE ? this.fills[10] :
                          this.plain())};
      if (change & CHANGE_GONE) {
        colors.dashed = true;
        colors.stroke = '#b71c1c';
        colors.width = 2;
      }
      return colors;
    }
    return this.shown[stage.fill[i]];
  }

  // A box is coloured by the sum of what is in it.
  ofScope(stage, box) {
    if (!this.overlay && !(this.changes && stage.change)) return this.scope;
    const key = stage.number + ' ' + box;
    if (!this.known.has(key)) this.known.set(key, this.findScope(stage, box));
    return this.known.get(key);
  }

  findScope(stage, box) {
    let most = 0, sum = 0, pending = [box];
    while (pending.length > 0) {
      for (const content of stage.boxes[pending.pop()].contents) {
        if (content < 0) pending.push(~content);
        else if (this.overlay) {
          const value = this.overlay.values.get(stage.name[content]);
          if (value !== undefined) sum += Math.abs(value);
        } else if (stage.change[content]) most = 1;
      }
    }
    if (this.overlay) {
      const colors = sum > 0 ? this.ofValue(sum, this.overlay.sum)
                             : this.plain();
      return {...colors, sum, unit: this.overlay.unit};
    }
    return most ? {...this.scope, stroke: '#b28704', width: 3} : this.scope;
  }
}
