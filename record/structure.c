/*
 * structure.c - whether a file has the structure that HDF5 gives ours, before HDF5 reads it.
 *
 * HDF5 believes what a file says of itself: with a few numbers of its headers changed it reads and
 * writes outside of its memory, and a seal that is right says nothing of who made the file. Our
 * files have few kinds of parts (HDF5 File Format Specification, version 3.0, with the earliest
 * versions of each): groups of a B-tree, nodes of symbols and a heap of names; headers of objects
 * and their messages; data sets in one piece. What else there may be in an HDF5 file is refused.
 * All parts are inside of the file, and no two share a byte. What is found can be kept as a tree.
 */
#include "record/h5.h"

#include "core/base/mem.h"
#include "record/tree.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	DEEPEST = 4,            /* groups in groups */
	MOST_PARTS = 100000,
	SUPERBLOCK = 96,
	ENTRY = 40,             /* bytes of a symbol */
	TYPE_MOST = 20,         /* bytes of a type's message */
	MESSAGE_MOST = 1 << 16,
	MOST_BLOCKS = 1024,     /* of messages, of an object */
	NAME_MOST = 256,        /* bytes of a member's name in a tree */
	READ_MOST = 4,          /* times a file's bytes */
	BLOCK = 1 << 14         /* bytes of a file that are read at once */
};

static const uint64_t nowhere = UINT64_MAX;

struct part {
	uint64_t at, n;
};

struct structure {
	int fd;
	const unsigned char *bytes;     /* of a file in memory; NULL: fd */
	uint64_t size;
	unsigned char *block;           /* [loaded] of the file, from `block_at` on; owned */
	uint64_t block_at, loaded;
	uint64_t may_read;              /* bytes that are still to be read, at most */
	unsigned char *message;         /* [MESSAGE_MOST] owned; each is read into it */
	uint64_t symbols, keys;         /* in a node of symbols, and children of a tree's node */
	struct part *part;              /* [nparts] owned */
	size_t nparts;
};

/* ---- bytes ---- */

static bool structure_load(struct structure *s, uint64_t at)
{
	const ssize_t n = pread(s->fd, s->block, BLOCK, (off_t)at);

	s->block_at = at;
	s->loaded = n > 0 ? (uint64_t)n : 0;
	return n > 0;
}

static bool structure_get(struct structure *s, uint64_t at, void *to, size_t n)
{
	if (at > s->size || n > s->size - at || n > s->may_read)
		return false;
	s->may_read -= n;
	if (s->bytes) {
		memcpy(to, s->bytes + at, n);
		return true;
	}
	for (size_t done = 0, some; done < n; done += some) {
		const uint64_t here = at + done;

		if (here - s->block_at >= s->loaded && !structure_load(s, here))
			return false;
		some = s->loaded - (here - s->block_at);
		some = some < n - done ? some : n - done;
		memcpy((char *)to + done, s->block + (here - s->block_at), some);
	}
	return true;
}

/* A little-endian number of n bytes. */
static uint64_t structure_number(const unsigned char *at, int n)
{
	uint64_t x = 0;

	for (int i = n; i-- > 0;)
		x = x << 8 | at[i];
	return x;
}

/* n bytes there belong to a part of the file. */
static bool structure_take(struct structure *s, uint64_t at, uint64_t n)
{
	if (at > s->size || n > s->size - at || s->nparts == MOST_PARTS)
		return false;
	s->part = xgrown(s->part, s->nparts, sizeof(*s->part));
	s->part[s->nparts++] = (struct part){ at, n };
	return true;
}

