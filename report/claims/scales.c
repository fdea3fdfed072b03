/* Merges the verdicts of several scales: each claim has one, of the largest scale that has one. */
#include "report/claims/scales.h"

#include "core/base/mem.h"

#include <stdlib.h>
#include <string.h>

/* The position of the scale in the spec; -1: it is not there. */
static int scale_rank(const cJSON *scales, const char *scale)
{
	const cJSON *one;
	int i = 0;

	cJSON_ArrayForEach(one, scales) {
		if (!strcmp(one->string, scale))
			return i;
		i++;
	}
	return -1;
}

static bool is_evaluated(const struct verdict *v)
{
	return v->word && !v->error && strcmp(v->word, "not evaluated") != 0;
}

/* The verdict with the largest weight is taken: evaluated, with the spec's settings, last scale. */
static int verdict_weight(const struct verdict *v, const char *scale, const cJSON *scales)
{
	const int n = cJSON_GetArraySize(scales) + 1;

	return 1 + scale_rank(scales, scale) + (v->yours ? 0 : n) + (is_evaluated(v) ? 2 * n : 0);
}

static const char *verdict_says(const struct verdict *v)
{
	return v->of.says ? v->of.says : "";
}

/* The verdict of a result on the k-th of its claims with these words; NULL: it has none. */
static const struct verdict *verdict_on(const struct verdicts *all, const char *says, int k)
{
	for (size_t i = 0; i < all->n; i++)
		if (!strcmp(verdict_says(&all->v[i]), says) && k-- == 0)
			return &all->v[i];
	return NULL;
}

/* How many claims before this one have its words. */
static int verdict_occurrence(const struct verdicts *all, size_t i)
{
	int k = 0;

	for (size_t before = 0; before < i; before++)
		k += !strcmp(verdict_says(&all->v[before]), verdict_says(&all->v[i]));
	return k;
}

/* The claim that all results have as the k-th with these words. */
static struct merged_claim claim_merge(const struct scale_verdicts *list, size_t n,
				       const cJSON *scales, const char *says, int k)
{
	struct merged_claim m = { 0 };

	for (size_t i = 0; i < n; i++) {
		const struct verdict *v = verdict_on(list[i].all, says, k);

		if (v && (!m.v || verdict_weight(v, list[i].scale, scales) >=
					  verdict_weight(m.v, m.scale, scales)))
			m = (struct merged_claim){ .v = v, .scale = list[i].scale };
	}
	for (size_t i = 0; i < n; i++) {
		const struct verdict *v = verdict_on(list[i].all, says, k);

		if (v && v != m.v && is_evaluated(v) && strcmp(v->word, m.v->word) != 0)
			xappendf(&m.others, ", ", "%s: %s", list[i].scale, v->word);
	}
	return m;
}

struct merged_claim *claims_merge(const struct scale_verdicts *list, size_t n, const cJSON *scales,
				  size_t *count)
{
	struct merged_claim *claims = NULL;

	*count = 0;
	for (size_t i = 0; i < n; i++)
		for (size_t c = 0; c < list[i].all->n; c++) {
			const char *says = verdict_says(&list[i].all->v[c]);
			const int k = verdict_occurrence(list[i].all, c);
			bool known = false;

			for (size_t before = 0; before < i && !known; before++)
				known = verdict_on(list[before].all, says, k);
			if (known)
				continue;
			APPEND(claims, *count) = claim_merge(list, n, scales, says, k);
		}
	return claims;
}

void merged_claims_free(struct merged_claim *claims, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(claims[i].others);
	free(claims);
}

struct claim_total merged_claims_total(const struct merged_claim *claims, size_t count,
				       const char *kind)
{
	struct claim_total t = { 0 };

	for (size_t i = 0; i < count; i++)
		claim_total_count(&t, claims[i].v, kind);
	return t;
}

void scale_verdicts_release(struct scale_verdicts *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		verdicts_free(list[i].all);
		free(list[i].scale);
	}
}
