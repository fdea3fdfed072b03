/*
 * members.h - makes a JSON object from typed values in one call.
 *
 *	json = OBJECT(j_text("net", m->net), j_number("error", m->error),
 *		      j_numbers("points", m->x, m->n), j_json("band", band_json(m->band)));
 */
#ifndef CORE_FILE_MEMBERS_H
#define CORE_FILE_MEMBERS_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

enum member_kind {
	MEMBER_NONE,            /* left out */
	MEMBER_NULL,
	MEMBER_NUMBER,
	MEMBER_TEXT,
	MEMBER_BOOL,
	MEMBER_NUMBERS,
	MEMBER_WIDE,            /* a list of numbers, each as of j_wide() */
	MEMBER_TEXTS,
	MEMBER_JSON
};

/* A member of an object: a key, and a value of one kind. */
struct member {
	const char *key;
	enum member_kind kind;
	size_t n;               /* of a list */
	union {
		double number;
		bool is;
		const char *text;
		const double *numbers;
		const char *const *texts;
		cJSON *json;
	} v;
};

/* A number; one that is not finite becomes null where the object is printed. */
static inline struct member j_number(const char *key, double x)
{
	return (struct member){ .key = key, .kind = MEMBER_NUMBER, .v.number = x };
}

/* A copy of the text; NULL is null. */
static inline struct member j_text(const char *key, const char *text)
{
	return (struct member){ .key = key, .kind = text ? MEMBER_TEXT : MEMBER_NULL,
				.v.text = text };
}

static inline struct member j_bool(const char *key, bool is)
{
	return (struct member){ .key = key, .kind = MEMBER_BOOL, .v.is = is };
}

/* A list of n numbers, which is copied. */
static inline struct member j_numbers(const char *key, const double *x, size_t n)
{
	return (struct member){ .key = key, .kind = MEMBER_NUMBERS, .v.numbers = x, .n = n };
}

/* A number as in jq: NaN is null, the largest number stands for infinity; a list of n of them. */
struct member j_wide(const char *key, double x);

static inline struct member j_wides(const char *key, const double *x, size_t n)
{
	return (struct member){ .key = key, .kind = MEMBER_WIDE, .v.numbers = x, .n = n };
}

/* A list of n texts, or of all before NULL with n = SIZE_MAX, which are copied. */
static inline struct member j_texts(const char *key, char *const *texts, size_t n)
{
	return (struct member){ .key = key, .kind = MEMBER_TEXTS,
				.v.texts = (const char *const *)texts, .n = n };
}

/* A value that is taken over; NULL is null. */
static inline struct member j_json(const char *key, cJSON *json)
{
	return (struct member){ .key = key, .kind = json ? MEMBER_JSON : MEMBER_NULL,
				.v.json = json };
}

/* A measured number, with five digits. */
struct member j_measured(const char *key, double x);

static inline struct member j_null(const char *key)
{
	return (struct member){ .key = key, .kind = MEMBER_NULL };
}

/*
 * The member if the condition holds, else none. Its value is evaluated in any case: so an owned
 * value must be NULL if the condition does not hold.
 */
static inline struct member j_if(bool condition, struct member m)
{
	return condition ? m : (struct member){ .kind = MEMBER_NONE };
}

/* Adds the n members at the end of the object, in their order; returns the object. */
cJSON *members_add(cJSON *object, size_t n, const struct member *m);

/* Adds these members at the end of the object: ADD(object, j_number("x", x), ...). */
#define ADD(object, ...)                                                                       \
	members_add(object, sizeof((struct member[]){ __VA_ARGS__ }) / sizeof(struct member), \
		    (struct member[]){ __VA_ARGS__ })

/* A new object of these members; the caller frees with cJSON_Delete(). */
#define OBJECT(...) ADD(cJSON_CreateObject(), __VA_ARGS__)

/* Adds the value at the end of the list, and takes it over; NULL is null. Returns the list. */
cJSON *list_add(cJSON *list, cJSON *value);

#endif