static int by_address(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

static bool structure_is_apart(struct structure *s)
{
	qsort(s->part, s->nparts, sizeof(*s->part), by_address);
	for (size_t i = 1; i < s->nparts; i++)
		if (s->part[i].at - s->part[i - 1].at < s->part[i - 1].n)
			return false;
	return true;
}

/* ---- types and spaces of attributes and data sets ---- */

/* Size of a type in bytes; 0: convoy writes none such. */
static uint64_t structure_type(const unsigned char *at, size_t n)
{
	static const unsigned char known[][TYPE_MOST] = {
		{ 0x10, 8, 0, 0, 4, 0, 0, 0, 0, 0, 32, 0 },
		{ 0x10, 8, 0, 0, 8, 0, 0, 0, 0, 0, 64, 0 },
		{ 0x11, 0x20, 31, 0, 4, 0, 0, 0, 0, 0, 32, 0, 23, 8, 0, 23, 127, 0, 0, 0 },
		{ 0x11, 0x20, 63, 0, 8, 0, 0, 0, 0, 0, 64, 0, 52, 11, 0, 52, 255, 3, 0, 0 },
	};

	if (n >= 8 && at[0] == 0x13 && (at[1] & 0xf) < 3 && at[1] >> 4 < 2 && !at[2] && !at[3])
		return structure_number(at + 4, 4);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		const size_t length = known[i][0] == 0x10 ? 12 : 20;

		if (n >= length && memcmp(at, known[i], length) == 0)
			return known[i][4];
	}
	return 0;
}

/* False: none of ours; *count <- values, of one dimension or of none. */
static bool structure_space(const unsigned char *at, size_t n, uint64_t *count)
{
	const bool most = n >= 8 && at[2] & 1;
	const size_t dims = n >= 8 ? at[1] : 0;

	*count = 1;
	if (n < 8 || at[0] != 1 || dims > 4 || at[2] > 1 || n < 8 + 8 * dims * (most ? 2 : 1))
		return false;
	for (size_t i = 0; i < dims; i++) {
		const uint64_t dim = structure_number(at + 8 + 8 * i, 8);

		if (dim > (UINT64_C(1) << 48) || (dim && *count > (UINT64_C(1) << 48) / dim) ||
		    (most && structure_number(at + 8 + 8 * (dims + i), 8) < dim))
			return false;
		*count *= dim;
	}
	return true;
}

static size_t padded(size_t n)
{
	return (n + 7) / 8 * 8;
}

/* The kind of a type that is one of ours. */
static enum tree_type structure_kind(const unsigned char *type)
{
	return type[0] == 0x13 ? TREE_TEXT : type[0] == 0x10 ? TREE_WHOLE : TREE_REAL;
}

/* into: gets the attribute, of one value. here: offset of `at` in the file. */
static bool structure_attribute(const unsigned char *at, size_t n, uint64_t here, struct tree *into)
{
	size_t name, type, space, left, value;
	uint64_t size, count;

	if (n < 8 || at[0] != 1 || at[1] != 0)
		return false;
	name = structure_number(at + 2, 2);
	type = structure_number(at + 4, 2);
	space = structure_number(at + 6, 2);
	left = n - 8;
	at += 8;
	value = padded(name) + padded(type) + padded(space);
	if (!name || value > left || memchr(at, 0, name) != at + name - 1)
		return false;
	size = structure_type(at + padded(name), type);
	if (!size || size > left - value ||
	    !structure_space(at + padded(name) + padded(type), space, &count) || count != 1)
		return false;
	tree_put_value(into, (const char *)at, structure_kind(at + padded(name)), (size_t)size,
		       at + value);
	into->attribute[into->nattributes - 1].at = here + 8 + value;
	return true;
}

/* ---- headers of objects ---- */

struct header {                 /* what the messages of one said so far */
	uint64_t left;          /* messages still to come */
	uint64_t tree, heap;    /* of a group; nowhere: none */
	bool space, type, layout;
	uint64_t count, size;   /* of a data set: values, and bytes of one */
	uint64_t at, bytes;
	uint64_t here;          /* offset of the present message's content */
	struct part *more;      /* [blocks] of messages, owned */
	size_t blocks;
	struct tree *into;      /* that the object becomes */
};

static bool structure_fill(const unsigned char *at, size_t n)
{
	uint64_t size;

	if (n < 4 || at[0] < 1 || at[0] > 2 || at[1] > 3 || at[2] > 2 || at[3] > 2)
		return false;
	if (at[0] == 2 && at[3] == 0)
		return true;
	size = n >= 8 ? structure_number(at + 4, 4) : 0;
	return n >= 8 && (size == UINT32_MAX || size <= n - 8);
}

static bool structure_layout(struct header *h, const unsigned char *at, size_t n)
{
	if (h->layout || n < 18 || at[0] != 3 || at[1] != 1)
		return false;
	h->layout = true;
	h->at = structure_number(at + 2, 8);
	h->bytes = structure_number(at + 10, 8);
	return true;
}

