// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The places that have logged lately, in a table of fixed size.  A place whose
 * ten seconds are over, and that has left out nothing, may be replaced.  If all
 * slots for a place are taken, its line is left out without a count: there are
 * far more slots than HCAs times places, so this bounds a fault of our own.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "limit.h"
#include "loop.h"

#define NS_PER_SEC 1000000000ull
#define SLOTS	   1024u
#define PROBES	   16u

struct place {
	const char *who, *fmt; /* who NULL: free */
	uint64_t end;	       /* of the ten seconds */
	unsigned int lines;
	uint64_t left_out;
	char last[160]; /* what the last line that was left out said */
};

static struct place places[SLOTS];
static uint64_t next_sweep;

static bool is_over(const struct place *place, uint64_t now)
{
	return now >= place->end;
}

static struct place *find(const char *who, const char *fmt, uint64_t now)
{
	uint64_t h =
		((uintptr_t)who ^ (uintptr_t)fmt * 3) * 0x9e3779b97f4a7c15u;
	struct place *unused = NULL;
	unsigned int i;

	for (i = 0; i < PROBES; i++) {
		struct place *place = &places[((h >> 54) + i) % SLOTS];

		if (place->who == who && place->fmt == fmt)
			return place;
		if (!unused &&
		    (!place->who || (is_over(place, now) && !place->left_out)))
			unused = place;
	}
	if (unused)
		*unused = (struct place){ .who = who, .fmt = fmt };
	return unused;
}

static void tell(struct place *place)
{
	if (place->left_out)
		log_line(LOG_LEVEL_WARN,
			 "%s: %" PRIu64 " lines were left out, the last: %s",
			 place->who, place->left_out, place->last);
	place->left_out = 0;
}

/* Tell of all places whose ten seconds are over, once in that time. */
static void sweep(uint64_t now)
{
	unsigned int i;

	if (now < next_sweep)
		return;
	next_sweep = now + LIMIT_SECONDS * NS_PER_SEC;
	for (i = 0; i < SLOTS; i++)
		if (places[i].who && is_over(&places[i], now))
			tell(&places[i]);
}

void limit_line(enum log_level level, const char *who, const char *fmt, ...)
{
	unsigned int most = level == LOG_LEVEL_INFO ? LIMIT_INFOS
						    : LIMIT_WARNINGS;
	uint64_t now = loop_now_ns();
	struct place *place;
	char text[160];
	va_list ap;

	if (!log_enabled(level))
		return;
	sweep(now);
	place = find(who, fmt, now);
	if (!place)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (is_over(place, now)) {
		tell(place);
		place->lines = 0;
		place->end = now + LIMIT_SECONDS * NS_PER_SEC;
	}
	if (place->lines < most) {
		place->lines++;
		log_line(level, "%s: %s", who, text);
		return;
	}
	place->left_out++;
	memcpy(place->last, text, sizeof(text));
}

void limit_end(const char *who)
{
	unsigned int i;

	for (i = 0; i < SLOTS; i++) {
		if (places[i].who != who)
			continue;
		tell(&places[i]);
		places[i].who = NULL;
	}
}
