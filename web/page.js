// page.js: fields, playing, lessons, and what is copied or saved.

const $ = (id) => document.getElementById(id);
const FIGURES = [["cost", "times as long as without the slow worker"], ["time_s", "time [s]"],
	["time_per_epoch_s", "time per epoch [s]"], ["wait_share", "share of time waiting"],
	["rate", "gradients a second"], ["steps", "steps a second of a model (the server's, if there is one)"],
	["bytes_sent", "bytes sent, of a model of 2,000 bytes"], ["staleness_mean", "staleness"], ["train_loss", "training loss"],
	["test_loss", "test loss"],
	["tenth", "time to a tenth of the loss at the beginning [s]"]];

const page = { state: stateDefault(), briefs: {}, traces: [], earlier: [], lines: [], now: 0, playing: false, before: 0,
	timer: 0, refused: null, simulator: null, run: 0, settled: false, extent: new Extent(1),
	length: 1, numbered: 0 };

function say(sentences) {
	$("message").textContent = sentences.join("\n");
	$("message").hidden = !sentences.length;
}

function make(tag, attributes, text) {
	const e = document.createElement(tag);
	for (const [key, value] of Object.entries(attributes || {}))
		e.setAttribute(key, value);
	if (text !== undefined)
		e.textContent = text;
	return e;
}

// ---- fields ----

function sliderOf(f, x) {
	if (f.log)
		return 1000 * Math.log(x / f.min) / Math.log(f.max / f.min);
	return 1000 * ((x - f.min) / (f.max - f.min)) ** (f.cube ? 1 / 3 : 1);
}

function valueOf(f, at) {
	const share = at / 1000;
	const x = f.log ? f.min * (f.max / f.min) ** share :
		f.min + (f.max - f.min) * share ** (f.cube ? 3 : 1);
	return f.whole ? Math.round(x) : Number(x.toPrecision(3));
}

// A list of algorithms, what the chosen one does, and a box for one with options: "ssp:s=3".
function algoField(i) {
	const row = make("div", { class: "field algo" });
	const list = make("select", { id: "algo-" + i });
	const box = make("input", { type: "text", id: "algo-text-" + i, maxlength: 200, hidden: "",
		"aria-label": `Algorithm ${i + 1}, with its options` });
	const more = make("optgroup", { label: "More" });
	list.append(make("option", { value: "" }, "none"), ...ALGOS.map((name) =>
		make("option", { value: name }, name)));
	more.append(...Object.keys(page.briefs).filter((name) => !ALGOS.includes(name) && name !== "backup")
		.sort().map((name) => make("option", { value: name }, name)));
	list.append(more, make("option", { value: "?" }, "with options ..."));
	list.addEventListener("change", () => {
		box.hidden = list.value !== "?";
		if (box.hidden) {
			changeAlgo(i, list.value);
			return;
		}
		box.value = page.state.algos[i] || "";
		box.focus();
	});
	box.addEventListener("change", () => changeAlgo(i, box.value.trim()));
	row.append(make("label", { for: list.id }, `Algorithm ${i + 1}`), list, box,
		make("small", { id: "brief-" + i }));
	return row;
}

function changeAlgo(i, name) {
	const algos = [0, 1, 2].map((k) => k === i ? name : page.state.algos[k] || "");
	page.state.algos = algos.filter((a) => a);
	changed();
}

function showAlgo(i) {
	const name = page.state.algos[i] || "", list = $("algo-" + i), box = $("algo-text-" + i);
	list.value = name;
	if (list.value !== name)
		list.value = "?";
	box.hidden = list.value !== "?";
	box.value = name;
	$("brief-" + i).textContent = page.briefs[name.split(":")[0]] || "";
}