static bool structure_message(struct header *h, unsigned type, const unsigned char *at, size_t n)
{
	enum { NIL = 0x00, SPACE = 0x01, TYPE = 0x03, OLD_FILL = 0x04, FILL = 0x05, LAYOUT = 0x08,
	       ATTRIBUTE = 0x0c, SYMBOLS = 0x11 };

	switch (type) {
	case NIL:
		return true;
	case SPACE:
		if (h->space)
			return false;
		h->space = structure_space(at, n, &h->count);
		if (h->space) {
			h->into->rank = at[1];
			h->into->space_at = h->here;
			for (int i = 0; i < at[1]; i++)
				h->into->dim[i] = structure_number(at + 8 + 8 * i, 8);
		}
		return h->space;
	case TYPE:
		if (h->type)
			return false;
		h->size = structure_type(at, n);
		h->type = h->size > 0;
		if (h->type)
			h->into->type = structure_kind(at);
		return h->type;
	case OLD_FILL:
		return n >= 4 && structure_number(at, 4) <= n - 4;
	case FILL:
		return structure_fill(at, n);
	case LAYOUT:
		h->into->layout_at = h->here;
		return structure_layout(h, at, n);
	case ATTRIBUTE:
		return structure_attribute(at, n, h->here, h->into);
	case SYMBOLS:
		if (h->tree != nowhere || n < 16)
			return false;
		h->tree = structure_number(at, 8);
		h->heap = structure_number(at + 8, 8);
		return h->tree != nowhere;
	default:
		return false;
	}
}

static void header_add_block(struct header *h, uint64_t at, uint64_t n)
{
	h->more = xgrown(h->more, h->blocks, sizeof(*h->more));
	h->more[h->blocks++] = (struct part){ at, n };
}

/* Messages in n bytes there; of where more are, h->more is told. */
static bool structure_messages(struct structure *s, struct header *h, struct part block)
{
	enum { HEAD = 8, MORE = 0x10, CONSTANT = 1 };
	const uint64_t end = block.at + block.n;
	unsigned char head[HEAD] = { 0 };

	if (!structure_take(s, block.at, block.n) || block.n % 8)
		return false;
	for (uint64_t at = block.at; at < end; h->left--) {
		const bool there = h->left > 0 && structure_get(s, at, head, HEAD);
		const unsigned type = (unsigned)structure_number(head, 2);
		const size_t size = structure_number(head + 2, 2);

		if (!there || size % 8 || end - at < HEAD || size > end - at - HEAD ||
		    (head[4] & ~CONSTANT) || !structure_get(s, at + HEAD, s->message, size))
			return false;
		h->here = at + HEAD;
		at += HEAD + size;
		if (type != MORE && !structure_message(h, type, s->message, size))
			return false;
		if (type == MORE && (size < 16 || h->blocks == MOST_BLOCKS))
			return false;
		if (type == MORE)
			header_add_block(h, structure_number(s->message, 8),
					 structure_number(s->message + 8, 8));
	}
	return true;
}

static bool structure_is_data(const struct structure *s, const struct header *h)
{
	const bool is = h->space && h->type && h->layout;

	if (!is || h->count > UINT64_MAX / h->size || h->bytes != h->count * h->size)
		return false;
	return h->at == nowhere || (h->at <= s->size && h->bytes <= s->size - h->at);
}

/* Fills a header from all messages of the object there; the caller frees h->more. */
static bool structure_header(struct structure *s, uint64_t at, struct header *h)
{
	enum { PREFIX = 16 };
	unsigned char prefix[PREFIX];

	if (!structure_get(s, at, prefix, PREFIX) || !structure_take(s, at, PREFIX) ||
	    prefix[0] != 1)
		return false;
	h->left = structure_number(prefix + 2, 2);
	header_add_block(h, at + PREFIX, structure_number(prefix + 8, 4));
	for (size_t i = 0; i < h->blocks; i++)
		if (!structure_messages(s, h, h->more[i]))
			return false;
	return !h->left;
}

static bool structure_group(struct structure *s, uint64_t tree, uint64_t heap, int depth,
			    struct tree *into);

