/* SPDX-License-Identifier: Apache-2.0
 *
 * version: reads a version from left to right: three numbers, words behind '-', words behind '+'.
 */
#include "gen/base/version.h"

#include <stdbool.h>
#include <string.h>

#define DIGITS "0123456789"

static const char leading_zero[] = "has a number that begins with 0";

/* Moves *at behind a number. */
static const char *number_fault(const char **at)
{
    enum { MOST_DIGITS = 9 }; /* it is an int in the package's header */
    const size_t n = strspn(*at, DIGITS);
    if (n == 0)
        return "is not three numbers with dots between";
    if (n > MOST_DIGITS)
        return "has a number of more than 9 digits";
    if (n > 1 && **at == '0')
        return leading_zero;
    *at += n;
    return NULL;
}

/* Moves *at, which is at the '-' or '+' before the words, behind them. */
static const char *words_fault(const char **at, bool has_numbers)
{
    do {
        ++*at;
        const size_t n = strspn(*at, DIGITS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-");
        if (n == 0)
            return "has no letters or digits behind a '-', '+' or '.'";
        if (has_numbers && n > 1 && **at == '0' && strspn(*at, DIGITS) >= n)
            return leading_zero;
        *at += n;
    } while (**at == '.');
    return NULL;
}

const char *version_fault(const char *text)
{
    const char *at = text, *why = NULL;
    if (strlen(text) > VERSION_MAX_LENGTH)
        return "is longer than 64 characters";
    for (int i = 0; i < 3 && !why; i++) {
        if (i && *at == '.')
            at++;
        else if (i)
            return "is not three numbers with dots between";
        why = number_fault(&at);
    }
    if (!why && *at == '-')
        why = words_fault(&at, true);
    if (!why && *at == '+')
        why = words_fault(&at, false);
    return !why && *at ? "has something behind it that is no part of a version" : why;
}
