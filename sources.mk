# The one list of sources. Automake includes it; CMakeLists.txt parses it.
# Form: NAME = \ then one path a line with a trailing backslash, the last without.

CORE_SOURCES = \
	core/base/clock.c \
	core/base/context.c \
	core/base/cores.c \
	core/base/env.c \
	core/base/error.c \
	core/base/hash.c \
	core/base/hold.c \
	core/base/library.c \
	core/base/mem.c \
	core/base/process.c \
	core/base/process_guard.c \
	core/codec.c \
	core/engine/engine.c \
	core/file/code.c \
	core/file/csv.c \
	core/file/file.c \
	core/file/h5.c \
	core/file/hdf5_library.c \
	core/file/imports.c \
	core/file/json.c \
	core/file/fields.c \
	core/file/members.c \
	core/file/output.c \
	core/file/paths.c \
	core/file/temporary.c \
	core/file/textfile.c \
	core/file/checked.c \
	core/graph.c \
	core/math/looks.c \
	core/math/blas_library.c \
	core/math/matrix.c \
	core/math/median.c \
	core/math/momentum.c \
	core/math/momentum_fit.c \
	core/math/pairs.c \
	core/math/rng.c \
	core/math/statistics.c \
	core/math/vec.c \
	core/math/ziggurat.c \
	core/learnt.c \
	core/metric.c \
	core/node.c \
	core/stages.c \
	core/pool/pool.c \
	core/pool/team.c \
	core/pool/threads.c \
	core/run.c \
	core/samples/ahead.c \
	core/samples/batch.c \
	core/samples/correct.c \
	core/samples/dataset.c \
	core/samples/loader.c \
	core/samples/partition.c \
	core/samples/slice.c \
	core/schedule.c \
	core/slow.c \
	core/text/choice.c \
	core/text/opt.c \
	core/text/opt_text.c \
	core/text/parse.c \
	core/text/ranks.c \
	core/text/units.c \
	core/text/utf8.c \
	core/text/word.c \
	core/text/wrap.c \
	core/watch.c

ALGOS_SOURCES = \
	algos/codec/bf16.c \
	algos/codec/e3m0.c \
	algos/codec/fixed.c \
	algos/codec/fp16.c \
	algos/codec/none.c \
	algos/codec/onebit.c \
	algos/codec/powersgd.c \
	algos/codec/qsgd.c \
	algos/codec/terngrad.c \
	algos/codec/topk.c \
	algos/common/dct.c \
	algos/common/fragments.c \
	algos/common/join.c \
	algos/common/largest.c \
	algos/common/peers/boxes.c \
	algos/common/peers/partners.c \
	algos/common/peers/peers.c \
	algos/common/peers/push_sum.c \
	algos/common/rounds.c \
	algos/common/server/client.c \
	algos/common/server/elastic.c \
	algos/common/server/gather.c \
	algos/common/server/head.c \
	algos/common/server/serve.c \
	algos/common/server/stale_gradient.c \
	algos/common/server/table.c \
	algos/common/tables.c \
	algos/graph/bipartite_complete.c \
	algos/graph/bipartite_exponential.c \
	algos/graph/complete.c \
	algos/graph/directed_exponential.c \
	algos/graph/exponential.c \
	algos/graph/file.c \
	algos/graph/hypercube.c \
	algos/graph/random_regular.c \
	algos/graph/ring.c \
	algos/graph/star.c \
	algos/graph/torus.c \
	algos/optim/adam.c \
	algos/optim/closed_loop.c \
	algos/optim/lamb.c \
	algos/optim/lars.c \
	algos/optim/muon.c \
	algos/optim/sgd.c \
	algos/own/compile.c \
	algos/own/describe.c \
	algos/own/load.c \
	algos/own/own.c \
	algos/peers/ad_psgd.c \
	algos/peers/d_psgd.c \
	algos/peers/gossip_pull.c \
	algos/peers/gossip_push.c \
	algos/peers/noloco.c \
	algos/peers/osgp.c \
	algos/peers/sgp.c \
	algos/rounds/allreduce.c \
	algos/rounds/demo.c \
	algos/rounds/des_loc.c \
	algos/rounds/diloco.c \
	algos/rounds/eager_diloco.c \
	algos/rounds/gpa.c \
	algos/rounds/local_adam.c \
	algos/rounds/local_sgd.c \
	algos/rounds/palsgd.c \
	algos/rounds/post_local_sgd.c \
	algos/rounds/slowmo.c \
	algos/rounds/sparseloco.c \
	algos/rounds/streaming_diloco.c \
	algos/server/asgd.c \
	algos/server/async_local_sgd.c \
	algos/server/backup.c \
	algos/server/ca2fl.c \
	algos/server/dana.c \
	algos/server/dc_asgd.c \
	algos/server/decoupled_diloco.c \
	algos/server/delay_adaptive.c \
	algos/server/downpour.c \
	algos/server/dynsgd.c \
	algos/server/eamsgd.c \
	algos/server/easgd.c \
	algos/server/fadas.c \
	algos/server/fedbuff.c \
	algos/server/gap_aware.c \
	algos/server/groups.c \
	algos/server/halos.c \
	algos/server/heloco.c \
	algos/server/hogwild.c \
	algos/server/ia2sgd.c \
	algos/server/k_async.c \
	algos/server/k_batch_async.c \
	algos/server/k_batch_sync.c \
	algos/server/k_sync.c \
	algos/server/malenia.c \
	algos/server/mla.c \
	algos/server/multi_asgd.c \
	algos/server/nag_asgd.c \
	algos/server/rennala.c \
	algos/server/ringleader.c \
	algos/server/ringmaster.c \
	algos/server/softsync.c \
	algos/server/ssp.c \
	algos/server/staleness_aware.c

