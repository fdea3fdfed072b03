/* The data formats: one line each, in the order of `convoy list data`. */
DATASET(shapes)
DATASET(cifar10)
DATASET(cifar100)
DATASET(mnist)
DATASET(imagenet)
DATASET(packed)
DATASET(text)
DATASET(chain)
