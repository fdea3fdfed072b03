"""Calls of the package give what the program says, and end as it ends."""
import contextlib
import io
import json
import os
import signal
import subprocess
import sys
import time
import unittest
from unittest import mock

sys.modules["pandas"] = None        # the notebook's test has DataFrames

import h5py
import numpy

import convoy
from convoy import plots, program
from convoy.frame import Frame, numbers
from convoy.progress import Progress

SMALL = dict(workers=4, net="quadratic", gradients=80, compute_s=1, quiet=True)


def cli(*words):
    """What the program prints as JSON."""
    return json.loads(subprocess.run([os.environ["CONVOY"], *words, "--json", "--quiet"], check=True,
                                     stdout=subprocess.PIPE, stdin=subprocess.DEVNULL).stdout)


def write_program(text):
    """A script in the place of the program; returns what to give as $CONVOY."""
    with open("fake.sh", "w") as file:
        file.write("#!/bin/sh\n" + text)
    os.chmod("fake.sh", 0o700)
    return os.path.abspath("fake.sh")


def forge(source, name, change):
    """A copy with other content, and the seal of that."""
    with open(source, "rb") as file:
        content = file.read()[:-32]
    with open(name, "wb") as file:
        file.write(content)
    with h5py.File(name, "r+") as file:
        change(file)
    digest = 0xcbf29ce484222325
    with open(name, "rb+") as file:
        for byte in file.read():
            digest = (digest ^ byte) * 0x100000001b3 & 0xffffffffffffffff
        file.write(b"\nconvoy seal 1 %016x\n" % digest)


class InProgram(unittest.TestCase):
    """Restores what a test changes."""

    def setUp(self):
        self.program = os.environ["CONVOY"]

    def tearDown(self):
        os.environ["CONVOY"] = self.program

    def message(self, call, *words, **settings):
        with self.assertRaises(convoy.Error) as caught:
            call(*words, **settings)
        return str(caught.exception)


class CommandLine(InProgram):
    def test_keywords_become_flags(self):
        words = program.options(dict(
            algo=["allreduce", "asgd"], compute_s=0.5, timing=True, overlap=False, lr=None,
            workers=range(2, 5), seed=numpy.int64(7), net="n", slow="-1", zero=[True, False],
            batch=numpy.array([8, 16]), only={"algo": "asgd", "lr": [1, 2]}, set=["a=1", "b=2"],
            vary={"slow": (1, 10)}))
        self.assertEqual(words, [
            "--algo=allreduce,asgd", "--compute-s=0.5", "--timing", "--no-overlap", "--workers=2,3,4",
            "--seed=7", "--net=n", "--slow=-1", "--zero=true,false", "--batch=8,16", "--only=algo=asgd",
            "--only=lr=1,2", "--set=a=1", "--set=b=2", "--vary=slow=1..10"])

    def test_words_that_are_refused(self):
        self.assertIn("NUL", self.message(convoy.sim, net="a\0b"))
        self.assertIn("not an option", self.message(convoy.run, "--all"))
        self.assertIn("not an option", self.message(convoy.list, "-x"))
        self.assertIn("empty", self.message(convoy.sim, algo=[]))
        self.assertIn("not the name", self.message(convoy.sim, **{"algo x": 1}))
        self.assertIn("object", self.message(convoy.sim, algo=object()))
        self.assertIn("JSON", self.message(convoy.sim, json=True))
        self.assertIn("to_csv", self.message(convoy.sim, format="csv"))
        self.assertIn("every measure", self.message(convoy.sim, values="test_loss"))

    def test_truth_values_of_options_that_need_others(self):
        for name in ("trace", "lr", "out", "algo", "workers", "plot"):
            self.assertEqual(f"{name}: expected a value, not True",
                             self.message(convoy.sim, **{name: True}, **{"seed": 1, "quiet": True}))
        self.assertEqual("time_from: expected a value, not False",
                         self.message(convoy.sim, time_from=False, quiet=True))
        self.assertFalse([name for name in os.listdir(".") if name.startswith("-")])

    def test_no_shell(self):
        for text in ("$(touch pwned)", "x; touch pwned", "--out=x"):
            self.message(convoy.sim, net=text, timing=True, quiet=True)
            self.message(convoy.run, "x" + text, quiet=True)
        self.assertFalse(os.path.exists("pwned"))

    def test_unknown_names_are_the_programs(self):
        self.assertEqual(self.message(convoy.sim, wrkers=4),
                         "unknown option '--wrkers'; did you mean '--workers'?")
        self.assertIn("'allreduce'", self.message(convoy.sim, algo="alreduce", timing=True))


