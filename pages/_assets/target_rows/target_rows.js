// Rows of groups: share today, a target that is dragged, typed or moved by keys, a lock, the gap in words; or statements
// about shares of several attributes.
// What a move does to the others is computed here, so that nothing waits for the server while a person drags; the
// server hears all shares and locks at once on release, and says everything else.

const FLOOR = 1e-9, RESERVE = 1e-5;  // as in fairviz/points/targets.py
const SVG = 'http://www.w3.org/2000/svg';
const PAUSE = 90;  // ms without a further key until the server hears of a move

const el = (tag, attributes = {}, ...children) => {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== null) made.setAttribute(name, value);
  made.append(...children);
  return made;
};
const mark = (tag, attributes) => {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
};

// Shares as whole percents that sum to 100: the largest remainders are rounded up.
const percents = weights => {
  const exact = weights.map(weight => 100 * weight), whole = exact.map(Math.floor);
  const order = weights.map((_, i) => i).sort((a, b) => (exact[b] - whole[b]) - (exact[a] - whole[a]) || a - b);
  const short = 100 - whole.reduce((a, b) => a + b, 0);
  order.slice(0, short).forEach(i => { whole[i] += 1; });
  return whole;
};

// Shares after one is set: the unlocked others take the rest in proportion.
const moved = (weights, group, share, locked) => {
  const others = weights.map((_, i) => i).filter(i => i !== group && !locked.has(i));
  const held = [...locked].filter(i => i !== group).reduce((sum, i) => sum + weights[i], 0);
  const own = Math.max(Math.min(share, 1 - held), 0);
  const basis = others.map(i => Math.max(weights[i], FLOOR)), sum = basis.reduce((a, b) => a + b, 0);
  const after = [...weights];
  after[group] = own;
  others.forEach((i, at) => { after[i] = basis[at] / sum * Math.max(1 - held - own, RESERVE); });
  return after;
};

// A lock beside a number: a drawing that a box of its own ticks.
const lockBox = name => {
  const lock = el('input', {type: 'checkbox', 'aria-label': `Lock ${name}`});
  const shackle = mark('svg', {viewBox: '0 0 24 24', 'aria-hidden': 'true'});
  shackle.append(mark('path', {class: 'shackle', d: 'M8 11V7a4 4 0 0 1 8 0v4'}),
    mark('rect', {x: 5, y: 11, width: 14, height: 9, rx: 1.5}));
  return [lock, el('label', {}, lock, shackle)];
};

// Where a key moves a share of whole percents to, null for a key that moves none.
const moveByKey = (event, now, least, most) => {
  if (event.altKey || event.ctrlKey || event.metaKey) return null;
  const step = event.shiftKey ? 5 : 1, slides = event.target.type === 'range';
  if (event.key === 'ArrowUp' || (event.key === 'ArrowRight' && slides)) return now + step;
  if (event.key === 'ArrowDown' || (event.key === 'ArrowLeft' && slides)) return now - step;
  return event.key === 'Home' ? least : event.key === 'End' ? most : null;
};

class Rows {
  constructor(host) {
    this.host = host;
    this.box = host.appendChild(el('div', {class: 'fv-targets'}));
    this.rows = [];
    this.shape = this.revision = '';
  }

  // What the server says: drawn anew where the groups are others, else brought up to date under the hand.
  take(data, send) {
    this.data = data;
    this.send = send;
    const shape = JSON.stringify([data.rows.map(row => [row.group, row.name]), data.drags, data.locks, data.last]);
    if (this.revision !== data.revision) {
      clearTimeout(this.later);
      this.revision = data.revision;
      this.weights = data.weights;
      this.locked = new Set(data.locked);
    }
    if (shape !== this.shape) {
      this.shape = shape;
      this.build();
    }
    this.draw();
  }

  get room() {
    const whole = percents(this.weights);
    return group => 100 - [...this.locked].filter(i => i !== group).reduce((sum, i) => sum + whole[i], 0);
  }

