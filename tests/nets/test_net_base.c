/* Nets that stand on another by "base": what they take over, and what is refused. */
#include "core/base/mem.h"
#include "core/file/paths.h"
#include "nets/nets.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"
#include "tests/support/files.h"

#include <stdlib.h>
#include <string.h>

static const struct shape own = { 0, 0, 0 };

static const char plain[] =
	"{\"about\": \"A net.\", \"cite\": \"Author 1999\", \"input\": [4, 4, 2],"
	"\"classes\": 3, \"params\": {\"width\": 5, \"more\": 1}, \"layers\": ["
	"{\"layer\": \"conv\", \"out\": \"$width\", \"kernel\": 3, \"repeat\": \"$more\"},"
	"{\"layer\": \"dense\", \"out\": \"$classes\"}]}";

static void put(const char *folder, const char *name, const char *text)
{
	folder_write(folder, name, PACK_PLAIN, text, strlen(text));
}

static struct graph *load(const char *folder, const char *name)
{
	char *path = xasprintf("%s/%s", folder, name);
	struct graph *g = graph_load(path, own, 0);

	free(path);
	return g;
}

static void takes_over(void **state)
{
	char *folder = folder_new();
	struct graph *g;

	put(folder, "plain.json", plain);
	put(folder, "wide.json", "{\"base\": \"plain.json\", \"params\": {\"width\": 9},"
	    "\"about\": \"A wide net.\"}");
	put(folder, "small.json", "{\"base\": \"wide.json\", \"params\": {\"width\": 7},"
	    "\"input\": [3, 3, 1], \"classes\": 2}");
	g = load(folder, "wide.json");
	assert_non_null(g);
	assert_string_equal(g->name, "wide");
	assert_string_equal(g->about, "A wide net.");
	assert_string_equal(g->cite, "Author 1999");
	assert_int_equal(g->layers[1].os.c, 9);
	assert_int_equal(g->input.h, 4);
	graph_free(g);
	g = load(folder, "small.json");         /* two below; the nearest wins */
	assert_non_null(g);
	assert_string_equal(g->about, "A wide net.");
	assert_int_equal(g->layers[1].os.c, 7);
	assert_int_equal(g->input.h, 3);
	assert_int_equal(g->classes, 2);
	graph_free(g);
	folder_remove(folder);
}

/* A bare name is the zoo's, from a text too; a data set wins over both files. */
static void from_the_zoo(void **state)
{
	struct graph *g = graph_parse("{\"base\": \"resnet20\", \"params\": {\"blocks\": 1},"
				      "\"classes\": 7}", "eight", own, 0);

	assert_non_null(g);
	assert_int_equal(g->classes, 7);
	assert_int_equal(g->input.w, 32);
	graph_free(g);
	g = graph_load("resnet32", (struct shape){ 16, 16, 1 }, 4);
	assert_non_null(g);
	assert_int_equal(g->input.w, 16);
	assert_int_equal(g->classes, 4);
	graph_free(g);
}

static void files_of_a_net(void **state)
{
	char **files = net_files("resnet56");

	assert_non_null(files);
	assert_non_null(strstr(files[0], "nets/zoo/resnet56.json"));
	assert_non_null(strstr(files[1], "nets/zoo/resnet20.json"));
	assert_null(files[2]);
	path_list_free(files);
	files = net_files("vgg");
	assert_null(files[1]);
	path_list_free(files);
	capture_start();
	assert_null(net_files("resnet55"));
	capture_stop();
}

/* Loading the file of that text next to plain.json fails, and says both. */
static void refuses(const char *text, const char *says, const char *also)
{
	char *folder = folder_new();
	struct graph *g;

	put(folder, "plain.json", plain);
	put(folder, "broken.json", "{\"layers\": [");
	put(folder, "list.json", "[]");
	put(folder, "loop.json", "{\"base\": \"bad.json\"}");
	put(folder, "bad.json", text);
	capture_start();
	g = load(folder, "bad.json");
	capture_stop();
	if (g || !strstr(capture_text(), says) || !strstr(capture_text(), also))
		fail_msg("%s\n  should say '%s' and '%s'\n  says '%s'", text, says, also,
			 capture_text());
	folder_remove(folder);
}

static void refused(void **state)
{
	refuses("{\"base\": 3}", "bad.json: 'base' must be a text", "");
	refuses("{\"base\": \"resnet-20\"}", "did you mean 'resnet20'", "bad.json");
	refuses("{\"base\": \"/dev/zero\"}", "neither a net of the zoo nor a file", "bad.json");
	refuses("{\"base\": \"none.json\"}", "none.json", "bad.json");
	refuses("{\"base\": \"broken.json\"}", "broken.json:1:", "bad.json: its \"base\"");
	refuses("{\"base\": \"list.json\"}", "list.json is no object", "bad.json");
	refuses("{\"base\": \"plain.json\", \"layers\": []}", "unknown key 'layers'", "bad.json");
	refuses("{\"base\": \"plain.json\", \"params\": {\"widht\": 3}}",
		"unknown key 'widht'; did you mean 'width'?", "base");
	refuses("{\"base\": \"plain.json\", \"params\": 3}", "must be an object", "plain.json");
	refuses("{\"base\": \"plain.json\", \"params\": {\"width\": []}}",
		"the parameter 'width' is a number", "plain.json");
	/* What is wrong only with both together names both. */
	refuses("{\"base\": \"plain.json\", \"params\": {\"more\": 3}}",
		"a window of 3x3 does not fit", "bad.json (on ");
	refuses("{\"base\": \"plain.json\", \"params\": {\"more\": 0.5}}", "\"repeat\"",
		"plain.json)");
	refuses("{\"base\": \"plain.json\", \"input\": [1, 2]}", "[height, width, channels]",
		"plain.json)");
}

static void refused_rings(void **state)
{
	char *folder = folder_new();

	refuses("{\"base\": \"bad.json\"}", "has it as a base in turn", "bad.json");
	refuses("{\"base\": \"loop.json\"}", "has it as a base in turn", "loop.json");
	refuses("{\"base\": \"./bad.json\"}", "has it as a base in turn", "bad.json");
	put(folder, "0.json", plain);
	for (int i = 1; i < 10; i++) {
		char *name = xasprintf("%d.json", i);
		char *text = xasprintf("{\"base\": \"%d.json\"}", i - 1);

		put(folder, name, text);
		free(name);
		free(text);
	}
	graph_free(load(folder, "7.json"));
	capture_start();
	assert_null(load(folder, "8.json"));
	capture_stop();
	assert_said("1.json: its \"base\"");
	folder_remove(folder);
}

RUN_ALL(takes_over, from_the_zoo, files_of_a_net, refused, refused_rings)
