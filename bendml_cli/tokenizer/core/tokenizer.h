/* What Python calls (native.py declares the same). A pointer that is NULL, or a negative number, says that memory is
   out; Python has checked all arguments. */
#ifndef BENDML_TOKENIZER_H
#define BENDML_TOKENIZER_H

#include "model.h"

typedef struct Encoder Encoder;
typedef struct Trainer Trainer;

/* The model of a vocabulary: the two symbols of each merge, and the ids of all symbols. No two merges make the same
   bytes, and each is of symbols before it. */
Model *tokenizer_model_new(const uint32_t *merges, size_t count, const uint32_t *ids);
void tokenizer_model_free(Model *model);

/* What one thread needs to encode; the model must outlive it. */
Encoder *tokenizer_encoder_new(const Model *model);
void tokenizer_encoder_free(Encoder *encoder);

/* Encode texts that lie one after the other: the first one from `start` to ends[0], the next one to ends[1]. Answers
   the number of ids of all of them, and in `counts` that of each. */
int64_t tokenizer_encode(Encoder *encoder, const uint8_t *data, size_t start, const size_t *ends, size_t texts,
                         size_t *counts);
/* The ids of the last call. */
const uint32_t *tokenizer_ids(const Encoder *encoder);

/* Where the pieces of a text end, into `ends`, which has room for `size` of them; answers how many there are. */
size_t tokenizer_split(const uint8_t *data, size_t size, size_t *ends);

Trainer *tokenizer_trainer_new(void);
void tokenizer_trainer_free(Trainer *trainer);
/* Count the pieces of a text. Answers 0, or less. */
int tokenizer_trainer_add(Trainer *trainer, const uint8_t *data, size_t size);
/* Merge the commonest pair, again and again, until there are `count` merges or none comes `least` times. Answers how
   many there are. May be called again for more. */
int64_t tokenizer_trainer_run(Trainer *trainer, size_t count, uint64_t least);
/* The two symbols of each merge. */
const Pair *tokenizer_trainer_merges(const Trainer *trainer);

#endif
