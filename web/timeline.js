// timeline.js: what every node did with its time, drawn on a canvas; for simulated runs and traces.
//
// The cost of a picture depends on its pixels, not on the number of events: a column of pixels has
// the colours of the states in it, as high as their shares, from sums over all earlier spans.

// As in record/trace/trace.h; "dropped": computing of which the gradient was dropped before the end.
const STATES = ["computing", "handling", "communicating", "waiting", "away", "dropped"];
const S = STATES.length;
const STACK = [0, 5, 1, 2, 4, 3]; // from the bottom of a row to its top
// As they are called in texts.
const STATE_NAMES = ["computing", "handling", "communicating", "waiting", "away", "lost work"];

// The style sheet's colours, which the browser's dark mode changes.
const palette = { colours: new Map(), number: 0 };

function colour(name) {
	if (!palette.colours.has(name))
		palette.colours.set(name, getComputedStyle(document.documentElement).getPropertyValue("--" + name)
			.trim());
	return palette.colours.get(name);
}

// redraw(): called after the colours have changed.
function watchColours(redraw) {
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
		palette.colours.clear();
		palette.number++;
		redraw();
	});
}

// "#rrggbb" as a pixel of an ImageData.
function pixelOf(text) {
	const x = parseInt(text.slice(1), 16);
	return (0xff000000 | (x & 0xff) << 16 | (x & 0xff00) | x >> 16) >>> 0;
}

function bytesText(n) {
	const power = n > 0 ? Math.min(4, Math.max(0, Math.floor(Math.log10(n) / 3))) : 0;
	return `${Number((n / 1000 ** power).toPrecision(3))} ${["bytes", "kB", "MB", "GB", "TB"][power]}`;
}

// Seconds with a unit of which there is at least one, in up to `digits` digits.
function secondsText(s, digits = 4) {
	const size = Math.abs(s);
	const [factor, unit] = size >= 1 || size === 0 ? [1, "s"] : size >= 1e-3 ? [1e3, "ms"] :
		size >= 1e-6 ? [1e6, "\u00b5s"] : [1e9, "ns"];
	return `${Number((s * factor).toPrecision(digits))} ${unit}`;
}

function percentText(share) {
	return share > 0 && share < 0.0005 ? "< 0.1 %" :
		`${Number((100 * share).toFixed(share < 0.0995 || share >= 0.995 ? 1 : 0))} %`;
}

function largest(numbers) {
	let most = 0;
	for (let k = 1; k < numbers.length; k++)
		if (numbers[k] > numbers[most])
			most = k;
	return most;
}

// A context whose units are CSS pixels. left, bottom: what is kept of an earlier picture.
function prepareCanvas(canvas, width, height, left = 0, bottom = 0) {
	const ratio = window.devicePixelRatio || 1;
	const w = Math.round(width * ratio), h = Math.round(height * ratio);
	if (canvas.width !== w || canvas.height !== h) {
		canvas.width = w;
		canvas.height = h;
	}
	// In the processor's memory: every frame is made of pixels that are computed there.
	const c = canvas.getContext("2d", { willReadFrequently: true });
	c.setTransform(ratio, 0, 0, ratio, 0, 0);
	c.clearRect(left, 0, width, height - bottom);
	c.clearRect(0, height - bottom, width, bottom);
	c.font = "12px system-ui, sans-serif";
	canvas.style.background = colour("ground"); // of the colours drawn on it, on paper too
	return c;
}

// Ticks and times below a picture, which ends 18 pixels above y: at multiples of 1, 2 or 5 times a
// power of ten, far enough apart. x(time): CSS pixels.
function drawTimes(c, from, to, x, y, width, narrow) {
	const wide = (x(to) - x(from)) / (narrow ? 72 : 96), raw = (to - from) / Math.max(1, wide);
	const power = 10 ** Math.floor(Math.log10(raw));
	const step = power * [1, 2, 5, 10].find((k) => k * power >= raw * 0.9999);
	const [factor, unit] = to >= 1 ? [1, "s"] : to >= 1e-3 ? [1e3, "ms"] : [1e6, "\u00b5s"];
	const places = Math.min(12, Math.max(0, -Math.floor(Math.log10(step * factor) + 1e-9)));
	c.fillStyle = colour("text");
	for (let k = Math.ceil(from / step - 1e-6); k * step <= to * (1 + 1e-12); k++) {
		const at = x(k * step), text = `${(k * step * factor).toFixed(places)} ${unit}`;
		const half = c.measureText(text).width / 2;
		c.fillRect(at, y - 17, 1, 4);
		if (at - half > 0) // the last one is moved into the picture
			c.fillText(text, Math.min(at - half, width - 2 * half), y - 3);
	}
}

