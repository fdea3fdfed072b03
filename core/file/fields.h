/*
 * fields.h - a struct and its JSON object by one table, whose rows serve to write, read and free.
 *
 *	static const struct field fields[] = {
 *		FIELD(WORD, struct net, name, "name"), FIELD(NUMBER, struct net, rate, "rate"),
 *		FIELD_LIST_OF(struct net, layers, "layers", layer_fields), { 0 }
 *	};
 */
#ifndef CORE_FILE_FIELDS_H
#define CORE_FILE_FIELDS_H

#include <cjson/cJSON.h>
#include <stddef.h>

enum field_kind {
	FIELD_NUMBER,           /* double; NaN is null */
	FIELD_MAYBE,            /* double; NaN: left out */
	FIELD_EDGE,             /* double; infinite: "below" or "above" a range */
	FIELD_COUNT,            /* size_t */
	FIELD_INT,              /* int, from 0 on */
	FIELD_BOOL,
	FIELD_WORD,             /* char *, never NULL: "" without a text */
	FIELD_TEXT,             /* char *; NULL is null */
	FIELD_NOTE,             /* char *; NULL: left out */
	FIELD_TEXTS,            /* struct texts */
	FIELD_CHOICE,           /* int: index among the names; the last one for other texts */
	FIELD_LENT,             /* const char *, borrowed: as it was without one; NULL: left out */
	FIELD_TREE,             /* const cJSON *, so, of any value */
	FIELD_AMOUNT,           /* double: as it was without a number */
	FIELD_STRUCT,           /* a struct with a table of its own */
	FIELD_LIST,             /* an owned list of such structs, and its size_t count */
	FIELD_SOME              /* the same list, left out if it is empty */
};

struct field {
	const char *key;        /* NULL ends a table */
	enum field_kind kind;
	size_t at;              /* offsetof() */
	const struct field *of; /* of FIELD_STRUCT and lists */
	size_t size, count;     /* of a list: of an element; offsetof() its count */
	const char *const *names;       /* of FIELD_CHOICE; NULL ends them */
};

#define FIELD(kind_, type, member, key_)                                                        \
	{ .key = (key_), .kind = FIELD_##kind_, .at = offsetof(type, member) }
#define FIELD_CHOICE_OF(type, member, key_, names_)                                             \
	{ .key = (key_), .kind = FIELD_CHOICE, .at = offsetof(type, member), .names = (names_) }
#define FIELD_STRUCT_OF(type, member, key_, of_)                                                \
	{ .key = (key_), .kind = FIELD_STRUCT, .at = offsetof(type, member), .of = (of_) }
#define FIELD_ARRAY(kind_, type, list, n, key_, of_)                                            \
	{ .key = (key_), .kind = FIELD_##kind_, .at = offsetof(type, list), .of = (of_),        \
	  .size = sizeof(*((type *)0)->list), .count = offsetof(type, n) }
/* Of a struct with the members v and n. */
#define FIELD_LIST_OF(type, member, key_, of_)                                                  \
	FIELD_ARRAY(LIST, type, member.v, member.n, key_, of_)
#define FIELD_SOME_OF(type, member, key_, of_)                                                  \
	FIELD_ARRAY(SOME, type, member.v, member.n, key_, of_)

/* Adds the members at the end of the object, in the order of the rows; returns the object. */
cJSON *fields_add(cJSON *object, const struct field *fields, const void *from);

/*
 * Sets all members of the rows; the texts and lists are owned, fields_release(). One that the
 * object does not have, or with a value of another kind, is NaN, 0, "", NULL or empty, unless its
 * kind says that it stays as it was.
 */
void fields_read(const cJSON *object, const struct field *fields, void *into);

/* Frees all texts and lists of the rows. */
void fields_release(const struct field *fields, void *of);

#endif
