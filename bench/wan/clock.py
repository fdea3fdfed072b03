"""convoy's clock: seconds of a timing-only run."""
import json
import os
import subprocess
import sys
import tempfile

WORK = tempfile.TemporaryDirectory()


def seconds(options, gradients):
    """Seconds until `gradients` are computed; options are those of `convoy sim`."""
    command = [os.environ["CONVOY"], "sim", "--timing", "--epochs", "0", "--gradients", str(gradients), "--json",
               "--quiet", "--out", WORK.name] + options
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    return json.loads(done.stdout)["time_s"]