  isFree(group) {
    return !this.locked.has(group) && this.weights.length - this.locked.size > 1;
  }

  build() {
    const {data} = this, many = !data.drags;
    this.box.replaceChildren();
    this.box.classList.toggle('fv-many', many);
    const key = el('ul', {class: 'fv-target-key'}, ...data.key.map(([kind, words]) => {
      const drawn = mark('svg', {class: `fv-key-${kind}`, 'aria-hidden': 'true'});
      if (kind === 'share') {
        drawn.append(mark('line', {x1: 0, x2: '100%', y1: 8, y2: 8, class: 'bar'}),
          mark('circle', {cx: '50%', cy: 8, r: 5, class: 'dot'}));
      } else if (kind === 'target') drawn.append(mark('path', {d: 'M8 2V16M4 3H12V7H4Z', class: 'tick'}));
      else if (kind === 'reach') drawn.append(mark('path', {d: 'M8 4L13 13H3Z', class: 'reach'}));
      else for (const [i, tone] of ['over', 'under', 'even'].entries())
        drawn.append(mark('circle', {cx: 7 + 17 * i, cy: 8, r: 5, class: `dot fv-${tone}`}));
      return el('li', {}, drawn, words);
    }));
    const head = el('div', {class: 'fv-target-head'}, key);
    if (many) {
      const find = el('input', {type: 'search', placeholder: 'Find a group', 'aria-label': 'Find a group'});
      find.addEventListener('input', () => this.find(find.value));
      head.append(find);
    }
    const heading = (name, words) => el('div', {role: 'columnheader', class: `fv-${name}`}, words);
    this.axis = el('div', {role: 'columnheader', class: 'fv-plot'},
      el('span', {class: 'fv-unseen'}, 'Share today with its 95 % interval, and the target'), el('div', {class: 'fv-axis'}));
    const first = el('div', {role: 'row', class: 'fv-target-row fv-target-top'}, heading('name', 'Group'),
      heading('today', 'today'), this.axis, heading('target', 'target'),
      ...(data.locks ? [heading('lock', 'lock')] : []), heading('gap', data.last));
    this.rows = data.rows.map(row => this.buildRow(row));
    this.foot = el('div', {class: 'fv-target-foot'}, el('span', {class: 'fv-name'}), el('span', {class: 'fv-today'}),
      el('span', {class: 'fv-plot'}), el('span', {class: 'fv-target'}), el('span', {class: 'fv-gap'}));
    const table = el('div', {role: 'table', 'aria-label': data.label, class: 'fv-target-table'}, first,
      ...this.rows.map(row => row.line));
    this.box.append(head, table, this.foot);
  }

