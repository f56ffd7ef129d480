// What all peers share: passes before the clock starts, then timed ones; the milliseconds and the result are printed.

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

// The value that the first pass starts from, and one pass. Each source that includes this defines them.
uint32_t first(void);
uint32_t pass(uint32_t value);

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    uint32_t value = first();
    for (long n = atol(argv[1]); n > 0; n--) value = pass(value);
    struct timespec began, ended;
    clock_gettime(CLOCK_MONOTONIC, &began);
    for (long n = atol(argv[2]); n > 0; n--) value = pass(value);
    clock_gettime(CLOCK_MONOTONIC, &ended);
    double took = (double)(ended.tv_sec - began.tv_sec) * 1e3 + (double)(ended.tv_nsec - began.tv_nsec) / 1e6;
    printf("%.3f %u\n", took, value);
    return 0;
}
