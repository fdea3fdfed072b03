"""The plain form of a problem: a function over a flat vector of float32."""


class Batch:
    """Samples of one gradient.

    Attributes
    ----------
    indices : numpy.ndarray
        int64[n], positions in the training set. An index may occur more than once.
    seed : int
        64-bit number from which every random number of this gradient must follow.
    g : numpy.ndarray or None
        float32[dim], where the gradient may be written. Returning it saves a copy, which counts
        for models of many millions of parameters.
    """

    __slots__ = ("indices", "seed", "g")

    def __init__(self, indices, seed, g=None):
        self.indices = indices
        self.seed = seed
        self.g = g

    def __len__(self):
        return len(self.indices)


class Problem:
    """A model, its loss and its data. Derive from it, or write any class with these members.

    Attributes
    ----------
    n_train, n_test : int
        Samples of the training set (at least 1) and of the test set (may be 0).
    metrics : sequence of str
        Names of further numbers that score() gives, at most 16. Each is a measure of the run,
        ``metric:NAME``, and a column of its evaluations.
    labels_per_sample : int or None
        Labels of each sample, which the count of score() must agree with: 1, or the tokens of a
        sequence. None: any number, as of padded sequences.
    """

    n_train = 0
    n_test = 0
    metrics = ()
    labels_per_sample = 1

    def init(self, seed):
        """Return the first model, float32[dim], a function of the seed."""
        raise NotImplementedError(f"{type(self).__name__} has no init(seed)")

    def grad(self, x, batch):
        """Return (mean loss of the batch at x, its gradient float32[dim]).

        x is read-only. The result must depend on x and batch alone, so random numbers must be
        drawn from batch.seed.
        """
        raise NotImplementedError(f"{type(self).__name__} has no grad(x, batch)")

    def score(self, x, split, first, n):
        """Return (sum of losses, number right or -1, count) of samples first .. first + n - 1.

        split is "train" or "test". With metrics, a fourth value is a dict of their names and their
        sums over the samples.
        """
        raise NotImplementedError(f"{type(self).__name__} has no score(x, split, first, n)")

    # names() is optional: [(name, shape), ...] in the order of x. Without it, x is one blob.
