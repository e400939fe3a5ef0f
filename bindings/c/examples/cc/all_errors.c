/* Lists all ill-formed sequences of the standard input. The exit code is 1 if there are any. */
#include <stdio.h>
#include <stdlib.h>

#include <trust8.h>

static char *read_all(FILE *from, size_t *len) {
    size_t cap = 1 << 16;
    char *data = malloc(cap);
    *len = 0;
    for (size_t n = 1; data != NULL && n > 0; *len += n) {
        if (*len == cap) data = realloc(data, cap *= 2);
        n = data == NULL ? 0 : fread(data + *len, 1, cap - *len, from);
    }
    return data;
}

int main(void) {
    size_t len, at = 0;
    char *const data = read_all(stdin, &len);
    if (data == NULL) return 2;
    /* The place of `at`. Each part of the text is searched for line feeds once, however many errors there are. */
    unsigned long long line = 1, column = 1;
    trust8_error error;
    int wrong = 0;
    for (size_t from = 0; trust8_next_error(data, len, &at, &error); from = at) {
        trust8_location place;
        trust8_locate(data + from, len - from, error.valid_up_to - from, &place);
        column = place.line == 1 ? column + place.column - 1 : place.column;
        line += place.line - 1;
        char message[256];
        trust8_explain(&error, NULL, 0, message, sizeof message);
        printf("line %llu, column %llu: %s\n", line, column, message);
        wrong = 1;
        column++;
    }
    free(data);
    return wrong;
}
