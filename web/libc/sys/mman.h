/* sys/mman.h - nothing: a page has no huge pages to ask for. */