function buildFields() {
	for (const f of FIELDS) {
		const row = make("div", { class: "field" });
		const name = f.unit ? `${f.label} [${f.unit}]` : f.label;
		const box = make("input", { type: "number", id: "field-" + f.key, min: f.min, max: f.max,
			step: "any" });
		row.append(make("label", { for: box.id, title: f.about }, name), box);
		box.setAttribute("title", f.about);
		box.addEventListener("change", () => change(f, box.value));
		if (!f.plain) {
			const slider = make("input", { type: "range", id: "slide-" + f.key, min: 0, max: 1000,
				"aria-label": name });
			slider.addEventListener("input", () => change(f, valueOf(f, slider.value)));
			row.append(slider);
		}
		$("fields").append(row);
	}
	const codec = make("select", { id: "field-codec" });
	CODECS.forEach((name) => codec.append(make("option", { value: name }, name)));
	codec.addEventListener("change", () => {
		page.state.codec = codec.value;
		changed();
	});
	const row = make("div", { class: "field" });
	row.append(make("label", { for: codec.id, title: "Of gradients, before they are sent" }, "Compression"), codec);
	$("fields").append(row);
	for (let i = 0; i < MOST_ALGOS; i++)
		$("fields").append(algoField(i));
	$("fields").addEventListener("submit", (e) => e.preventDefault());
}

function showFields() {
	for (const f of FIELDS) {
		$("field-" + f.key).value = page.state[f.key];
		if (!f.plain)
			$("slide-" + f.key).value = sliderOf(f, page.state[f.key]);
	}
	$("field-codec").value = page.state.codec;
	for (let i = 0; i < MOST_ALGOS; i++)
		showAlgo(i);
}

function change(f, text) {
	page.refused = fieldFault(f, text);
	if (page.refused) {
		say([page.refused]);
		return;
	}
	page.state[f.key] = Number(text);
	changed();
}

function changed() {
	page.settled = false;
	page.refused = null;
	showFields();
	history.replaceState(null, "", hashOfState(page.state));
	clearTimeout(page.timer);
	page.timer = setTimeout(() => simulate([]), 200);
}

// ---- runs ----

// The same times without a slow worker say what that worker costs.
async function traceOf(algo, result) {
	const trace = new Trace(algo, page.state.workers, result.events, result.figures);
	const alike = page.state.slow > 1 ? await page.simulator.run({ ...settingsOf(page.state, algo),
		slow: "none", timing: "true" }) : { error: "none is slow" };
	trace.scale = page.state.size * 1e6 / (4 * DIM);
	trace.slow = page.state.slow > 1;
	addedFigures(trace, alike.error ? NaN : alike.figures.time_per_epoch_s);
	return trace;
}

// Runs the algorithms one after the other; a later call ends an earlier one.
async function simulate(said) {
	const run = ++page.run, faults = [...said], traces = [];
	page.settled = false;
	play(false);
	for (const algo of stateFault(page.state) ? [] : page.state.algos) {
		$("clock").textContent = `simulating ${algo} ...`;
		const result = await page.simulator.run(settingsOf(page.state, algo));
		if (run !== page.run)
			return;
		if (result.error)
			faults.push(result.error.startsWith(algo) ? result.error : `${algo}: ${result.error}`);
		else
			traces.push(await traceOf(algo, result));
		if (run !== page.run)
			return;
	}
	faults.push(...traces.map(traceFault).filter((text) => text));
	if (stateFault(page.state))
		faults.splice(said.length, faults.length, stateFault(page.state));
	if (narrowFault(traces))
		faults.push(narrowFault(traces));
	say(page.refused ? [page.refused, ...faults] : faults);
	page.earlier = page.traces.filter((old) => traces.some((t) => t.algo === old.algo));
	page.traces = traces;
	$("command").textContent = traces.length ? commandOf(page.state, traces.map((t) => t.algo)) : "";
	showTimelines();
	showFigures();
	page.now = 0;
	play(traces.length > 0 && !matchMedia("(prefers-reduced-motion: reduce)").matches);
	follow();
	page.settled = true;
}

// A sentence on a run whose losses or events are not all there; null: they are.
function traceFault(trace) {
	const { figures, curve } = trace, last = curve.length ? curve[curve.length - 1].value / curve[0].value : 0;
	if (figures.end === "diverged")
		return `${trace.algo}: diverged at ${figures.time_s} s: the loss is no longer finite. Try a smaller ` +
			"learning rate.";
	if (last > 10)
		return `${trace.algo}: the loss ends ${last.toPrecision(2)} times above where it began. Try a smaller ` +
			"learning rate, or less momentum.";
	return trace.cut ? `${trace.algo}: the timeline has the first ${MOST_EVENTS.toLocaleString("en")} events ` +
		"alone; the figures are of the whole run." : null;
}

