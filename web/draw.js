// draw.js: timelines of workers and curves of losses, on canvases.

const DASHES = [[], [7, 4], [2, 3]];

function colour(name) {
	return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
}

function bytesText(n) {
	const power = n > 0 ? Math.min(4, Math.max(0, Math.floor(Math.log10(n) / 3))) : 0;
	return `${Number((n / 1000 ** power).toPrecision(3))} ${["bytes", "kB", "MB", "GB", "TB"][power]}`;
}

// A context whose units are CSS pixels.
function prepareCanvas(canvas, width, height) {
	const ratio = window.devicePixelRatio || 1;
	canvas.width = Math.round(width * ratio);
	canvas.height = Math.round(height * ratio);
	const c = canvas.getContext("2d");
	c.setTransform(ratio, 0, 0, ratio, 0, 0);
	c.font = "12px system-ui, sans-serif";
	return c;
}

// What is drawn of a run: events by time, the curve of losses, rows.
class Trace {
	constructor(algo, workers, events, figures) {
		this.algo = algo;
		this.scale = 1; // bytes of the model over those of the net
		this.workers = workers;
		this.figures = figures;
		this.curve = [];
		this.end = 0;
		this.longest = 0;
		this.wide = 0;  // the longest that a worker computes, or an all-reduce takes
		this.steps = 0;
		this.gradients = [];
		this.server = false;
		const list = [];
		for (let i = 0; i < events.length; i += COLUMNS) {
			const e = { kind: KINDS[events[i]], node: events[i + 1], peer: events[i + 2],
				begun: events[i + 3], time: events[i + 4], value: events[i + 5] };
			if (e.kind === "loss") {
				this.curve.push(e);
			} else if (e.kind === "step") {
				this.steps++;
			} else {
				list.push(e);
				this.longest = Math.max(this.longest, e.time - e.begun);
				if (e.kind !== "received")
					this.wide = Math.max(this.wide, e.time - e.begun);
			}
			if (e.kind === "computed")
				this.gradients.push(e.time);
			this.server = this.server || (e.kind === "received" && e.node < 0);
			this.end = Math.max(this.end, e.time);
		}
		this.events = list.sort((a, b) => a.time - b.time);
		this.curve = this.curve.filter((e) => Number.isFinite(e.value));
		this.gradients.sort((a, b) => a - b);
	}

	// Index of the first event that ends at `time` or later.
	first(time) {
		let low = 0, high = this.events.length;
		while (low < high) {
			const mid = (low + high) >> 1;
			if (this.events[mid].time < time)
				low = mid + 1;
			else
				high = mid;
		}
		return low;
	}

	// Events of the window from `from` to `to`, those that are under way at `to` too.
	* within(from, to) {
		for (let i = this.first(from); i < this.events.length; i++) {
			const e = this.events[i];
			if (e.time > to + this.longest)
				return;
			if (e.begun <= to)
				yield e;
		}
	}

	lossAt(time) {
		let loss = NaN;
		for (const e of this.curve)
			if (e.time <= time)
				loss = e.value;
		return loss;
	}

	// Virtual seconds to that share of the first loss; NaN: never.
	timeTo(share) {
		const there = this.curve.find((e) => e.value <= share * this.curve[0].value);
		return there ? there.time : NaN;
	}

	gradientsUntil(time) {
		let low = 0, high = this.gradients.length;
		while (low < high) {
			const mid = (low + high) >> 1;
			if (this.gradients[mid] <= time)
				low = mid + 1;
			else
				high = mid;
		}
		return low;
	}
}

class Timeline {
	constructor(canvas) {
		this.canvas = canvas;
	}

	// Rows: the server, if there is one, then the workers.
	rowOf(node) {
		return node < 0 ? 0 : node + (this.trace.server ? 1 : 0);
	}

	draw(trace, from, to, shown) {
		const rows = trace.workers + (trace.server ? 1 : 0), left = 74;
		const width = this.canvas.clientWidth || 600;
		const each = Math.max(2, Math.min(16, Math.floor(300 / rows)));
		const height = rows * each + 18;
		Object.assign(this, { trace, from, to, shown, each, left, width });
		this.canvas.style.height = height + "px";
		const c = prepareCanvas(this.canvas, width, height);
		const x = (t) => left + (t - from) / (to - from) * (width - left - 4);
		const gap = each > 5 ? 2 : each > 3 ? 1 : 0;
		const now = Math.min(to, trace.end, shown);
		const box = (e, name) => {
			const a = Math.max(from, e.begun), b = Math.min(now, e.time);
			c.fillStyle = name;
			if (b > a)
				c.fillRect(x(a), this.rowOf(e.node) * each, Math.max(0.5, x(b) - x(a)), each - gap);
		};
		const names = { computed: colour("computing"), dropped: colour("dropped"),
			reduced: colour("reducing") };
		c.fillStyle = colour("waiting");
		for (let i = 0; i < trace.workers; i++)
			c.fillRect(x(Math.max(0, from)), this.rowOf(i) * each,
				Math.max(0, x(now) - x(Math.max(0, from))), each - gap);
		for (const e of trace.within(from, to))
			if (names[e.kind])
				box(e, names[e.kind]);
		if (each > 5)
			this.drawMessages(c, x, now);
		this.drawLabels(c, x, rows, height);
	}

