/* list.h - nets that are not files in the zoo, a line each, in the order of `convoy list nets`. */
#ifdef PROBLEM          /* analytic problems: nets/NAME.c */
PROBLEM(quadratic)
PROBLEM(logistic)
#endif
#ifdef SIZE             /* known by their size: nets/sizes/ */
SIZE(bytes)
SIZE(profile)
SIZE(gpt)
SIZE(gpt2)
SIZE(resnet101)
SIZE(transformer_xl)
SIZE(vgg16)
#endif