// The spans of all nodes. Node k has two lanes: 2k, what it does, and 2k + 1, what it does while it
// computes.
class Spans {
	// first: [2 nodes + 1] the first span of each lane; at: begin and end of each span [s], in turn,
	// by time within a lane, without overlaps; state: [n] index in STATES.
	constructor(first, at, state) {
		const n = state.length, sums = new Float64Array((n + 1) * S);
		Object.assign(this, { first, at, state, sums, nodes: (first.length - 1) / 2, end: 0 });
		for (let i = 0; i < n; i++) {
			for (let s = 0; s < S; s++)
				sums[(i + 1) * S + s] = sums[i * S + s];
			sums[(i + 1) * S + state[i]] += at[2 * i + 1] - at[2 * i];
			this.end = Math.max(this.end, at[2 * i + 1]);
		}
	}

	// The last span of a lane that begins at `time` or before, not before span `from`; from - 1: none.
	find(lane, time, from = this.first[lane]) {
		const last = this.first[lane + 1];
		let low = from, step = 1;
		if (low + 1 < last && this.at[2 * low] <= time && this.at[2 * low + 2] > time)
			return low;
		while (low + step < last && this.at[2 * (low + step)] <= time) {
			low += step;
			step *= 2;
		}
		let high = Math.min(last, low + step);
		while (low < high) {
			const mid = (low + high) >> 1;
			if (this.at[2 * mid] <= time)
				low = mid + 1;
			else
				high = mid;
		}
		return low - 1;
	}

	// The span of a lane at that time, or -1.
	under(lane, time) {
		const i = this.find(lane, time);
		return i >= this.first[lane] && time <= this.at[2 * i + 1] ? i : -1;
	}

	// Adds sign times the seconds of each state until `time`, of which i is find(), to sum.
	until(lane, i, time, sign, sum) {
		const none = i < this.first[lane], base = (none ? this.first[lane] : i) * S;
		for (let s = 0; s < S; s++)
			sum[s] += sign * this.sums[base + s];
		if (!none)
			sum[this.state[i]] += sign * (Math.min(time, this.at[2 * i + 1]) - this.at[2 * i]);
	}

	// Seconds of each state between two times, of nodes low to high - 1.
	seconds(low, high, from, to) {
		const sum = new Float64Array(S);
		for (let node = low; node < high; node++) {
			this.until(2 * node, this.find(2 * node, to), to, 1, sum);
			this.until(2 * node, this.find(2 * node, from), from, -1, sum);
		}
		return sum;
	}
}

// Messages in order of sending.
class Messages {
	// at: sent and received [s], in turn; from, to: nodes; bytes: of each.
	constructor(at, from, to, bytes) {
		Object.assign(this, { at, from, to, bytes, n: from.length, longest: 0 });
		for (let i = 0; i < this.n; i++)
			this.longest = Math.max(this.longest, at[2 * i + 1] - at[2 * i]);
	}

	// [first, after the last] of those that may be on their way between two times.
	range(from, to) {
		const after = (time) => {
			let low = 0, high = this.n;
			while (low < high) {
				const mid = (low + high) >> 1;
				if (this.at[2 * mid] <= time)
					low = mid + 1;
				else
					high = mid;
			}
			return low;
		};
		return [after(from - this.longest * 1.000001 - 1e-300), after(to)];
	}
}

// The times that timelines show together.
class Extent {
	constructor(end) {
		this.end = end > 0 ? end : 1;
		this.set(0, this.end);
	}

	set(from, to) {
		const length = Math.min(this.end, Math.max(to - from, this.end * 1e-9));
		this.from = Math.min(Math.max(0, from), this.end - length);
		this.to = this.from + length;
	}

	// factor: of the length; about: the time that stays where it is.
	zoom(factor, about) {
		const length = Math.min(this.end, Math.max((this.to - this.from) * factor, this.end * 1e-9));
		const part = (about - this.from) / (this.to - this.from);
		this.set(about - part * length, about + (1 - part) * length);
	}