NETS_SOURCES = \
	nets/backend.c \
	nets/external/child.c \
	nets/external/external.c \
	nets/external/name.c \
	nets/external/sizes.c \
	nets/gpt2_file.c \
	nets/graph/base.c \
	nets/graph/graph.c \
	nets/graph/unroll.c \
	nets/layers/activation.c \
	nets/layers/adaptive.c \
	nets/layers/add.c \
	nets/layers/attention.c \
	nets/layers/bn.c \
	nets/layers/concat.c \
	nets/layers/conv.c \
	nets/layers/dense.c \
	nets/layers/dropout.c \
	nets/layers/embed.c \
	nets/layers/groupnorm.c \
	nets/layers/layernorm.c \
	nets/layers/layers.c \
	nets/layers/lrn.c \
	nets/layers/lstm.c \
	nets/layers/pool.c \
	nets/layers/relative.c \
	nets/layers/shortcut.c \
	nets/logistic.c \
	nets/loss.c \
	nets/openblas/adaptive.c \
	nets/openblas/attention.c \
	nets/openblas/auto.c \
	nets/openblas/caffe.c \
	nets/openblas/conv.c \
	nets/openblas/curves.c \
	nets/openblas/dense.c \
	nets/openblas/gemm.c \
	nets/openblas/groupnorm.c \
	nets/openblas/lstm.c \
	nets/openblas/norm.c \
	nets/openblas/openblas.c \
	nets/openblas/plain.c \
	nets/openblas/plan.c \
	nets/openblas/relative.c \
	nets/problem_net.c \
	nets/quadratic.c \
	nets/reference/adaptive.c \
	nets/reference/groupnorm.c \
	nets/reference/layers.c \
	nets/reference/lstm.c \
	nets/reference/product.c \
	nets/reference/reference.c \
	nets/reference/relative.c \
	nets/reference/tokens.c \
	nets/sizes/gpt.c \
	nets/sizes/profile.c \
	nets/sizes/sizes.c

# Compiled only where the oneDNN library is found.
ONEDNN_SOURCES = \
	nets/onednn/conv.c \
	nets/onednn/curve.c \
	nets/onednn/dense.c \
	nets/onednn/engine.c \
	nets/onednn/groupnorm.c \
	nets/onednn/onednn.c \
	nets/onednn/placement.c \
	nets/onednn/plain.c \
	nets/onednn/plan.c \
	nets/onednn/simd/bf16.c \
	nets/onednn/simd/simd.c \
	nets/onednn/unit.c \
	nets/onednn/wino/bf16.c \
	nets/onednn/wino/f32.c

DATA_SOURCES = \
	data/cifar.c \
	data/csv.c \
	data/fetch/get.c \
	data/mixture.c \
	data/mnist.c \
	data/npz/arrays.c \
	data/npz/npy.c \
	data/npz/npz.c \
	data/npz/zip.c \
	data/pack/pack.c \
	data/pack/reader.c \
	data/packed.c \
	data/photo/imagenet.c \
	data/photo/jpeg.c \
	data/photo/list.c \
	data/photo/photo.c \
	data/read.c \
	data/samples.c \
	data/samples_file.c \
	data/shapes.c \
	data/shapes_draw.c \
	data/store.c \
	data/text/chain.c \
	data/text/source.c \
	data/text/text.c \
	data/text/vocabulary.c \
	data/text/windows.c

# Compiled only where libcurl, libarchive and libmd are found.
FETCH_SOURCES = \
	data/fetch/archive_library.c \
	data/fetch/curl_library.c \
	data/fetch/fetch.c

