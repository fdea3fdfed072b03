// same_digits.js CONVOY HTML: the page and the command line print the same digits, and the same digest
// of the model, for a list of settings, in headless Chromium (in node where that is not installed);
// the page's messages are clear.
"use strict";
const { execFileSync } = require("child_process");
const fs = require("fs");
const path = require("path");
const vm = require("vm");
const { Browser, chromium } = require("./browser.js");

const [convoy, html] = process.argv.slice(2);
const script = fs.readFileSync(html, "utf8").match(/<script>([\s\S]*?)<\/script>/)[1];
// All of the page but what begins it.
const code = script.replace(/\nstart\(\);\n/, "\n") +
	"\n({ MODULE, Simulator, stateDefault, stateOfHash, settingsOf, hashOfState, commandOf, stateFault, LESSONS, FIELDS, CODECS, ALGOS })";
const page = vm.runInNewContext(code, { WebAssembly, TextDecoder, TextEncoder, performance, module: undefined,
	document: {} });
const simulator = new page.Simulator(Buffer.from(page.MODULE, "base64"));
const keys = ["end", "time_s", "epochs", "time_per_epoch_s", "wait_share", "bytes_sent",
	"staleness_mean", "train_loss", "test_loss", "model"];
let browser = null;
let faults = 0;

function fault(text) {
	console.log(text);
	faults++;
}

// {figures} or {error}, of the page's module.
async function simulate(settings) {
	return browser ? browser.value("(({ figures, error }) => ({ figures, error }))" +
		`(page.simulator.local.run(${JSON.stringify(settings)}))`) : simulator.run(settings);
}