  buildRow(row) {
    const {data} = this, {group, name} = row;
    const svg = mark('svg', {'aria-hidden': 'true'});
    const today = el('div', {role: 'cell', class: 'fv-today'}), gap = el('div', {role: 'cell', class: 'fv-gap'});
    const plot = el('div', {role: 'cell', class: 'fv-plot'}, svg);
    const seen = el('span', {class: 'fv-unseen'});
    plot.append(seen);
    let slide = null;
    if (data.drags) {
      slide = el('input', {type: 'range', min: 0, max: 100, step: 1, 'aria-label': `Target of ${name}`});
      slide.addEventListener('input', () => this.move(group, Number(slide.value)));
      slide.addEventListener('change', () => this.release(group));
      slide.addEventListener('keydown', event => this.key(event, group));
      plot.append(el('div', {class: 'fv-slide'}, slide));
    }
    const box = el('input', {type: 'number', min: 0, max: 100, step: 1, inputmode: 'numeric',
      'aria-label': `Target of ${name} in percent`});
    box.addEventListener('change', () => {
      const typed = Math.round(Number(box.value));
      if (box.value !== '' && Number.isFinite(typed)) this.move(group, typed);
      this.draw();
      this.release(group);
    });
    box.addEventListener('keydown', event => this.key(event, group));
    const step = (by, sign, words) => {
      const button = el('button', {type: 'button', 'aria-label': `${words} the target of ${name}`}, sign);
      button.addEventListener('click', () => {
        this.move(group, percents(this.weights)[group] + by);
        this.release(group);
      });
      return button;
    };
    const steps = data.drags ? [step(-1, '−', 'Lower'), step(1, '+', 'Raise')] : [];
    const number = el('span', {class: 'fv-number'}, ...steps.slice(0, 1), box,
      el('span', {class: 'fv-percent', 'aria-hidden': 'true'}, '%'), ...steps.slice(1));
    const target = el('div', {role: 'cell', class: 'fv-target'}, number);
    const cells = [today, plot, target];
    let lock = null;
    if (data.locks) {
      const [box, label] = lockBox(name);
      lock = box;
      lock.addEventListener('change', () => {
        if (lock.checked) {
          this.weights = moved(this.weights, group, percents(this.weights)[group] / 100,
            new Set([...this.locked].filter(i => i !== group)));
          this.locked.add(group);
        } else this.locked.delete(group);
        this.draw();
        this.release(group, 0);
      });
      cells.push(el('div', {role: 'cell', class: 'fv-lock'}, label));
    }
    cells.push(gap);
    const title = el('div', {role: 'rowheader', class: 'fv-name'}, el('span', {class: 'fv-swatch', 'aria-hidden': 'true'}),
      el('span', {}, name));
    const line = el('div', {role: 'row', class: 'fv-target-row'}, title, ...cells);
    return {line, title, svg, today, gap, seen, slide, box, lock, steps, number};
  }

  draw() {
    const {data} = this, whole = percents(this.weights), room = this.room;
    const place = share => `${(100 * Math.min(share / data.scale, 1.06)).toFixed(3)}%`;
    const ticks = this.axis.querySelector('.fv-axis');
    ticks.replaceChildren(...data.ticks.map(([at, words]) => el('span', {style: `left:${place(at)}`}, words)));
    data.rows.forEach((row, at) => {
      const parts = this.rows[at], {group} = row, target = whole[group], free = this.isFree(group);
      const swatch = parts.title.querySelector('.fv-swatch');
      swatch.style.background = row.hue ?? '';
      swatch.hidden = !row.hue && !row.hatched;
      swatch.classList.toggle('fv-hatched', row.hatched);
      parts.line.className = `fv-target-row fv-${row.tone}`;
      parts.line.style.setProperty('--fv-own', row.hue ?? '');
      parts.today.textContent = row.today;
      parts.gap.textContent = row.words;
      parts.seen.textContent = row.said;
      const drawn = [];
      for (const [x] of data.ticks) drawn.push(mark('line', {x1: place(x), x2: place(x), y1: 0, y2: '100%', class: 'grid'}));
      const x = place(target / 100);
      if (row.share !== null) {
        const seen = place(row.share);
        drawn.push(mark('line', {x1: x, x2: seen, y1: '50%', y2: '50%', class: 'gap'}));
        if (row.low !== null)
          drawn.push(mark('line', {x1: place(row.low), x2: place(row.high), y1: '50%', y2: '50%', class: 'bar'}));
        drawn.push(mark('circle', {cx: seen, cy: '50%', r: data.drags ? 6.5 : 5, class: 'dot'}));
      }
      const holder = mark('svg', {x, y: 0, overflow: 'visible', class: 'target'});
      const height = data.drags ? 40 : 24;
      holder.append(mark('path', {d: `M0 4V${height - 8}`, class: 'stem'}),
        data.drags ? mark('rect', {x: -6, y: 3, width: 12, height: 9, rx: 2, class: 'grip'})
          : mark('rect', {x: -4, y: 2, width: 8, height: 4, rx: 1, class: 'grip'}));
      if (data.drags) for (const dx of [-1.7, 1.7]) holder.append(mark('path', {d: `M${dx} 5.2V9.8`, class: 'groove'}));
      drawn.push(holder);
      if (row.reach !== null) {
        const foot = mark('svg', {x: place(row.reach), y: 0, overflow: 'visible'});
        foot.append(mark('path', {d: `M0 ${height - 9}L5 ${height - 1}H-5Z`, class: 'reach'}));
        drawn.push(foot);
      }
      parts.svg.replaceChildren(...drawn);
      if (parts.slide) {
        parts.slide.style.setProperty('--fv-whole', (1 / data.scale).toFixed(5));
        if (Number(parts.slide.value) !== target) parts.slide.value = target;
        parts.slide.setAttribute('aria-valuetext', `${target} %${row.spoken ? `, ${row.spoken}` : ''}`);
        parts.slide.disabled = !free;
      }
      if (parts.box !== document.activeElement || Number(parts.box.value) !== target) parts.box.value = target;
      parts.box.max = room(group);
      parts.box.disabled = !free;
      parts.number.classList.toggle('fv-off', !free);
      parts.steps.forEach(button => { button.disabled = !free; });
      if (parts.lock) {
        parts.lock.checked = this.locked.has(group);
        parts.lock.disabled = !free && !this.locked.has(group);
      }
    });
    const [name, today, plot, sum, gap] = this.foot.children;
    name.textContent = '';
    today.textContent = data.foot.today;
    plot.textContent = data.foot.plot;
    sum.textContent = 'sum 100 %';
    gap.textContent = data.foot.gap;
  }

