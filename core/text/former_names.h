/* Former names of options and keys: read everywhere, written and shown nowhere. */
#ifndef CORE_TEXT_FORMER_NAMES_H
#define CORE_TEXT_FORMER_NAMES_H

/* The present name of what once had this one ('-' as '_'); NULL where there is none. */
const char *former_name(const char *name);

#endif
