#include "text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define REPLACEMENT 0xFFFD

char *b_bytes_reserve(b_bytes *bytes, size_t more) {
  if (bytes->room - bytes->size < more) {
    size_t room = bytes->room * 2 > bytes->size + more ? bytes->room * 2 : bytes->size + more + 64;
    char *data = realloc(bytes->data, room);
    if (!data) b_out_of_memory();
    bytes->data = data;
    bytes->room = room;
  }
  return bytes->data + bytes->size;
}

/* ---- UTF-8 ---- */

static bool is_scalar(uint32_t code) { return code < 0xD800 || (code > 0xDFFF && code < 0x110000); }

unsigned b_encode(uint32_t code, char *out) {
  if (!is_scalar(code)) code = REPLACEMENT;
  if (code < 0x80) {
    out[0] = (char)code;
    return 1;
  }
  if (code < 0x800) {
    out[0] = (char)(0xC0 | code >> 6);
    out[1] = (char)(0x80 | (code & 0x3F));
    return 2;
  }
  if (code < 0x10000) {
    out[0] = (char)(0xE0 | code >> 12);
    out[1] = (char)(0x80 | (code >> 6 & 0x3F));
    out[2] = (char)(0x80 | (code & 0x3F));
    return 3;
  }
  out[0] = (char)(0xF0 | code >> 18);
  out[1] = (char)(0x80 | (code >> 12 & 0x3F));
  out[2] = (char)(0x80 | (code >> 6 & 0x3F));
  out[3] = (char)(0x80 | (code & 0x3F));
  return 4;
}

/* What a byte begins: how many bytes follow it, and which values the next one may have (the Unicode standard's table of
   well-formed sequences); -1 if no character begins so. */
static int sequence_of(uint8_t lead, uint8_t *low, uint8_t *high) {
  *low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  *high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (lead < 0x80) return 0;
  if (lead < 0xC2 || lead > 0xF4) return -1;
  return lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
}

/* The character at the start of some bytes; `used` is how many bytes it takes, `missing` how many more it would need. */
static uint32_t decode_one(const uint8_t *bytes, size_t size, unsigned *used, unsigned *missing) {
  uint8_t low, high;
  int follow = sequence_of(bytes[0], &low, &high);
  *used = 1;
  *missing = 0;
  if (follow == 0) return bytes[0];
  if (follow < 0) return REPLACEMENT;
  uint32_t code = bytes[0] & (0x3Fu >> follow);
  for (; follow > 0; follow--) {
    if (*used == size) {
      *missing = (unsigned)follow;
      return REPLACEMENT;
    }
    uint8_t byte = bytes[*used];
    if (byte < low || byte > high) return REPLACEMENT;
    code = code << 6 | (byte & 0x3F);
    low = 0x80;
    high = 0xBF;
    ++*used;
  }
  return code;
}

V b_decode(const char *bytes, size_t size) {
  b_list_builder string;
  b_list_begin(&string);
  unsigned used, missing;
  for (size_t at = 0; at < size; at += used)
    b_list_add(&string, b_box_u32(decode_one((const uint8_t *)bytes + at, size - at, &used, &missing)));
  return string.first;
}

unsigned b_missing_bytes(const char *bytes, size_t size) {
  for (size_t back = 1; back <= 3 && back <= size; back++) {
    unsigned used, missing;
    decode_one((const uint8_t *)bytes + size - back, back, &used, &missing);
    if (missing) return missing;
  }
  return 0;
}

char *b_utf8(V string, size_t *size) {
  b_bytes bytes = {0};
  V head;
  while (b_list_next(&string, &head)) bytes.size += b_encode(b_unbox_u32(head), b_bytes_reserve(&bytes, 5));
  *b_bytes_reserve(&bytes, 1) = 0;
  if (size) *size = bytes.size;
  return bytes.data;
}

V b_text(const uint32_t *codes, size_t n) {
  V string = b_imm(0);
  while (n) string = b_cell2(1, b_box_u32(codes[--n]), string);
  return string;
}

static V ascii(const char *text, size_t size) {
  V string = b_imm(0);
  while (size) string = b_cell2(1, b_box_u32((uint8_t)text[--size]), string);
  return string;
}