  key(event, group) {
    const to = moveByKey(event, percents(this.weights)[group], 0, this.room(group));
    if (to === null) return;
    event.preventDefault();
    this.move(group, to);
    this.release(group);
  }

  move(group, percent) {
    if (!this.isFree(group)) return;
    this.weights = moved(this.weights, group, Math.max(0, Math.min(percent, this.room(group))) / 100, this.locked);
    this.draw();
  }

  // All of it as one state, when the hand rests; the server knows by the revision what it was made from.
  release(group, pause = PAUSE) {
    clearTimeout(this.later);
    this.later = setTimeout(() => this.send({
      revision: this.revision, weights: this.weights, locked: [...this.locked].sort((a, b) => a - b), moved: group,
    }), pause);
  }

  find(text) {
    const wanted = text.trim().toLowerCase();
    this.data.rows.forEach((row, at) => { this.rows[at].line.hidden = !row.name.toLowerCase().includes(wanted); });
  }
}

// Statements about shares: exactly, at least, at most, between or free, for groups of several attributes.
// An edge that is dragged stops where the others of its attribute leave no room; where all shares of an attribute are
// exact and sum to 100, the unlocked others make room instead.

const KINDS = {free: 'free', least: 'at least', most: 'at most', between: 'between', exact: 'exactly'};
const LETTERS = {f: 'free', l: 'least', m: 'most', b: 'between', e: 'exact'};
const AROUND = 5;  // percents on either side of today's share where a range begins

class Statements {
  constructor(host) {
    this.box = host.appendChild(el('div', {class: 'fv-targets fv-stated'}));
    this.shape = this.revision = '';
  }

  take(data, send) {
    this.data = data;
    this.send = send;
    if (this.revision !== data.revision) {
      clearTimeout(this.later);
      this.revision = data.revision;
      this.low = data.rows.map(row => row.low);
      this.high = data.rows.map(row => row.high);
      this.kinds = this.low.map((low, at) => this.kindOf(low, this.high[at]));
      this.locked = new Set(data.locked);
    }
    const shape = JSON.stringify(data.rows.map(row => [row.attribute, row.name]));
    if (shape !== this.shape) {
      this.shape = shape;
      this.build();
    }
    this.draw();
  }

  kindOf(low, high) {
    if (low === high) return 'exact';
    return low > 0 ? (high < 1 ? 'between' : 'least') : high < 1 ? 'most' : 'free';
  }

  others(at) {
    const own = this.data.rows[at].attribute;
    return this.data.rows.map((_, i) => i).filter(i => i !== at && this.data.rows[i].attribute === own);
  }

