// browser.js: drives a headless Chromium by the DevTools protocol, over a pipe.
"use strict";
const { spawn, execFileSync } = require("child_process");
const fs = require("fs");
const os = require("os");
const path = require("path");

// The program's path; null: none is installed.
function chromium() {
	for (const name of ["chromium", "chromium-browser", "google-chrome"])
		try {
			return execFileSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).trim();
		} catch (none) {
			continue;
		}
	return null;
}

class Browser {
	// words: further options of the program.
	constructor(words = []) {
		this.folder = fs.mkdtempSync(path.join(os.tmpdir(), "convoy-browser-"));
		this.child = spawn(chromium(), ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
			"--remote-debugging-pipe", `--user-data-dir=${this.folder}`, ...words, "about:blank"],
		{ stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
		this.calls = new Map();
		this.events = [];
		this.number = 0;
		let rest = Buffer.alloc(0);
		this.child.stdio[4].on("data", (more) => {
			rest = Buffer.concat([rest, more]);
			for (let end = rest.indexOf(0); end >= 0; end = rest.indexOf(0)) {
				this.take(JSON.parse(rest.subarray(0, end)));
				rest = rest.subarray(end + 1);
			}
		});
	}

	take(m) {
		const call = this.calls.get(m.id);
		if (m.method)
			this.events.push(m);
		if (!call)
			return;
		this.calls.delete(m.id);
		if (m.error)
			call.reject(new Error(m.error.message));
		else
			call.resolve(m.result);
	}

	send(method, params = {}) {
		const id = ++this.number;
		this.child.stdio[3].write(JSON.stringify({ id, method, params, sessionId: this.session }) + "\0");
		return new Promise((resolve, reject) => this.calls.set(id, { resolve, reject }));
	}

	// look: {width, height, scale, mobile, dark, permissions}.
	async open(url, look = {}) {
		if (!this.session) {
			const { targetInfos } = await this.send("Target.getTargets");
			const page = targetInfos.find((t) => t.type === "page");
			const { sessionId } = await this.send("Target.attachToTarget",
				{ targetId: page.targetId, flatten: true });
			this.session = sessionId;
			await this.send("Page.enable");
			await this.send("Runtime.enable");
			await this.send("Log.enable");
		}
		await this.send("Emulation.setDeviceMetricsOverride", { width: look.width || 1280,
			height: look.height || 900, deviceScaleFactor: look.scale || 1, mobile: Boolean(look.mobile) });
		await this.send("Emulation.setEmulatedMedia", { features: [
			{ name: "prefers-color-scheme", value: look.dark ? "dark" : "light" }] });
		// Another address first, so that one that differs in the hash alone is loaded too.
		await this.load("about:blank");
		await this.load(url);
	}

	async load(url) {
		const before = this.events.length;
		await this.send("Page.navigate", { url });
		await this.until(() => this.events.slice(before).some((e) => e.method === "Page.loadEventFired"));
	}

	async until(good, seconds = 60) {
		const end = Date.now() + 1000 * seconds;
		while (!await good()) {
			if (Date.now() > end)
				throw new Error(`waited ${seconds} s for ${good}`);
			await new Promise((go) => setTimeout(go, 20));
		}
	}

	// The value of an expression in the page; a promise is waited for.
	async value(expression) {
		const { result, exceptionDetails } = await this.send("Runtime.evaluate",
			{ expression, returnByValue: true, awaitPromise: true });
		if (exceptionDetails)
			throw new Error(`${expression}: ${(exceptionDetails.exception || {}).description || exceptionDetails.text}`);
		return result.value;
	}

	// What went wrong in the page: exceptions and errors.
	faults() {
		return this.events.filter((e) => e.method === "Runtime.exceptionThrown" ||
			(e.method === "Log.entryAdded" && e.params.entry.level === "error")).map((e) =>
			e.params.entry ? e.params.entry.text : (e.params.exceptionDetails.exception || {}).description ||
				e.params.exceptionDetails.text);
	}

	async key(name, code = name, modifiers = 0) {
		const text = name.length === 1 ? name : undefined;
		await this.send("Input.dispatchKeyEvent", { type: "keyDown", key: name, code, text, modifiers });
		await this.send("Input.dispatchKeyEvent", { type: "keyUp", key: name, code, modifiers });
	}

	async mouse(type, x, y, more = {}) {
		await this.send("Input.dispatchMouseEvent", { type, x, y, button: "none", ...more });
	}

	// Clicks in the middle of the element that a selector finds.
	async click(selector) {
		const { x, y } = await this.value(`(() => { const e = document.querySelector(${JSON.stringify(selector)});
			e.scrollIntoView({ block: "center" });
			const r = e.getBoundingClientRect(); return { x: r.x + r.width / 2, y: r.y + r.height / 2 }; })()`);
		for (const type of ["mousePressed", "mouseReleased"])
			await this.mouse(type, x, y, { button: "left", clickCount: 1 });
	}

	// whole: all of the page, not the window alone.
	async picture(file, whole) {
		const { cssContentSize: size } = await this.send("Page.getLayoutMetrics");
		const { data } = await this.send("Page.captureScreenshot", whole ? { captureBeyondViewport: true,
			clip: { x: 0, y: 0, width: size.width, height: size.height, scale: 1 } } : {});
		fs.writeFileSync(file, Buffer.from(data, "base64"));
	}

	async close() {
		const ended = new Promise((go) => this.child.once("exit", go));
		const late = setTimeout(() => this.child.kill("SIGKILL"), 5000);
		this.session = undefined;
		this.send("Browser.close").catch(() => {});
		await ended;
		clearTimeout(late);
		fs.rmSync(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
	}
}

let faults = 0;

// Prints what is not so, with what was seen instead, and counts it.
function check(what, good, seen = "") {
	if (good)
		return;
	console.log(`${what} ${seen}`);
	faults++;
}

// Ends the program, with 1 if a check failed.
function finish(well) {
	console.log(faults ? `${faults} faults` : well);
	process.exit(faults ? 1 : 0);
}

module.exports = { Browser, check, chromium, finish };
