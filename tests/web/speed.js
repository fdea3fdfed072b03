// speed.js HTML TRACE-HTML: what a frame costs on the page with the simulator, and on the page of a
// long trace, in headless Chromium. Prints processor times of the page's thread, which other work on
// the machine hardly changes, and wall times. Fails only where a time is far from what it should be.
"use strict";
const path = require("path");
const { Browser } = require("./browser.js");

const [html, trace] = process.argv.slice(2).map((name) => "file://" + path.resolve(name));
const FAR = 4; // times as long as it should be: a failure
let faults = 0;

function quantile(numbers, share) {
	const sorted = [...numbers].sort((a, b) => a - b);
	return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
}

function limit(what, ms, most) {
	if (ms <= FAR * most)
		return;
	console.log(`${what}: ${ms.toFixed(1)} ms, expected ${most}`);
	faults++;
}

// Tasks of the page's thread while act() runs, by frames: [ms of the processor], [ms].
async function frames(b, act) {
	const done = b.events.length;
	await b.send("Tracing.start", { transferMode: "ReportEvents",
		traceConfig: { includedCategories: ["toplevel", "devtools.timeline"] } });
	await act();
	await b.send("Tracing.end");
	await b.until(() => b.events.slice(done).some((e) => e.method === "Tracing.tracingComplete"));
	const all = b.events.splice(done).filter((e) => e.method === "Tracing.dataCollected")
		.flatMap((e) => e.params.value).filter((e) => e.ph === "X");
	const fired = all.filter((e) => e.name === "FireAnimationFrame").sort((x, y) => x.ts - y.ts);
	const { pid, tid } = fired[0];
	const tasks = all.filter((e) => e.pid === pid && e.tid === tid && e.name.endsWith("RunTask"))
		.sort((x, y) => x.ts - y.ts);
	const cpu = fired.map(() => 0), wall = fired.map(() => 0);
	let k = -1;
	for (const task of tasks) {
		while (k + 1 < fired.length && fired[k + 1].ts < task.ts + task.dur)
			k++;
		if (k < 0)
			continue;
		cpu[k] += (task.tdur || 0) / 1000;
		wall[k] += task.dur / 1000;
	}
	return { cpu, wall };
}

function report(what, { cpu, wall }, median, most) {
	const of = (v) => `median ${quantile(v, 0.5).toFixed(1)}, 95 % ${quantile(v, 0.95).toFixed(1)}`;
	console.log(`${what}: ${cpu.length} frames; ms of processor time: ${of(cpu)}; ms of wall time: ${of(wall)}`);
	limit(what + ", median", quantile(cpu, 0.5), median);
	limit(what + ", 95 %", quantile(cpu, 0.95), most);
}

// Milliseconds from the navigation to the first frame after the expression is true; the least of n.
async function firstPicture(b, url, shown, n) {
	const { identifier } = await b.send("Page.addScriptToEvaluateOnNewDocument", { source: `
		const look = () => { let is = false; try { is = eval(${JSON.stringify(shown)}); } catch (none) { is = false; }
			if (is) window.pictured = performance.now(); else requestAnimationFrame(look); };
		requestAnimationFrame(look);` });
	const all = [];
	for (let k = 0; k < n; k++) {
		await b.open(url);
		await b.until(() => b.value("window.pictured > 0"));
		all.push(await b.value("window.pictured"));
	}
	await b.send("Page.removeScriptToEvaluateOnNewDocument", { identifier });
	return Math.min(...all);
}

async function measurePage(b) {
	await b.open(html);
	const first = await firstPicture(b, html, "page.settled", 5);
	console.log(`page: first picture ${first.toFixed(0)} ms after opening (wall time, the least of 5)`);
	limit("page: first picture", first, 1000);
	await b.open(html + "#v=1&workers=64&jitter=0.3&rounds=200");
	await b.until(() => b.value("page.settled"));
	await b.value("play(true)");
	report("page: 64 workers, three algorithms", await frames(b, () =>
		new Promise((go) => setTimeout(go, 4000))), 8, 16);
}

async function measureTrace(b) {
	const first = await firstPicture(b, trace, "!document.getElementById('view').hidden", 2);
	const events = await b.value("view.facts.events");
	console.log(`trace of ${events} events: first picture ${first.toFixed(0)} ms after opening (wall time)`);
	limit("trace: first picture", first, 3000);
	await b.value("view.line.canvas.focus()");
	const keys = [..."++++++++++++", ..."------", "shift", "shift", ..."++++++++", "shift", "shift", "shift", "0"];
	report(`trace of ${events} events: zoom and pan`, await frames(b, async () => {
		for (let k = 0; k < 3; k++)
			for (const key of keys) {
				if (key === "shift")
					await b.key("ArrowRight", "ArrowRight", 8);
				else
					await b.key(key);
				await b.until(() => b.value("view.ahead === 0"));
			}
	}), 50, 50);
}

(async () => {
	const b = new Browser();
	try {
		await measurePage(b);
		await measureTrace(b);
	} catch (failure) {
		console.log(failure.stack, b.faults());
		faults++;
	} finally {
		await b.close();
	}
	process.exit(faults ? 1 : 0);
})();
