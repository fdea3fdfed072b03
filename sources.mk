# The one list of sources. Automake includes it; CMakeLists.txt parses it.
# Form: NAME = \ then one path a line with a trailing backslash, the last without.

CORE_SOURCES = \
	core/ahead.c \
	core/batch.c \
	core/choice.c \
	core/clock.c \
	core/codec.c \
	core/dataset.c \
	core/delay.c \
	core/delay_text.c \
	core/error.c \
	core/eval.c \
	core/file.c \
	core/graph.c \
	core/graph_spectrum.c \
	core/hash.c \
	core/json.c \
	core/json_fault.c \
	core/ledger.c \
	core/loader.c \
	core/mem.c \
	core/momentum.c \
	core/node.c \
	core/opt.c \
	core/opt_text.c \
	core/pace.c \
	core/part.c \
	core/paths.c \
	core/pool.c \
	core/rng.c \
	core/run.c \
	core/schedule.c \
	core/shared.c \
	core/stall.c \
	core/team.c \
	core/vec.c \
	core/watch.c \
	core/word.c

ALGOS_SOURCES = \
	algos/ad_psgd.c \
	algos/allreduce.c \
	algos/asgd.c \
	algos/backup.c \
	algos/codec/bf16.c \
	algos/codec/fixed.c \
	algos/codec/fp16.c \
	algos/codec/none.c \
	algos/codec/onebit.c \
	algos/codec/qsgd.c \
	algos/codec/terngrad.c \
	algos/codec/topk.c \
	algos/d_psgd.c \
	algos/dana.c \
	algos/dc_asgd.c \
	algos/delay_adaptive.c \
	algos/downpour.c \
	algos/dynsgd.c \
	algos/eamsgd.c \
	algos/easgd.c \
	algos/elastic.c \
	algos/gap_aware.c \
	algos/gather.c \
	algos/gossip_pull.c \
	algos/gossip_push.c \
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
	algos/groups.c \
	algos/hogwild.c \
	algos/k_async.c \
	algos/k_batch_async.c \
	algos/k_batch_sync.c \
	algos/k_sync.c \
	algos/late.c \
	algos/local_sgd.c \
	algos/multi_asgd.c \
	algos/nag_asgd.c \
	algos/optim/adam.c \
	algos/optim/closed_loop.c \
	algos/optim/lamb.c \
	algos/optim/lars.c \
	algos/optim/sgd.c \
	algos/osgp.c \
	algos/peers.c \
	algos/push_sum.c \
	algos/rennala.c \
	algos/ringmaster.c \
	algos/serve.c \
	algos/sgp.c \
	algos/softsync.c \
	algos/ssp.c \
	algos/staleness_aware.c \
	algos/tables.c

NETS_SOURCES = \
	nets/backends.c \
	nets/graph.c \
	nets/graph_base.c \
	nets/graph_init.c \
	nets/graph_layer.c \
	nets/graph_print.c \
	nets/graph_unroll.c \
	nets/layers.c \
	nets/logistic.c \
	nets/loss.c \
	nets/openblas.c \
	nets/openblas_auto.c \
	nets/openblas_bn.c \
	nets/openblas_cache.c \
	nets/openblas_caffe.c \
	nets/openblas_concat.c \
	nets/openblas_conv.c \
	nets/openblas_dense.c \
	nets/openblas_gemm.c \
	nets/openblas_lift.c \
	nets/openblas_lower.c \
	nets/openblas_lrn.c \
	nets/openblas_peak.c \
	nets/openblas_plan.c \
	nets/openblas_pool.c \
	nets/openblas_rows.c \
	nets/openblas_simple.c \
	nets/openblas_stage.c \
	nets/openblas_way.c \
	nets/peak.c \
	nets/problem_net.c \
	nets/problems.c \
	nets/quadratic.c \
	nets/reference.c \
	nets/reference_channels.c \
	nets/reference_layers.c \
	nets/scope.c

# Compiled only where the oneDNN library is found.
ONEDNN_SOURCES = \
	nets/onednn.c \
	nets/onednn_arena.c \
	nets/onednn_conv.c \
	nets/onednn_dense.c \
	nets/onednn_engine.c \
	nets/onednn_fuse.c \
	nets/onednn_pass.c \
	nets/onednn_peak.c \
	nets/onednn_place.c \
	nets/onednn_plain.c \
	nets/onednn_plan.c \
	nets/onednn_pool.c \
	nets/onednn_run.c \
	nets/onednn_share.c \
	nets/onednn_simd.c \
	nets/onednn_simd_bf16.c \
	nets/onednn_unit.c \
	nets/onednn_wino_bf16.c \
	nets/onednn_wino_f32.c \
	nets/onednn_wino_op.c

DATA_SOURCES = \
	data/augment.c \
	data/cifar.c \
	data/cifar10.c \
	data/cifar100.c \
	data/get.c \
	data/idx.c \
	data/imagenet.c \
	data/jpeg.c \
	data/mnist.c \
	data/pack.c \
	data/pack_file.c \
	data/pack_h5.c \
	data/packed.c \
	data/packed_file.c \
	data/packed_open.c \
	data/photo.c \
	data/photo_list.c \
	data/photo_root.c \
	data/read.c \
	data/resize.c \
	data/shapes.c \
	data/shapes_figure.c \
	data/shapes_paint.c \
	data/shapes_scene.c \
	data/store.c \
	data/tables.c \
	data/unpack.c

