/* Converts the standard input from UTF-8 to UTF-16LE, piece by piece, and replaces what is not UTF-8 by U+FFFD. */
#include <stdio.h>

#include <trust8.h>

int main(void) {
    static char in[4096], out[4096];
    trust8_converter converter;
    trust8_conversion done;
    size_t len;

    trust8_converter_init(&converter, TRUST8_UTF8, TRUST8_UTF16LE, TRUST8_LOSSY);
    while ((len = fread(in, 1, sizeof in, stdin)) > 0) {
        /* A buffer need not have room for all: what does not fit is converted next. */
        bool all = false;
        for (size_t at = 0; !all; at += (size_t)done.read) {
            all = trust8_converter_push(&converter, in + at, len - at, out, sizeof out, &done);
            fwrite(out, 1, (size_t)done.written, stdout);
        }
    }
    trust8_converter_finish(&converter, out, sizeof out, &done);
    fwrite(out, 1, (size_t)done.written, stdout);
    return ferror(stdin) || ferror(stdout) || fflush(stdout) != 0;
}
