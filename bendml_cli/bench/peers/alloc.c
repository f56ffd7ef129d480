// The peer of bend/bench/alloc.bend: a list of 10,000,000 numbers in nodes from malloc, built, then summed and freed.

#include "pass.h"

#include <stdlib.h>

typedef struct Node {
    uint32_t value;
    struct Node *next;
} Node;

uint32_t first(void) { return 1; }

uint32_t pass(uint32_t sum) {
    Node *list = NULL;
    for (uint32_t n = 0; n < 10000000; n++) {
        Node *node = malloc(sizeof *node);
        if (node == NULL) abort();
        node->value = sum + n;
        node->next = list;
        list = node;
    }
    while (list != NULL) {
        Node *next = list->next;
        sum += list->value;
        free(list);
        list = next;
    }
    return sum;
}
