/* list.h - the kinds of layers, a line each: enum layer_kind and C name. */
LAYER(CONV, conv)
LAYER(DENSE, dense)
LAYER(BN, bn)                   /* over n, h, w per channel */
LAYER(RELU, relu)
LAYER(MAXPOOL, maxpool)         /* kernel, stride, pad; windows may run over the edge (ceil) */
LAYER(AVGPOOL, avgpool)         /* mean over those pixels of a window that lie in the image */
LAYER(GLOBALPOOL, globalpool)   /* mean over h, w */
LAYER(DROPOUT, dropout)         /* inverted: kept values times 1 / (1 - rate) */
LAYER(ADD, add)                 /* in[0] + in[1] */
LAYER(SHORTCUT, shortcut)       /* option A of He et al.: every stride-th pixel, zeros appended */
LAYER(LRN, lrn)                 /* x (k + alpha / kernel sum of x^2 over kernel channels)^-power */
LAYER(CONCAT, concat)           /* channels of in[0], then of in[1] */
LAYER(EMBED, embed)             /* a token's row of a table, plus its position's */
LAYER(LINEAR, linear)           /* dense at each token alone */
LAYER(LAYERNORM, layernorm)     /* over c, at each token alone */
LAYER(GELU, gelu)               /* x Phi(x), or its form with tanh */
LAYER(ATTENTION, attention)     /* causal, of queries, keys and values [3][heads][c / heads] */
LAYER(UNEMBED, unembed)         /* product with the table of an embed layer, which it shares */
LAYER(RELATIVE, relative)       /* attention by distance, with a memory (Transformer-XL) */
LAYER(ADAPTIVE, adaptive)       /* unembed with an adaptive softmax: logarithms of probabilities */
LAYER(TANH, tanh)
LAYER(SIGMOID, sigmoid)         /* 1 / (1 + exp(-x)) */
LAYER(SILU, silu)               /* x sigmoid(x) */
LAYER(GROUPNORM, groupnorm)     /* over h, w and the channels of a group, at each sample alone */
LAYER(LSTM, lstm)               /* long short-term memory over the rows of a sample */