static bool structure_object(struct structure *s, uint64_t at, const unsigned char *entry,
			     int depth, struct tree *into)
{
	struct header h = { .tree = nowhere, .into = into };
	const bool sound = structure_header(s, at, &h);

	free(h.more);
	if (!sound)
		return false;
	/* The symbol that leads to a group may repeat what its header says. */
	if (structure_number(entry + 16, 4) == 1 && (h.tree != structure_number(entry + 24, 8) ||
						     h.heap != structure_number(entry + 32, 8)))
		return false;
	if (h.tree != nowhere)
		return !h.layout && structure_group(s, h.tree, h.heap, depth, into);
	if (!structure_is_data(s, &h))
		return false;
	into->set = true;
	into->size = (size_t)h.size;
	into->count = h.count;
	into->at = h.at;
	return h.at == nowhere || !h.bytes || structure_take(s, h.at, h.bytes);
}

/* ---- groups ---- */

struct heap {                   /* names of a group's members */
	uint64_t at, n;
};

static bool structure_heap(struct structure *s, uint64_t at, struct heap *heap)
{
	enum { PREFIX = 32, NO_FREE = 1 };
	unsigned char b[PREFIX], last;
	uint64_t free_at, before = 0;

	if (!structure_get(s, at, b, PREFIX) || !structure_take(s, at, PREFIX) ||
	    memcmp(b, "HEAP", 4) != 0 || b[4] != 0)
		return false;
	*heap = (struct heap){ structure_number(b + 24, 8), structure_number(b + 8, 8) };
	if (!heap->n || !structure_take(s, heap->at, heap->n) ||
	    !structure_get(s, heap->at + heap->n - 1, &last, 1))
		return false;
	/* Blocks that are free, in any order, each once: there are fewer than fit. */
	free_at = structure_number(b + 16, 8);
	for (uint64_t k = 0; free_at != NO_FREE; k++) {
		if (k > heap->n / 16 || free_at % 8 || free_at > heap->n ||
		    heap->n - free_at < 16 || !structure_get(s, heap->at + free_at, b, 16))
			return false;
		before = free_at;
		free_at = structure_number(b, 8);
		if (structure_number(b + 8, 8) < 16 ||
		    structure_number(b + 8, 8) > heap->n - before)
			return false;
	}
	return true;
}

/* Bytes of the name there with its NUL, all in the heap; 0: it is not. */
static size_t structure_name(struct structure *s, const struct heap *heap, uint64_t offset)
{
	const uint64_t most = offset < heap->n ? heap->n - offset : 0;
	size_t n = 0;
	char c = 1;

	if (s->bytes && most) {         /* much quicker than byte by byte */
		const unsigned char *name = s->bytes + heap->at + offset;
		const unsigned char *end = memchr(name, 0, (size_t)most);

		n = end ? (size_t)(end - name) + 1 : 0;
		if (n > s->may_read)
			return 0;
		s->may_read -= n;
		return n;
	}
	while (n < most && c)
		if (!structure_get(s, heap->at + offset + n++, &c, 1))
			return 0;
	return c ? 0 : n;
}

/* The member of that name that the group gets; NULL: its name is too long, or there twice. */
static struct tree *structure_member(struct structure *s, uint64_t at, size_t n,
				     struct tree *group)
{
	char name[NAME_MOST];

	if (n > sizeof(name) || !structure_get(s, at, name, n) || tree_find(group, name))
		return NULL;
	return tree_add(group, name);
}

static bool structure_symbols(struct structure *s, const struct heap *heap, uint64_t at, int depth,
			      struct tree *into)
{
	enum { HEAD = 8, LINK = 2 };
	unsigned char head[HEAD], entry[ENTRY];
	uint64_t n;

	if (!structure_get(s, at, head, HEAD) || memcmp(head, "SNOD", 4) != 0 || head[4] != 1 ||
	    !structure_take(s, at, HEAD + s->symbols * ENTRY))
		return false;
	n = structure_number(head + 6, 2);
	if (n > s->symbols)
		return false;
	for (uint64_t i = 0; i < n; i++) {
		struct tree *member;
		uint64_t name;
		size_t length;

		if (!structure_get(s, at + HEAD + i * ENTRY, entry, ENTRY))
			return false;
		name = structure_number(entry, 8);
		length = structure_name(s, heap, name);
		if (!length || structure_number(entry + 16, 4) >= LINK)
			return false;
		member = structure_member(s, heap->at + name, length, into);
		if (!member || !structure_object(s, structure_number(entry + 8, 8), entry,
						 depth + 1, member))
			return false;
	}
	return true;
}

