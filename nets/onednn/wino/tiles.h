/* tiles.h - the transforms of loops.h, of one vector of channels. */

/* v <- B' d B, d and v [4][4] */
HIDDEN void tile_in(const vec *d, vec *v)
{
	vec t[WINO_AT];

	for (int i = 0; i < 4; i++) {
		t[i] = d[i] - d[8 + i];
		t[4 + i] = d[4 + i] + d[8 + i];
		t[8 + i] = d[8 + i] - d[4 + i];
		t[12 + i] = d[4 + i] - d[12 + i];
	}
	for (int i = 0; i < WINO_AT; i += 4) {
		v[i] = t[i] - t[i + 2];
		v[i + 1] = t[i + 1] + t[i + 2];
		v[i + 2] = t[i + 2] - t[i + 1];
		v[i + 3] = t[i + 1] - t[i + 3];
	}
}

/* y[2][2] <- A' m A */
HIDDEN void tile_out(const vec *m, vec *y)
{
	vec t[8];

	for (int i = 0; i < 4; i++) {
		t[i] = m[i] + m[4 + i] + m[8 + i];
		t[4 + i] = m[4 + i] - m[8 + i] - m[12 + i];
	}
	for (int i = 0; i < 2; i++) {
		y[2 * i] = t[4 * i] + t[4 * i + 1] + t[4 * i + 2];
		y[2 * i + 1] = t[4 * i + 1] - t[4 * i + 2] - t[4 * i + 3];
	}
}

/* v[4][4] <- A dy A' */
HIDDEN void tile_spread(const vec *dy, vec *v)
{
	vec t[8];

	for (int i = 0; i < 2; i++) {
		t[i] = dy[i];
		t[2 + i] = dy[i] + dy[2 + i];
		t[4 + i] = dy[i] - dy[2 + i];
		t[6 + i] = -dy[2 + i];
	}
	for (int i = 0; i < 4; i++) {
		v[4 * i] = t[2 * i];
		v[4 * i + 1] = t[2 * i] + t[2 * i + 1];
		v[4 * i + 2] = t[2 * i] - t[2 * i + 1];
		v[4 * i + 3] = -t[2 * i + 1];
	}
}

/* u[4][4] <- G g G', g[3][3] */
HIDDEN void tile_weights(const vec *g, vec *u)
{
	vec t[12];

	for (int i = 0; i < 3; i++) {
		t[i] = g[i];
		t[3 + i] = (g[i] + g[3 + i] + g[6 + i]) * 0.5f;
		t[6 + i] = (g[i] - g[3 + i] + g[6 + i]) * 0.5f;
		t[9 + i] = g[6 + i];
	}
	for (int i = 0; i < 4; i++) {
		u[4 * i] = t[3 * i];
		u[4 * i + 1] = (t[3 * i] + t[3 * i + 1] + t[3 * i + 2]) * 0.5f;
		u[4 * i + 2] = (t[3 * i] - t[3 * i + 1] + t[3 * i + 2]) * 0.5f;
		u[4 * i + 3] = t[3 * i + 2];
	}
}

/* g[3][3] <- G' u G */
HIDDEN void tile_fold(const vec *u, vec *g)
{
	vec t[12];

	for (int i = 0; i < 4; i++) {
		vec sum = (u[4 + i] + u[8 + i]) * 0.5f, off = (u[4 + i] - u[8 + i]) * 0.5f;

		t[i] = u[i] + sum;
		t[4 + i] = off;
		t[8 + i] = sum + u[12 + i];
	}
	for (int i = 0; i < 3; i++) {
		vec sum = (t[4 * i + 1] + t[4 * i + 2]) * 0.5f;

		g[3 * i] = t[4 * i] + sum;
		g[3 * i + 1] = (t[4 * i + 1] - t[4 * i + 2]) * 0.5f;
		g[3 * i + 2] = sum + t[4 * i + 3];
	}
}
