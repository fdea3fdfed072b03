/* The table of published data sets: their archives, addresses and checksums. */
#include "data/fetch/get.h"

#include "core/base/error.h"
#include "core/text/word.h"

#include <stdlib.h>
#include <string.h>

static const char *const toronto[] = { "https://www.cs.toronto.edu/~kriz", NULL };
static const char *const mnist_urls[] = {
	"https://ossci-datasets.s3.amazonaws.com/mnist", "http://yann.lecun.com/exdb/mnist", NULL
};

static const struct get_file cifar10_files[] = {
	{ "cifar-10-binary.tar.gz", 170052171,
	  "c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd" },
	{ .name = NULL }
};
static const struct get_file cifar100_files[] = {
	{ "cifar-100-binary.tar.gz", 168513733,
	  "58a81ae192c23a4be8b1804d68e518ed807d710a4eb253b1f2a199162a40d8ec" },
	{ .name = NULL }
};
static const struct get_file mnist_files[] = {
	{ "train-images-idx3-ubyte.gz", 9912422,
	  "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609" },
	{ "train-labels-idx1-ubyte.gz", 28881,
	  "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c" },
	{ "t10k-images-idx3-ubyte.gz", 1648877,
	  "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6" },
	{ "t10k-labels-idx1-ubyte.gz", 4542,
	  "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6" },
	{ .name = NULL }
};

static const char *const cifar10_unpacked[] = {
	"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin", "data_batch_4.bin",
	"data_batch_5.bin", "test_batch.bin", NULL
};
static const char *const cifar100_unpacked[] = { "train.bin", "test.bin", NULL };

static const struct get_set cifar10 = {
	"cifar10", toronto, cifar10_files, "cifar-10-batches-bin", cifar10_unpacked
};
static const struct get_set cifar100 = {
	"cifar100", toronto, cifar100_files, "cifar-100-binary", cifar100_unpacked
};
static const struct get_set mnist = { "mnist", mnist_urls, mnist_files, "mnist", NULL };

const struct get_set *const get_table[] = { &cifar10, &cifar100, &mnist, NULL };

const struct get_set *get_find(const char *name)
{
	const char *known[8];
	char *advice;
	size_t n = 0;

	for (; get_table[n]; n++) {
		if (!strcmp(get_table[n]->name, name))
			return get_table[n];
		known[n] = get_table[n]->name;
	}
	known[n] = NULL;
	advice = word_advice(name, known);
	error("no published address of '%s' is known%s", name, advice);
	free(advice);
	return NULL;
}

#ifndef CONVOY_HAVE_FETCH

int get_fetch(const struct get_set *set, const struct get_conf *conf)
{
	return error("this convoy was built without libcurl, libarchive or libmd, and fetches "
		     "nothing; put the files of %s into %s/%s by other means", set->name,
		     conf->dir, set->folder);
}

#endif
