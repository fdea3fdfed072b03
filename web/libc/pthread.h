/* pthread.h - functions of POSIX threads, for the one thread of a page. */
#ifndef WEB_LIBC_PTHREAD_H
#define WEB_LIBC_PTHREAD_H

#define pthread_mutex_t int
#define pthread_once_t int

#define PTHREAD_MUTEX_INITIALIZER 0
#define PTHREAD_ONCE_INIT 0

static inline int pthread_mutex_init(pthread_mutex_t *m, const void *attr)
{
	(void)attr;
	return *m = 0;
}

static inline int pthread_mutex_destroy(pthread_mutex_t *m)
{
	return *m = 0;
}

static inline int pthread_mutex_lock(pthread_mutex_t *m)
{
	return *m = 0;
}

static inline int pthread_mutex_unlock(pthread_mutex_t *m)
{
	return *m = 0;
}

static inline int pthread_once(pthread_once_t *once, void (*fill)(void))
{
	if (!*once)
		fill();
	*once = 1;
	return 0;
}

#endif