  // Whether all shares of an attribute are exact, so that one that is moved takes from the others.
  isTarget(at) {
    const own = [at, ...this.others(at)];
    return own.length > 1 && own.every(i => this.kinds[i] === 'exact') &&
      Math.abs(own.reduce((sum, i) => sum + this.low[i], 0) - 1) < 1e-6;
  }

  // The least and the largest percent that an edge can be moved to.
  room(at, end) {
    const others = this.others(at), sum = ends => 100 * others.reduce((all, i) => all + ends[i], 0);
    if (this.isTarget(at))
      return [0, 100 - 100 * others.filter(i => this.locked.has(i)).reduce((all, i) => all + this.low[i], 0)];
    const most = Math.floor(100 - sum(this.low) + 1e-9), least = Math.ceil(100 - sum(this.high) - 1e-9);
    if (this.kinds[at] === 'exact') return [Math.max(0, least), Math.min(100, most)];
    if (end === 'low') return [0, Math.min(most, this.kinds[at] === 'between' ? 100 * this.high[at] : 100)];
    return [Math.max(least, this.kinds[at] === 'between' ? 100 * this.low[at] : 0), 100];
  }

  isFree(at) {
    return !this.isTarget(at) || (!this.locked.has(at) && this.others(at).some(i => !this.locked.has(i)));
  }

  build() {
    const {data} = this;
    const key = el('ul', {class: 'fv-target-key'}, ...data.key.map(([kind, words]) => {
      const drawn = mark('svg', {class: `fv-key-${kind}`, 'aria-hidden': 'true'});
      if (kind === 'allowed') drawn.append(mark('rect', {x: 4, y: 1, width: 26, height: 14, class: 'allowed'}),
        mark('path', {d: 'M9 1H4V15H9', class: 'bracket'}));
      else drawn.append(mark('circle', {cx: 8, cy: 8, r: 5, class: kind === 'ring' ? 'ring' : 'dot'}));
      return el('li', {}, drawn, words);
    }));
    const heading = (name, words) => el('div', {role: 'columnheader', class: `fv-${name}`}, words);
    this.axis = el('div', {role: 'columnheader', class: 'fv-plot'}, el('span', {class: 'fv-unseen'}, 'Share of attention'),
      el('div', {class: 'fv-axis'}));
    const first = el('div', {role: 'row', class: 'fv-target-row fv-target-top'}, heading('name', data.attributes[0] ?? ''),
      heading('target', 'you ask for'), heading('today', 'today'), this.axis, heading('after', 'after'),
      heading('mark', el('span', {class: 'fv-unseen'}, 'certainty')), heading('next', 'next point'));
    this.rows = data.rows.map((row, at) => this.buildRow(row, at));
    let place = 0;  // of the attribute
    const lines = this.rows.flatMap(({line}, at) => {
      if (at === 0 || data.rows[at].attribute === data.rows[at - 1].attribute) return [line];
      const words = el('div', {role: 'cell', class: 'fv-name'}, data.attributes[++place]);
      return [el('div', {role: 'row', class: 'fv-attribute'}, words), line];
    });
    this.box.replaceChildren(el('div', {class: 'fv-target-head'}, key),
      el('div', {role: 'table', 'aria-label': data.label, class: 'fv-target-table'}, first, ...lines));
  }