	drawMessages(c, x, now) {
		c.strokeStyle = colour("sending");
		c.lineWidth = 1;
		c.beginPath();
		for (const e of this.trace.within(this.from, this.to)) {
			if (e.kind !== "received" || e.begun < this.from || e.begun > now)
				continue;
			const part = e.time > now ? (now - e.begun) / (e.time - e.begun) : 1;
			const a = (this.rowOf(e.peer) + 0.4) * this.each, b = (this.rowOf(e.node) + 0.4) * this.each;
			c.moveTo(x(e.begun), a);
			c.lineTo(x(e.begun + part * (e.time - e.begun)), a + part * (b - a));
		}
		c.stroke();
	}

	drawLabels(c, x, rows, height) {
		let last = -100;
		c.fillStyle = colour("text");
		c.textBaseline = "middle";
		for (let row = 0; row < rows; row++) {
			const node = row - (this.trace.server ? 1 : 0), y = Math.max(6, (row + 0.45) * this.each);
			if (y - last < 12)
				continue;
			c.fillText(node < 0 ? "server" : `worker ${node}`, 2, y);
			last = y;
		}
		c.textBaseline = "alphabetic";
		for (let i = 0; i <= 4; i++) {
			const t = this.from + (this.to - this.from) * i / 4;
			c.textAlign = i === 0 ? "left" : i === 4 ? "right" : "center";
			if (t >= 0)
				c.fillText(`${Number(t.toPrecision(4))} s`, x(t), height - 3);
		}
		c.textAlign = "left";
	}

	// A sentence on what is at that point of the canvas.
	tell(px, py) {
		const t = this.from + (px - this.left) / (this.width - this.left - 4) * (this.to - this.from);
		const node = Math.floor(py / this.each) - (this.trace.server ? 1 : 0);
		const span = (e) => `${Number(e.begun.toPrecision(6))} to ${Number(e.time.toPrecision(6))} s`;
		if (t < 0 || px < this.left || node >= this.trace.workers || t > Math.min(this.to, this.trace.end, this.shown))
			return "";
		const who = node < 0 ? "the server" : `worker ${node}`;
		for (const e of this.trace.within(this.from, this.to)) {
			if (e.node !== node || e.begun > t || e.time < t || e.kind === "received")
				continue;
			if (e.kind === "computed")
				return `${who} computes a gradient, ${span(e)}; its loss: ${e.value.toPrecision(4)}`;
			if (e.kind === "dropped")
				return `${who} computes a gradient that is not used, ${span(e)}`;
			return `${who}: all-reduce of ${bytesText(e.value * this.trace.scale)}, ${span(e)}`;
		}
		const slack = (this.to - this.from) / 150;
		for (const e of this.trace.within(this.from, this.to))
			if (e.kind === "received" && e.node === node && Math.abs(e.time - t) < slack)
				return `${who} receives ${bytesText(e.value * this.trace.scale)} from ` +
					`${e.peer < 0 ? "the server" : "worker " + e.peer}, ${span(e)}`;
		return node < 0 ? "" : `${who} waits at ${Number(t.toPrecision(5))} s`;
	}
}

// The losses of all runs until `now`.
function drawLosses(canvas, traces, now) {
	const width = canvas.clientWidth || 600, height = 230, left = 62, bottom = height - 24;
	const c = prepareCanvas(canvas, width, height);
	const points = traces.flatMap((t) => t.curve);
	const positive = points.map((e) => e.value).filter((v) => v > 0);
	if (!positive.length)
		return;
	// Of a run that diverges, what lies above the first losses is cut off.
	const start = Math.max(...traces.map((t) => t.curve.length ? t.curve[0].value : 0));
	const high = Math.log10(Math.min(Math.max(...positive), start * 100)), low = Math.log10(Math.min(...positive));
	const end = Math.max(...traces.map((t) => t.end));
	const x = (t) => left + t / end * (width - left - 8);
	const y = (v) => 8 + (high - Math.log10(Math.max(v, 1e-300))) / Math.max(high - low, 0.1) * (bottom - 16);
	c.strokeStyle = colour("line");
	c.fillStyle = colour("text");
	c.strokeRect(left, 4, width - left - 8, bottom - 4);
	for (let i = 0; i <= 4; i++) {
		const power = low + (high - low) * i / 4;
		c.fillText((10 ** power).toPrecision(2), 4, y(10 ** power) + 4);
		c.textAlign = i === 4 ? "right" : "center";
		c.fillText(`${Number((end * i / 4).toPrecision(3))} s`, x(end * i / 4), height - 6);
		c.textAlign = "left";
	}
	c.save();
	c.beginPath();
	c.rect(left, 4, width - left - 8, bottom - 4);
	c.clip();
	traces.forEach((trace, i) => {
		c.strokeStyle = c.fillStyle = colour("race" + i);
		c.lineWidth = 2;
		c.setLineDash(DASHES[i]);
		c.beginPath();
		for (const e of trace.curve)
			if (e.time <= now)
				c.lineTo(x(e.time), y(e.value));
		c.stroke();
		c.setLineDash([]);
		c.fillText(trace.algo, width - 160, 20 + 15 * i);
	});
	c.restore();
}
