/* Nets that are known by their size, a line each, in the order of `convoy list nets`. */
SIZE(bytes)
SIZE(profile)
SIZE(gpt2)
SIZE(resnet101)
SIZE(transformer_xl)
SIZE(vgg16)
