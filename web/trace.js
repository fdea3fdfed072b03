// trace.js: the page of a trace: reads its columns, and shows timeline, overview and shares.

const $ = (id) => document.getElementById(id);
const MOST_ROWS = 64; // of the table of workers
const view = { facts: null, line: null, extent: null, ahead: 0 };

// The columns that record/trace/columns.c has put one after the other.
class Columns {
	constructor(bytes) {
		this.buffer = bytes;
		this.at = 0;
	}

	take(type, n) {
		if (this.at + n * type.BYTES_PER_ELEMENT > this.buffer.byteLength)
			throw new Error("its events are not complete");
		const column = new type(this.buffer, this.at, n);
		this.at += n * type.BYTES_PER_ELEMENT;
		return column;
	}
}

async function inflated(text) {
	const packed = Uint8Array.fromBase64 ? Uint8Array.fromBase64(text) :
		Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
	const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
	return new Response(stream).arrayBuffer();
}

// Words on a span: its state, and the event that ended it.
function detailOf(facts, c, names, i) {
	const kind = facts.kinds[c.kind[i]], state = STATES[c.state[i]];
	const from = c.peer[i] < 0 ? "" : ` from ${names[c.peer[i]]}`, bytes = bytesText(c.value[i]);
	const stale = c.staleness[i] < 0 ? "" : `, applied with staleness ${c.staleness[i]}`;
	const number = `gradient ${c.number[i]}`;
	const loss = Number.isFinite(c.value[i]) ? ` of loss ${c.value[i].toPrecision(4)}` : "";
	switch (state) {
	case "computing":
		return kind === "staged" ? "computes a stage of a gradient" :
			kind === "dropped" ? "computes when the run ends" : `computes ${number}${loss}`;
	case "dropped":
		return "computes a gradient that is not used";
	case "handling":
		return kind === "message" ? `handles a message${from}, ${bytes}${stale}` :
			kind === "allreduce" ? `handles an all-reduce of ${bytes}` :
				kind === "gradient" || kind === "grad" ? "handles its gradient" + stale : `handles: ${kind}${stale}`;
	case "communicating":
		return kind === "message" ? `receives a message${from}, ${bytes}${stale}` :
			kind === "allreduce" ? `all-reduce of ${bytes}` : "hands over its gradient";
	case "waiting":
		return kind === "message" ? `waits, until a message${from} comes` :
			kind === "allreduce" ? "waits for an all-reduce" : "waits";
	default:
		return c.state[i] === 4 ? "is away, or stalls" : state;
	}
}

// ---- what is in view ----

function drawAll() {
	const { extent, line } = view;
	view.ahead = 0;
	line.draw();
	drawOverview();
	$("clock").textContent = `${secondsText(extent.from, 6)} to ${secondsText(extent.to, 6)}, of ` +
		secondsText(extent.end, 6);
	const shares = line.sharesText(view.facts.workers);
	const last = line.top + line.shownRows;
	$("shares").textContent = `All workers, in the time in view: ${shares || "nothing"}.` +
		(line.shownRows < line.spans.nodes ? ` Rows ${line.top + 1} to ${last} of ${line.spans.nodes}: ` +
		"drag up and down, or press Page Down and Page Up, for the others." : "") + (line.hidden > 0 ?
		` ${line.hidden} messages are too many to be drawn: zoom in.` : line.hidden < 0 &&
			line.messages.n ? " Messages are not drawn between so many rows." : "");
	clearTimeout(view.later);
	view.later = setTimeout(showWorkers, 100);
}

// At the next frame, once.
function changed() {
	view.ahead = view.ahead || requestAnimationFrame(drawAll);
}

// The shares of all nodes over the whole run, and a frame around what is in view.
function drawOverview() {
	const canvas = $("overview"), { line, extent } = view, height = 34;
	canvas.style.height = height + "px";
	const width = canvas.clientWidth || 600;
	const c = prepareCanvas(canvas, width, height), wide = width - line.left - 4;
	c.fillStyle = colour("faint");
	c.fillText(line.narrow ? "all" : "all workers", 2, height / 2 + 4);
	if (!view.overview || view.overview.width !== Math.floor(wide))
		view.overview = pictureOfShares(Math.floor(wide), height);
	c.drawImage(view.overview, line.left, 0);
	const a = line.left + extent.from / extent.end * wide, b = line.left + extent.to / extent.end * wide;
	c.strokeStyle = colour("text");
	c.lineWidth = 2;
	c.strokeRect(a, 1, Math.max(2, b - a), height - 2);
}

// A canvas, which is drawn once for a width and the colours.
function pictureOfShares(columns, height) {
	const picture = document.createElement("canvas"), shares = sharesOfColumns(columns);
	picture.width = columns;
	picture.height = height;
	const c = picture.getContext("2d");
	for (let k = 0; k < columns; k++) {
		let y = height;
		for (const s of STACK) {
			const part = shares[k * S + s] * height;
			if (part > 0) {
				c.fillStyle = colour(STATES[s]);
				c.fillRect(k, y - part, 1, part);
			}
			y -= part;
		}
	}
	return picture;
}

