/* Durations on the command line: "30ms", "1.5s". There is no default unit. */
#include "../server.h"

#include <stdlib.h>
#include <string.h>

#define HOUR_NS INT64_C(3600000000000)

int64_t duration_parse(const char *text) {
  static const struct {
    const char *unit;
    double ns;
  } units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
  if (strspn(text, "0123456789.") == 0 ||
      *text == '.') { /* strtod would accept " 1", "-1", "inf" and hexadecimal numbers */
    return -1;
  }
  char *unit = NULL;
  const double value = strtod(text, &unit);
  if (unit != text + strspn(text, "0123456789.")) {
    return -1;
  }
  for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
    if (strcmp(unit, units[i].unit) == 0) {
      const double ns = value * units[i].ns;
      return ns <= (double)HOUR_NS ? (int64_t)(ns + 0.5) : -1;
    }
  }
  return -1;
}