async function check(settings, words) {
	const out = execFileSync(convoy, words, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
	const told = Object.fromEntries(out.split("\n").map((line) => line.split(/\s+/)));
	const own = await simulate(settings);
	if (own.error) {
		fault(`${words.join(" ")}: ${own.error}`);
		return {};
	}
	for (const key of keys)
		if (told[key] !== (own.figures[key] || "-"))
			fault(`${words.join(" ")}: ${key}: ${told[key]} in the program, ${own.figures[key]} here`);
	const remark = (out.match(/^remark +(.*)$/m) || [])[1];
	if (remark !== own.figures.remark)
		fault(`${words.join(" ")}: '${remark}' in the program, '${own.figures.remark}' here`);
	return own.figures;
}

function checkState(change, algo) {
	const state = { ...page.stateDefault(), rounds: 30, ...change };
	// The words of the command that the page shows; none of these settings needs quotes.
	const words = page.commandOf(state, [algo]).split(" ").slice(1);
	return check(page.settingsOf(state, algo), words);
}

async function checkStates() {
	for (const algo of ["allreduce", "asgd", "ad-psgd", "backup:b=1", "local-sgd", "d-psgd", "sgp", "ssp",
		"staleness-aware", "gap-aware", "dc-asgd", "k-sync", "k-async", "softsync", "easgd", "diloco",
		"gossip-push", "ringmaster", "hogwild", "groups", "halos", "fedbuff", "streaming-diloco",
		"sparseloco", "demo", "noloco", "slowmo"])
		await checkState({ jitter: 0.2 }, algo);
	for (const change of [{ workers: 1 }, { workers: 64, node: 8 }, { slow: 1 }, { jitter: 1, seed: 7 },
		{ bandwidth: 0.1 }, { latency: 5000, size: 3 }, { momentum: 0.9, lr: 0.01 }, { codec: "qsgd" },
		{ codec: "onebit" }])
		for (const algo of ["allreduce", "asgd"])
			await checkState(change, algo);
	for (const lesson of page.LESSONS)
		for (const algo of lesson.state.algos)
			await checkState({ ...lesson.state, rounds: 30 }, algo);

	const diverged = await checkState({ workers: 16, lr: 10, momentum: 0.9 }, "asgd");
	if (diverged.end !== "diverged" || diverged.train_loss !== "-")
		fault(`a diverged run: ${JSON.stringify(diverged)}`);

	const { remark } = await checkState({ workers: 16, compute: 10, bandwidth: 0.03, size: 1.08 }, "gossip-push");
	if (!/^[0-9]+ % of the messages had not arrived at the end/.test(remark))
		fault(`of messages that had not arrived: '${remark}'`);
	// Steps of a gradient: at a server each one, also where workers step on their own; of all workers' models one.
	for (const [algo, least, most] of [["asgd", 1, 1], ["downpour", 0.9, 1], ["hogwild", 1, 1], ["allreduce", 1 / 8, 1 / 8],
		["ad-psgd", 1 / 8, 2 / 8], ["async-local-sgd", 0, 1 / 8]]) {
		const { model_steps: steps, gradients } = await checkState({ rounds: 100 }, algo);
		if (!(steps / gradients >= least && steps / gradients <= most && steps > 0))
			fault(`${algo}: ${steps} steps of a model by ${gradients} gradients`);
	}
}

function refuses(settings, text) {
	const error = simulator.run({ ...page.settingsOf(page.stateDefault(), "asgd"), ...settings }).error;
	if (!error || !error.includes(text))
		fault(`${JSON.stringify(settings)}: '${error}', not '${text}'`);
}

refuses({ algo: "alreduce" }, "did you mean 'allreduce'?");
refuses({ algo: "" }, "algorithm");
refuses({ algo: "/tmp/evil.so" }, "unknown algorithm");
refuses({ workers: "1e9" }, "from 1 to 256");
refuses({ gradients: "1e12" }, "from 1 to 200000");
refuses({ net: "quadratic:dim=1e7" }, "trains up to 10000");
refuses({ lr: "nan" }, "lr");
refuses({ seed: "1\nworkers=9999" }, "seed");
refuses({ delay: "empirical:file=/etc/passwd" }, "");

function reads(hash, text) {
	const { state, faults: told } = page.stateOfHash(hash);
	if (text ? !told.join(" ").includes(text) : told.length)
		fault(`${hash}: '${told.join(" ")}', not '${text}'`);
	for (const f of page.FIELDS)
		if (!(state[f.key] >= f.min && state[f.key] <= f.max))
			fault(`${hash}: ${f.key} is ${state[f.key]}`);
}

refuses({ net: "quadratic:optima=1/2" }, "optima");
if (!page.stateFault({ ...page.stateDefault(), size: 100000, bandwidth: 0.001 }) ||
    page.stateFault({ ...page.stateDefault(), size: 2000, bandwidth: 0.001 }))
	fault("the slowest network");

reads("", "");
reads("#v=1&algo=asgd&workers=16&slow=4", "");
reads("#v=2&workers=16", "version '2'");
reads("#workers=1e99", "from 1 to 256");
reads("#workers=NaN", "not 'NaN'");
reads("#workers=2.5", "a whole number");
reads("#warkers=5", "'warkers'");
reads("#%E0%A4%A", "damaged");
reads("#codec=zip", "Codec");
// ---- links of random settings ----

let seed = 20261128;
function random(n) {
	seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
	return Math.floor(seed / 2 ** 32 * n);
}
const pick = (list) => list[random(list.length)];

const values = ["", "0", "-0", "-1", "1", "2.5", "1e308", "-1e308", "1e400", "1e-320", "NaN", "Infinity", "0x10",
	"1,5", "1_000", "999999999999999999999", "%00", "%F0%9F%98%80", "%", "<script>", "'", "=", "1&v=1", "x".repeat(5000)];

function randomHash() {
	const parts = random(8) ? ["v=1"] : [pick(["v=", "v=0", "v=2", "v=1e0", "v", "V=1"])];
	for (let k = random(8); k > 0; k--) {
		const f = pick(page.FIELDS);
		parts.push(random(6) ? `${f.key}=${random(3) ? pick([f.min, f.max, f.def]) : pick(values)}` :
			pick(["algo=", "codec=", "__proto__=", "constructor=", "algos=", "=", "&"]) + pick(values));
	}
	for (let k = random(4); k > 0; k--)
		parts.push("algo=" + encodeURIComponent(random(4) ? pick(page.ALGOS) : pick(values)));
	if (random(3) === 0)
		parts.push("codec=" + pick(page.CODECS));
	return "#" + parts.join("&");
}

function isSentence(text) {
	return text.length > 10 && text.length < 400 && !/undefined|\[object|NaN of|unreachable|simulator stopped/.test(text);
}

function tryRandom(k) {
	const hash = randomHash(), { state, faults: told } = page.stateOfHash(hash);
	for (const f of page.FIELDS)
		if (!(state[f.key] >= f.min && state[f.key] <= f.max))
			fault(`${hash}: ${f.key} is ${state[f.key]}`);
	for (const text of told)
		if (!isSentence(text))
			fault(`${hash}: says '${text}'`);
	const again = page.stateOfHash(page.hashOfState(state));
	if (again.faults.length || JSON.stringify(again.state) !== JSON.stringify(state))
		fault(`${hash}: its own link gives ${JSON.stringify(again)}`);
	if (k % 5 || page.stateFault(state))
		return;
	const result = simulator.run(page.settingsOf({ ...state, rounds: 10 }, state.algos[0]));
	if (result.error ? !isSentence(result.error) : !(Number(result.figures.time_s) >= 0))
		fault(`${hash}: ${result.error || JSON.stringify(result.figures)}`);
}

for (let k = 0; k < 500; k++)
	tryRandom(k);

(async () => {
	browser = chromium() && new Browser();
	try {
		if (browser) {
			await browser.open("file://" + path.resolve(html));
			await browser.until(() => browser.value("page.settled"));
			await browser.value("play(false)");
		} else {
			console.log("no chromium: node runs the page's module");
		}
		await checkStates();
	} catch (failure) {
		fault(failure.stack);
	} finally {
		if (browser)
			await browser.close();
	}
	console.log(faults ? `${faults} faults` : "the same digits");
	process.exit(faults ? 1 : 0);
})();
