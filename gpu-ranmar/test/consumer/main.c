/* A million numbers of one sequence, in C. */
#include <ranmar/ranmar.h>
#include <stdio.h>
#include <stdlib.h>

static void need(ranmar_status status) {
  if (status == RANMAR_OK) return;
  fprintf(stderr, "%s: %s\n", ranmar_status_string(status), ranmar_message());
  exit(1);
}

int main(void) {
  enum { kNumbers = 1000000 };
  double* numbers = malloc(kNumbers * sizeof *numbers);
  ranmar_generator* generator = NULL;
  uint64_t position = 0;
  double sum = 0.;
  if (numbers == NULL) return 1;
  need(ranmar_create(&generator, RANMAR_48_BIT, 4, "auto"));     /* four sequences */
  need(ranmar_seed(generator, 2, 54217137, 0));                  /* the second one's seed */
  need(ranmar_fill(generator, 2, numbers, kNumbers));
  need(ranmar_skip(generator, 2, 1000000000000));                /* 10^12 numbers further, at once */
  need(ranmar_position(generator, 2, &position));
  for (int i = 0; i < kNumbers; ++i) sum += numbers[i];
  printf("first %.15f, mean %.6f, now at number %llu\n", numbers[0], sum / kNumbers, (unsigned long long)position);
  ranmar_destroy(generator);
  free(numbers);
  return 0;
}
