"""convoy's clock: seconds of a step of all-reduce SGD, by workers and batch."""
import json
import os
import subprocess
import sys
import tempfile

SAMPLES = 1e8           # of an epoch; long enough for every batch


class Clock:
    """Runs the program `convoy` with timing-only runs of a net, each of so many gradients."""

    def __init__(self, net, data, gradients):
        self.convoy = os.environ["CONVOY"]
        self.net, self.data, self.gradients = net, data, gradients
        self.work = tempfile.TemporaryDirectory()
        self.runs = 0

    def seconds(self, machine, workers, batches):
        """{(workers, batch): mean seconds of a step} on a machine: options of `convoy sim`."""
        command = [self.convoy, "sim", "--timing", "--algo", "allreduce", "--net", self.net, "--data", self.data,
                   "--samples", f"{SAMPLES:g}", "--workers", ",".join(map(str, workers)),
                   "--batch", ",".join(map(str, batches)), "--gradients", str(self.gradients), "--epochs", "0",
                   "--json", "--quiet", "--out", self.work.name] + machine
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if done.returncode:
            sys.exit(f"{' '.join(command)}: {done.stderr}")
        runs = json.loads(done.stdout)
        runs = runs.get("runs", [runs])
        self.runs += len(runs)
        return {(r["workers"], r["batch"]): r["time_per_epoch_s"] * r["workers"] * r["batch"] / SAMPLES for r in runs}

    def rows(self, machine, rows):
        """Seconds of a step for each row, all on one machine."""
        times = self.seconds(machine, sorted({r.gpus for r in rows}), sorted({r.batch for r in rows}))
        return [times[r.gpus, r.batch] for r in rows]
