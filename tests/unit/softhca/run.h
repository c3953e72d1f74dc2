/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What each test program ends with. */
#ifndef TEST_RUN_H
#define TEST_RUN_H

/* main(): runs these tests in order. */
#define RUN_TESTS(...)                                             \
	int main(void)                                             \
	{                                                          \
		const struct CMUnitTest tests[] = { __VA_ARGS__ }; \
                                                                   \
		return cmocka_run_group_tests(tests, NULL, NULL);  \
	}

#endif
