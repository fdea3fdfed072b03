/*
 * opt.h - typed options: a table describes them for parsing, help and output.
 *
 * The same table parses a command line, a plug-in's "name:key=value,..." and a
 * spec, prints help, and writes every value, defaults included, into a result.
 * In keys '-' and '_' are the same character.
 */
#ifndef CORE_TEXT_OPT_H
#define CORE_TEXT_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum opt_type {
	OPT_BOOL,               /* bool:    true false yes no on off 1 0 */
	OPT_INT,                /* int64_t: 12, 1e6, 50k, or with a unit (units.h) */
	OPT_INT32,              /* int: the same, with bounds that fit */
	OPT_DOUBLE,             /* double:  C notation, also inf, or with a unit */
	OPT_STRING,             /* char *:  owned by the conf; NULL when empty */
	OPT_ENUM,               /* int:     index into choices; where [0] is false, true is [1] */
	OPT_DOUBLES             /* struct opt_doubles: a/b/c */
};

enum opt_flags {
	OPT_NOHASH = 1,         /* does not change a result: threads, output folder */
	OPT_HIDDEN = 2,         /* not shown in help */
	OPT_ADDED = 4,          /* the default changes nothing, nor the hash of a run */
	OPT_MANY = 8            /* text; given several times, each of its lines is one of them */
};

struct opt_doubles {
	size_t n;
	double *v;              /* [n], owned by the conf */
};

struct opt {
	const char *name;       /* NULL ends a table */
	enum opt_type type;
	size_t offset;          /* of the field in the conf struct */
	const char *def;        /* default, as a user would write it; NULL for an empty string */
	const char *help;       /* one sentence; names the unit */
	const char *arg;        /* how help writes the value: N, SECONDS, PATH, ... */
	double min, max;        /* inclusive bounds; both 0: none */
	const char *const *choices;     /* OPT_ENUM: names, NULL-ended */
	unsigned flags;
};

/*
 * Type and offset of an option that fills a field of a conf: OPT_AT(INT, struct conf, period).
 * Does not compile if the type of the field differs from the one of enum opt_type.
 */