	pan(share) {
		const length = this.to - this.from, from = Math.min(Math.max(0, this.from + share * length),
			this.end - length);
		this.set(from, from + length);
	}
}

class Timeline {
	// given: {spans, messages, extent, names: [node] text, detail(i): text on a span,
	// messageText(i), size: bytes over those of the messages, tallest: most CSS pixels of the rows,
	// changed(): to be called when the extent has changed, tell(text)}.
	constructor(canvas, given) {
		Object.assign(this, { canvas, top: 0, now: Infinity, row: -1, marked: NaN, hidden: 0 }, given);
		this.pointers = new Map();
		this.colours = null;
		this.listen();
	}

	layout() {
		const rows = this.spans.nodes;
		this.width = this.canvas.clientWidth || 600;
		this.narrow = this.width < 480;
		this.left = this.narrow ? 30 : 74;
		this.each = Math.max(1, Math.min(16, Math.floor(this.tallest / rows)));
		this.shownRows = Math.min(rows, Math.floor(this.tallest / this.each));
		this.top = Math.max(0, Math.min(this.top, rows - this.shownRows));
		this.gap = this.each > 5 ? 2 : this.each > 3 ? 1 : 0;
		this.height = this.shownRows * this.each + 18;
		if (this.canvas.style.height !== this.height + "px")
			this.canvas.style.height = this.height + "px";
	}

	x(time) {
		const e = this.extent;
		return this.left + (time - e.from) / (e.to - e.from) * (this.width - this.left - 4);
	}

	timeAt(px) {
		const e = this.extent;
		return e.from + (px - this.left) / (this.width - this.left - 4) * (e.to - e.from);
	}

	y(node) {
		return (node - this.top + 0.45) * this.each;
	}

	// until: later times are not drawn yet.
	draw(until = Infinity) {
		this.now = until;
		this.layout();
		const key = [this.width, this.height, this.top, window.devicePixelRatio, palette.number].join();
		const same = key === this.drawn;
		const c = prepareCanvas(this.canvas, this.width, this.height, same ? this.left : 0, 18);
		const ratio = this.canvas.width / this.width;
		this.paintRows(c, ratio);
		this.hidden = this.each > 5 || this.spans.nodes < 3 ? this.drawMessages(c) : -1;
		if (!same)
			this.drawNames(c);
		this.drawn = key;
		this.drawTicks(c);
		if (this.spans.end < this.extent.from) {
			c.fillStyle = colour("faint");
			c.fillText(`ended at ${secondsText(this.spans.end)}`, this.left + 8, this.height / 2 - 5);
		}
		if (this.row >= this.top && this.row < this.top + this.shownRows)
			this.drawMark(c);
	}

	// All rows as pixels of the device.
	paintRows(c, ratio) {
		const columns = Math.max(1, Math.round((this.width - this.left - 4) * ratio));
		const lines = Math.max(1, Math.round(this.shownRows * this.each * ratio));
		if (!this.image || this.image.width !== columns || this.image.height !== lines) {
			this.image = c.createImageData(columns, lines);
			this.pixels = new Uint32Array(this.image.data.buffer);
			this.scratch = { stacked: new Int32Array(columns), sums: new Float64Array((columns + 1) * S),
				before: new Float64Array(S), after: new Float64Array(S) };
		}
		this.pixels.fill(0);
		this.colours = STATES.map((name) => pixelOf(colour(name)));
		for (let k = 0; k < this.shownRows; k++) {
			const node = this.top + k, y = Math.round(k * this.each * ratio);
			const height = Math.max(1, Math.min(lines - y, Math.round((this.each - this.gap) * ratio)));
			this.paintLane(2 * node, y, height, columns, false);
			if (this.each > 3)
				this.paintLane(2 * node + 1, y, Math.max(1, Math.round(height / 3)), columns, true);
		}
		c.putImageData(this.image, Math.round(this.left * ratio), 0);
	}

