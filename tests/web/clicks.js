// clicks.js HTML: fields, lessons, keys, copies, files and links of the page, in headless Chromium.
"use strict";
const fs = require("fs");
const path = require("path");
const { Browser, check, finish } = require("./browser.js");

const url = "file://" + path.resolve(process.argv[2]);
const folder = fs.mkdtempSync("downloads-");
// What a page says that is opened with these settings, when its runs are done.
async function opened(b, hash, look) {
	await b.open(url + hash, look);
	await b.until(() => b.value("page.settled"));
	return b.value("$('message').hidden ? '' : $('message').textContent");
}

async function set(b, id, value) {
	await b.value(`{ const e = $(${JSON.stringify(id)}); e.value = ${JSON.stringify(value)};
		e.dispatchEvent(new Event("change")); }`);
	await b.until(() => b.value("page.settled"));
	return b.value("$('message').textContent");
}

async function tryFields(b) {
	check("no message at first", await opened(b, "") === "");
	check("costs ten times a minibatch, and an all-reduce",
		await b.value("page.traces[0].figures.cost") === "8.65048");
	check("three timelines", await b.value("document.querySelectorAll('#timelines canvas').length") === 3);
	check("the command", (await b.value("$('command').textContent")).startsWith(
		"convoy sim --algo allreduce,asgd,ad-psgd "));
	check("labels", await b.value(`[...document.querySelectorAll("input, select, canvas")].every((e) =>
		e.getAttribute("aria-label") || e.getAttribute("aria-labelledby") || e.closest("label") ||
		document.querySelector('label[for="' + e.id + '"]'))`));
	check("a near name", (await set(b, "algo-text-0", "alreduce")).includes("did you mean 'allreduce'?"));
	await set(b, "algo-0", "allreduce");
	check("a bound", (await set(b, "field-workers", "1e9")).includes("from 1 to 256"));
	await set(b, "field-workers", "4");
	check("costs more", Number(await b.value("page.traces[0].figures.cost")) > 2);
	const figure = (name) => b.value(`page.traces.map((t) => Number(t.figures.${name}))`);
	check("curves begin at one loss", await b.value("new Set(page.traces.map((t) => t.curve[0].value)).size") === 1);
	check("to a tenth of that loss", await b.value("page.traces.every((t) => { const at = 1.00001 * t.figures.tenth;" +
		"return t.lossAt(at) <= t.curve[0].value / 10 && t.lossAt(0.98 * at) > t.curve[0].value / 10; })"),
	await figure("tenth"));
	check("the clock ends with the longest run", await b.value("$('clock').textContent.endsWith(' of ' + " +
		"secondsText(Math.max(...page.traces.map((t) => Number(t.figures.time_s)))))"));
	await b.value(`for (const [id, value] of [["field-seed", 5], ["field-workers", 500]]) {
		$(id).value = value; $(id).dispatchEvent(new Event("change")); }`);
	await b.until(() => b.value("page.settled"));
	check("what is refused stays so", (await b.value("$('message').textContent")).includes("not '500'"));
	await set(b, "field-workers", "4");
	check("an algorithm twice", (await set(b, "algo-1", "allreduce")).includes("allreduce stands there twice"));
	check("no command that is refused", await b.value("$('command').textContent") === "");
	await set(b, "algo-1", "asgd");
	check("diverges", (await set(b, "field-lr", "1.9")).includes("diverged"));
	await set(b, "field-lr", "0.05");
}

async function tryLessons(b) {
	const lessons = await b.value("LESSONS.map((l) => ({ title: l.title, question: l.question, " +
		"right: l.right, choices: l.choices, algos: l.state.algos }))");
	for (const [k, lesson] of lessons.entries()) {
		await b.click(`#lesson-list button:nth-child(${k + 1})`);
		check(lesson.title + " asks", (await b.value("$('lesson').textContent")).includes(lesson.question));
		await b.click(`#lesson button:nth-of-type(${lesson.right + 1})`);
		await b.until(() => b.value("page.settled"));
		const text = await b.value("$('lesson').textContent");
		check(lesson.title + " answers", text.includes("right."), text);
		check(lesson.title + " runs", await b.value("page.traces.length") === lesson.algos.length);
		check(lesson.title + " is in the link", await b.value("location.hash === hashOfState(page.state)"));
		check(lesson.title + " has no message", await b.value("$('message').hidden || " +
			"/diverged|times above/.test($('message').textContent)"), await b.value("$('message').textContent"));
	}
}