// [columns][S] shares of the workers' time. Of many workers, every k-th stands for all.
function sharesOfColumns(columns) {
	const spans = view.line.spans, workers = view.facts.workers, by = Math.ceil(workers / 256);
	const shares = new Float64Array(columns * S), per = spans.end / columns;
	const sum = new Float64Array(S);
	for (let node = 0; node < workers; node += by) {
		let i = spans.first[2 * node] - 1;
		for (let k = 0; k < columns; k++) {
			sum.fill(0);
			spans.until(2 * node, i, k * per, -1, sum);
			i = spans.find(2 * node, (k + 1) * per, Math.max(i, spans.first[2 * node]));
			spans.until(2 * node, i, (k + 1) * per, 1, sum);
			for (let s = 0; s < S; s++)
				shares[k * S + s] += sum[s] / per / Math.ceil(workers / by);
		}
	}
	return shares;
}

function row(cells, tag) {
	const line = document.createElement("tr");
	cells.forEach((text, k) => {
		const cell = document.createElement(k && tag !== "th" ? "td" : "th");
		cell.scope = tag === "th" ? "col" : "row";
		cell.textContent = text;
		line.append(cell);
	});
	return line;
}

// The workers that wait least first, for those are the slow ones.
function showWorkers() {
	const { extent, line, facts } = view, spans = line.spans, length = extent.to - extent.from;
	const order = [0, 5, 1, 2, 3, 4], rows = [];
	for (let node = 0; node < facts.workers; node++)
		rows.push([node, spans.seconds(node, node + 1, extent.from, extent.to)]);
	const shown = order.filter((s) => s === 0 || rows.some((r) => r[1][s] > 0));
	rows.sort((a, b) => a[1][3] - b[1][3] || a[0] - b[0]);
	$("workers").replaceChildren(row(["", ...shown.map((s) => STATE_NAMES[s])], "th"),
		...rows.slice(0, MOST_ROWS).map(([node, seconds]) => row([line.names[node],
			...shown.map((s) => percentText(seconds[s] / length))], "td")));
	$("more").textContent = rows.length > MOST_ROWS ?
		`The other ${rows.length - MOST_ROWS} workers ` +
			(shown.includes(3) ? "wait no less." : "do not wait either.") : "";
}

// ---- start ----

function listen() {
	const { extent, line } = view, middle = () => (extent.from + extent.to) / 2;
	const does = (id, act) => $(id).addEventListener("click", () => {
		act();
		changed();
	});
	does("closer", () => extent.zoom(0.5, middle()));
	does("wider", () => extent.zoom(2, middle()));
	does("earlier", () => extent.pan(-0.5));
	does("later", () => extent.pan(0.5));
	does("whole", () => extent.set(0, extent.end));
	$("worker").addEventListener("change", () => {
		const node = Number($("worker").value);
		if (!Number.isInteger(node) || node < 0 || node >= view.facts.workers) {
			$("event").textContent = `There are workers from 0 to ${view.facts.workers - 1}.`;
			return;
		}
		line.mark(node, line.marked);
		changed();
	});
	const seek = (e) => {
		if (!(e.buttons & 1))
			return;
		const time = (e.offsetX - line.left) / (line.width - line.left - 4) * extent.end;
		const length = extent.to - extent.from, from = Math.min(extent.end - length, Math.max(0,
			time - length / 2));
		extent.set(from, from + length);
		changed();
	};
	$("overview").addEventListener("pointerdown", seek);
	$("overview").addEventListener("pointermove", seek);
	window.addEventListener("resize", changed);
	watchColours(() => {
		view.overview = null;
		changed();
	});
}

function showFacts(facts) {
	const many = (n, noun) => `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;
	document.title = `convoy: ${facts.file}`;
	$("title").textContent = facts.file;
	$("facts").textContent = `${facts.algo} with ${many(facts.workers, "worker")}, ` +
		`${many(facts.gradients, "gradient")} in ${secondsText(facts.time_s, 6)}, ` +
		`${many(facts.events, "event")}. End: ${facts.end}. Made by convoy ${facts.convoy}.`;
	$("settings").append(...Object.entries(facts.settings).map((pair) => row(pair, "td")));
	$("worker").max = facts.workers - 1;
}

async function start() {
	const facts = JSON.parse($("data-facts").textContent);
	view.facts = facts;
	showFacts(facts);
	if (typeof DecompressionStream !== "function")
		throw new Error("this browser cannot decompress (no DecompressionStream). Use one of 2023 or later");
	const read = new Columns(await inflated($("data-columns").textContent.trim()));
	const at = read.take(Float64Array, 2 * facts.spans);
	const sent = read.take(Float64Array, 2 * facts.messages);
	const first = read.take(Int32Array, 2 * facts.nodes + 1);
	const c = { peer: read.take(Int32Array, facts.spans), number: read.take(Int32Array, facts.spans),
		staleness: read.take(Int32Array, facts.spans), value: read.take(Float32Array, facts.spans) };
	const messages = new Messages(sent, read.take(Int32Array, facts.messages),
		read.take(Int32Array, facts.messages), read.take(Float32Array, facts.messages));
	c.state = read.take(Uint8Array, facts.spans);
	c.kind = read.take(Uint8Array, facts.spans);
	const names = [...Array(facts.nodes).keys()].map((k) => k < facts.workers ? `worker ${k}` : "server");
	const spans = new Spans(first, at, c.state);
	$("data-columns").remove();
	view.extent = new Extent(spans.end);
	$("view").hidden = false;
	view.line = new Timeline($("timeline"), { spans, messages, names, extent: view.extent, size: 1,
		tallest: 480, steps: true, detail: (i) => detailOf(facts, c, names, i), changed,
		tell: (text) => { $("event").textContent = text || "\u00a0"; } });
	listen();
	drawAll();
	showWorkers();
}

start().catch((failure) => {
	$("message").textContent = `The trace cannot be shown: ${failure.message}.`;
	$("message").hidden = false;
});