class Results(InProgram):
    def test_frame_of_a_sweep(self):
        frame = convoy.sim(algo=["allreduce", "asgd"], timing=True, **SMALL)
        self.assertEqual(len(frame), 2)
        self.assertEqual(frame.columns[:5], ["algo", "timing", "workers", "net", "compute_s"])
        self.assertEqual(frame["algo"].tolist(), ["allreduce", "asgd"])
        self.assertEqual(frame["gradients"].tolist(), [80, 80])
        self.assertEqual(frame["epochs_setting"].tolist(), [0, 0])
        # four workers that communicate for nothing: 80 gradients of 1 s in 20 s
        self.assertEqual(frame["time_s"].tolist(), [20.0, 20.0])
        self.assertEqual(frame["timing"].tolist(), [True, True])
        self.assertTrue(numpy.isnan(frame["train_loss"]).all())
        runs = cli("sim", "--algo=allreduce,asgd", "--timing", "--workers=4", "--net=quadratic",
                   "--gradients=80", "--compute-s=1")["runs"]
        for i, run in enumerate(runs):
            for name, value in run.items():
                if isinstance(value, (int, float)):
                    self.assertEqual(frame[name][i], value, name)

    def test_a_plot_of_unknown_columns_says_which_there_are(self):
        run = convoy.open(convoy.sim(algo="asgd", **SMALL, lr=0.01)["file"][0])
        said = self.message(run.plot, y="tets_loss")
        self.assertRegex(said, "neither /train nor /eval has both 'epoch' and 'tets_loss' .*"
                               "/train has .*loss.*; /eval has .*test_loss")

    def test_no_mean_leaves_out_a_run_that_diverged(self):
        diverging = {**SMALL, "lr": [0.01, 10], "optim": "sgd:momentum=0", "gradients": 400}
        frame = convoy.sim(algo="allreduce", **diverging)
        self.assertEqual(frame.status.tolist()[:2], ["done", "diverged"])
        for loss in (frame.train_loss, frame.test_loss):
            self.assertEqual(numpy.isinf(loss).tolist()[:2], [False, True])

    def test_result_file_and_trace(self):
        frame = convoy.sim(algo="asgd", trace="trace.h5", **SMALL)
        run = convoy.open(frame["file"][0])
        with h5py.File(frame["file"][0]) as file:
            self.assertEqual(run.train["loss"].tolist(), file["train/loss"][:].tolist())
            self.assertEqual(run.nodes["rank"].tolist(), [0, 1, 2, 3, -1])
        self.assertEqual(run.settings["compute_s"], 1)
        self.assertEqual(run.summary["gradients"], 80)
        self.assertEqual(run.staleness["count"].sum(), 80)
        self.assertIn("a result has no trace", self.message(lambda: run.trace))
        self.assertIn("has no /faults", self.message(lambda: run.faults))
        trace = convoy.open("trace.h5").trace
        kinds = trace.kinds[trace["kind"]]
        self.assertEqual((kinds == "stepped").sum(), 80)
        self.assertEqual(len(trace.frame()), len(trace))
        self.assertLessEqual(trace.time_s.max(), 20)
        self.assertIn("wall_s", run.environment)
        run._repr_html_()

    def test_files_that_are_no_results(self):
        with h5py.File("other.h5", "w") as file:
            file["x"] = 1
        with open("text.h5", "w") as file:
            file.write("no HDF5")
        frame = convoy.sim(algo="asgd", timing=True, **SMALL)
        with open(frame["file"][0], "rb") as file:
            whole = file.read()
        for name, damaged in (("cut.h5", whole[:-40]), ("flipped.h5", b"?".join((whole[:999], whole[1000:])))):
            with open(name, "wb") as file:
                file.write(damaged)
        for name in ("other.h5", "text.h5", "cut.h5", "flipped.h5"):
            self.assertIn("no seal fits", self.message(convoy.open, name))
        self.assertIn("no such file", self.message(convoy.open, "absent.h5"))
        self.assertIn("a folder", self.message(convoy.open, "."))
        os.mkfifo("pipe")
        for name in ("pipe", "/dev/zero"):
            line = (f"import resource, convoy; resource.setrlimit(resource.RLIMIT_AS, (1 << 32,) * 2); "
                    f"convoy.open({name!r})")
            said = subprocess.run([sys.executable, "-c", line], stderr=subprocess.PIPE, timeout=20).stderr
            self.assertIn("no regular file", said.decode())
        self.assertIn("null", self.message(convoy.open, "a\0b"))

    def test_forged_files(self):
        frame = convoy.sim(algo="asgd", timing=True, trace="whole.h5", **SMALL)
        forge(frame["file"][0], "same.h5", lambda file: None)
        self.assertEqual(len(convoy.open("same.h5").train), len(convoy.open(frame["file"][0]).train))

        def replace(name, value=None, **settings):
            def change(file):
                del file[name]
                if settings:
                    file.create_dataset(name, **settings)
                else:
                    file[name] = value
            return change

        for what, change in (
                ("a link", replace("train", h5py.ExternalLink("whole.h5", "/events"))),
                ("a link", replace("train", h5py.SoftLink("/train"))),
                ("a group", replace("nodes", numpy.dtype("f8"))),
                ("one piece", replace("train/loss", shape=(1 << 37,), dtype="f8")),
                ("one piece", replace("train/loss", shape=(1 << 20,), chunks=(1 << 20,), dtype="f8")),
                ("one length", replace("train/loss", [1.0])), ("one length", replace("nodes/rank", 1)),
                ("no result of convoy", lambda file: file.attrs.create("format", [1, 2]))):
            forge(frame["file"][0], "forged.h5", change)
            said = self.message(convoy.open, "forged.h5")
            self.assertIn("forged.h5: ", said)
            self.assertIn(what, said)
        for kind in (-1, 99):
            def change(file):
                file["events/kind"][3] = kind
            forge("whole.h5", "forged.h5", change)
            self.assertIn("forged.h5: damaged: it has events of unknown kinds",
                          self.message(convoy.open("forged.h5").trace.frame))

    def test_experiment(self):
        result = convoy.run("slow-worker", scale="smoke", quiet=True)
        self.assertEqual(result.name, "zhang2017/slow-worker")
        self.assertEqual(list(result.claims["verdict"]), ["holds"] * 5)
        table = result.tables["table2"]
        self.assertEqual(table["slow worker"].tolist()[:2], ["none", "2X"])
        self.assertEqual(table["AllReduce: s/epoch (paper)"].tolist()[-1], ">10000")
        # one slow worker of factor 1000 makes an epoch of all-reduce 97.7 minibatches of it long
        slow = result.runs[(result.runs["slow"] == "0:1000") & (result.runs["algo"] == "allreduce")]
        self.assertAlmostEqual(slow["time_per_epoch_s"][0], table["AllReduce: s/epoch"][4])
        data = result.tables["time-per-epoch"]
        measured = data[(data["kind"] == "measured") & (data["algo"] == "allreduce")]
        self.assertEqual(measured["y"].tolist(), table["AllReduce: s/epoch"].tolist())
        with self.assertRaisesRegex(KeyError, "table2"):
            result.tables["table1"]
        self.assertIn("5 of 5 claims hold", repr(result))
        self.assertIn("AD-PSGD", result._repr_html_())
        if "svg" in result.plots["waiting"].files:
            self.assertIn("<svg", result.plots["waiting"]._repr_svg_())

    def test_diverged_runs_and_words(self):
        with open("words.json", "w") as file:
            json.dump({
                "title": "words",
                "base": {"net": "quadratic:dim=10", "workers": 2, "gradients": 200, "compute_s": 1},
                "grid": {"algo": ["allreduce", "asgd"], "lr": [0.1, 30], "seed": [1, 2]},
                "tables": [{"name": "table", "title": "loss", "rows": ["lr"], "columns": ["algo"],
                            "values": ["test_loss"]}],
                "plots": [{"name": "loss", "title": "loss", "from": "runs", "x": "algo",
                           "y": "test_loss", "series": ["lr"]}]}, file)
        result = convoy.run("words.json", quiet=True)
        plot = result.plots["loss"]
        self.assertEqual(plot.data["x"].tolist(), ["allreduce", "asgd"] * 2)
        self.assertTrue((plot.data["y"][:2] < 0.2).all())
        self.assertTrue(numpy.isnan(plot.data["y"][2:]).all())      # diverged
        self.assertEqual(result.tables["table"]["allreduce: test loss"][1], numpy.inf)
        axes = mock.MagicMock()
        plots.draw_series(plot._json, axes)
        axes.set_xticks.assert_called_with(range(2), ["allreduce", "asgd"])
        self.assertEqual([drawn.kwargs["label"] for drawn in axes.plot.call_args_list],
                         ["learning rate 0.1", "learning rate 30 (4 of 4 diverged)"])

    def test_advice(self):
        how = dict(workers=4, net="quadratic", compute_s="1+-0.1", draws=2, points=2,
                   gradients=80)
        advice = convoy.advise(between=("allreduce", "asgd"), vary={"slow": (1, 10)}, quiet=True, **how)
        self.assertIsNone(advice.break_even)    # equal at slow 1
        self.assertIn("asgd is as fast or faster throughout", repr(advice))
        how["progress"] = "1,0.5"
        advice = convoy.advise(between=("allreduce", "asgd"), vary={"slow": (1, 10)}, quiet=True, **how)
        said = cli("advise", "--between=allreduce,asgd", "--vary=slow=1..10", "--workers=4",
                   "--net=quadratic", "--compute-s=1+-0.1", "--draws=2", "--points=2", "--gradients=80",
                   "--progress=1,0.5")
        self.assertEqual(advice.break_even, said["break_even"]["median"])
        self.assertEqual(advice.interval, (said["break_even"]["low"], said["break_even"]["high"]))
        self.assertEqual(advice.table["slow"].tolist(), [row["x"] for row in said["points"]])
        self.assertEqual(advice.table["asgd_low_s"].tolist(),
                         [row["second_s"]["low"] for row in said["points"]])
        self.assertIn("asgd is faster above slow", repr(advice))
        advice._repr_html_()

    def test_rankings(self):
        how = dict(workers=4, net="quadratic", compute_s=1, points=2, gradients=80, quiet=True)
        ranking = convoy.advise(among=["allreduce", "asgd"], vary={"slow": (1, 10)}, progress={"asgd": 0.5}, **how)
        said = cli("advise", "--among=allreduce,asgd", "--vary=slow=1..10", "--workers=4", "--net=quadratic",
                   "--compute-s=1", "--points=2", "--gradients=80", "--progress=asgd=0.5")
        self.assertEqual(ranking.table["algorithm"].tolist(), [row["algorithm"] for row in said["ranking"]])
        self.assertEqual(ranking.points["slow"].tolist(),
                         [point["slow"] for point in said["points"] for _ in point["ranking"]])
        self.assertEqual(ranking.changes["to"].tolist(), [change["to"] for change in said["changes"]])
        self.assertIn(said["answer"], repr(ranking))
        ranking._repr_html_()
        self.assertEqual(len(convoy.advise(among=["allreduce", "asgd"], **how).points), 0)

    def test_lists(self):
        self.assertIn("ad-psgd", convoy.list("algos")["name"].tolist())
        self.assertIn("experiments", convoy.list()["name"].tolist())
        convoy.sim(algo="asgd", timing=True, out="listed", **SMALL)
        runs = convoy.list("runs", out="listed", algo="asgd", workers=[4, 8])
        self.assertEqual(runs["workers"].tolist(), [4])
        self.assertEqual(len(convoy.list("runs", out="listed", workers=5)), 0)


