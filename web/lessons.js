// lessons.js: the lessons of docs/tour.md as questions, with the settings that show the answer, and
// changes of them to compare with.

const LESSONS = [
	{
		title: "1. One slow worker",
		state: { algos: ["allreduce", "backup:b=1", "asgd"], workers: 8, slow: 10, compute: 10,
			bandwidth: 1000, latency: 0, lr: 0.01, rounds: 200 },
		question: "One of eight workers is ten times slower. How much longer does all-reduce take?",
		choices: ["About 13 %", "Twice as long", "Ten times as long"], right: 2,
		answer: "All-reduce waits for every worker at every step, so all are as slow as the " +
			"slowest. A backup worker leaves out the last gradient; ASGD waits for no worker. " +
			"Both lose only the slow worker's share.",
		then: [["Only twice as slow", { slow: 2 }], ["64 workers", { workers: 64 }], ["None is slow", { slow: 1 }],
			["Back", { slow: 10, workers: 8 }]],
	},
	{
		title: "2. Staleness",
		state: { algos: ["asgd", "staleness-aware", "allreduce"], workers: 16, slow: 1, jitter: 0.3,
			compute: 10, bandwidth: 1000, latency: 0, lr: 0.25, rounds: 200 },
		question: "A learning rate of 0.25 suits one worker. What does ASGD do with it on 16?",
		choices: ["It converges as before", "It diverges", "It converges faster"], right: 1,
		answer: "A gradient arrives about 15 steps after its model was read, and corrects an " +
			"error that others have corrected already. With curvature 1 and a delay of 15 steps " +
			"the limit is about 0.10. Staleness-aware SGD divides the step by the staleness.",
		then: [["Learning rate 0.05", { lr: 0.05 }], ["2 workers", { workers: 2 }], ["Back", { lr: 0.25, workers: 16 }]],
	},
	{
		title: "3. Bandwidth",
		state: { algos: ["asgd", "allreduce", "ad-psgd"], workers: 16, slow: 1, compute: 10,
			size: 1.08, bandwidth: 0.03, latency: 10, lr: 0.05, rounds: 60 },
		question: "The network gets slower and slower. Which one becomes slow first?",
		choices: ["The parameter server (ASGD)", "The ring (all-reduce)", "Gossip (AD-PSGD)"],
		right: 0,
		answer: "All gradients enter one NIC of the server, and a model leaves it for each. In a " +
			"ring no NIC carries more than four vectors for 16 gradients. Gossip computes " +
			"while it sends.",
		then: [["Ten times the bandwidth", { bandwidth: 0.3 }], ["100 times", { bandwidth: 3 }], ["Back", { bandwidth: 0.03 }]],
	},
	{
		title: "4. Momentum",
		state: { algos: ["asgd"], workers: 16, slow: 1, jitter: 1, compute: 10, bandwidth: 1000,
			latency: 0, lr: 0.05, momentum: 0.9, rounds: 300 },
		question: "Momentum 0.9 helps one worker. What does it do to 16 asynchronous ones?",
		choices: ["It helps as much", "It is too much", "Nothing"], right: 1,
		answer: "Stale gradients push the model where it was heading some steps ago, as momentum " +
			"does: about 1 - 1/16 already. Compare the loss with less momentum.",
		then: [["Momentum 0", { momentum: 0 }], ["Momentum 0.5", { momentum: 0.5 }], ["Back to 0.9", { momentum: 0.9 }]],
	},
	{
		title: "5. Compression",
		state: { algos: ["allreduce"], workers: 16, slow: 1, compute: 1, size: 0.008,
			bandwidth: 0.002, latency: 10, lr: 0.25, codec: "qsgd", rounds: 100 },
		question: "Gradients are sent in 4 bits a number instead of 32. How much faster is an epoch of 16 workers?",
		choices: ["About eight times", "About twice", "Hardly at all"], right: 2,
		answer: "A ring adds floats on the way, but cannot add codes of 4 bits: every worker receives " +
			"the codes of all 15 others. With 4 workers these are fewer. Floats of 16 bits are " +
			"added on the way, too. Compare the time per epoch.",
		then: [["Without compression", { codec: "none" }], ["4 workers", { workers: 4 }], ["16 bits", { codec: "fp16" }],
			["Back", { codec: "qsgd", workers: 16 }]],
	},
];