  buildRow(row, at) {
    const {name} = row, svg = mark('svg', {'aria-hidden': 'true'});
    const plot = el('div', {role: 'cell', class: 'fv-plot'}, svg), parts = {svg, slides: {}, boxes: {}};
    const listen = (input, end) => {
      input.addEventListener('keydown', event => this.key(event, at, end));
      input.addEventListener('change', () => this.release(at));
    };
    const ends = el('span', {class: 'fv-number'});
    for (const [end, words] of [['low', 'Least share'], ['high', 'Largest share']]) {
      const slide = el('input', {type: 'range', min: 0, max: 100, step: 1, 'aria-label': `${words} of ${name}`, tabindex: -1});
      slide.addEventListener('input', () => this.move(at, end, Number(slide.value)));
      listen(slide, end);
      plot.append(el('div', {class: 'fv-slide'}, slide));
      const box = el('input', {type: 'number', min: 0, max: 100, step: 1, inputmode: 'numeric',
        'aria-label': `${words} of ${name} in percent`});
      box.addEventListener('change', () => {
        const typed = Math.round(Number(box.value));
        if (box.value !== '' && Number.isFinite(typed)) this.move(at, end, typed);
        this.draw();
      });
      listen(box, end);
      ends.append(box);
      parts.slides[end] = slide;
      parts.boxes[end] = box;
    }
    ends.append(el('span', {class: 'fv-percent', 'aria-hidden': 'true'}, '%'));
    const kind = el('select', {'aria-label': `Statement about ${name}`},
      ...Object.entries(KINDS).map(([value, words]) => el('option', {value}, words)));
    kind.addEventListener('change', () => this.choose(at, kind.value));
    kind.addEventListener('keydown', event => {
      if (LETTERS[event.key.toLowerCase()] && !event.ctrlKey && !event.metaKey && !event.altKey) {
        event.preventDefault();
        this.choose(at, LETTERS[event.key.toLowerCase()]);
      }
    });
    const [lock, label] = lockBox(name);
    lock.addEventListener('change', () => {
      this.locked[lock.checked ? 'add' : 'delete'](at);
      this.draw();
      this.release(at, 0);
    });
    const locks = el('span', {class: 'fv-lock'}, label);
    const cell = (role, kind, ...children) => el('div', {role, class: `fv-${kind}`}, ...children);
    const title = cell('rowheader', 'name', el('span', {class: 'fv-swatch', 'aria-hidden': 'true'}), el('span', {}, name));
    const texts = ['today', 'after', 'mark', 'next'].map(name => cell('cell', name));
    const line = el('div', {role: 'row', class: 'fv-target-row'}, title, cell('cell', 'target', kind, ends, locks), texts[0],
      plot, ...texts.slice(1));
    return {...parts, line, title, kind, ends, lock, locks, texts};
  }

  draw() {
    const {data} = this, place = share => `${(100 * Math.min(share / data.scale, 1.04)).toFixed(3)}%`;
    this.axis.querySelector('.fv-axis').replaceChildren(
      ...data.ticks.map(([x, words]) => el('span', {style: `left:${place(x)}`}, words)));
    data.rows.forEach((row, at) => {
      const parts = this.rows[at], kind = this.kinds[at], target = this.isTarget(at), free = this.isFree(at);
      const used = {low: kind !== 'free' && kind !== 'most', high: kind === 'most' || kind === 'between'};
      const own = [at, ...this.others(at)].sort((a, b) => a - b);
      const whole = target ? percents(own.map(i => this.low[i]))[own.indexOf(at)] : Math.round(100 * this.low[at]);
      const shown = {low: whole, high: Math.round(100 * this.high[at])};
      const swatch = parts.title.querySelector('.fv-swatch');
      swatch.style.background = row.hue ?? '';
      swatch.hidden = !row.hue && !row.hatched;
      swatch.classList.toggle('fv-hatched', row.hatched);
      parts.line.style.setProperty('--fv-own', row.hue ?? '');
      parts.kind.value = kind;
      parts.ends.hidden = kind === 'free';
      parts.locks.hidden = !target || own.length < 3;
      parts.lock.checked = this.locked.has(at);
      parts.lock.disabled = !free && !this.locked.has(at);
      [row.today, row.after, row.mark, row.next].forEach((words, i) => { parts.texts[i].textContent = words; });
      parts.texts[2].className = `fv-mark fv-mark-${row.mark.replaceAll(' ', '-')}`;
      for (const end of ['low', 'high']) {
        const [slide, box] = [parts.slides[end], parts.boxes[end]];
        slide.parentElement.hidden = box.hidden = !used[end];
        slide.disabled = box.disabled = !free;
        slide.style.setProperty('--fv-whole', (1 / data.scale).toFixed(5));
        if (Number(slide.value) !== shown[end]) slide.value = shown[end];
        slide.setAttribute('aria-valuetext', `${shown[end]} %, ${row.spoken}`);
        if (box !== document.activeElement || Number(box.value) !== shown[end]) box.value = shown[end];
      }
      parts.svg.replaceChildren(...this.drawn(row, kind, at, place));
    });
  }