class Ends(InProgram):
    def test_what_is_shown(self):
        os.environ["CONVOY"] = write_program(
            "printf '%s\\n' printed 'convoy: note' 'convoy: warning: bad' 'convoy: error: worse' "
            "more 'usage: convoy' again >&2; echo '{}'\n")
        for quiet, shown in ((False, "printed\nconvoy: note\nconvoy: warning: bad\n"),
                             (True, "convoy: warning: bad\n")):
            said = io.StringIO()
            with contextlib.redirect_stderr(said):
                convoy.sim(quiet=quiet)
            self.assertEqual(said.getvalue(), shown)

    def test_programs_that_are_not_there(self):
        os.environ["CONVOY"] = "/absent/convoy"
        self.assertIn("/absent/convoy", self.message(convoy.sim))
        os.environ["CONVOY"] = write_program("exit 0\n")
        self.assertIn("printed nothing", self.message(convoy.sim))
        os.environ["CONVOY"] = write_program("echo no JSON\n")
        self.assertIn("no JSON", self.message(convoy.sim))
        os.environ["CONVOY"] = write_program("kill -KILL $$\n")
        self.assertIn("SIGKILL", self.message(convoy.sim))
        os.environ["CONVOY"] = write_program("echo 'convoy: error: one' >&2; echo two >&2; exit 1\n")
        self.assertEqual("one\ntwo", self.message(convoy.sim))

    def test_runs_that_did_not_fail_are_kept(self):
        run = cli("sim", "--algo=asgd", "--timing", "--workers=4", "--net=quadratic", "--gradients=80")
        with open("printed.json", "w") as file:
            json.dump({"runs": [run]}, file)
        os.environ["CONVOY"] = write_program(
            "cat printed.json; echo 'convoy: error: the other failed' >&2; exit 1\n")
        with self.assertRaises(convoy.Error) as caught:
            convoy.sim()
        self.assertEqual(len(caught.exception.result), 1)
        self.assertEqual(caught.exception.code, 1)

    def test_what_no_call_takes_is_named(self):
        for net in (convoy.Problem, convoy.Problem()):
            with self.assertRaisesRegex(convoy.Error, "into model.py, and give net='python:model.py'"):
                convoy.sim(net=net, algo="asgd")
        with self.assertRaisesRegex(AttributeError, "'compare' .it has sim, .*'convoy tune', runs in a terminal"):
            convoy.compare("a", "b")

    def test_missing_numpy_is_named(self):
        line = "import sys; sys.modules['numpy'] = None; import convoy; convoy.sim(algo='asgd')"
        said = subprocess.run([sys.executable, "-c", line], stderr=subprocess.PIPE).stderr.decode()
        self.assertIn("convoy.sim needs numpy, which this Python does not have", said)

    def test_interrupt_leaves_whole_files(self):
        line = ("import convoy; convoy.sim(algo='asgd', workers=4, net='quadratic', out='stopped', "
                "gradients=10**9, compute_s=1, measures='none', checkpoint_every=1, lr=0.001, "
                "optim='sgd:momentum=0')")
        child = subprocess.Popen([sys.executable, "-c", line], stderr=subprocess.PIPE)
        deadline = time.monotonic() + 60
        while not any(name.endswith(".part") for _, _, names in os.walk("stopped") for name in names):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)
        child.send_signal(signal.SIGINT)
        said = child.communicate(timeout=60)[1].decode()
        self.assertIn("KeyboardInterrupt", said)
        found = [os.path.join(folder, name) for folder, _, names in os.walk("stopped")
                 for name in names if name.endswith(".part")]
        self.assertEqual(len(found), 1)
        self.assertEqual(convoy.open(found[0]).summary["status"], "interrupted")

    def test_progress(self):
        said = b"convoy: note\n\r\033[Krun 1 of 2, 12 %, 5 gradients/s, 0:05 left\r\033[K" \
               b"run 2 of 2, 60 %, 0:01 left\r\033[Kconvoy: error: bad\n  more\n"
        for size in (1, 3, len(said)):
            drawn = []
            progress = Progress("sim", True)
            progress._draw = drawn.append
            for at in range(0, len(said), size):
                progress.feed(said[at:at + size])
            progress.finish()
            self.assertEqual(progress.lines, ["convoy: note", "convoy: error: bad", "  more"])
            self.assertIn("run 2 of 2, 60 %, 0:01 left", drawn)
        self.assertEqual(program._message(1, progress.lines), "bad\n  more")


