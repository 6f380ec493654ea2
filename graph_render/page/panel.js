// What is told about the selected instruction, and lists of hits. Everything is
// set as text, never as markup.

function make(tag, text, className) {
  const element = document.createElement(tag);
  if (text !== undefined) element.textContent = text;
  if (className) element.className = className;
  return element;
}

// A link that keys reach, too.
function makeLink(text, action) {
  const link = make('button', text, 'link');
  link.type = 'button';
  link.addEventListener('click', action);
  return link;
}

// "name=value" pieces behind the operands of an instruction's text, cut at
// commas outside of brackets and quotes.
function attributesOf(text) {
  const pieces = [];
  let depth = 0, quoted = false, begin = -1;
  const open = text.indexOf('(', text.indexOf(' = ') + 3);
  // Skips a tuple's shape in front of the opcode.
  let start = open;
  if (start === text.indexOf(' = ') + 3) start = closing(text, start) + 1;
  start = text.indexOf('(', start);
  const end = start < 0 ? -1 : closing(text, start);
  if (end < 0) return pieces;
  for (let i = end + 1; i <= text.length; ++i) {
    const c = text[i];
    if (quoted) {
      if (c === '\\') ++i;
      else if (c === '"') quoted = false;
      continue;
    }
    if (c === '"') quoted = true;
    else if (c === '{' || c === '(' || c === '[') ++depth;
    else if (c === '}' || c === ')' || c === ']') --depth;
    else if (i === text.length || (c === ',' && depth === 0)) {
      if (begin >= 0) pieces.push(text.slice(begin, i).trim());
      begin = i + 1;
    }
  }
  return pieces.filter((p) => p).map((p) => {
    const at = p.indexOf('=');
    return at < 0 ? [p, ''] : [p.slice(0, at), p.slice(at + 1)];
  });
}

function closing(text, open) {
  let depth = 0;
  for (let i = open; i < text.length; ++i) {
    if (text[i] === '"') {
      for (++i; i < text.length && text[i] !== '"'; ++i) {
        if (text[i] === '\\') ++i;
      }
    } else if (text[i] === '(') ++depth;
    else if (text[i] === ')' && --depth === 0) return i;
  }
  return -1;
}

const LIST_LIMIT = 200;

class Panel {
  constructor(element, app) {
    this.element = element;
    this.app = app;
  }

  clear() { this.element.replaceChildren(); }

  link(stage, i) {
    const item = make('li');
    const link = makeLink(stage.nameOf(i), () => this.app.select(i, true));
    item.append(link, make('span', '  ' + stage.pool[stage.subtitle[i]],
                           'dim'));
    return item;
  }

  section(title, items) {
    this.element.append(make('h3', title));
    const list = make('ul');
    items.slice(0, LIST_LIMIT).forEach((item) => list.append(item));
    if (items.length > LIST_LIMIT) {
      list.append(make('li', '... ' + (items.length - LIST_LIMIT) + ' more',
                       'dim'));
    }
    this.element.append(list);
  }

  row(table, key, value) {
    if (!value) return;
    const row = make('tr');
    row.append(make('td', key), make('td', value));
    table.append(row);
  }

  async showInstruction(stage, i) {
    this.clear();
    this.shown = i;
    const pool = stage.pool;
    this.element.append(make('h2', stage.nameOf(i)));
    const table = make('table');
    this.row(table, 'opcode', pool[stage.op[i]]);
    this.row(table, 'shape', pool[stage.shape[i]]);
    this.row(table, 'computation',
             stage.computations[stage.computationOf[i]].name);
    this.row(table, 'op_name', pool[stage.opName[i]]);
    this.row(table, 'source', pool[stage.source[i]]);
    for (const overlay of this.app.overlays) {
      const value = overlay.values.get(stage.name[i]);
      if (value !== undefined) {
        this.row(table, overlay.title, value + ' ' + overlay.unit);
      }
    }
    if (stage.change && stage.change[i]) {
      this.row(table, 'change', this.app.changeText(stage.change[i]));
    }
    this.element.append(table);
    this.showNeighbours(stage, i);
    const text = (await this.app.texts())[stage.text[i]];
    if (this.shown !== i) return;
    this.showText(table, text);
  }

