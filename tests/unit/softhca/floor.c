// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The program that a floor of softhca is linked to, whole, with the floors
 * below it: a call that goes up has no definition there.
 */
int main(void)
{
	return 0;
}