// The answers, by the page's own figures.
async function tryAnswers(b) {
	const figures = async (k, more) => {
		await b.click(`#lesson-list button:nth-child(${k})`);
		await b.click(`#lesson button:nth-of-type(${await b.value(`LESSONS[${k - 1}].right`) + 1})`);
		for (const label of more) {
			await b.until(() => b.value("page.settled"));
			await b.value(`[...document.querySelectorAll("#lesson button")].find((e) =>
				e.textContent === ${JSON.stringify(label)}).click()`);
		}
		await b.until(() => b.value("page.settled"));
		return b.value("page.traces.map((t) => ({ ...t.figures }))");
	};
	const epoch = async (...more) => Number((await figures(5, more))[0].time_per_epoch_s);
	const slow = await figures(1, []), more = await figures(1, ["64 workers"]);
	check("1: ten times", Math.abs(slow[0].cost - 10) < 0.3 && slow.slice(1).every((f) => f.cost < 1.3),
		slow.map((f) => f.cost));
	check("1: with 64, too", more[0].cost > 9 && more.slice(1).every((f) => f.cost < 1.1), more.map((f) => f.cost));
	check("2: it diverges", (await figures(2, []))[0].end === "diverged" ||
		await b.value("page.traces[0].curve.at(-1).value > 10 * page.traces[0].curve[0].value"));
	check("3: the server", (await figures(3, [])).every((f, i, all) =>
		Number(f.time_per_epoch_s) <= Number(all[0].time_per_epoch_s)));
	const end = async (...change) => Number((await figures(4, change))[0].test_loss);
	check("4: too much", await end() > 10 * await end("Momentum 0"));
	const codes = await epoch(), floats = await epoch("Without compression");
	check("5: hardly", Math.abs(codes / floats - 1) < 0.05, [codes, floats]);
	check("5: with 4", await epoch("4 workers") < 0.5 * await epoch("4 workers", "Without compression"));
	check("5: halves", await epoch("16 bits") < 0.65 * floats);
	await opened(b, "#v=1&workers=3");
	check("a link leaves a lesson", await b.value("$('lesson').textContent === '' && " +
		"!document.querySelector('#lesson-list [aria-pressed=true]')"));
}

async function tryKeys(b) {
	await opened(b, "#v=1&workers=4");
	const now = () => b.value("page.now");
	await b.value("document.activeElement.blur(); play(false)");
	await b.key(" ", "Space");
	check("the space bar plays", await b.value("page.playing"));
	await b.until(async () => await now() > 0);
	await b.key(" ", "Space");
	check("the space bar pauses", !await b.value("page.playing"));
	const before = await now();
	await b.key("ArrowRight");
	check("an arrow moves in time", await now() > before);
	for (const [key, factor] of [["+", 0.5], ["-", 2]]) {
		const span = await b.value("page.length");
		await b.key(key);
		check(`${key} zooms without a timeline in focus`, Math.abs(await b.value("page.length") / span - factor) < 1e-9);
	}
	await b.value("page.now = end(); follow(); page.lines[0].canvas.focus()");
	await b.key("ArrowDown");
	await b.key("ArrowDown");
	const told = await b.value("$('event').textContent");
	check("down tells of the second worker", told.startsWith("worker 1: "), told);
	const length = "page.extent.to - page.extent.from";
	const wide = await b.value(length);
	await b.key("+");
	check("+ zooms", Math.abs(await b.value(length) / wide - 0.5) < 1e-6);
	await b.key("0");
	check("0 shows all", Math.abs(await b.value(length) / await b.value("end()") - 1) < 1e-9);
	await b.value("page.extent.set(10, 12); draw()");
	const tells = await b.value(`(() => { const l = page.lines[0]; return [...Array(600).keys()].map((i) =>
		l.tellPoint(l.left + i, l.each + 3)); })()`);
	for (const text of ["computes a gradient of loss", "waits", "all-reduce of 100 MB"])
		check("tells: " + text, tells.some((t) => t.includes(text)), tells[100]);
	const box = await b.value("(() => { page.lines[0].canvas.scrollIntoView(); const r = page.lines[0].canvas" +
		".getBoundingClientRect(); return { x: r.x, y: r.y }; })()");
	await b.mouse("mouseMoved", box.x + 300, box.y + 20);
	check("the pointer tells", (await b.value("$('event').textContent")).startsWith("worker 1: "));
}

