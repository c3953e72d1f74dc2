// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "harness.h"

static char reason[256];

void test_fail(const char *file, int line, const char *format, ...)
{
	const char *base = strrchr(file, '/');
	size_t used;
	va_list ap;

	if (reason[0])
		return;
	snprintf(reason, sizeof(reason), "%s:%d: ", base ? base + 1 : file,
		 line);
	used = strlen(reason);
	va_start(ap, format);
	vsnprintf(reason + used, sizeof(reason) - used, format, ap);
	va_end(ap);
}

bool test_failed(void)
{
	return reason[0] != '\0';
}

int test_main(const struct test_case *cases, int n, const char *filter)
{
	int ran = 0, failed = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (int i = 0; i < n; i++) {
		if (filter && !strstr(cases[i].name, filter))
			continue;
		reason[0] = '\0';
		cases[i].run();
		ran++;
		if (reason[0]) {
			failed++;
			printf("FAIL %s: %s\n", cases[i].name, reason);
		} else {
			printf("ok %s\n", cases[i].name);
		}
	}
	return failed || !ran;
}