class Frames(unittest.TestCase):
    def test_columns(self):
        frame = Frame({"a": [1, 2, 3], "b": [1.5, None, 2], "c": ["x", None, "<y>"],
                       "d": [True, False, True]})
        self.assertEqual([frame[name].dtype.kind for name in frame], ["i", "f", "O", "b"])
        self.assertEqual(frame[frame.a > 1].to_dict("list")["c"], [None, "<y>"])
        self.assertEqual(frame[["a", "d"]].to_dict("records")[1], {"a": 2, "d": False})
        self.assertEqual(frame.to_dict()["a"], {0: 1, 1: 2, 2: 3})
        self.assertEqual(frame.sort_values("a", ascending=False)["a"].tolist(), [3, 2, 1])
        self.assertEqual(frame[["a", "b"]].to_csv(), "a,b\n1,1.5\n2,\n3,2.0\n")
        self.assertEqual(frame.tail(1)["a"].tolist(), [3])
        self.assertIn("&lt;y&gt;", frame._repr_html_())
        self.assertIn("[3 rows x 4 columns]", repr(frame))
        self.assertIn("[100 rows x 1 columns]", repr(Frame({"a": range(100)})))
        self.assertEqual(frame[[0, 2]]["a"].tolist(), [1, 3])
        with self.assertRaises(AttributeError):
            frame.e
        for ask in (lambda: frame["e"], lambda: frame[["a", "e"]], lambda: frame[0],
                    lambda: frame[numpy.int64(0)], lambda: frame.sort_values("e")):
            with self.assertRaisesRegex(KeyError, "a, b, c, d"):
                ask()
        with self.assertRaises(ValueError):
            Frame({"a": [1], "b": [1, 2]})

    def test_settings_as_numbers(self):
        self.assertEqual(numbers(["1", "2"]), [1, 2])
        self.assertEqual(numbers(["1", "0.5"]), [1.0, 0.5])
        self.assertEqual(numbers(["true", "false"]), [True, False])
        self.assertEqual(numbers(["1", "auto"]), ["1", "auto"])

    def test_version_is_the_programs(self):
        with open(os.path.join(os.environ["CONVOY_SOURCE"], "configure.ac")) as file:
            version = file.read().split("AC_INIT([convoy], [")[1].split("]")[0]
        self.assertEqual(convoy.__version__, version.replace("-dev", ".dev0"))


if __name__ == "__main__":
    unittest.main()
