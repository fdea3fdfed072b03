/*
 * api.h - the part of oneDNN that differs between versions 2 and 3: descriptions of
 * tensors and of operations. No other file asks which version it is compiled with.
 */
#ifndef NETS_ONEDNN_API_H
#define NETS_ONEDNN_API_H

#include <dnnl.h>
#include <stdbool.h>
#include <stddef.h>

#if DNNL_VERSION_MAJOR != 2 && DNNL_VERSION_MAJOR != 3
#error "the backend onednn needs oneDNN 2 or 3"
#endif

/* A tensor's type, dimensions and layout; one without dimensions is absent. */
struct tensor {
	dnnl_data_type_t type;
	int ndims;
	dnnl_dims_t dims;
	dnnl_dims_t strides;            /* in elements; unused in a layout of oneDNN's choice */
	bool any;                       /* oneDNN chooses the layout */
	const_dnnl_primitive_desc_t of; /* not NULL: the tensor is this operation's ... */
	int arg;                        /* ... argument, and the fields above are unused */
};

/* How a kernel moves over images: height, width. */
struct window {
	dnnl_dims_t size, strides, left, right;
};

/* A convolution, a pooling or a product of matrices (dnnl_matmul, forward only). */
struct operation {
	dnnl_primitive_kind_t kind;
	dnnl_prop_kind_t prop;          /* forward_training, or backward_data or _weights */
	dnnl_alg_kind_t alg;            /* not of products */
	struct tensor src, weights, bias, dst;  /* backward: gradients where they are computed */
	struct window window;           /* not of products; `size` of poolings only */
	const_dnnl_primitive_desc_t hint;       /* backward: the forward operation */
	bool adds;                      /* dst += instead of dst = */
	bool unblocked;                 /* not by kernels on blocks (BRGEMM) if there are others */
};

/*
 * The implementation of an operation, which takes its scratch memory from the caller. NULL when
 * oneDNN has none; the caller destroys it.
 */
dnnl_primitive_desc_t onednn_describe(const struct operation *o);
/* The same for a copy between layouts and types. */
dnnl_primitive_desc_t onednn_describe_reorder(const struct tensor *from, const struct tensor *to);

/* On lines of fewer pixels the forward convolutions on blocks are slower than the others. */
enum { ONEDNN_SHORT_LINE = DNNL_VERSION_MAJOR == 2 ? 7 : 0 };

/* The same implementation. */
bool onednn_is_alike(const_dnnl_primitive_desc_t a, const_dnnl_primitive_desc_t b);

/* Bytes of an operation's argument. */
size_t onednn_bytes(const_dnnl_primitive_desc_t pd, int arg);
/*
 * A handle for an operation's argument; `data` may be DNNL_MEMORY_NONE until it is pointed
 * somewhere, or DNNL_MEMORY_ALLOCATE. NULL after error(); the caller destroys it.
 */
dnnl_memory_t onednn_memory_new(const_dnnl_primitive_desc_t pd, int arg, void *data);

#endif