// A warning where rows are a pixel high: it says what still can be read.
function narrowFault(traces) {
	const many = Math.max(0, ...traces.map((t) => t.workers));
	return many > 150 && window.innerWidth < 480 ? `${many} workers on this narrow screen: a row is one ` +
		"pixel. Figures and losses are exact; zoom in, or take fewer workers, to see single ones." : null;
}

function showTimelines() {
	const compute = page.state.compute / 1000;
	page.extent = new Extent(end());
	page.length = Math.min(end(), Math.max(12 * compute, 2.5 * page.state.slow * compute,
		...page.traces.map((t) => 4 * t.wide)));
	page.lines = [];
	$("timelines").replaceChildren();
	page.traces.forEach((trace, i) => {
		const title = make("h2", { id: "title-" + i }, trace.algo);
		const canvas = make("canvas", { role: "application", "aria-roledescription": "timeline",
			tabindex: 0, "aria-labelledby": "title-" + i, "aria-describedby": "event" });
		$("timelines").append(title, canvas);
		page.lines.push(new Timeline(canvas, { spans: trace.spans, messages: trace.messages,
			extent: page.extent, names: trace.names, detail: (k) => trace.detail(k),
			size: trace.scale, tallest: 300, changed: moved,
			tell: (text) => { $("event").textContent = text || "\u00a0"; } }));
	});
}

// A figure that the page adds to those of the command line, in as many digits.
function addedFigures(trace, alike) {
	const of = (x) => Number.isFinite(x) ? String(Number(x.toPrecision(6))) : "-";
	const f = trace.figures;
	f.rate = of(Number(f.gradients) / Number(f.time_s));
	f.steps = of(Number(f.model_steps) / Number(f.time_s));
	f.tenth = of(trace.timeTo(0.1));
	f.cost = trace.slow && f.end !== "diverged" ? of(Number(f.time_per_epoch_s) / Number(alike)) : "-";
}

function showFigures() {
	const head = make("tr");
	head.append(make("th", { scope: "col" }, ""));
	page.traces.forEach((t) => head.append(make("th", { scope: "col" }, t.algo)));
	$("figures").replaceChildren(head);
	for (const [key, label] of FIGURES) {
		const row = make("tr");
		row.append(make("th", { scope: "row" }, label));
		for (const t of page.traces)
			row.append(make("td", {}, t.figures[key]));
		$("figures").append(row);
	}
	$("remarks").textContent = page.traces.filter((t) => t.figures.remark).map((t) =>
		`${t.algo}: ${t.figures.remark}.`).join("\n");
	$("remarks").hidden = !$("remarks").textContent;
}

// ---- time ----

function end() {
	return Math.max(1e-12, ...page.traces.map((t) => t.end));
}

// A timeline was panned or zoomed.
function moved() {
	const length = page.extent.to - page.extent.from;
	if (Math.abs(length - page.length) > 1e-9 * length)
		page.length = length;
	else if (page.playing)
		play(false);
	if (!page.playing)
		requestAnimationFrame(draw);
}

// The present is at the right of the timelines, and all before it is drawn.
function follow() {
	const to = Math.max(page.now, page.length);
	page.extent.set(to - page.length, to);
	if (!page.playing || performance.now() - page.numbered > 100)
		draw();
	else
		page.lines.forEach((line) => line.draw(page.now));
}

function draw() {
	page.lines.forEach((line) => line.draw(page.now));
	drawNumbers();
}

// Losses and texts, which change less often than timelines.
function drawNumbers() {
	const losses = page.traces.map((t) => t.lossAt(page.now));
	page.numbered = performance.now();
	drawLosses($("loss"), page.traces, page.earlier, page.now);
	// Texts last: the sizes of canvases are read before the browser lays the page out again.
	page.traces.forEach((trace, i) => {
		$("title-" + i).textContent = `${trace.algo}: ${trace.gradientsUntil(page.now)} gradients` +
			(Number.isFinite(losses[i]) ? `, loss ${losses[i].toPrecision(3)}` : "");
	});
	$("loss").setAttribute("aria-label", page.traces.map((t, i) =>
		`${t.algo}: loss ${losses[i].toPrecision(3)}`).join("; "));
	$("clock").textContent = page.traces.length ? `${secondsText(page.now)} of ${secondsText(end())}` : "";
	$("seek").value = 1000 * page.now / end();
}

