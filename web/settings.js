// settings.js: the page's fields, the settings of a run, its command line, and links.

const LINK_VERSION = 1;
const DIM = 500, BATCH = 32, SAMPLES = 65536;

// log: the slider moves by factors; cube: by cubes.
// about: what a newcomer does not know.
const FIELDS = [
	{ key: "workers", label: "Workers", min: 1, max: 256, def: 8, whole: true, log: true,
		about: "Machines that compute gradients" },
	{ key: "slow", label: "Worker 0 is slower by", unit: "x", min: 1, max: 100, def: 10, log: true,
		about: "1: as fast as the others" },
	{ key: "jitter", label: "Jitter of compute times", unit: "cv", min: 0, max: 2, def: 0,
		about: "Standard deviation over mean, of a gamma distribution; 0: all gradients take the same time" },
	{ key: "compute", label: "A minibatch takes", unit: "ms", min: 0.1, max: 10000, def: 100,
		log: true, about: "Time in which a worker computes one gradient" },
	{ key: "size", label: "Size of the model", unit: "MB", min: 0.01, max: 100000, def: 100,
		log: true, about: "Bytes of a gradient and of a model, when they are sent" },
	{ key: "bandwidth", label: "Bandwidth of a NIC", unit: "GB/s", min: 0.001, max: 1000, def: 10,
		log: true, about: "Network interface of a machine, in each direction" },
	{ key: "latency", label: "Latency", unit: "\u00b5s", min: 0, max: 1000000, def: 10, cube: true,
		about: "Time that a message takes besides its bytes" },
	{ key: "node", label: "Workers of a machine", min: 1, max: 16, def: 1, whole: true,
		about: "Workers that share a NIC, as the GPUs of a node do" },
	{ key: "lr", label: "Learning rate", min: 0.0001, max: 10, def: 0.05, log: true,
		about: "Step of SGD" },
	{ key: "momentum", label: "Momentum", min: 0, max: 0.99, def: 0, about: "Of SGD; 0: none" },
	{ key: "rounds", label: "Gradients a worker", min: 10, max: 700, def: 100, whole: true,
		log: true, about: "Length of the run: times the workers, shared among all" },
	{ key: "seed", label: "Seed", min: 0, max: 1000000, def: 1, whole: true, plain: true,
		about: "Another one gives other random numbers" },
];
const CODECS = ["none", "fp16", "bf16", "qsgd", "terngrad", "onebit", "topk"];
const ALGOS = ["allreduce", "asgd", "ad-psgd", "backup:b=1", "local-sgd", "d-psgd", "sgp", "ssp",
	"staleness-aware", "gap-aware", "dc-asgd", "k-sync", "k-async", "softsync", "easgd", "diloco",
	"gossip-push", "ringmaster"];
const MOST_ALGOS = 3;

function stateDefault() {
	const state = { algos: ["allreduce", "asgd", "ad-psgd"], codec: "none" };
	for (const f of FIELDS)
		state[f.key] = f.def;
	return state;
}

// Why a text is no value of a field; null: it is one.
function fieldFault(f, text) {
	const x = Number(text);
	const what = f.whole ? "a whole number" : "a number";
	if (String(text).trim() !== "" && Number.isFinite(x) && x >= f.min && x <= f.max &&
	    (!f.whole || Number.isInteger(x)))
		return null;
	return `${f.label}: must be ${what} from ${f.min} to ${f.max}, not '${String(text).slice(0, 40)}'.`;
}