async function tryFiles(b) {
	await opened(b, "#v=1&workers=4&algo=asgd&algo=backup:b=1");
	await b.send("Browser.grantPermissions", { permissions: ["clipboardReadWrite", "clipboardSanitizedWrite"] });
	await b.click("#copy");
	await b.until(() => b.value("$('done').textContent !== ''"));
	check("the command is copied", await b.value("navigator.clipboard.readText()") ===
		await b.value("$('command').textContent"));
	await b.click("#link");
	await b.until(() => b.value("$('done').textContent === 'The link is copied.'"));
	check("the link is copied", await b.value("navigator.clipboard.readText()") ===
		url + "#v=1&algo=asgd&algo=backup%3Ab%3D1&workers=4");
	await b.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: path.resolve(folder) });
	for (const [id, name] of [["png", "convoy.png"], ["csv", "convoy-losses.csv"],
		["csv-figures", "convoy-figures.csv"]]) {
		await b.click("#" + id);
		await b.until(() => fs.existsSync(path.join(folder, name)), 10);
	}
	const png = fs.readFileSync(path.join(folder, "convoy.png"));
	check("a PNG", png.subarray(1, 4).toString() === "PNG" && png.length > 5000, png.length);
	const losses = fs.readFileSync(path.join(folder, "convoy-losses.csv"), "utf8").trim().split("\n");
	check("CSV of losses", losses[0] === "algorithm,time_s,test_loss" && losses.length > 60 &&
		losses.some((l) => l.startsWith("backup:b=1,")), losses.length);
	const figures = fs.readFileSync(path.join(folder, "convoy-figures.csv"), "utf8");
	check("CSV of figures", figures.includes(`time [s],${await b.value("page.traces[0].figures.time_s")},`), figures);
}

async function tryRemarks(b) {
	check("no remark at first", await opened(b, "") === "" && await b.value("$('remarks').hidden"));
	await opened(b, "#v=1&workers=16&compute=10&size=1.08&bandwidth=0.03&algo=gossip-push&algo=asgd");
	const told = await b.value("$('remarks').hidden ? '' : $('remarks').textContent");
	check("a remark on a run", /^gossip-push: .* messages had not arrived at the end: .*\.$/m.test(told), told);
	check("the CSV has it", (await b.value("csvOfFigures(page.traces)")).includes("remark,\""));
}

async function tryLinks(b) {
	check("a newer link", (await opened(b, "#v=9&workers=3")).includes("open it with a newer page"));
	const phone = { width: 360, height: 740, scale: 2, mobile: true };
	const many = await opened(b, "#v=1&workers=256&rounds=10&algo=asgd", phone);
	check("256 workers on a phone", many.includes("256 workers on this narrow screen"), many);
	check("nothing is wider than a phone", await b.value("document.documentElement.scrollWidth") <= 360);
	for (const hash of ["#v=1&workers=256&rounds=700&jitter=2&algo=asgd", "#v=1&bandwidth=0.001&size=100000",
		"#v=1&lr=10&momentum=0.99&rounds=10", "#v=1&workers=1&algo=ad-psgd&rounds=10",
		"#v=1&workers=3&node=16&latency=1000000&rounds=10", "#v=1&algo=<img src=x onerror=alert(1)>&rounds=10",
		"#v=1&algo=" + "x".repeat(300), "#&&&=&==&%", "#v=1&workers=-1&slow=1e400&compute=&lr=0x10"]) {
		const told = await opened(b, hash);
		check(`${hash}: is shown or refused`, await b.value("page.traces.length > 0") || told.length > 10, told);
		check(`${hash}: no sentence is longer than a line`, told.split("\n").every((t) => t.length < 300), told);
	}
}

async function tryWithout() {
	const b = new Browser(["--js-flags=--jitless"]); // without a compiler there is no WebAssembly
	try {
		await b.open(url);
		check("without WebAssembly", (await b.value("$('message').textContent")).includes("no WebAssembly"));
		check("without WebAssembly nothing fails", !b.faults().length, b.faults());
	} finally {
		await b.close();
	}
}

(async () => {
	const b = new Browser();
	try {
		await tryFields(b);
		await tryLessons(b);
		await tryAnswers(b);
		await tryKeys(b);
		await tryFiles(b);
		await tryRemarks(b);
		await tryLinks(b);
		check("no exception", !b.faults().length, b.faults());
	} catch (failure) {
		check(failure.stack, false, b.faults());
	} finally {
		await b.close();
	}
	await tryWithout();
	finish("all clicks work");
})();