DELAYS_SOURCES = \
	delays/delay.c \
	delays/law.c \
	delays/models/bursts.c \
	delays/models/constant.c \
	delays/models/cvb.c \
	delays/models/empirical.c \
	delays/models/exponential.c \
	delays/models/first_use.c \
	delays/models/gamma.c \
	delays/models/lognormal.c \
	delays/models/markov.c \
	delays/models/measured.c \
	delays/models/normal.c \
	delays/models/pareto.c \
	delays/models/periodic.c \
	delays/models/phases.c \
	delays/models/profile.c \
	delays/models/rack.c \
	delays/models/replay.c \
	delays/models/static.c \
	delays/models/uniform.c \
	delays/models/weibull.c \
	delays/pace.c \
	delays/presets.c \
	delays/sojourns.c \
	delays/tables.c \
	delays/text.c

SIM_SOURCES = \
	sim/allreduce/allreduce.c \
	sim/allreduce/buckets.c \
	sim/allreduce/collective.c \
	sim/blocks.c \
	sim/checkpoint.c \
	sim/engine.c \
	sim/events/heap.c \
	sim/events/loop.c \
	sim/faults/check.c \
	sim/faults/fault.c \
	sim/faults/membership.c \
	sim/faults/neighbours.c \
	sim/faults/recovery.c \
	sim/history.c \
	sim/link/clauses.c \
	sim/link/fair.c \
	sim/link/flows.c \
	sim/link/ideal.c \
	sim/link/measured.c \
	sim/link/network.c \
	sim/link/nic.c \
	sim/link/packet.c \
	sim/link/wan.c \
	sim/messages.c \
	sim/replay/replay.c \
	sim/run.c \
	sim/storage.c \
	sim/world.c

# Compiled where MPI is found, and where it is not.
MPI_SOURCES = \
	mpi/allreduce/allreduce.c \
	mpi/allreduce/real_allreduce.c \
	mpi/checkpoint/checkpoint.c \
	mpi/checkpoint/key.c \
	mpi/checkpoint/read.c \
	mpi/engine.c \
	mpi/event_log.c \
	mpi/heartbeat.c \
	mpi/loop.c \
	mpi/mark.c \
	mpi/messages.c \
	mpi/procs.c \
	mpi/remote/remote.c \
	mpi/run.c \
	mpi/window.c

NO_MPI_SOURCES = \
	mpi/absent.c

RECORD_SOURCES = \
	record/correct_file.c \
	record/environ.c \
	record/export.c \
	record/h5.c \
	record/layout.c \
	record/learnt_file.c \
	record/measure.c \
	record/notes.c \
	record/recorder.c \
	record/recorder_file.c \
	record/recorder_rounds.c \
	record/recorder_state.c \
	record/result.c \
	record/result_change.c \
	record/result_file.c \
	record/select.c \
	record/structure.c \
	record/trace/columns.c \
	record/tree.c \
	record/tree_save.c \
	record/trace/json_items.c \
	record/trace/print.c \
	record/trace/spans.c \
	record/trace/steplog.c \
	record/trace/torch.c \
	record/trace/trace.c \
	record/trace/trainlog.c \
	record/where.c

REPORT_SOURCES = \
	report/check.c \
	report/claims/contrast.c \
	report/claims/fields.c \
	report/claims/judge.c \
	report/claims/looks.c \
	report/claims/scales.c \
	report/claims/rule.c \
	report/claims/spec.c \
	report/claims/verdict.c \
	report/compare/compare.c \
	report/filter/filter.c \
	report/forest.c \
	report/page/answer.c \
	report/page/chart.c \
	report/page/html.c \
	report/page/page.c \
	report/page/timeline.c \
	report/plot/axes.c \
	report/plot/figure.c \
	report/plot/file.c \
	report/plot/gantt.c \
	report/plot/gnuplot.c \
	report/plot/legend.c \
	report/plot/plot.c \
	report/plot/script.c \
	report/plot/style.c \
	report/plot/words.c \
	report/table/print.c \
	report/table/table.c \
	report/text/escape.c \
	report/text/grid.c \
	report/text/width.c

PLAN_SOURCES = \
	plan/compute/device.c \
	plan/compute/times.c \
	plan/entries.c \
	plan/machine/accelerator.c \
	plan/machine/batch_system.c \
	plan/machine/cluster.c \
	plan/machine/machine.c \
	plan/override.c \
	plan/plan.c \
	plan/point.c \
	plan/resolve/canonical.c \
	plan/resolve/model.c \
	plan/resolve/remarks.c \
	plan/resolve/setup.c \
	plan/resolve/stages.c \
	plan/settings/faults.c \
	plan/settings/settings.c \
	plan/settings/shares.c \
	plan/settings/values.c \
	plan/spec/spec.c \
	plan/spec/spec_read.c \
	plan/tuning.c \
	plan/tuning_choice.c