static bool structure_tree(struct structure *s, const struct heap *heap, uint64_t at, int level,
			   int depth, struct tree *into)
{
	enum { HEAD = 24, KEY = 8, CHILD = 8 };
	unsigned char head[HEAD], child[CHILD], key[KEY];
	uint64_t n;

	if (!structure_get(s, at, head, HEAD) || memcmp(head, "TREE", 4) != 0 || head[4] != 0 ||
	    (level >= 0 && head[5] != level) || head[5] > DEEPEST ||
	    !structure_take(s, at, HEAD + KEY + s->keys * (KEY + CHILD)))
		return false;
	n = structure_number(head + 6, 2);
	if (n > s->keys)
		return false;
	for (uint64_t i = 0; i <= n; i++) {
		const uint64_t here = at + HEAD + i * (KEY + CHILD);

		if (!structure_get(s, here, key, KEY) || structure_number(key, 8) >= heap->n ||
		    !structure_name(s, heap, structure_number(key, 8)))
			return false;
		if (i == n)
			return true;
		if (!structure_get(s, here + KEY, child, CHILD))
			return false;
		if (head[5] ? !structure_tree(s, heap, structure_number(child, 8), head[5] - 1,
					      depth, into)
			    : !structure_symbols(s, heap, structure_number(child, 8), depth, into))
			return false;
	}
	return true;
}

static bool structure_group(struct structure *s, uint64_t tree, uint64_t heap, int depth,
			    struct tree *into)
{
	struct heap names;

	return depth <= DEEPEST && structure_heap(s, heap, &names) &&
	       structure_tree(s, &names, tree, -1, depth, into);
}

/* ---- the file ---- */

static bool structure_is_sound(struct structure *s, struct tree *into)
{
	static const unsigned char magic[] = { 0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n',
					       0, 0, 0, 0, 0, 8, 8, 0 };
	unsigned char b[SUPERBLOCK];
	uint64_t end;

	if (!structure_get(s, 0, b, SUPERBLOCK) || !structure_take(s, 0, SUPERBLOCK) ||
	    memcmp(b, magic, sizeof(magic)) != 0)
		return false;
	s->symbols = 2 * structure_number(b + 16, 2);
	s->keys = 2 * structure_number(b + 18, 2);
	end = structure_number(b + 40, 8);
	if (!s->symbols || s->symbols > 1024 || !s->keys || s->keys > 1024 ||
	    structure_number(b + 20, 4) || structure_number(b + 24, 8) ||
	    structure_number(b + 32, 8) != nowhere || structure_number(b + 48, 8) != nowhere ||
	    end > s->size || structure_number(b + 72, 4) > 1)
		return false;
	s->size = end;
	return structure_object(s, structure_number(b + 64, 8), b + 56, 0, into) &&
	       structure_is_apart(s);
}

static bool structure_end(struct structure *s, struct tree *into)
{
	bool sound;

	/* Names that overlap would have a small file read for hours. */
	s->may_read = READ_MOST * s->size;
	s->message = xrealloc(NULL, MESSAGE_MOST, 1);
	s->block = s->bytes ? NULL : xrealloc(NULL, BLOCK, 1);
	sound = structure_is_sound(s, into);
	free_all(s->part, s->message, s->block);
	return sound;
}

bool structure_read(struct tree *root)
{
	const struct tree_source *from = &root->source;
	const off_t end = lseek(fileno(from->in), 0, SEEK_END);

	return end > 0 && structure_end(&(struct structure){ .fd = fileno(from->in),
							     .bytes = (unsigned char *)from->bytes,
							     .size = (uint64_t)end },
					root) &&
	       !root->set;
}

bool structure_of_image(struct tree *root, const unsigned char *bytes, size_t n)
{
	return structure_end(&(struct structure){ .fd = -1, .bytes = bytes, .size = n }, root);
}
