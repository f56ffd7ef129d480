// The peer of bend/bench/lists.bend: a list of 1,000,000 numbers in nodes from malloc: built, mapped to a second list
// while it is freed, reversed by its links, folded and freed.

#include "pass.h"

#include <stdlib.h>

typedef struct Node {
    uint32_t value;
    struct Node *next;
} Node;

static Node *cons(uint32_t value, Node *next) {
    Node *node = malloc(sizeof *node);
    if (node == NULL) abort();
    node->value = value;
    node->next = next;
    return node;
}

static Node *build(uint32_t first) {
    Node *list = NULL;
    for (uint32_t n = 0; n < 1000000; n++) list = cons(first + n, list);
    return list;
}

static Node *scale(Node *list) {
    Node *made = NULL, **end = &made;
    while (list != NULL) {
        Node *next = list->next;
        *end = cons(list->value * 2654435761u, NULL);
        end = &(*end)->next;
        free(list);
        list = next;
    }
    return made;
}

static Node *reverse(Node *list) {
    Node *made = NULL;
    while (list != NULL) {
        Node *next = list->next;
        list->next = made;
        made = list;
        list = next;
    }
    return made;
}

static uint32_t fold(Node *list, uint32_t digest) {
    while (list != NULL) {
        Node *next = list->next;
        digest ^= list->value;
        digest = (digest ^ digest >> 15) * 2246822519u;
        free(list);
        list = next;
    }
    return digest;
}

uint32_t first(void) { return 2166136261u; }

uint32_t pass(uint32_t digest) { return fold(reverse(scale(build(digest))), digest); }