RUNNER_SOURCES = \
	runner/estimate/estimate.c \
	runner/estimate/external_rate.c \
	runner/estimate/gradient_rate.c \
	runner/estimate/memory.c \
	runner/figures_run.c \
	runner/launch/guard.c \
	runner/launch/hosts.c \
	runner/launch/launch.c \
	runner/launch/launcher.c \
	runner/launch/watch.c \
	runner/launch/world.c \
	runner/measured_shares.c \
	runner/plan_run.c \
	runner/progress.c \
	runner/results/folder.c \
	runner/results/lease.c \
	runner/results/outcome.c \
	runner/signals.c \
	runner/single_run/divergence.c \
	runner/single_run/run_one.c \
	runner/single_run/simrun.c \
	runner/single_run/single.c \
	runner/single_run/trained.c \
	runner/sweep.c

STUDY_SOURCES = \
	study/advise/among.c \
	study/advise/among_answer.c \
	study/advise/among_gaps.c \
	study/advise/among_plot.c \
	study/advise/answer.c \
	study/advise/answer_json.c \
	study/advise/between_plot.c \
	study/advise/break_even.c \
	study/advise/candidates.c \
	study/advise/exchange.c \
	study/advise/known.c \
	study/advise/progress.c \
	study/advise/question.c \
	study/advise/runs.c \
	study/advise/switches.c \
	study/advise/uncertain.c \
	study/calibrate/calibrate.c \
	study/calibrate/placements.c \
	study/calibrate/probe.c \
	study/check/algo.c \
	study/check/case.c \
	study/check/compare.c \
	study/check/differences.c \
	study/check/problem.c \
	study/decide.c \
	study/finished_run.c \
	study/fit/burst.c \
	study/fit/compare.c \
	study/fit/estimate.c \
	study/fit/file.c \
	study/fit/map.c \
	study/fit/outlier.c \
	study/predict.c \
	study/tune.c \
	study/verify.c \
	study/whatif.c

CMD_SOURCES = \
	cmd/advise.c \
	cmd/advise_among.c \
	cmd/answer_advise.c \
	cmd/answer_page.c \
	cmd/args.c \
	cmd/bench.c \
	cmd/bench_external.c \
	cmd/calibrate.c \
	cmd/check.c \
	cmd/claims.c \
	cmd/commands.c \
	cmd/common.c \
	cmd/compare.c \
	cmd/complete.c \
	cmd/completion.c \
	cmd/datasets.c \
	cmd/decide.c \
	cmd/decide_opts.c \
	cmd/delay.c \
	cmd/delay_page.c \
	cmd/doctor.c \
	cmd/help_text.c \
	cmd/list.c \
	cmd/listing.c \
	cmd/main.c \
	cmd/new.c \
	cmd/partition.c \
	cmd/play.c \
	cmd/plot.c \
	cmd/plot_path.c \
	cmd/predict.c \
	cmd/replay.c \
	cmd/report/kept.c \
	cmd/report/md.c \
	cmd/report/page.c \
	cmd/report/report.c \
	cmd/run.c \
	cmd/sample.c \
	cmd/schema.c \
	cmd/show.c \
	cmd/show_algo.c \
	cmd/show_delay.c \
	cmd/show_net.c \
	cmd/sim.c \
	cmd/table.c \
	cmd/trace.c \
	cmd/train.c \
	cmd/tune.c \
	cmd/verify.c \
	cmd/version.c \
	cmd/watch.c

# The page with the simulator; web/CMakeLists.txt adds what else it links.
WEB_SOURCES = \
	web/alone.c \
	web/simulate.c

# Headers that are installed, for algorithms in files of users.
OWN_INCLUDES = \
	algos/convoy.h \
	algos/common/dct.h \
	algos/common/fragments.h \
	algos/common/join.h \
	algos/common/largest.h \
	algos/common/peers/boxes.h \
	algos/common/peers/partners.h \
	algos/common/peers/peers.h \
	algos/common/peers/push_sum.h \
	algos/common/rounds.h \
	algos/common/server/client.h \
	algos/common/server/elastic.h \
	algos/common/server/gather.h \
	algos/common/server/head.h \
	algos/common/server/serve.h \
	algos/common/server/stale_gradient.h \
	algos/common/server/table.h \
	algos/optim/decay_range.h \
	core/base/error.h \
	core/codec.h \
	core/fault.h \
	core/gradient.h \
	core/graph.h \
	core/math/rng.h \
	core/math/vec.h \
	core/math/wide.h \
	core/node.h \
	core/optim.h \
	core/pool/pool.h \
	core/pool/team.h \
	core/metric.h \
	core/problem.h \
	core/run.h \
	core/samples/batch.h \
	core/samples/correct.h \
	core/samples/dataset.h \
	core/samples/slice.h \
	core/stages.h \
	core/text/opt.h