# Compiled only where libcurl, libarchive and libmd are found.
FETCH_SOURCES = \
	data/fetch.c \
	data/get_fetch.c \
	data/tar.c

SIM_SOURCES = \
	sim/blocks.c \
	sim/delay_constant.c \
	sim/delay_cvb.c \
	sim/delay_empirical.c \
	sim/delay_exponential.c \
	sim/delay_gamma.c \
	sim/delay_lognormal.c \
	sim/delay_markov.c \
	sim/delay_measured.c \
	sim/delay_normal.c \
	sim/delay_pareto.c \
	sim/delay_periodic.c \
	sim/delay_profile.c \
	sim/delay_rack.c \
	sim/delay_uniform.c \
	sim/delay_weibull.c \
	sim/engine.c \
	sim/heap.c \
	sim/law.c \
	sim/ledger.c \
	sim/link_ideal.c \
	sim/link_measured.c \
	sim/link_nic.c \
	sim/loop.c \
	sim/packet.c \
	sim/post.c \
	sim/replay.c \
	sim/replay_node.c \
	sim/sum.c \
	sim/tables.c \
	sim/world.c

# Compiled where MPI is found, and where it is not.
MPI_SOURCES = \
	mpi/checkpoint.c \
	mpi/count.c \
	mpi/drain.c \
	mpi/engine.c \
	mpi/gone.c \
	mpi/hold.c \
	mpi/late.c \
	mpi/loop.c \
	mpi/mark.c \
	mpi/post.c \
	mpi/procs.c \
	mpi/run.c \
	mpi/stall.c \
	mpi/sum.c \
	mpi/sum_buckets.c \
	mpi/sum_codes.c \
	mpi/sum_ring.c \
	mpi/tape.c \
	mpi/vault.c \
	mpi/wait.c \
	mpi/window.c \
	mpi/world.c

NO_MPI_SOURCES = \
	mpi/absent.c

REPORT_SOURCES = \
	report/aggregate.c \
	report/check.c \
	report/claims.c \
	report/column.c \
	report/environ.c \
	report/export.c \
	report/filter.c \
	report/gnuplot.c \
	report/h5.c \
	report/interrupt.c \
	report/layout.c \
	report/measure.c \
	report/output.c \
	report/plot.c \
	report/plot_data.c \
	report/plot_seeds.c \
	report/plot_frame.c \
	report/plot_script.c \
	report/record.c \
	report/record_file.c \
	report/record_state.c \
	report/record_step.c \
	report/result.c \
	report/samples.c \
	report/seal.c \
	report/table.c \
	report/table_print.c \
	report/table_text.c \
	report/table_words.c \
	report/trace.c \
	report/trace_chrome.c \
	report/trace_plot.c \
	report/trace_print.c \
	report/trace_read.c \
	report/trace_spans.c

CMD_SOURCES = \
	cmd/args.c \
	cmd/bench.c \
	cmd/bench_child.c \
	cmd/bench_grid.c \
	cmd/bench_plot.c \
	cmd/bench_print.c \
	cmd/bench_rate.c \
	cmd/calibrate.c \
	cmd/calibrate_file.c \
	cmd/canon.c \
	cmd/changes.c \
	cmd/check.c \
	cmd/check_backends.c \
	cmd/check_case.c \
	cmd/check_differences.c \
	cmd/check_export.c \
	cmd/check_print.c \
	cmd/children.c \
	cmd/claims.c \
	cmd/cluster.c \
	cmd/cluster_numbers.c \
	cmd/commands.c \
	cmd/common.c \
	cmd/context.c \
	cmd/data.c \
	cmd/data_get.c \
	cmd/data_info.c \
	cmd/data_pack.c \
	cmd/doctor.c \
	cmd/facts.c \
	cmd/finished.c \
	cmd/kinds.c \
	cmd/launch.c \
	cmd/launch_run.c \
	cmd/launch_watch.c \
	cmd/list.c \
	cmd/main.c \
	cmd/model.c \
	cmd/outcome.c \
	cmd/plan.c \
	cmd/plan_run.c \
	cmd/plan_values.c \
	cmd/plot.c \
	cmd/plot_path.c \
	cmd/predict.c \
	cmd/predict_entries.c \
	cmd/predict_print.c \
	cmd/predict_row.c \
	cmd/probe.c \
	cmd/progress.c \
	cmd/replay.c \
	cmd/run.c \
	cmd/settings.c \
	cmd/setup.c \
	cmd/show.c \
	cmd/show_cluster.c \
	cmd/show_delay.c \
	cmd/show_delay_plot.c \
	cmd/show_file.c \
	cmd/show_graph.c \
	cmd/show_net.c \
	cmd/show_net_draw.c \
	cmd/show_net_layout.c \
	cmd/signals.c \
	cmd/sim.c \
	cmd/simrun.c \
	cmd/single.c \
	cmd/slow.c \
	cmd/spec.c \
	cmd/spec_check.c \
	cmd/table.c \
	cmd/timeline.c \
	cmd/trace.c \
	cmd/train.c \
	cmd/values.c \
	cmd/verify.c \
	cmd/verify_cases.c \
	cmd/verify_exact.c \
	cmd/verify_run.c \
	cmd/version.c \
	cmd/whatif.c \
	cmd/whatif_show.c