  drawn(row, kind, at, place) {
    const drawn = this.data.ticks.map(([x]) => mark('line', {x1: place(x), x2: place(x), y1: 0, y2: '100%', class: 'grid'}));
    const [low, high] = [this.low[at], this.high[at]], [x, end] = [place(low), place(Math.min(high, this.data.scale))];
    if (kind !== 'free' && kind !== 'exact')
      drawn.push(mark('rect', {x, width: `${Math.max(parseFloat(end) - parseFloat(x), 0)}%`, y: 12, height: 16, class: 'allowed'}));
    if (row.share !== null && row.reach !== null)
      drawn.push(mark('line', {x1: place(row.share), x2: place(row.reach), y1: 20, y2: 20, class: 'way'}));
    for (const [share, name] of [[row.share, 'ring'], [row.reach, 'dot']])
      if (share !== null) drawn.push(mark('circle', {cx: place(share), cy: 20, r: 5.5, class: name}));
    const edge = (x, path) => {
      const holder = mark('svg', {x, y: 0, overflow: 'visible'});
      holder.append(mark('path', {d: path, class: 'bracket'}));
      drawn.push(holder);
    };
    if (kind === 'exact') edge(x, 'M0 5V35M-4 5H4M-4 35H4');
    if (kind === 'least' || kind === 'between') edge(x, 'M5 6H0V34H5');
    if (kind === 'most' || kind === 'between') edge(end, 'M-5 6H0V34H-5');
    return drawn;
  }

  key(event, at, end) {
    const now = Math.round(100 * this[end][at]), [least, most] = this.room(at, end);
    const today = this.data.rows[at].share, start = today === null ? least : Math.round(100 * today);
    const to = moveByKey(event, now, start, end === 'low' ? most : 100);
    if (to === null) return;
    event.preventDefault();
    this.move(at, end, to);
    this.release(at);
  }

  choose(at, kind) {
    const now = Math.round(100 * (this.data.rows[at].share ?? 0));
    this.kinds[at] = kind;
    this.low[at] = 0;
    this.high[at] = 1;
    if (kind === 'between') this.high[at] = Math.min(now + AROUND, 100) / 100;
    if (kind === 'most' || kind === 'between') this.move(at, 'high', kind === 'most' ? now : now + AROUND);
    if (kind === 'least' || kind === 'exact' || kind === 'between') this.move(at, 'low', kind === 'between' ? now - AROUND : now);
    this.draw();
    this.release(at, 0);
  }

  move(at, end, percent) {
    if (!this.isFree(at)) return;
    const [least, most] = this.room(at, end), to = Math.max(least, Math.min(percent, most)) / 100;
    if (this.isTarget(at)) {
      const own = [at, ...this.others(at)], places = new Set([...this.locked].map(i => own.indexOf(i)).filter(i => i > 0));
      const after = moved(own.map(i => this.low[i]), 0, to, places);
      own.forEach((i, place) => { this.low[i] = this.high[i] = after[place]; });
    } else {
      this[end][at] = to;
      if (this.kinds[at] === 'exact') this.low[at] = this.high[at] = to;
    }
    this.draw();
  }

  release(at, pause = PAUSE) {
    clearTimeout(this.later);
    this.later = setTimeout(() => this.send({revision: this.revision, low: this.low, high: this.high,
      locked: [...this.locked].sort((a, b) => a - b), moved: at}), pause);
  }
}

export default ({parentElement, data, setStateValue}) => {
  parentElement.fvRows ??= new (data.attributes ? Statements : Rows)(parentElement);
  parentElement.fvRows.take(data, state => setStateValue('target', state));
};