#define OPT_AT(kind, conf, field)                                                                  \
	OPT_##kind, offsetof(conf, field) +                                                        \
			    0 * sizeof(_Generic(&((conf *)0)->field, OPT_FIELD_##kind *: 0))
#define OPT_FIELD_BOOL bool
#define OPT_FIELD_INT int64_t
#define OPT_FIELD_INT32 int
#define OPT_FIELD_DOUBLE double
#define OPT_FIELD_STRING char *
#define OPT_FIELD_ENUM int
#define OPT_FIELD_DOUBLES struct opt_doubles

/*
 * Rows for a flag that is off by default, a text, a number with bounds, and one of several words;
 * the option has the name of its field.
 */
#define OPT_FLAG(conf, field, help)                                                                \
	{ #field, OPT_AT(BOOL, conf, field), "false", help, NULL, 0, 0, NULL, 0 }
#define OPT_TEXT(conf, field, help, arg)                                                           \
	{ #field, OPT_AT(STRING, conf, field), NULL, help, arg, 0, 0, NULL, 0 }
#define OPT_NUMBER(conf, field, def, help, arg, min, max)                                          \
	{ #field, _Generic(((conf *)0)->field, int64_t: OPT_INT, double: OPT_DOUBLE),              \
	  offsetof(conf, field), def, help, arg, min, max, NULL, 0 }
#define OPT_CHOICE(conf, field, def, help, arg, choices)                                           \
	{ #field, OPT_AT(ENUM, conf, field), def, help, arg, 0, 0, choices, 0 }

/* Fills conf (of the table's struct, zeroed or not) with the defaults. A NULL table is empty. */
void opt_init(const struct opt *opts, void *conf);

/* Frees the strings and lists that conf owns. */
void opt_release(const struct opt *opts, void *conf);

/* True when two keys are equal; '-' and '_' are the same. */
bool opt_same_key(const char *a, const char *b);

/* Present name of a renamed key ('-' as '_'); NULL if it was not renamed. */
const char *former_name(const char *name);

/* The option with that present or former name, or NULL. */
const struct opt *opt_find(const struct opt *opts, const char *name);

/*
 * Sets one option from text. `where` begins the message of a failure ("--algo ssp", "spec.json:
 * base"). Returns 0, or -1 after an error() that names the option, value, allowed values, and
 * for an unknown key the nearest one.
 */
int opt_set(const struct opt *opts, void *conf, const char *key, const char *value,
	    const char *where);

/* Sets options from "key=value,key=value"; a bare key that takes true means true. */
int opt_parse(const struct opt *opts, void *conf, const char *text, const char *where);

/* True when a text "key=value,..." sets that option. */
bool opt_gives(const struct opt *opts, const char *text, const char *key);

/* Length of the text up to one of these characters without a backslash before it, or its end. */
size_t item_length(const char *text, const char *ends);

/* The first n characters without backslashes that stand before others; the caller frees. */
char *item_plain(const char *text, size_t n);

/* The value as text that opt_set() reads back to the same value; the caller frees. */
char *opt_format(const struct opt *opt, const void *conf);

/* "help: choice, choice; bounds [default]", as --help has it; the caller frees. */
char *opt_meaning(const struct opt *o);

/* Prints the table for --help: name, argument, help, default, bounds. */
void opt_help(const struct opt *opts, const char *prefix, FILE *out);

static inline bool opt_is_whole(const struct opt *o)
{
	return o->type == OPT_INT || o->type == OPT_INT32;
}

/* True when `min` and `max` bound its values. */
bool opt_bounded(const struct opt *o);

/* The word of a NULL-ended list nearest to `word`, or NULL when none is near. */
const char *nearest_word(const char *word, const char *const *words);

/*
 * A plug-in: the struct with which every algorithm, delay, link, data format, schedule and
 * optimiser begins, so that one parser and one help serve all of them.
 */
struct plugin {
	const char *name;
	const char *brief;      /* one line */
	const char *also;       /* names in other programs, for foreign_name(); or NULL */
	const char *cite;       /* the paper, or NULL */
	const struct opt *opts; /* may be NULL */
	size_t conf_size;       /* bytes of the struct that opts describe */
	const char *code;       /* digest of the user's file that it is from; NULL: built in */
};

/* A chosen plug-in with its settings. {0} is "nothing chosen". */
struct choice {
	const struct plugin *plugin;
	void *conf;             /* [plugin->conf_size], owned */
};

/*
 * Parses "name" or "name:key=value,..." against a NULL-ended table of pointers
 * to structs that begin with a struct plugin. kind ("algorithm", "delay model")
 * is for messages; NULL text is an unknown name. Releases what *c held; when it
 * fails, *c is as it was. Returns 0 or error(). In a table with plugin_files(), the name may be the
 * path of a file, also followed by '@' and the digest that the file must have.
 */
int choice_parse(struct choice *c, const struct plugin *const *table, const char *kind,
		 const char *text);

/*
 * "name:key=value,..." with every value, defaults included, "path@digest:key=value,..." of a file;
 * the caller frees.
 */
char *choice_format(const struct choice *c);

/* The same for people: the first `always` options, and what differs from defaults; owned. */
char *choice_brief(const struct choice *c, size_t always);

/* True of two texts of the same name, whatever their options. */
bool choice_same_name(const char *a, const char *b);

void choice_release(struct choice *c);

/* The names of a table, NULL-ended, borrowed in an array that the caller frees. */
const char **plugin_names(const struct plugin *const *table);

/* The plug-in of that name, or NULL after error() naming the nearest and the known ones. */
const struct plugin *plugin_find(const struct plugin *const *table, const char *kind,
				 const char *name);

/* Digits of a digest that choice_format() puts after the path of a file. */
enum { PLUGIN_DIGEST = 16 };

/*
 * Makes plug-ins of users' files members of one table. load() gives the plug-in of a file whose
 * digest must be `digest` (NULL: any), or NULL after error(), and keeps it until the process ends.
 */
void plugin_files(const struct plugin *const *table,
		  const struct plugin *(*load)(const char *path, const char *digest));

/* True of a name of n characters that can only be a file: it has a slash, or ends in .so or .c. */
bool plugin_is_file(const struct plugin *const *table, const char *name, size_t n);

#endif