  showNeighbours(stage, i) {
    const operands = Array.from(stage.operands.of(i), (o) =>
        o >= 0 ? this.link(stage, o) : make('li', 'not shown here', 'dim'));
    const users = Array.from(stage.users.of(i), (u) => this.link(stage, u));
    if (operands.length) this.section('operands', operands);
    this.section('users', users.length ? users : [make('li', 'none', 'dim')]);
    const controls = Array.from(stage.controls.of(i)).filter((o) => o >= 0)
        .map((o) => this.link(stage, o));
    if (controls.length) this.section('control predecessors', controls);
    const calls = Array.from(stage.calls.of(i), (c) => {
      const item = make('li');
      const link = makeLink(stage.computations[c].name,
                            () => this.app.setRoot(c));
      item.append(link, make('span', '  ' + stage.computations[c].count +
                             ' instructions', 'dim'));
      return item;
    });
    if (calls.length) this.section('calls', calls);
  }

  showText(table, text) {
    for (const [key, value] of attributesOf(text)) {
      if (key !== 'metadata') this.row(table, key, value || 'yes');
    }
    this.element.append(make('h3', 'text'), make('pre', text));
  }

  showHits(stage, hits, query) {
    this.clear();
    this.shown = -1;
    this.element.append(make('h2', hits.length + ' found'));
    if (hits.length === 0) return;
    this.section(query, hits.slice(0, LIST_LIMIT + 1)
        .map((i) => this.link(stage, i)));
  }

  showBox(stage, box) {
    this.clear();
    this.shown = -1;
    this.element.append(make('h2', stage.pool[stage.boxes[box].name]));
    const table = make('table');
    this.row(table, 'scope', stage.pool[stage.boxes[box].name]);
    this.row(table, 'instructions', String(stage.boxes[box].count));
    this.element.append(table);
  }

  showStage(stage) {
    this.clear();
    this.shown = -1;
    this.element.append(make('h2', this.app.head.title));
    const table = make('table');
    this.row(table, 'instructions', String(stage.count));
    this.row(table, 'computations', String(stage.computations.length));
    this.element.append(table);
    const opcodes = new Map();
    for (let i = 0; i < stage.count; ++i) {
      opcodes.set(stage.op[i], (opcodes.get(stage.op[i]) || 0) + 1);
    }
    this.section('opcodes', Array.from(opcodes).sort((a, b) => b[1] - a[1])
        .map(([op, count]) => {
          const item = make('li');
          const link = makeLink(stage.pool[op], () =>
              this.app.searchFor('op:' + stage.pool[op]));
          item.append(link, make('span', '  ' + count, 'dim'));
          return item;
        }));
    if (stage.removed.length) {
      this.section('removed since the step before', stage.removed.map((name) =>
          make('li', stage.pool[name], 'gone')));
    }
  }

  showHelp() {
    this.clear();
    this.shown = -1;
    this.element.append(make('h2', 'Keys and mouse'));
    const table = make('table');
    for (const [key, what] of [
      ['/', 'search'], ['n  p', 'next, previous hit'],
      ['Enter', 'open or close the selected box'],
      ['o  u', 'go to the first operand, user'],
      ['e  c', 'open boxes of this level, close all'],
      ['j  k', 'next, previous step'],
      ['m  M', 'next, previous change of this step'], ['b', 'the step before beside'],
      ['f', 'long pictures in columns, or in one'],
      ['l', 'edges that go far, or only their ends'],
      ['arrows', 'move'], ['+  -', 'nearer, farther'], ['0', 'everything'],
      ['d', 'light or dark'], ['Esc', 'nothing selected'], ['?', 'this list'],
      ['click', 'details'], ['double click', 'open or close a box'],
      ['wheel, pinch', 'nearer, farther']]) {
      this.row(table, key, what);
    }
    this.element.append(table);
  }
}
