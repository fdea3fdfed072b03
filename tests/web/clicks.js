// clicks.js: what the test page does with the page that it is appended to; the title says the outcome.
"use strict";
(async () => {
	const faults = [];
	const check = (what, good) => good || faults.push(what);
	const pause = (ms) => new Promise((go) => setTimeout(go, ms));
	const text = (id) => document.getElementById(id).textContent;
	const set = (id, value) => {
		document.getElementById(id).value = value;
		document.getElementById(id).dispatchEvent(new Event("change"));
	};
	const button = (label) => [...document.querySelectorAll("button")].find((b) =>
		b.textContent === label);
	try {
		// Chromium's virtual time does not wait for another thread.
		page.simulator.alone = true;
		simulate([]);
		await pause(1500);
		check("no message at first", document.getElementById("message").hidden);
		check("costs ten times a minibatch, and an all-reduce",
			page.traces[0].figures.cost === "8.65048");
		check("three timelines", document.querySelectorAll("#timelines canvas").length === 3);
		check("the command", text("command").startsWith("convoy sim --algo allreduce,asgd,ad-psgd "));
		for (const lesson of LESSONS) {
			button(lesson.title).click();
			check(lesson.title + " asks", text("lesson").includes(lesson.question));
			button(lesson.choices[lesson.right]).click();
			check(lesson.title + " answers", text("lesson").includes("right."));
			await pause(3000);
			check(lesson.title + " runs", page.traces.length === lesson.state.algos.length);
			check(lesson.title + " is in the link", location.hash === hashOfState(page.state));
		}
		set("algo-0", "alreduce");
		await pause(1000);
		check("a near name", text("message").includes("did you mean 'allreduce'?"));
		set("algo-0", "allreduce");
		set("field-workers", "1e9");
		check("a bound", text("message").includes("from 1 to 256"));
		set("field-workers", "4");
		set("field-slow", "10");
		await pause(1500);
		document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
		check("an arrow pauses", !page.playing);
		page.now = end();
		draw();
		const line = page.lines[0];
		const tells = [...Array(200).keys()].map((i) => line.tell(62 + 3 * i, 2 * line.each + 3));
		check("computes", tells.some((t) => t.includes("computes a gradient")));
		check("waits", tells.some((t) => t.includes("waits at")));
		check("CSV", csvOf(page.traces).split("\n").length > 30);
		check("CSV of figures", csvOfFigures(page.traces).split("\n").length === FIGURES.length + 2);
		check("costs more", Number(page.traces[0].figures.cost) > 2);
		check("time goes on", page.now >= 0);
		check("labels", [...document.querySelectorAll("input, select")].every((e) =>
			e.getAttribute("aria-label") || document.querySelector(`label[for="${e.id}"]`) ||
			e.closest("label")));
		location.hash = "#v=9&workers=3";
		await pause(1000);
		check("a newer link", text("message").includes("open it with a newer page"));
	} catch (failure) {
		faults.push(String(failure.stack));
	}
	document.title = faults.length ? "FAULTS: " + faults.join("; ").replace(/\n/g, " ") : "all clicks work";
})();
