/* The analytic problems: one line each, in the order of `convoy list nets`. */
PROBLEM(quadratic)
PROBLEM(logistic)