	// The first line of pixels is painted and copied to the others; then come columns of several
	// states, as stacks. A lane of a part of the row's height, over another, is painted line by line.
	paintLane(lane, y, height, columns, over) {
		const spans = this.spans, { from, to } = this.extent, { at, state } = spans;
		const per = (to - from) / columns, first = spans.first[lane], last = spans.first[lane + 1];
		const stop = Math.min(columns, Math.ceil((Math.min(to, this.now) - from) / per));
		const lines = over ? height : 1, { stacked, sums } = this.scratch;
		let { before, after } = this.scratch, known = -1, stacks = 0;
		if (first === last)
			return;
		let i = spans.find(lane, from);
		let column = i >= first ? 0 : Math.max(0, Math.floor((at[2 * first] - from) / per));
		while (column < stop) {
			const t0 = from + column * per, t1 = Math.min(t0 + per, this.now);
			i = spans.find(lane, t0, Math.max(i, first));
			if (i >= first && at[2 * i + 1] >= t1) {
				const after = Math.min(stop, Math.max(column + 1, Math.floor((at[2 * i + 1] - from) / per)));
				this.fill(column, after, y, lines, columns, state[i]);
				column = after;
				continue;
			}
			const j = spans.find(lane, t1, Math.max(i, first));
			if (j < first || (i === j && at[2 * i + 1] <= t0)) { // nothing up to the next span
				if (j + 1 >= last)
					break;
				column = Math.max(column + 1, Math.floor((at[2 * (j + 1)] - from) / per));
				continue;
			}
			if (known !== column) {
				before.fill(0);
				spans.until(lane, i, t0, 1, before);
			}
			after.fill(0);
			spans.until(lane, j, t1, 1, after);
			const sum = sums.subarray(stacks * S, stacks * S + S);
			for (let s = 0; s < S; s++)
				sum[s] = after[s] - before[s];
			[before, after] = [after, before];
			known = column + 1;
			if (j - i > 1 && height > 1)
				stacked[stacks++] = column;
			else
				this.fill(column, column + 1, y, lines, columns, largest(sum));
			column++;
		}
		for (let k = lines; k < height; k++)
			this.pixels.copyWithin((y + k) * columns, y * columns, (y + 1) * columns);
		for (let k = 0; k < stacks; k++) {
			this.pixels[y * columns + stacked[k]] = 0;
			this.paintStack(stacked[k], y, height, columns, sums, k * S, per);
		}
	}

	fill(from, to, y, height, columns, state) {
		const { pixels } = this, paint = this.colours[state];
		for (let line = y * columns, k = 0; k < height; k++, line += columns)
			if (to - from > 24)
				pixels.fill(paint, line + from, line + to);
			else
				for (let x = line + from; x < line + to; x++)
					pixels[x] = paint;
	}

	// sums[at ...]: seconds of each state in a column.
	paintStack(column, y, height, columns, sums, at, per) {
		const { pixels } = this;
		let upto = 0, done = 0, pixel = (y + height - 1) * columns + column;
		for (let k = 0; k < S; k++) {
			upto += sums[at + STACK[k]];
			const to = Math.min(height, Math.round(upto / per * height));
			for (; done < to; done++, pixel -= columns)
				pixels[pixel] = this.colours[STACK[k]];
		}
	}

	// Calls use(i) for each message that is drawn; the number of those in view that are too many.
	eachMessage(use) {
		const { from, to } = this.extent, m = this.messages;
		const [first, after] = m.range(from, Math.min(to, this.now));
		if (after - first > this.width / 2) // more lines are a blot
			return after - first;
		for (let i = first; i < after; i++)
			if (m.at[2 * i + 1] >= from)
				use(i);
		return 0;
	}

	drawMessages(c) {
		const m = this.messages;
		c.save();
		c.beginPath();
		c.rect(this.left, 0, this.width - this.left - 4, this.height - 18);
		c.clip();
		c.strokeStyle = colour("sending");
		c.lineWidth = 1;
		c.beginPath();
		const hidden = this.eachMessage((i) => {
			const sent = m.at[2 * i], received = m.at[2 * i + 1];
			const part = received > this.now ? (this.now - sent) / (received - sent) : 1;
			const a = this.y(m.from[i]), b = this.y(m.to[i]);
			c.moveTo(this.x(sent), a);
			c.lineTo(this.x(sent + part * (received - sent)), a + part * (b - a));
		});
		c.stroke();
		c.restore();
		return hidden;
	}

	drawNames(c) {
		let last = -100;
		c.fillStyle = colour("text");
		c.textBaseline = "middle";
		for (let k = 0; k < this.shownRows; k++) {
			const name = this.names[this.top + k], y = Math.max(6, (k + 0.45) * this.each);
			if (y - last < 12)
				continue;
			c.fillText(this.narrow ? name.replace("worker ", "").replace("server", "srv") : name, 2, y);
			last = y;
		}
		c.textBaseline = "alphabetic";
	}

