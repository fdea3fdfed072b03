/* The table of published data sets: their archives, addresses and checksums. */
#include "data/fetch/get.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/text/word.h"
#include "data/text/source.h"

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

/* WikiText: from its author's own server, and from where it was first published. */
static const char *const wikitext_urls[] = {
	"https://wikitext.smerity.com", "https://s3.amazonaws.com/research.metamind.io/wikitext",
	NULL
};
static const char *const mahoney[] = { "http://mattmahoney.net/dc", NULL };
static const char *const char_rnn[] = {
	"https://raw.githubusercontent.com/karpathy/char-rnn/master/data/tinyshakespeare", NULL
};

static const struct get_file wikitext_2_files[] = {
	{ "wikitext-2-v1.zip", 4475746,
	  "92675f1d63015c1c8b51f1656a52d5bdbc33aafa60cc47a218a66e7ee817488c" },
	{ .name = NULL }
};
static const struct get_file wikitext_103_files[] = {
	{ "wikitext-103-v1.zip", 190229076,
	  "242ba0f20b329cfdf1ccc61e9e9e5b59becf189db7f7a81cd2a0e2fc31539590" },
	{ .name = NULL }
};
static const struct get_file enwik8_files[] = {
	{ "enwik8.zip", 36445475,
	  "547994d9980ebed1288380d652999f38a14fe291a6247c157c3d33d4932534bc" },
	{ .name = NULL }
};
static const struct get_file text8_files[] = {
	{ "text8.zip", 31344016,
	  "a6640522afe85d1963ad56c05b0ede0a0c000dddc9671758a6cc09b7a38e5232" },
	{ .name = NULL }
};
static const struct get_file shakespeare_files[] = {
	{ "input.txt", SHAKESPEARE_SIZE,
	  "86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed" },
	{ .name = NULL }
};

static const char *const cifar10_unpacked[] = {
	"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin", "data_batch_4.bin",
	"data_batch_5.bin", "test_batch.bin", NULL
};
static const char *const cifar100_unpacked[] = { "train.bin", "test.bin", NULL };

static const char *const wikitext_unpacked[] = {
	"wiki.train.tokens", "wiki.valid.tokens", "wiki.test.tokens", NULL
};
static const char *const enwik8_unpacked[] = { "enwik8", NULL };
static const char *const text8_unpacked[] = { "text8", NULL };

static const struct get_set sets[] = {
	{ .name = "cifar10", .urls = toronto, .files = cifar10_files,
	  .folder = "cifar-10-batches-bin", .unpacked = cifar10_unpacked },
	{ .name = "cifar100", .urls = toronto, .files = cifar100_files,
	  .folder = "cifar-100-binary", .unpacked = cifar100_unpacked },
	{ .name = "mnist", .urls = mnist_urls, .files = mnist_files, .folder = "mnist" },
	{ .name = "wikitext-2", .urls = wikitext_urls, .files = wikitext_2_files,
	  .folder = "wikitext-2", .unpacked = wikitext_unpacked,
	  .data = "text:unit=word,file=wikitext-2/wiki.train.tokens,"
		  "valid=wikitext-2/wiki.valid.tokens" },
	{ .name = "wikitext-103", .urls = wikitext_urls, .files = wikitext_103_files,
	  .folder = "wikitext-103", .unpacked = wikitext_unpacked,
	  .data = "text:unit=word,file=wikitext-103/wiki.train.tokens,"
		  "valid=wikitext-103/wiki.valid.tokens" },
	{ .name = "enwik8", .urls = mahoney, .files = enwik8_files, .folder = "enwik8",
	  .unpacked = enwik8_unpacked, .flat = true,
	  .data = "text:unit=byte,file=enwik8/enwik8" },
	{ .name = "text8", .urls = mahoney, .files = text8_files, .folder = "text8",
	  .unpacked = text8_unpacked, .flat = true, .data = "text:unit=byte,file=text8/text8" },
	{ .name = "tinyshakespeare", .urls = char_rnn, .files = shakespeare_files,
	  .folder = "tinyshakespeare", .data = "text" },
	{ .name = NULL }
};

const char *get_set_of(const char *file)
{
	for (const struct get_set *s = sets; s->name; s++) {
		const size_t n = strlen(s->folder);

		if (!strncmp(file, s->folder, n) && file[n] == '/')
			return s->name;
	}
	return NULL;
}

const struct get_set *get_find(const char *name)
{
	const char *known[sizeof(sets) / sizeof(*sets)];
	const struct get_set *s = sets;
	scoped char *advice = NULL;

	for (; s->name; s++) {
		if (!strcmp(s->name, name))
			return s;
		known[s - sets] = s->name;
	}
	known[s - sets] = NULL;
	advice = word_advice(name, known);
	error("no published address of '%s' is known%s", name, advice);
	return NULL;
}

#ifndef CONVOY_HAVE_FETCH

int get_fetch(const struct get_set *set, const struct get_conf *conf)
{
	return error("this convoy was built without libcurl, and fetches "
		     "nothing; put the files of %s into %s/%s by other means", set->name,
		     conf->dir, set->folder);
}

#endif
