// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"

char **test_argv;

static char reason[256];
static bool case_failed;
static jmp_buf out;

void test_fail(const char *file, int line, const char *format, ...)
{
	const char *base = strrchr(file, '/');
	size_t used;
	va_list ap;

	va_start(ap, format);
	snprintf(reason, sizeof(reason), "%s:%d: ", base ? base + 1 : file,
		 line);
	used = strlen(reason);
	vsnprintf(reason + used, sizeof(reason) - used, format, ap);
	va_end(ap);
	longjmp(out, 1);
}

bool test_failed(void)
{
	return case_failed;
}

bool test_on_stock(void)
{
	return !strcmp(getenv("MLX5X_TEST_PROVIDER") ?: "", "stock");
}

/* True when run came to its end; else it says why not. */
static bool attempt(void (*run)(void), const char *name, const char *suffix)
{
	if (!setjmp(out)) {
		if (run)
			run();
		return true;
	}
	printf("FAIL %s%s: %s\n", name, suffix, reason);
	return false;
}

static int run_cases(const char *filter)
{
	const struct test_case *c;
	int ran = 0, failed = 0;

	for (c = test_program.cases; c->name; c++) {
		if (filter && !strstr(c->name, filter))
			continue;
		ran++;
		case_failed = !attempt(c->run, c->name, "");
		if (!case_failed)
			printf("ok %s\n", c->name);
		if (!attempt(test_program.after, c->name, "-after"))
			case_failed = true;
		failed += case_failed;
	}
	return failed || !ran;
}

int main(int argc, char **argv)
{
	const int arguments = test_program.arguments;
	int ret;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc < 1 + arguments) {
		fprintf(stderr, "%s: %d arguments, then a filter\n", argv[0],
			arguments);
		return 2;
	}
	test_argv = argv + 1;
	if (!attempt(test_program.open, test_program.name, "-open"))
		return 1;
	if (test_program.command && argc > 2 + arguments)
		ret = test_program.command();
	else
		ret = run_cases(argv[1 + arguments]);
	if (!attempt(test_program.close, test_program.name, "-close"))
		ret = 1;
	return ret;
}