	drawTicks(c) {
		drawTimes(c, this.extent.from, this.extent.to, (time) => this.x(time), this.height, this.width,
			this.narrow);
	}

	// A frame around the span that the keyboard has reached.
	drawMark(c) {
		const i = this.spans.under(2 * this.row, this.marked), y = (this.row - this.top) * this.each;
		const a = i < 0 ? this.x(this.marked) - 2 : this.x(this.spans.at[2 * i]);
		const b = i < 0 ? a + 4 : this.x(Math.min(this.now, this.spans.at[2 * i + 1]));
		const left = Math.max(this.left, a), right = Math.min(this.width - 4, Math.max(b, a + 3));
		c.strokeStyle = colour("text");
		c.lineWidth = 2;
		if (right > left)
			c.strokeRect(left, y, right - left, Math.max(2, this.each - this.gap));
	}

	// ---- what an event is ----

	spanText(i) {
		const from = this.spans.at[2 * i], to = this.spans.at[2 * i + 1];
		return `${this.detail(i)}, ${secondsText(from, 6)} to ${secondsText(to, 6)} (${secondsText(to - from)})`;
	}

	// A sentence on what a node does at that time.
	tellNode(node, time) {
		const main = this.spans.under(2 * node, time), more = this.spans.under(2 * node + 1, time);
		const parts = [main, more].filter((i) => i >= 0).map((i) => this.spanText(i));
		return `${this.names[node]}: ${parts.length ? parts.join("; ") : "nothing at " + secondsText(time, 6)}`;
	}

	// The same for a point of the canvas, with the message of which the line is near; "": nothing.
	tellPoint(px, py) {
		const row = this.top + Math.floor(py / this.each), time = this.timeAt(px);
		if (px < this.left || px > this.width - 4 || row < 0 || row >= this.top + this.shownRows ||
		    time > this.now || py >= this.shownRows * this.each)
			return "";
		const near = this.hidden === 0 ? this.messageNear(px, py) : -1;
		return this.tellNode(row, time) + (near < 0 ? "" : `; ${this.messageText(near)}`);
	}

	messageText(i) {
		const m = this.messages;
		return `message from ${this.names[m.from[i]]} to ${this.names[m.to[i]]}, ` +
			`${bytesText(m.bytes[i] * this.size)}, ${secondsText(m.at[2 * i], 6)} to ` +
			secondsText(m.at[2 * i + 1], 6);
	}

	messageNear(px, py) {
		const m = this.messages;
		let best = -1, least = 4;
		this.eachMessage((i) => {
			const ax = this.x(m.at[2 * i]), bx = this.x(m.at[2 * i + 1]);
			const ay = this.y(m.from[i]), by = this.y(m.to[i]);
			const length = (bx - ax) ** 2 + (by - ay) ** 2;
			const part = length > 0 ? Math.min(1, Math.max(0, ((px - ax) * (bx - ax) +
				(py - ay) * (by - ay)) / length)) : 0;
			const far = Math.hypot(px - ax - part * (bx - ax), py - ay - part * (by - ay));
			if (far < least) {
				least = far;
				best = i;
			}
		});
		return best;
	}

	// ---- pointers and keys ----

	listen() {
		const c = this.canvas;
		c.style.touchAction = "pan-y"; // the others are the timeline's
		c.addEventListener("wheel", (e) => {
			if (!e.ctrlKey && !e.metaKey)
				return;
			e.preventDefault();
			this.extent.zoom(Math.exp(Math.max(-1, Math.min(1, e.deltaY * 0.01))), this.timeAt(e.offsetX));
			this.changed();
		}, { passive: false });
		c.addEventListener("pointerdown", (e) => {
			this.pointers.set(e.pointerId, { x: e.offsetX, y: e.offsetY });
			if (e.pointerType === "mouse" && e.button === 0)
				c.setPointerCapture(e.pointerId);
			this.tell(this.tellPoint(e.offsetX, e.offsetY));
		});
		c.addEventListener("pointermove", (e) => this.move(e));
		for (const name of ["pointerup", "pointercancel", "pointerleave"])
			c.addEventListener(name, (e) => this.pointers.delete(e.pointerId));
		c.addEventListener("dblclick", (e) => {
			this.extent.zoom(0.5, this.timeAt(e.offsetX));
			this.changed();
		});
		c.addEventListener("keydown", (e) => {
			if (!e.ctrlKey && !e.metaKey && !e.altKey && this.key(e.key, e.shiftKey)) {
				e.preventDefault();
				e.stopPropagation();
			}
		});
	}