/* ---- numbers ---- */

V b_nat_show(uint64_t n) {
  char digits[20];
  size_t at = sizeof digits;
  do digits[--at] = (char)('0' + n % 10);
  while (n /= 10);
  return ascii(digits + at, sizeof digits - at);
}

V b_u32_show(uint32_t n) { return b_nat_show(n); }

/* The fewest significant digits that read back as this positive finite number; gives how many, and the power of ten of
   the first one. */
static unsigned shortest_digits(float x, char digits[9], int *power) {
  char text[24];
  for (int count = 1;; count++) {
    snprintf(text, sizeof text, "%.*e", count - 1, (double)x);
    if (count < 9 && strtof(text, NULL) != x) continue;
    char *exponent = strchr(text, 'e');
    *power = atoi(exponent + 1);
    digits[0] = text[0];
    if (count > 1) memcpy(digits + 1, text + 2, (size_t)count - 1); /* past the point */
    while (count > 1 && digits[count - 1] == '0') count--;
    return (unsigned)count;
  }
}

/* A positive finite number, with a point even where nothing follows it if so wanted; gives the length. */
static size_t show_positive(float x, bool point, char *out) {
  char digits[9];
  int power;
  int count = (int)shortest_digits(x, digits, &power);
  bool scientific = power >= 21 || power < -6;
  int first = scientific ? 0 : power; /* the first digit's place before the point */
  int last = first - count + 1 < 0 ? first - count + 1 : point ? -1 : 0;
  size_t size = 0;
  for (int place = first > 0 ? first : 0; place >= last; place--) {
    int at = first - place;
    out[size++] = at < 0 || at >= count ? '0' : digits[at];
    if (place == 0 && last < 0) out[size++] = '.';
  }
  return size + (scientific ? (size_t)snprintf(out + size, 8, "e%+d", power) : 0);
}

static size_t f32_text(float x, const char *nan, const char *infinity, bool point, char *out) {
  if (isnan(x)) return strlen(strcpy(out, nan));
  size_t size = 0;
  if (signbit(x)) out[size++] = '-';
  x = fabsf(x);
  if (isinf(x)) return size + strlen(strcpy(out + size, infinity));
  if (x == 0) return size + strlen(strcpy(out + size, point ? "0.0" : "0"));
  return size + show_positive(x, point, out + size);
}

size_t b_f32_literal(float x, char out[B_F32_ROOM]) { return f32_text(x, "nan", "inf", true, out); }

V b_f32_show(float x) {
  char text[B_F32_ROOM];
  return ascii(text, f32_text(x, "NaN", "Infinity", false, text));
}

static size_t skip_digits(const char *text, size_t at) {
  while (text[at] >= '0' && text[at] <= '9') at++;
  return at;
}

/* Is all of the text a decimal number? */
static bool is_decimal(const char *text, size_t size) {
  size_t at = *text == '+' || *text == '-';
  size_t end = skip_digits(text, at);
  if (end == at) return false;
  if (text[end] == '.') {
    at = end + 1;
    end = skip_digits(text, at);
    if (end == at) return false;
  }
  if (text[end] == 'e' || text[end] == 'E') {
    at = end + 1;
    at += text[at] == '+' || text[at] == '-';
    end = skip_digits(text, at);
    if (end == at) return false;
  }
  return end == size;
}

V b_f32_read(V string) {
  size_t size;
  char *text = b_utf8(string, &size);
  b_drop(string);
  V result = is_decimal(text, size) ? b_cell1(1, b_box_f32(strtof(text, NULL))) : b_imm(0);
  free(text);
  return result;
}

V b_u32_to_word(uint32_t n) {
  V word = b_imm(0);
  for (int bit = 31; bit >= 0; bit--) word = b_cell2(0, b_box_enum(n >> bit & 1), word);
  return word;
}

uint32_t b_word_to_u32(V word) {
  uint32_t n = 0;
  V rest = word, bit;
  for (int at = 0; at < 32 && b_list_next(&rest, &bit); at++) n |= (uint32_t)b_unbox_enum(bit) << at;
  b_drop(word);
  return n;
}
