#include "nets/backend.h"

const struct backend *const backend_table[] = {
#ifdef CONVOY_HAVE_ONEDNN
	&backend_onednn,
#endif
	&backend_openblas,
	NULL
};