// {state, faults: [sentence]} of location.hash.
function stateOfHash(hash) {
	const state = stateDefault(), faults = [], algos = [];
	let pairs;
	try {
		pairs = hash.replace(/^#/, "").split("&").filter((p) => p).map((p) =>
			[decodeURIComponent(p.split("=")[0]),
				decodeURIComponent(p.slice(p.indexOf("=") + 1))]);
	} catch (failure) {
		return { state, faults: ["The link is damaged; the defaults are shown."] };
	}
	const version = (pairs.find((p) => p[0] === "v") || ["v", LINK_VERSION])[1];
	if (Number(version) !== LINK_VERSION)
		return { state, faults: [`This link is of version '${String(version).slice(0, 20)}', and ` +
			`this page reads version ${LINK_VERSION}: open it with a newer page. ` +
			"The defaults are shown."] };
	for (const [key, value] of pairs) {
		const f = FIELDS.find((one) => one.key === key);
		if (key === "v")
			continue;
		if (key === "algo" && algos.length < MOST_ALGOS && value.length <= 200)
			algos.push(value);
		else if (key === "algo")
			faults.push(`The link has more than ${MOST_ALGOS} algorithms, or a long one; ` +
				"it is left out.");
		else if (key === "codec" && CODECS.includes(value))
			state.codec = value;
		else if (key === "codec")
			faults.push(`Codec: must be one of ${CODECS.join(", ")}.`);
		else if (!f)
			faults.push(`The link has a setting '${key.slice(0, 40)}' that this page does not ` +
				"know; it is left out.");
		else if (fieldFault(f, value))
			faults.push(fieldFault(f, value) + ` ${f.def} is used.`);
		else
			state[key] = Number(value);
	}
	if (algos.length)
		state.algos = algos;
	return { state, faults };
}

function hashOfState(state) {
	const own = FIELDS.filter((f) => state[f.key] !== f.def).map((f) => `${f.key}=${state[f.key]}`);
	if (state.codec !== "none")
		own.push(`codec=${state.codec}`);
	return "#" + [`v=${LINK_VERSION}`, ...state.algos.map((a) => "algo=" + encodeURIComponent(a)),
		...own].join("&");
}

// A number as the command line takes it, without digits that only binary fractions have.
function digits(x) {
	return String(Number(x.toPrecision(6)));
}

function settingsOf(state, algo) {
	const n = state.workers, total = n * state.rounds;
	const scaled = state.bandwidth * DIM * 4 / (state.size * 1e6);
	const node = state.node > 1 ? `,node=${state.node},collective=ring` : "";
	return {
		algo,
		workers: String(n),
		net: `quadratic:cond=10,dim=${DIM},samples=${SAMPLES}`,
		batch: String(BATCH),
		optim: `sgd:momentum=${state.momentum}`,
		lr: digits(state.lr),
		gradients: String(total),
		compute_s: digits(state.compute / 1000),
		slow: state.slow > 1 ? `0:${digits(state.slow)}` : "none",
		delay: state.jitter > 0 ? `gamma:cv=${digits(state.jitter)}` : "constant",
		link: `nic:bandwidth_GBps=${digits(scaled)},latency_s=${digits(state.latency / 1e6)}${node}`,
		codec: state.codec,
		eval_every: digits(total * BATCH / SAMPLES / 60),
		seed: String(state.seed),
	};
}

// Why the fields together are no run; null: they are one.
function stateFault(state) {
	const slowest = state.size / 1e6 / 2; // GB/s at which a message takes 2000 s
	const twice = state.algos.find((a, i) => state.algos.indexOf(a) < i);
	if (!state.algos.length)
		return "Name at least one algorithm.";
	if (twice)
		return `${twice} stands there twice: choose another algorithm, or other options.`;
	return state.bandwidth >= slowest ? null :
		`A model of ${state.size} MB takes more than 2000 s over ${state.bandwidth} GB/s: give at ` +
		`least ${digits(slowest)} GB/s, or a smaller model.`;
}

// A word for a POSIX shell.
function quoted(word) {
	return /^[A-Za-z0-9_.,:=/+-]+$/.test(word) ? word : "'" + word.replace(/'/g, "'\\''") + "'";
}

function commandOf(state, algos) {
	const own = settingsOf(state, "");
	const words = ["convoy", "sim"];
	words.push("--algo", quoted(algos.join(",")));
	for (const [key, value] of Object.entries(own))
		if (key !== "algo")
			words.push("--" + key.replace(/_/g, "-"), quoted(value));
	return words.join(" ");
}