// The whole run takes 20 seconds at speed 1.
function frame(at) {
	if (!page.playing)
		return;
	page.now += Math.min(0.1, Math.max(0, at - page.before) / 1000) * Number($("speed").value) * end() / 20;
	page.before = at;
	if (page.now >= end()) {
		page.now = end();
		play(false);
	}
	follow();
	requestAnimationFrame(frame);
}

function play(on) {
	if (on && page.now >= end())
		page.now = 0;
	const begins = on && !page.playing;
	page.playing = on;
	$("play").textContent = on ? "Pause" : "Play";
	page.before = performance.now();
	if (begins)
		requestAnimationFrame(frame);
}

// ---- lessons ----

function setState(change) {
	page.state = { ...page.state, ...change };
	changed();
}

function leaveLesson() {
	for (const button of $("lesson-list").children)
		button.setAttribute("aria-pressed", "false");
	$("lesson").replaceChildren();
}

function showLesson(k) {
	const lesson = LESSONS[k], place = $("lesson");
	leaveLesson();
	$("lesson-list").children[k].setAttribute("aria-pressed", "true");
	place.replaceChildren(make("p", { class: "question" }, lesson.question));
	lesson.choices.forEach((text, i) => {
		const button = make("button", { type: "button" }, text);
		button.addEventListener("click", () => answerLesson(k, i));
		place.append(button);
	});
}

function answerLesson(k, chosen) {
	const lesson = LESSONS[k], place = $("lesson"), right = lesson.choices[lesson.right];
	place.replaceChildren(make("p", { class: "question" }, lesson.question),
		make("p", {}, (chosen === lesson.right ? `${right}: right. ` :
			`Not "${lesson.choices[chosen]}", but "${right}". `) + lesson.answer));
	for (const [label, change] of lesson.then) {
		const button = make("button", { type: "button" }, label);
		button.addEventListener("click", () => setState(change));
		place.append(button);
	}
	if (k + 1 < LESSONS.length) {
		const next = make("button", { type: "button" }, "Next lesson");
		next.addEventListener("click", () => showLesson(k + 1));
		place.append(next);
	}
	page.traces = [];
	setState({ ...stateDefault(), ...lesson.state, algos: [...lesson.state.algos] });
}

function buildLessons() {
	LESSONS.forEach((lesson, k) => {
		const button = make("button", { type: "button", "aria-pressed": "false" }, lesson.title);
		button.addEventListener("click", () => showLesson(k));
		$("lesson-list").append(button);
	});
}

// ---- copies and files ----

async function copy(text, what) {
	if (!text) {
		$("done").textContent = `${what} would be one that is refused.`;
		return;
	}
	try {
		await navigator.clipboard.writeText(text);
	} catch (failure) {     // not allowed from a file in some browsers
		const box = make("textarea", {}, text);
		document.body.append(box);
		box.select();
		document.execCommand("copy");
		box.remove();
	}
	$("done").textContent = `${what} is copied.`;
}

function save(name, url) {
	const a = make("a", { href: url, download: name });
	document.body.append(a);
	a.click();
	a.remove();
}

