// draw.js: what the simulator gives of a run, as spans and messages, and the curves of losses.

const DASHES = [[], [7, 4], [2, 3]];
const MOST_EVENTS = 1000000; // as in simulate.c

// Index of the first number that is greater than x, in an ascending array.
function firstAfter(numbers, x) {
	let low = 0, high = numbers.length;
	while (low < high) {
		const mid = (low + high) >> 1;
		if (numbers[mid] <= x)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

// What one node does, sorted into its two lanes; waiting fills what is left of the first.
class NodeLanes {
	constructor() {
		this.work = [];    // gradients: begin, end, state, value, in turn
		this.reduced = []; // all-reduces: begin, end, bytes
		this.lanes = [[], []];
	}

	// until: the end of the run; NaN for the server, of which nothing is known while it waits.
	fill(until) {
		const [main, more] = this.lanes, { work, reduced } = this;
		let k = 0, busy = 0, shared = 0;
		const put = (lane, from, to, state, value) => lane.push(from, to, state, value);
		const wait = (to) => to > busy && put(main, busy, to, 3, NaN);
		for (let r = 0; r < reduced.length; r += 3) {
			const end = reduced[r + 1];
			for (; k < work.length && work[k] < end && work[k + 1] <= end; k += 4) {
				wait(work[k]);
				put(main, ...work.slice(k, k + 4));
				busy = work[k + 1];
			}
			// Until the next gradient begins, or over it.
			const idle = k === work.length || work[k] >= end;
			const begin = Math.max(reduced[r], idle ? busy : shared);
			if (end <= begin)
				continue;
			if (idle)
				wait(begin);
			put(idle ? main : more, begin, end, 2, reduced[r + 2]);
			if (idle)
				busy = end;
			else
				shared = end;
		}
		for (; k < work.length; k += 4) {
			wait(work[k]);
			put(main, ...work.slice(k, k + 4));
			busy = work[k + 1];
		}
		wait(until);
		return this.lanes;
	}
}

// A run: spans, messages, the curve of test losses, and when gradients were computed.
class Trace {
	constructor(algo, workers, events, figures) {
		const n = events.length / COLUMNS, nodes = [...Array(workers + 1)].map(() => new NodeLanes());
		const messages = [], gradients = [];
		Object.assign(this, { algo, workers, figures, scale: 1, curve: [], wide: 0,
			end: Number(figures.time_s), // what is exchanged after it is not shown
			server: false, cut: n >= MOST_EVENTS });
		for (let i = 0; i < n; i++) {
			const [code, node, peer, begun, time, value] = events.subarray(i * COLUMNS, (i + 1) * COLUMNS);
			const kind = KINDS[code], own = nodes[node < 0 ? workers : node];
			if (kind === "loss") {
				if (Number.isFinite(value))
					this.curve.push({ time, value });
			} else if (kind === "received") {
				messages.push(i);
				this.server = this.server || node < 0;
			} else {
				this.wide = Math.max(this.wide, time - begun);
				if (kind === "reduced")
					own.reduced.push(begun, time, value);
				else
					own.work.push(begun, time, kind === "dropped" && time < this.end ? 5 : 0, value);
				if (kind === "computed")
					gradients.push(time);
			}
		}
		this.gradients = Float64Array.from(gradients).sort();
		this.names = [...Array(workers).keys()].map((k) => `worker ${k}`);
		if (this.server)
			this.names.push("server");
		this.setSpans(nodes);
		this.setMessages(messages, events);
	}

	setSpans(nodes) {
		const rows = this.names.length;
		const lanes = nodes.slice(0, rows).flatMap((own, k) => own.fill(k < this.workers ? this.end : NaN));
		const first = new Uint32Array(2 * rows + 1);
		lanes.forEach((lane, k) => { first[k + 1] = first[k] + lane.length / 4; });
		const at = new Float64Array(2 * first[2 * rows]), state = new Uint8Array(first[2 * rows]);
		this.values = new Float64Array(state.length);
		lanes.forEach((lane, k) => {
			for (let i = 0, to = first[k]; i < lane.length; i += 4, to++) {
				at[2 * to] = Math.min(lane[i], this.end);
				at[2 * to + 1] = Math.min(lane[i + 1], this.end);
				state[to] = lane[i + 2];
				this.values[to] = lane[i + 3];
			}
		});
		this.spans = new Spans(first, at, state);
	}

	setMessages(rows, events) {
		const sent = (i) => events[i * COLUMNS + 3], node = (x) => x < 0 ? this.workers : x;
		rows.sort((a, b) => sent(a) - sent(b));
		this.messages = new Messages(
			Float64Array.from(rows.flatMap((i) => [sent(i), events[i * COLUMNS + 4]])),
			Int32Array.from(rows, (i) => node(events[i * COLUMNS + 2])),
			Int32Array.from(rows, (i) => node(events[i * COLUMNS + 1])),
			Float64Array.from(rows, (i) => events[i * COLUMNS + 5]));
	}

	detail(i) {
		const value = this.values[i];
		return ["computes a gradient" + (Number.isFinite(value) ? ` of loss ${value.toPrecision(4)}` : ""),
			"", `all-reduce of ${bytesText(value * this.scale)}`, "waits", "",
			"computes a gradient that is not used"][this.spans.state[i]];
	}

	lossAt(time) {
		let loss = NaN;
		for (const e of this.curve)
			if (e.time <= time)
				loss = e.value;
		return loss;
	}

	// Virtual seconds to that share of the loss before the first step; NaN: never.
	timeTo(share) {
		const there = this.curve.find((e) => e.value <= share * this.curve[0].value);
		return there ? there.time : NaN;
	}

	gradientsUntil(time) {
		return firstAfter(this.gradients, time);
	}
}

function curveTo(c, curve, x, y, now) {
	c.beginPath();
	for (const e of curve)
		if (e.time <= now)
			c.lineTo(x(e.time), y(e.value));
	c.stroke();
}

// A text that fits; of a longer one the end, in which options differ.
function shortened(c, text, most) {
	let rest = text;
	while (c.measureText(rest).width > most)
		rest = "\u2026" + rest.replace(/^\u2026/, "").slice(1);
	return rest;
}

// The losses of all runs until `now`; of `earlier`, those before the last change of settings, as faint
// lines.
function drawLosses(canvas, traces, earlier, now) {
	const width = canvas.clientWidth || 600, height = 230, left = 62, bottom = height - 24;
	const c = prepareCanvas(canvas, width, height);
	// Of a run that diverges, what lies above the first losses is cut off.
	const start = Math.max(...traces.map((t) => t.curve.length ? t.curve[0].value : 0));
	const values = (runs) => runs.flatMap((t) => t.curve.map((e) => e.value)).filter((v) => v > 0);
	const positive = [...values(traces), ...values(earlier).filter((v) => v <= start)];
	if (!values(traces).length)
		return;
	const top = Math.log10(Math.min(Math.max(...positive), start * 100)), floor = Math.log10(Math.min(...positive));
	const spare = Math.max(0, 0.1 - (top - floor)) / 2, high = top + spare, low = floor - spare;
	const end = Math.max(...traces.map((t) => t.end));
	const x = (t) => left + t / end * (width - left - 8);
	const y = (v) => 8 + (high - Math.log10(Math.max(v, 1e-300))) / (high - low) * (bottom - 16);
	c.strokeStyle = colour("line");
	c.fillStyle = colour("text");
	c.strokeRect(left, 4, width - left - 8, bottom - 4);
	for (let i = 0; i <= 4; i++) {
		const power = low + (high - low) * i / 4;
		c.fillText(String(Number((10 ** power).toPrecision(3))), 4, y(10 ** power) + 4);
	}
	drawTimes(c, 0, end, x, height - 6, width, width < 480);
	c.save();
	c.beginPath();
	c.rect(left, 4, width - left - 8, bottom - 4);
	c.clip();
	c.strokeStyle = colour("line");
	c.fillStyle = colour("faint");
	for (const trace of earlier) {
		c.setLineDash(DASHES[traces.findIndex((t) => t.algo === trace.algo)]);
		curveTo(c, trace.curve, x, y, Infinity);
	}
	const names = traces.map((t) => shortened(c, t.algo, 0.6 * width));
	const at = width - 16 - Math.max(...[...names, "before the change"].map((n) => c.measureText(n).width));
	if (earlier.length)
		c.fillText("before the change", at, 20 + 15 * traces.length);
	traces.forEach((trace, i) => {
		c.strokeStyle = c.fillStyle = colour("race" + i);
		c.lineWidth = 2;
		c.setLineDash(DASHES[i]);
		curveTo(c, trace.curve, x, y, now);
		c.beginPath();
		c.moveTo(at - 30, 16 + 15 * i);
		c.lineTo(at - 6, 16 + 15 * i);
		c.stroke();
		c.setLineDash([]);
		c.fillText(names[i], at, 20 + 15 * i);
	});
	c.restore();
}
