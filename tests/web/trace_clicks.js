// trace_clicks.js HTML: the page of a trace of 4 workers of asgd, worker 0 slow, in headless Chromium.
"use strict";
const fs = require("fs");
const path = require("path");
const { Browser, check, finish } = require("./browser.js");

const file = path.resolve(process.argv[2]);

async function opened(b, name, look) {
	await b.open("file://" + name, look);
	await b.until(() => b.value("!$('view').hidden || !$('message').hidden"));
	return b.value("$('message').textContent");
}

// A second way to what a lane does: by a search over all of its spans.
const compare = `(() => {
	const { at, first, state, nodes, end } = view.line.spans;
	const faults = [];
	for (let k = 0; k < 200; k++) {
		const lane = (k * 7) % (2 * nodes), a = end * ((k * 37) % 101) / 101, b = a + end * (k % 13 + 1) / 50;
		const sum = new Float64Array(S), slow = new Float64Array(S);
		for (let i = first[lane]; i < first[lane + 1]; i++)
			slow[state[i]] += Math.max(0, Math.min(b, at[2 * i + 1]) - Math.max(a, at[2 * i]));
		view.line.spans.until(lane, view.line.spans.find(lane, b), b, 1, sum);
		view.line.spans.until(lane, view.line.spans.find(lane, a), a, -1, sum);
		for (let s = 0; s < S; s++)
			if (Math.abs(sum[s] - slow[s]) > 1e-9)
				faults.push([lane, a, b, s, sum[s], slow[s]].join(" "));
	}
	return faults.join("; "); })()`;

async function tryKeys(b) {
	const event = () => b.value("$('event').textContent");
	const length = () => b.value("view.extent.to - view.extent.from");
	const settled = () => b.until(() => b.value("view.ahead === 0"));
	await b.value("view.line.canvas.focus()");
	await b.key("ArrowDown");
	check("down tells of worker 0", (await event()).startsWith("worker 0: "), await event());
	await b.key("ArrowDown");
	await b.value("view.extent.set(0, 2); view.line.mark(1, 0.01)");
	const seen = new Set();
	for (let k = 0; k < 12; k++) {
		seen.add((await event()).replace(/[0-9.]+/g, "N").replace(/, N .*/, ""));
		await b.key("ArrowRight");
		await settled();
	}
	check("right goes from event to event", [...seen].some((t) => t.includes("computes gradient")) &&
		[...seen].some((t) => /message from server/.test(t)), [...seen].join(" | "));
	await b.key("0");
	await settled();
	const whole = await length();
	await b.key("+");
	await settled();
	check("+ zooms", Math.abs(await length() / whole - 0.5) < 1e-9);
	await b.click("#whole");
	await settled();
	check("whole run", Math.abs(await length() / whole - 1) < 1e-9);
	const box = await b.value(`(() => { const r = view.line.canvas.getBoundingClientRect();
		return { x: r.x, y: r.y }; })()`);
	await b.mouse("mouseMoved", box.x + 400, box.y + 24);
	check("the pointer tells", (await event()).startsWith("worker 1: "), await event());
	await b.send("Input.dispatchMouseEvent", { type: "mouseWheel", x: box.x + 400, y: box.y + 24, deltaX: 0,
		deltaY: -100, modifiers: 2 });
	await b.until(() => b.value("view.extent.to - view.extent.from < view.extent.end * 0.9"), 5);
	const from = await b.value("view.extent.from");
	await b.mouse("mousePressed", box.x + 400, box.y + 24, { button: "left", clickCount: 1 });
	await b.mouse("mouseMoved", box.x + 300, box.y + 24, { button: "left", buttons: 1 });
	await b.mouse("mouseReleased", box.x + 300, box.y + 24, { button: "left", clickCount: 1 });
	check("dragging pans", await b.value("view.extent.from") > from);
}

// Two fingers that part, and one that moves.
async function tryTouch(b) {
	await b.send("Emulation.setTouchEmulationEnabled", { enabled: true, maxTouchPoints: 2 });
	const box = await b.value(`(() => { view.line.canvas.scrollIntoView({ block: "center" });
		const r = view.line.canvas.getBoundingClientRect(); return { x: r.x, y: r.y + 20 }; })()`);
	const touch = (type, ...xs) => b.send("Input.dispatchTouchEvent", { type, touchPoints: xs.map((x, id) =>
		({ x: box.x + x, y: box.y, id })) });
	const length = await b.value("view.extent.to - view.extent.from");
	await touch("touchStart", 150, 190);
	for (let k = 0; k <= 10; k++)
		await touch("touchMove", 150 - 8 * k, 190 + 8 * k);
	await touch("touchEnd");
	const near = await b.value("view.extent.to - view.extent.from");
	check("two fingers zoom", near < length / 2, `${length} ${near}`);
	const from = await b.value("view.extent.from");
	await touch("touchStart", 200);
	for (let k = 0; k <= 10; k++)
		await touch("touchMove", 200 - 8 * k);
	await touch("touchEnd");
	check("a finger pans", await b.value("view.extent.from") > from);
}

(async () => {
	const b = new Browser();
	try {
		check("no message", await opened(b, file) === "", await b.value("$('message').textContent"));
		check("sums of times", await b.value(compare) === "", await b.value(compare));
		check("the slow worker is first", (await b.value("$('workers').rows[1].textContent")).startsWith("worker 0"));
		check("labels", await b.value("view.line.canvas.getAttribute('aria-label') !== null"));
		await tryKeys(b);
		await opened(b, file, { width: 360, height: 700, scale: 2, mobile: true, dark: true });
		check("nothing is wider than a phone", await b.value("document.documentElement.scrollWidth") <= 360,
			await b.value("document.documentElement.scrollWidth"));
		await tryTouch(b);
		check("no exception", !b.faults().length, b.faults());
		const text = fs.readFileSync(file, "utf8");
		fs.writeFileSync("cut.html", text.replace(/(octet-stream"[^]*?\n[^\n]{400})[^\n]*/, "$1"));
		const told = await opened(b, path.resolve("cut.html"));
		check("a cut page", told.startsWith("The trace cannot be shown: "), told);
	} catch (failure) {
		check(failure.stack, false, b.faults());
	} finally {
		await b.close();
	}
	finish("all clicks work");
})();