function field(text) {
	return /[",\n]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
}

function csvOf(traces) {
	return ["algorithm,time_s,test_loss", ...traces.flatMap((t) =>
		t.curve.map((e) => `${field(t.algo)},${e.time},${e.value}`))].join("\n") + "\n";
}

function csvOfFigures(traces) {
	return [["figure", ...traces.map((t) => t.algo)], ...[...FIGURES, ["remark", "remark"]].map(([key, label]) =>
		[label, ...traces.map((t) => t.figures[key] || "")])].map((row) =>
		row.map(field).join(",")).join("\n") + "\n";
}

function saveCsv(name, text) {
	save(name, "data:text/csv;charset=utf-8," + encodeURIComponent(text));
}

// What the colours of the timelines mean, as the page's legend says it.
function drawKeys(c, y) {
	let x = 4;
	for (const item of document.querySelectorAll(".legend .item")) {
		const text = item.textContent, key = item.firstElementChild;
		c.fillStyle = getComputedStyle(key).backgroundColor;
		c.fillRect(x, y - 16, 24, 16);
		c.fillStyle = colour("text");
		c.fillText(text, x + 32, y);
		x += 64 + c.measureText(text).width;
	}
}

function savePng() {
	const all = [...document.querySelectorAll("#timelines canvas"), $("loss")];
	const gap = 40, sheet = make("canvas");
	sheet.width = Math.max(...all.map((c) => c.width));
	sheet.height = all.reduce((sum, c) => sum + c.height + gap, gap);
	const c = sheet.getContext("2d");
	c.fillStyle = colour("ground");
	c.fillRect(0, 0, sheet.width, sheet.height);
	c.font = "24px system-ui, sans-serif";
	let y = 0;
	all.forEach((one, i) => {
		c.fillStyle = colour("text");
		c.fillText(page.traces[i] ? $("title-" + i).textContent : "Loss against virtual time", 4, y + 28);
		c.drawImage(one, 0, y + gap);
		y += one.height + gap;
	});
	drawKeys(c, y + 28);
	save("convoy.png", sheet.toDataURL("image/png"));
}

// ---- start ----

function keys(e) {
	const slider = e.target.type === "range"; // which has no use for the space bar
	if (!page.traces.length || e.ctrlKey || e.metaKey || e.altKey || (slider ? e.key !== " " :
		/^(INPUT|SELECT|BUTTON|TEXTAREA|SUMMARY)$/.test(e.target.tagName)))
		return;
	if (e.key === " ") {
		play(!page.playing);
	} else if (e.key === "ArrowRight" || e.key === "ArrowLeft") {
		play(false);
		page.now = Math.min(end(), Math.max(0, page.now + (e.key === "ArrowRight" ? 1 : -1) * end() / 200));
		follow();
	} else if (!/^[-+=0]$/.test(e.key) || !page.lines[0].key(e.key, false)) {
		return;
	}
	e.preventDefault();
}

function openLink() {
	const { state, faults } = stateOfHash(location.hash);
	page.state = state;
	page.refused = null;
	page.traces = [];       // none is one before a change
	leaveLesson();
	showFields();
	simulate(faults);
}

// The simulator; null, and a sentence, where there is none.
function openSimulator() {
	if (typeof WebAssembly !== "object") {
		say(["This browser has no WebAssembly, in which the simulator runs: it is too old, or a " +
			"setting such as a lockdown mode has switched it off. Use another browser, or convoy on " +
			"the command line."]);
		return null;
	}
	try {
		const simulator = new Runner(Uint8Array.from(atob(MODULE), (c) => c.charCodeAt(0)));
		page.briefs = simulator.local.algos();
		return simulator;
	} catch (failure) {
		say(["The simulator cannot be loaded: " + failure.message]);
		return null;
	}
}

function start() {
	page.simulator = openSimulator();
	buildFields();
	buildLessons();
	if (!page.simulator)
		return;
	$("play").addEventListener("click", () => play(!page.playing));
	$("seek").addEventListener("input", () => {
		play(false);
		page.now = end() * $("seek").value / 1000;
		follow();
	});
	$("copy").addEventListener("click", () => copy($("command").textContent, "The command"));
	$("link").addEventListener("click", () =>
		copy(location.href.split("#")[0] + hashOfState(page.state), "The link"));
	$("png").addEventListener("click", savePng);
	$("csv").addEventListener("click", () => saveCsv("convoy-losses.csv", csvOf(page.traces)));
	$("csv-figures").addEventListener("click", () =>
		saveCsv("convoy-figures.csv", csvOfFigures(page.traces)));
	document.addEventListener("keydown", keys);
	window.addEventListener("hashchange", openLink);
	window.addEventListener("resize", draw);
	watchColours(draw);
	openLink();
}

start();
