/* Fills web/trace.html: the page of a trace, with the viewer of the page with the simulator. */
#include "report/page/trace_page.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/members.h"
#include "core/file/output.h"
#include "core/file/paths.h"
#include "core/text/word.h"
#include "record/environ.h"

#include <stdlib.h>
#include <string.h>

/* ---- facts: JSON in a script element, so that no text of a trace is markup ---- */

static cJSON *facts_settings(const struct trace *t)
{
	cJSON *all = cJSON_CreateObject();

	for (size_t i = 0; i < t->nsettings; i++)
		cJSON_AddStringToObject(all, t->settings[i].key, t->settings[i].value);
	return all;
}

static char *facts_text(const struct trace *t, size_t spans, size_t messages)
{
	scoped_json cJSON *facts =
		OBJECT(j_text("file", path_base(t->path)), j_text("algo", t->algo),
		       j_number("workers", t->workers), j_number("nodes", t->nodes),
		       j_text("end", t->end), j_number("time_s", t->time),
		       j_number("gradients", (double)t->gradients),
		       j_number("events", (double)t->n), j_number("spans", (double)spans),
		       j_number("messages", (double)messages), j_text("hash", t->hash),
		       j_texts("kinds", (char *const *)trace_kind_name, SIZE_MAX),
		       j_text("convoy", environ_version), j_json("settings", facts_settings(t)));
	char *text = must_have(cJSON_PrintUnformatted(facts), "JSON"), *out = NULL;

	for (char *part = text, *next; part; part = next) {
		next = strchr(part, '<');
		if (next)
			*next++ = '\0';
		xappend(&out, "\\u003c", part);
	}
	free(text);
	return out;
}

/* ---- the page ---- */

struct part {                   /* what stands for a line of the template */
	const char *line;
	char *text[2];          /* owned */
};

enum { PART_STYLE, PART_SCRIPT, PART_FACTS, PART_COLUMNS, PARTS };

static void page_put_line(FILE *out, const struct part *parts, const char *line, size_t n)
{
	for (size_t k = 0; k < PARTS; k++)
		if (n == strlen(parts[k].line) && strncmp(line, parts[k].line, n) == 0) {
			for (size_t i = 0; i < 2; i++)
				fputs(parts[k].text[i] ? parts[k].text[i] : "", out);
			fputc('\n', out);
			return;
		}
	fprintf(out, "%.*s\n", (int)n, line);
}

static int page_save(const char *path, const char *template, const struct part *parts)
{
	scoped char *text = NULL;
	size_t n;
	FILE *out = xmemstream(&text, &n);

	for (const char *line = template, *end; *line; line = *end ? end + 1 : end) {
		end = line + strcspn(line, "\n");
		page_put_line(out, parts, line, (size_t)(end - line));
	}
	xmemclose(out);
	return output_write(path, text, n);
}

int timeline_page_write(const struct trace *t, const char *path)
{
	struct part parts[PARTS] = { [PART_STYLE] = { .line = "@STYLE@" },
				     [PART_SCRIPT] = { .line = "@SCRIPT@" },
				     [PART_FACTS] = { .line = "@FACTS@" },
				     [PART_COLUMNS] = { .line = "@COLUMNS@" } };
	static const char *const what = "the page of a trace";
	char *template = NULL;
	size_t spans, messages;
	int ret = -1;

	if (t->n > TIMELINE_PAGE_MOST)
		return error("'%s' has %zu events; a page shows %d at most. Record a shorter run, "
			     "or use --format", t->path, t->n, TIMELINE_PAGE_MOST);
	if (t->nodes > TIMELINE_PAGE_NODES)
		return error("'%s' has %d nodes; a page shows %d at most. Use --format", t->path,
			     t->nodes, TIMELINE_PAGE_NODES);
	parts[PART_COLUMNS].text[0] = trace_columns(t, &spans, &messages);
	if (parts[PART_COLUMNS].text[0] && !spans)
		error("'%s' has %zu event%s, of which none takes time, so there is no timeline",
		      t->path, t->n, word_plural((double)t->n));
	else if (parts[PART_COLUMNS].text[0] &&
		 (template = path_shipped_text("web/trace.html", what)) &&
		 (parts[PART_STYLE].text[0] = path_shipped_text("web/page.css", what)) &&
		 (parts[PART_SCRIPT].text[0] = path_shipped_text("web/timeline.js", what)) &&
		 (parts[PART_SCRIPT].text[1] = path_shipped_text("web/trace.js", what))) {
		parts[PART_FACTS].text[0] = facts_text(t, spans, messages);
		ret = page_save(path, template, parts);
	}
	for (size_t k = 0; k < PARTS; k++)
		for (size_t i = 0; i < 2; i++)
			free(parts[k].text[i]);
	free(template);
	return ret;
}