	move(e) {
		const before = this.pointers.get(e.pointerId);
		if (!before) {
			this.tell(this.tellPoint(e.offsetX, e.offsetY));
			return;
		}
		const wide = this.width - this.left - 4;
		const other = [...this.pointers].find(([id]) => id !== e.pointerId);
		if (other) { // two fingers
			const was = Math.abs(before.x - other[1].x), is = Math.abs(e.offsetX - other[1].x);
			if (was > 8 && is > 8)
				this.extent.zoom(was / is, this.timeAt((e.offsetX + other[1].x) / 2));
		} else {
			this.extent.pan((before.x - e.offsetX) / wide);
			this.scroll((before.y - e.offsetY) / this.each);
		}
		before.x = e.offsetX;
		if (Math.abs(before.y - e.offsetY) >= this.each)
			before.y = e.offsetY;
		this.changed();
	}

	scroll(rows) {
		this.top = Math.max(0, Math.min(this.spans.nodes - this.shownRows, this.top + Math.trunc(rows)));
	}

	// True when the key is one of the timeline's.
	key(name, shift) {
		const e = this.extent, middle = (e.from + e.to) / 2;
		if (name === "+" || name === "=")
			e.zoom(0.5, this.row >= 0 && this.marked >= e.from && this.marked <= e.to ? this.marked : middle);
		else if (name === "-")
			e.zoom(2, middle);
		else if (name === "0")
			e.set(0, e.end);
		else if (name === "ArrowDown" || name === "ArrowUp")
			this.mark(Math.max(0, Math.min(this.spans.nodes - 1, this.row + (name === "ArrowDown" ? 1 : -1))), this.marked);
		else if (name === "PageDown" || name === "PageUp")
			this.scroll(name === "PageDown" ? this.shownRows : -this.shownRows);
		else if (shift && (name === "ArrowLeft" || name === "ArrowRight"))
			e.pan(name === "ArrowRight" ? 0.2 : -0.2);
		else if (this.steps && (name === "ArrowLeft" || name === "ArrowRight"))
			this.step(name === "ArrowRight" ? 1 : -1);
		else
			return false;
		this.changed();
		return true;
	}

	// Marks what the node does at that time, and tells it.
	mark(row, time) {
		const e = this.extent;
		this.row = row;
		this.marked = time >= e.from && time <= Math.min(e.to, this.now) ? time :
			Math.min(this.now, (e.from + e.to) / 2);
		if (row < this.top || row >= this.top + this.shownRows)
			this.top = Math.max(0, row - (this.shownRows >> 1));
		this.tell(this.tellNode(row, this.marked));
	}

	// To the next event of the marked node, or the one before, which is then in view.
	step(by) {
		const node = Math.max(0, this.row), lane = 2 * node, { at, first } = this.spans;
		const here = this.spans.find(lane, this.row < 0 ? this.extent.from : this.marked);
		const i = Math.max(first[lane], Math.min(first[lane + 1] - 1, this.row < 0 ? here : here + by));
		if (first[lane] === first[lane + 1]) {
			this.mark(node, this.marked);
			return;
		}
		const middle = (at[2 * i] + at[2 * i + 1]) / 2, e = this.extent;
		if (middle < e.from || middle > e.to)
			e.set(middle - (e.to - e.from) / 2, middle + (e.to - e.from) / 2);
		this.mark(node, middle);
	}

	// "computing 40 %, waiting 60 %" of the workers' time in view.
	sharesText(workers) {
		const { from, to } = this.extent, until = Math.min(to, this.now);
		const seconds = this.spans.seconds(0, workers, from, Math.max(from, until));
		const all = seconds.reduce((a, b) => a + b, 0);
		return all > 0 ? STACK.filter((s) => seconds[s] > 0).map((s) =>
			`${STATE_NAMES[s]} ${percentText(seconds[s] / all)}`).join(", ") : "";
	}
}
