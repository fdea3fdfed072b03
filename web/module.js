// module.js: runs the WebAssembly module, in a new instance for each run.

const KINDS = ["computed", "dropped", "received", "reduced", "loss"];
const COLUMNS = 6; // doubles of an event: kind, node, peer, begun, time, value

class Simulator {
	// bytes: of the module. Throws where there is no WebAssembly.
	constructor(bytes) {
		this.module = new WebAssembly.Module(bytes);
	}

	// The few functions of WASI that the C library names: clocks, and files that are not there.
	imports(memory) {
		const BADF = 8;
		const table = {
			clock_time_get: (id, precision, at) => {
				const ns = BigInt(Math.round(performance.now() * 1e6));
				new DataView(memory().buffer).setBigUint64(at, ns, true);
				return 0;
			},
			proc_exit: () => {
				throw new Error("the simulator ended");
			},
		};
		return {
			wasi_snapshot_preview1: new Proxy(table, {
				get: (own, name) => own[name] || (() => BADF),
			}),
		};
	}

	// A new instance, whose functions text() and the exports are.
	instance() {
		let instance = null;
		const memory = () => instance.exports.memory;
		const wasi = this.imports(memory).wasi_snapshot_preview1;
		const imports = {};
		for (const i of WebAssembly.Module.imports(this.module)) {
			imports[i.module] = imports[i.module] || {};
			imports[i.module][i.name] = wasi[i.name];
		}
		instance = new WebAssembly.Instance(this.module, imports);
		return instance.exports;
	}

	textAt(c, from) {
		const all = new Uint8Array(c.memory.buffer);
		return new TextDecoder().decode(all.subarray(from, all.indexOf(0, from)));
	}

	// {name: what it does} of all algorithms.
	algos() {
		const c = this.instance();
		if (c._initialize)
			c._initialize();
		return Object.fromEntries(this.textAt(c, c.web_algos()).split("\n").map((l) => l.split("\t")));
	}

	// settings: {key: text}. {figures: {name: digits}, events: Float64Array} or {error: text}.
	run(settings) {
		const c = this.instance(), text = () => this.textAt(c, c.web_text());
		try {
			if (c._initialize)
				c._initialize();
			const lines = Object.entries(settings)
				.map(([key, value]) => key + "=" + String(value).replace(/[\n\0]/g, " "))
				.join("\n");
			const bytes = new TextEncoder().encode(lines);
			const at = c.web_settings(bytes.length + 1);
			new Uint8Array(c.memory.buffer).set(bytes, at);
			if (c.web_run() < 0)
				return { error: text() };
			const events = new Float64Array(c.memory.buffer, c.web_events(),
				COLUMNS * c.web_count()).slice();
			return { figures: JSON.parse(text()), events };
		} catch (failure) {
			let why = "";
			try {
				why = text();
			} catch (again) {
				why = "";
			}
			return { error: why || "the simulator stopped: " + failure.message };
		}
	}
}

// Runs on a thread of its own, so that the page stays alive; on the page's where there is none.
class Runner {
	constructor(bytes) {
		this.bytes = bytes;
		this.local = new Simulator(bytes);
		this.worker = null;
		this.busy = false;
		this.alone = false;
	}

	start() {
		const code = [`"use strict";`, `const KINDS = ${JSON.stringify(KINDS)};`,
			`const COLUMNS = ${COLUMNS};`, String(Simulator), "let simulator = null;",
			"onmessage = (e) => {",
			"	simulator = simulator || new Simulator(e.data.bytes);",
			"	const result = simulator.run(e.data.settings);",
			"	postMessage(result, result.events ? [result.events.buffer] : []);",
			"};"].join("\n");
		const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
		this.worker = new Worker(url);
		URL.revokeObjectURL(url);
	}

	// As Simulator.run(), later. A run under way is ended, and its result never comes.
	run(settings) {
		if (this.busy)
			this.end();
		return new Promise((resolve) => {
			const here = () => {
				this.alone = true;
				this.end();
				resolve(this.local.run(settings));
			};
			if (this.alone) {
				here();
				return;
			}
			try {
				if (!this.worker)
					this.start();
			} catch (failure) {
				here();
				return;
			}
			this.busy = true;
			this.worker.onerror = here;
			this.worker.onmessage = (e) => {
				this.busy = false;
				resolve(e.data);
			};
			this.worker.postMessage({ bytes: this.bytes, settings });
		});
	}

	end() {
		if (this.worker)
			this.worker.terminate();
		this.worker = null;
		this.busy = false;
	}
}
